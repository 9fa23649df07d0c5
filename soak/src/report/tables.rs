//! The tables of single modes, in the shape of the report that each repeats, for terminal and page alike.

mod comparison;
mod mix;

use crate::measure::record::*;
use crate::units::{Count, Micros, PerSecond, Seconds, three_digits};

pub use comparison::comparison;

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its heading.
    pub title: String,
    /// What must be known to read it.
    pub note: String,
    /// The columns' names; the first column is text, the others are figures.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// The log of a run, which is folded away where there is room for that.
    pub is_long: bool,
}

impl Table {
    fn new(title: &str, note: impl Into<String>, columns: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            note: note.into(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            rows: Vec::new(),
            is_long: false,
        }
    }

    fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

/// The tables of a record's mode.
pub fn of_mode(record: &RunRecord) -> Vec<Table> {
    let mut tables = Vec::new();
    tables.extend(groups(record));
    tables.extend(ramp(record));
    tables.extend(matrix(record));
    tables.extend(mix::mix(record));
    tables.extend(secure(record));
    tables.extend(record.rate.as_ref().map(rate));
    if record.run.mode == "matrix" {
        tables.push(log(record));
    }
    if let Some(baseline) = &record.baseline {
        tables.push(comparison(baseline));
    }
    tables
}

/// Groups that are settled: the last ten of each client.
const SETTLED: usize = 10;

fn groups(record: &RunRecord) -> Vec<Table> {
    if record.groups.is_empty() {
        return Vec::new();
    }
    let rows = &record.groups;
    let of = |client: &str| rows.iter().filter(|row| row.client == client).collect::<Vec<_>>();
    let mut clients: Vec<&str> = rows.iter().map(|row| row.client.as_str()).collect();
    clients.dedup();
    let mean = |rows: &[&GroupRow]| {
        let requests: u64 = rows.iter().map(|row| row.to - row.from + 1).sum();
        rows.iter().map(|row| row.ms).sum::<f64>() / requests.max(1) as f64
    };
    let ms = |value: Option<f64>| value.map_or("–".to_owned(), |ms| Micros(ms * 1e3).to_string());
    let mut summary = Table::new(
        "Warm-up and settled times",
        "Each group's time is that of its own requests. Throughput is measured; clients / delay is what earlier \
         reports printed in its place.",
        &["client", "first request", "second request", "first group", "settled"],
    );
    let mut delays = Vec::new();
    for client in &clients {
        let mine = of(client);
        let wide: Vec<&GroupRow> = mine.iter().copied().filter(|row| row.to > row.from).collect();
        let settled = &wide[wide.len().saturating_sub(SETTLED)..];
        let single = |place: usize| {
            mine.get(place).filter(|row| row.from == row.to).map(|row| row.ms_per_request)
        };
        let settled = (!settled.is_empty()).then(|| mean(settled));
        delays.extend(settled);
        summary.row(vec![
            (*client).to_owned(),
            ms(single(0)),
            ms(single(1)),
            ms(wide.first().map(|row| row.ms_per_request)),
            ms(settled),
        ]);
    }
    let mut overall =
        Table::new("Overall", "", &["", "measured requests/s", "clients / delay", "delay"]);
    let delay = delays.iter().sum::<f64>() / delays.len().max(1) as f64;
    overall.row(vec![
        format!("{} client{}", clients.len(), if clients.len() == 1 { "" } else { "s" }),
        PerSecond(record.totals.all.tps_mean).to_string(),
        if delay > 0.0 {
            PerSecond(clients.len() as f64 * 1e3 / delay).to_string()
        } else {
            "–".to_owned()
        },
        ms(Some(delay)),
    ]);
    let mut all = Table::new("Every group", "", &["client", "from", "to", "ms", "ms/request"]);
    all.is_long = true;
    for row in rows {
        all.row(vec![
            row.client.clone(),
            row.from.to_string(),
            row.to.to_string(),
            three_digits(row.ms),
            format!("{:.3}", row.ms_per_request),
        ]);
    }
    vec![summary, overall, all]
}

/// The line of the first report for one group.
pub fn group_line(row: &GroupRow) -> String {
    format!(
        "{}: Time from {} to {}: {:.3}ms {:.3}ms/request",
        row.client, row.from, row.to, row.ms, row.ms_per_request
    )
}

fn ramp(record: &RunRecord) -> Option<Table> {
    let knee = record.knee.as_ref()?;
    let most = record.host.cores * 100;
    let found = match knee.users {
        Some(users) => format!(
            "Knee at {users} users, {} requests/s. Limit: {}, {}.",
            PerSecond(knee.tps),
            knee.limit,
            knee.why
        ),
        None => format!("No knee within these steps ({}: {}).", knee.limit, knee.why),
    };
    let note = format!(
        "{found} Fit: {}/s with one user, contention {}, coherence {}, off by {} % on average. Delay and spread are \
         of the measured part of each step; users / delay is Little's law.",
        PerSecond(knee.tps_of_one),
        knee.contention,
        knee.coherence,
        three_digits(knee.fit_error_pct)
    );
    let idle = format!("CPU idle (of {most} %)");
    let mut table = Table::new(
        "Throughput and delay by users",
        note,
        &[
            "users",
            &idle,
            "delay",
            "requests/s",
            "users / delay",
            "p50",
            "p99",
            "spread",
            "first",
            "service cores",
            "generator cores",
            "requests",
            "errors",
            "generator limited",
        ],
    );
    for step in &record.steps {
        let text = |value: Option<f64>| value.map_or("–".to_owned(), three_digits);
        table.row(vec![
            step.users.to_string(),
            text(step.idle_cpu_pct),
            Micros(step.delay_ms * 1e3).to_string(),
            PerSecond(step.tps).to_string(),
            PerSecond(step.tps_by_littles_law).to_string(),
            Micros(step.p50_us as f64).to_string(),
            Micros(step.p99_us as f64).to_string(),
            format!("{} %", three_digits(step.spread_pct)),
            step.first_us.map_or("–".to_owned(), |us| Micros(us as f64).to_string()),
            text(step.server_cpu),
            text(step.generator_cpu),
            Count(step.requests).to_string(),
            Count(step.errors + step.wrong).to_string(),
            format!("{} %", three_digits(step.generator_limited_pct)),
        ]);
    }
    Some(table)
}

fn matrix(record: &RunRecord) -> Option<Table> {
    if record.matrix.is_empty() {
        return None;
    }
    let mut clients: Vec<&str> = record.matrix.iter().map(|row| row.client.as_str()).collect();
    clients.sort_unstable();
    clients.dedup();
    let mut columns = vec!["threads per client"];
    columns.extend(&clients);
    columns.extend(["cumulative", "lowest / highest", "Jain's index"]);
    let mut table = Table::new(
        "Transactions per minute",
        "Counted over the measured part of each step. Both figures of fairness are 1 where all clients get the same.",
        &columns,
    );
    for step in &record.fairness {
        let mut cells = vec![step.threads.to_string()];
        for client in &clients {
            let mut rows = record.matrix.iter();
            let cell = rows.find(|row| row.client == *client && row.threads == step.threads);
            cells.push(
                cell.map_or("–".to_owned(), |row| {
                    Count(row.per_minute.round() as u64).to_string()
                }),
            );
        }
        cells.push(Count(step.per_minute.round() as u64).to_string());
        cells.push(format!("{:.3}", step.lowest_to_highest));
        cells.push(format!("{:.3}", step.jain));
        table.row(cells);
    }
    Some(table)
}

fn log(record: &RunRecord) -> Table {
    let mut table = Table::new(
        "Interval log",
        "Tot is since the start, Buc this interval alone; times in ms, TPM is transactions per minute.",
        &[
            "by", "TotXact", "TotMin", "TotAvg", "TotMax", "TotTPM", "BucXact", "BucMin", "BucAvg",
            "BucMax", "BucTPM", "p50", "p99", "errors",
        ],
    );
    table.is_long = true;
    let ms = |us: u64| format!("{:.2}", us as f64 / 1e3);
    for row in &record.intervals {
        let (tot, buc) = (&row.tot, &row.buc);
        table.row(vec![
            Seconds(row.t).to_string(),
            tot.n.to_string(),
            ms(tot.min),
            ms(tot.avg),
            ms(tot.max),
            tot.tpm.to_string(),
            buc.n.to_string(),
            ms(buc.min),
            ms(buc.avg),
            ms(buc.max),
            buc.tpm.to_string(),
            ms(buc.p50),
            ms(buc.p99),
            (row.errors + row.wrong).to_string(),
        ]);
    }
    table
}

fn secure(record: &RunRecord) -> Option<Table> {
    if record.secure.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "What security costs",
        "Ratios are to plain HTTP without credentials, new connections with new ones and kept with kept. Connect is \
         TCP alone; TLS is the handshake. What others get is the status of a request without credentials, and with wrong \
         ones.",
        &[
            "transport",
            "credentials",
            "others get",
            "connection",
            "first",
            "mean",
            "p50",
            "p99",
            "requests/s",
            "connect",
            "TLS",
            "CPU/request",
            "time ratio",
            "first ratio",
            "throughput ratio",
        ],
    );
    for row in &record.secure {
        let time = |us: Option<f64>| us.map_or("–".to_owned(), |us| Micros(us).to_string());
        let ratio =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
        let latency = row.latency_us.as_ref();
        table.row(vec![
            row.transport.clone(),
            if row.credentials { "yes" } else { "no" }.to_owned(),
            row.refusals.as_ref().map_or("–".to_owned(), |others| match others {
                Refusals { missing, wrong } if missing == wrong => missing.to_string(),
                Refusals { missing, wrong } => format!("{missing}, {wrong}"),
            }),
            row.connection.clone(),
            time(row.first_us.map(|us| us as f64)),
            time(latency.map(|stats| stats.mean)),
            time(latency.map(|stats| stats.p50 as f64)),
            time(latency.map(|stats| stats.p99 as f64)),
            PerSecond(row.tps).to_string(),
            time(row.connect_us.as_ref().map(|stats| stats.mean)),
            time(row.tls_us.as_ref().map(|stats| stats.mean)),
            time(row.cpu_us_per_request),
            ratio(row.time_ratio),
            ratio(row.first_ratio),
            ratio(row.tps_ratio),
        ]);
    }
    Some(table)
}

fn rate(rate: &RateFigures) -> Table {
    let note = format!(
        "{}/s asked, {}/s answered over {} connections; {} of {} intended requests were not sent. The scheduler let \
         requests go late by {} at its 99th percentile.",
        PerSecond(rate.asked_tps),
        PerSecond(rate.answered_tps),
        rate.connections,
        Count(rate.not_sent),
        Count(rate.intended),
        rate.scheduler_lag_us
            .as_ref()
            .map_or("–".to_owned(), |lag| Micros(lag.p99 as f64).to_string()),
    );
    let mut table = Table::new(
        "Latency from the intended moment and from sending",
        note,
        &["", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"],
    );
    for (name, stats) in [
        ("corrected (from the intended moment)", &rate.corrected_us),
        ("uncorrected (from sending)", &rate.uncorrected_us),
    ] {
        if let Some(stats) = stats {
            let mut cells = vec![name.to_owned(), Micros(stats.mean).to_string()];
            let percentiles = [stats.p50, stats.p90, stats.p99, stats.p999, stats.p9999, stats.max];
            cells.extend(percentiles.map(|us| Micros(us as f64).to_string()));
            table.row(cells);
        }
    }
    table
}

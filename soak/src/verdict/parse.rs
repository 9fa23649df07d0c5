//! The rules file: one rule a line, `METRIC OP VALUE[UNIT] [for SCOPE] [during PHASE] [over TIME]`.

use super::leak;
use super::rules::{Metric, Op, Rule, Scope, TREND_S};
use crate::measure::endpoint::Endpoint;
use crate::measure::record::PhaseName;
use crate::units::parse_seconds;

/// A line that is not a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 in characters.
    pub column: usize,
    /// What is wrong and what to write instead.
    pub message: String,
}

/// Reads a whole file of rules; all its mistakes at once.
pub fn parse(text: &str) -> Result<Vec<Rule>, Vec<RuleError>> {
    let (mut rules, mut errors) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        if content.trim().is_empty() {
            continue;
        }
        match Line::new(content).rule() {
            Ok(rule) => rules.push(rule),
            Err((column, message)) => errors.push(RuleError { line: number + 1, column, message }),
        }
    }
    if rules.is_empty() && errors.is_empty() {
        let message = "there is no rule in this file; write one such as `p99 < 5ms for decisions`";
        errors.push(RuleError { line: 1, column: 1, message: message.to_owned() });
    }
    if errors.is_empty() { Ok(rules) } else { Err(errors) }
}

/// Where in the line, and what.
type Trouble = (usize, String);

struct Line<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn new(whole: &'a str) -> Self {
        Self { whole, rest: whole.trim_start() }
    }

    fn column(&self) -> usize {
        self.whole[..self.whole.len() - self.rest.len()].chars().count() + 1
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        token
    }

    fn rule(mut self) -> Result<Rule, Trouble> {
        let metric = self.metric()?;
        let op = self.op(metric)?;
        let limit = self.value(metric, op)?;
        let mut scope = match metric {
            Metric::Drift | Metric::TpsDrift => Scope::Decisions,
            _ => Scope::All,
        };
        let (mut phase, mut over_s) = (None, TREND_S);
        while !self.rest.is_empty() {
            let column = self.column();
            match self.word() {
                "for" => scope = self.scope(metric)?,
                "during" => phase = Some(self.phase(metric)?),
                "over" => over_s = self.length(metric)?,
                word => {
                    return Err((
                        column,
                        format!(
                            "`{word}` is not understood here; write `for SCOPE`, `during PHASE`, `over TIME`, or end \
                             the rule"
                        ),
                    ));
                }
            }
        }
        Ok(Rule { text: self.whole.trim().to_owned(), metric, op, limit, scope, phase, over_s })
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        self.advance(end)
    }

    fn metric(&mut self) -> Result<Metric, Trouble> {
        let column = self.column();
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || "<>=".contains(c))
            .unwrap_or(self.rest.len());
        let name = self.advance(end);
        let metric = match name {
            "avg" => Metric::Average,
            "max" => Metric::Max,
            "first" => Metric::First,
            "error-rate" => Metric::ErrorRate,
            "errors" => Metric::Errors,
            "tps" => Metric::Tps,
            "rss_delta" => Metric::RssDelta,
            "fds_delta" => Metric::FdsDelta,
            "threads_delta" => Metric::ThreadsDelta,
            "cpu_per_request" => Metric::CpuPerRequest,
            "leak" => Metric::Leak,
            "drift" => Metric::Drift,
            "tps_drift" => Metric::TpsDrift,
            _ => match name.strip_prefix('p').and_then(|digits| digits.parse::<f64>().ok()) {
                Some(percent) if percent > 0.0 && percent < 100.0 => Metric::Percentile(percent),
                Some(_) => {
                    return Err((
                        column,
                        format!("`{name}` is not a percentile; use p1 to p99.999, or `max`"),
                    ));
                }
                None => {
                    return Err((
                        column,
                        format!(
                            "`{name}` is not a metric; known are p50 (and other percentiles), avg, max, first, \
                             error-rate, errors, tps, rss_delta, fds_delta, threads_delta, cpu_per_request, leak, \
                             drift, tps_drift"
                        ),
                    ));
                }
            },
        };
        Ok(metric)
    }

    fn op(&mut self, metric: Metric) -> Result<Op, Trouble> {
        let column = self.column();
        let end = self.rest.find(|c: char| !"<>=".contains(c)).unwrap_or(self.rest.len());
        let op = match self.advance(end) {
            "<" => Op::Less,
            "<=" => Op::AtMost,
            ">" => Op::More,
            ">=" => Op::AtLeast,
            "=" | "==" => Op::Equal,
            "" => {
                return Err((
                    column,
                    "a comparison is missing; write one of < <= > >= =".to_owned(),
                ));
            }
            other => {
                return Err((
                    column,
                    format!("`{other}` is not a comparison; write one of < <= > >= ="),
                ));
            }
        };
        let upper_only = matches!(metric, Metric::Leak | Metric::Drift | Metric::TpsDrift);
        if upper_only && matches!(op, Op::More | Op::AtLeast) {
            return Err((
                column,
                format!("`{op}` makes no sense here; write an upper limit with `<`"),
            ));
        }
        Ok(op)
    }

    fn value(&mut self, metric: Metric, op: Op) -> Result<f64, Trouble> {
        let column = self.column();
        let number_end = self
            .rest
            .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
            .unwrap_or(self.rest.len());
        let number = self.advance(number_end);
        if metric == Metric::Leak && number.is_empty() && self.rest.starts_with("none") {
            self.advance("none".len());
            return if op == Op::Equal {
                Ok(leak::TOLERANCE_BYTES_PER_MINUTE)
            } else {
                Err((column, "`none` goes with `=`; write `leak = none`".to_owned()))
            };
        }
        let value: f64 = number.parse().map_err(|_| {
            let found = self.rest.split_whitespace().next().unwrap_or("nothing");
            (column, format!("a number was expected, found `{number}{found}`"))
        })?;
        if metric == Metric::Leak && op == Op::Equal {
            return Err((
                column,
                "write `leak = none`, or a tolerance such as `leak < 16KiB/min`".to_owned(),
            ));
        }
        possible(metric, op, value).map_err(|message| (column, message.to_owned()))?;
        let unit_column = self.column();
        let unit_end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphabetic() || "%/".contains(c)))
            .unwrap_or(self.rest.len());
        // A following keyword is not a unit.
        let unit = match &self.rest[..unit_end] {
            "for" | "during" | "over" => "",
            _ => self.advance(unit_end),
        };
        factor(metric, unit).map(|factor| value * factor).map_err(|hint| {
            let message = if unit.is_empty() {
                format!("a unit is missing; {hint}")
            } else {
                format!("`{unit}` does not fit this metric; {hint}")
            };
            (unit_column, message)
        })
    }

    fn scope(&mut self, metric: Metric) -> Result<Scope, Trouble> {
        let column = self.column();
        let about_the_process = matches!(
            metric,
            Metric::RssDelta
                | Metric::FdsDelta
                | Metric::ThreadsDelta
                | Metric::CpuPerRequest
                | Metric::Leak
        );
        let name = self.word();
        if about_the_process {
            return Err((
                column,
                "this metric is about the whole process and takes no `for`".to_owned(),
            ));
        }
        match name {
            "all" => Ok(Scope::All),
            "decision" | "decisions" => Ok(Scope::Decisions),
            "probe" | "probes" if matches!(metric, Metric::Drift | Metric::TpsDrift) => {
                Err((column, "drift is judged for all, decisions or one endpoint".to_owned()))
            }
            "probe" | "probes" => Ok(Scope::Probes),
            _ => Endpoint::ALL
                .into_iter()
                .find(|endpoint| endpoint.name() == name)
                .map(Scope::Endpoint)
                .ok_or_else(|| {
                    let names: Vec<&str> =
                        Endpoint::ALL.iter().map(|endpoint| endpoint.name()).collect();
                    let found =
                        if name.is_empty() { "nothing".to_owned() } else { format!("`{name}`") };
                    (
                        column,
                        format!(
                            "{found} is not a scope; write all, decisions, probes, {}",
                            names.join(", ")
                        ),
                    )
                }),
        }
    }

    fn phase(&mut self, metric: Metric) -> Result<PhaseName, Trouble> {
        let column = self.column();
        let phase = match self.word() {
            "steady" => PhaseName::Steady,
            "warmup" => PhaseName::Warmup,
            other => {
                return Err((
                    column,
                    format!("`during {other}` cannot be judged; the phases are warmup and steady"),
                ));
            }
        };
        match metric {
            Metric::Percentile(_)
            | Metric::Average
            | Metric::Max
            | Metric::ErrorRate
            | Metric::Errors
            | Metric::Tps => Ok(phase),
            Metric::CpuPerRequest | Metric::Drift | Metric::TpsDrift | Metric::Leak
                if phase == PhaseName::Steady =>
            {
                Ok(phase)
            }
            _ => Err((column, "this metric cannot be judged by phase".to_owned())),
        }
    }

    /// The least that a trend is judged on.
    fn length(&mut self, metric: Metric) -> Result<f64, Trouble> {
        let column = self.column();
        let word = self.word();
        if !matches!(metric, Metric::Leak | Metric::Drift | Metric::TpsDrift) {
            return Err((
                column,
                "only leak, drift and tps_drift are judged over a time".to_owned(),
            ));
        }
        let length = parse_seconds(word).map_err(|error| {
            (column, format!("`over {word}`: {error}; write a time such as 2m"))
        })?;
        Ok(length.as_secs_f64())
    }
}

/// Whether a figure of this metric could be on either side of the limit.
fn possible(metric: Metric, op: Op, value: f64) -> Result<(), &'static str> {
    if !value.is_finite() {
        return Err("this number is too large");
    }
    match metric {
        // These can shrink.
        Metric::RssDelta | Metric::FdsDelta | Metric::ThreadsDelta => Ok(()),
        _ if value < 0.0 => Err("this can never be below zero; write a positive limit"),
        // A trend that is not there is 0 %, and one can fall.
        Metric::Drift | Metric::TpsDrift => Ok(()),
        _ if value == 0.0 && op == Op::Less => {
            Err("nothing is below zero; write `<= 0`, or a positive limit")
        }
        _ if value == 0.0 && op == Op::AtLeast => {
            Err("everything is at least zero; write a positive limit")
        }
        Metric::ErrorRate if value > 100.0 => Err("a rate is at most 100 %"),
        Metric::ErrorRate if value == 100.0 && matches!(op, Op::AtMost | Op::More) => {
            Err("a rate is at most 100 %, so this says nothing; write a smaller limit")
        }
        _ => Ok(()),
    }
}

/// From the written unit to that of the limit.
fn factor(metric: Metric, unit: &str) -> Result<f64, &'static str> {
    const SIZES: [(&str, f64); 6] = [
        ("B", 1.0),
        ("KiB", 1024.0),
        ("kB", 1e3),
        ("MiB", 1048576.0),
        ("MB", 1e6),
        ("GiB", 1073741824.0),
    ];
    let size = |unit: &str| SIZES.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    match metric {
        Metric::Percentile(_)
        | Metric::Average
        | Metric::Max
        | Metric::First
        | Metric::CpuPerRequest => match unit {
            "us" => Ok(1.0),
            "ms" => Ok(1e3),
            "s" => Ok(1e6),
            _ => Err("write us, ms or s after the number"),
        },
        Metric::ErrorRate | Metric::Drift | Metric::TpsDrift => match unit {
            "%" => Ok(1.0),
            _ => Err("write % after the number"),
        },
        Metric::RssDelta => size(unit).ok_or("write KiB, MiB or GiB after the number"),
        Metric::Leak => {
            unit.strip_suffix("/min").and_then(size).ok_or("write a tolerance such as 16KiB/min")
        }
        Metric::Tps => match unit {
            "" | "/s" => Ok(1.0),
            _ => Err("write requests per second, with no unit"),
        },
        Metric::Errors | Metric::FdsDelta | Metric::ThreadsDelta => match unit {
            "" => Ok(1.0),
            _ => Err("write a plain number"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::DEFAULT;
    use super::*;

    fn one(text: &str) -> Rule {
        parse(text).expect(text).pop().expect("one rule")
    }

    #[test]
    fn every_kind_of_rule_is_read() {
        let read = |text: &str| {
            let rule = one(text);
            (rule.metric, rule.op, rule.limit, rule.scope)
        };
        assert_eq!(
            read("p99<5ms for decision"),
            (Metric::Percentile(99.0), Op::Less, 5e3, Scope::Decisions)
        );
        assert_eq!(
            read("p99.9 < 20ms during steady"),
            (Metric::Percentile(99.9), Op::Less, 2e4, Scope::All)
        );
        assert_eq!(read("avg<=1s for monitoring").3, Scope::Endpoint(Endpoint::Monitoring));
        assert_eq!(read("error-rate<0.1%"), (Metric::ErrorRate, Op::Less, 0.1, Scope::All));
        assert_eq!(
            read("tps>=2000 for decisions"),
            (Metric::Tps, Op::AtLeast, 2000.0, Scope::Decisions)
        );
        assert_eq!(read("first<250ms").0, Metric::First);
        assert_eq!(read("rss_delta<16MiB").2, 16.0 * 1048576.0);
        assert_eq!(read("fds_delta<=2").2, 2.0);
        assert_eq!(read("cpu_per_request<200us").2, 200.0);
        assert_eq!(read("leak=none"), (Metric::Leak, Op::Equal, 4096.0, Scope::All));
        assert_eq!(read("leak < 16KiB/min").2, 16384.0);
        assert_eq!(read("drift<20%"), (Metric::Drift, Op::Less, 20.0, Scope::Decisions));
        assert_eq!(read("errors<=0 for probes").3, Scope::Probes);
        let phase = |text: &str| one(text).phase;
        assert_eq!(phase("p99.9 < 20ms during steady"), Some(PhaseName::Steady));
        assert_eq!(phase("max<1s for probes during warmup"), Some(PhaseName::Warmup));
        assert_eq!((phase("p50<1ms"), one("p50<1ms").over_s), (None, 600.0));
        assert_eq!(one("leak < 1MiB/min over 2m").over_s, 120.0);
        assert_eq!(one("drift<20% for decisions over 90s").over_s, 90.0);
    }

    #[test]
    fn the_default_rules_are_rules() {
        assert_eq!(parse(DEFAULT).expect("the default rules").len(), 4);
        let hints = DEFAULT.lines().filter_map(|line| line.strip_prefix("#   "));
        for rule in
            hints.flat_map(|line| line.split("  ")).map(str::trim).filter(|text| !text.is_empty())
        {
            one(rule);
        }
    }

    #[test]
    fn mistakes_are_told_all_at_once_with_line_and_column() {
        let errors = parse(
            "p99<5ms\n  p99 < 5\n# fine\nspeed>3\nerror-rate<1ms\ntps>>3\nrss_delta<1MiB for all\n",
        )
        .expect_err("five mistakes");
        let places: Vec<(usize, usize)> =
            errors.iter().map(|error| (error.line, error.column)).collect();
        assert_eq!(places, [(2, 10), (4, 1), (5, 13), (6, 4), (7, 20)]);
        assert!(errors[0].message.contains("a unit is missing"), "{}", errors[0].message);
        assert!(errors[1].message.contains("`speed` is not a metric"), "{}", errors[1].message);
    }

    #[test]
    fn limits_that_make_no_sense_are_refused_at_their_place() {
        let text =
            "p99 < -5ms\nerror-rate < 200%\nmax<0s\ntps >= 0\nleak < -1KiB/min\ndrift < -5%\n";
        let errors = parse(text).expect_err("six mistakes");
        let places: Vec<(usize, usize)> =
            errors.iter().map(|error| (error.line, error.column)).collect();
        assert_eq!(places, [(1, 7), (2, 14), (3, 5), (4, 8), (5, 8), (6, 9)]);
        for text in ["", "\n", "# only a comment\n"] {
            let errors = parse(text).expect_err("no rule");
            assert_eq!((errors[0].line, errors[0].column), (1, 1), "{text:?}");
        }
        for text in
            ["rss_delta < -1MiB", "fds_delta<=-1", "error-rate<=0%", "errors<=0", "drift<150%"]
        {
            one(text);
        }
    }

    #[test]
    fn a_rule_that_cannot_be_is_refused() {
        for text in [
            "p100<1s",
            "p0<1s",
            "px<1s",
            "p99 1ms",
            "p99<",
            "p99<fastms",
            "p99<1ms for everyone",
            "p99<1ms for",
            "p99<1ms during cooldown",
            "first<1ms during warmup",
            "rss_delta<1MiB during steady",
            "leak=none during warmup",
            "p99<1ms over 60s",
            "leak=none over",
            "leak=none over 5",
            "p99<1ms please",
            "leak>none",
            "leak=5KiB/min",
            "leak<5KiB",
            "drift>20%",
            "drift<20% for probes",
            "tps>=5%",
            "<5",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

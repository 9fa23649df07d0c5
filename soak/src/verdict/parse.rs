//! The rules file: one rule a line, `METRIC OP VALUE[UNIT] [for SCOPE] [during PHASE] [over TIME]`.

use super::leak;
use super::limits::{factor, possible};
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

#[cfg(test)]
mod tests;

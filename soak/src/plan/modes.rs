//! Each mode's command line as a plan: which loads, in which order.

use std::time::Duration;

use super::*;
use crate::options::{Groups, Matrix, Mix, Ramp, Rate, S3p};
use crate::scenario::Activity;

/// One row of the report in modes that go in steps.
const STEP_INTERVAL: Duration = Duration::from_secs(1);
/// The bound of a load that is measured in requests.
const LONGEST_QUOTA: Duration = Duration::from_secs(6 * 3600);

impl Plan {
    /// The published method.
    pub fn s3p(options: &S3p, command: Vec<String>) -> Result<Self, SetupError> {
        let leg =
            leg("s3p", Cohort::s3p(options.users, options.full), Timing::of(options.duration));
        one_service(Mode::S3p, &options.common, None, command, vec![leg])
    }

    /// Requests timed in groups.
    pub fn groups(options: &Groups, command: Vec<String>) -> Result<Self, SetupError> {
        let clients = (0..options.clients).map(|number| {
            Cohort::new(format!("client-{}", number + 1), Activity::One(options.subject), 1)
        });
        let limit = options.common.load.deadline.unwrap_or(LONGEST_QUOTA).min(LONGEST_QUOTA);
        let timing = Timing {
            warmup: Duration::ZERO,
            interval: STEP_INTERVAL,
            cooldown: Duration::ZERO,
            ..Timing::of(Duration::from_secs(limit.as_secs().max(1)))
        };
        let quota = Quota {
            requests: options.requests,
            group: options.group,
            singly: options.singly.min(options.requests),
        };
        let leg = Leg { quota: Some(quota), ..leg("groups", clients.collect(), timing) };
        one_service(Mode::Groups, &options.common, Some(options.subject), command, vec![leg])
    }

    /// One user more with each step.
    pub fn ramp(options: &Ramp, command: Vec<String>) -> Result<Self, SetupError> {
        let drop = options.drop.unwrap_or(Duration::from_secs(options.step.as_secs() / 6));
        if drop >= options.step {
            return Err(SetupError::Usage(
                "--drop: leave some of each --step to measure".to_owned(),
            ));
        }
        let timing = Timing::step(options.step, drop, STEP_INTERVAL);
        let legs = (1..=options.max_users).map(|users| {
            let name = if users == 1 { "1 user".to_owned() } else { format!("{users} users") };
            let cohort = Cohort::new("users", Activity::One(options.subject), users);
            leg(&name, vec![cohort], timing)
        });
        one_service(Mode::Ramp, &options.common, Some(options.subject), command, legs.collect())
    }

    /// A random mixture of actions.
    pub fn mix(options: &Mix, command: Vec<String>) -> Result<Self, SetupError> {
        let coming = options.spacing * options.instances.saturating_sub(1);
        if coming >= options.duration {
            return Err(SetupError::Usage(format!(
                "--duration: the last of {} instances would start after its end; make it longer, or --spacing shorter",
                options.instances
            )));
        }
        let cohort = Cohort {
            spacing: options.spacing,
            ..Cohort::new("instances", Activity::Mixture, options.instances)
        };
        let of = Timing::of(options.duration);
        // The steady phase begins when all have come.
        let edge = coming.as_secs_f64() / of.interval.as_secs_f64();
        let timing = Timing { warmup: of.interval * edge.ceil() as u32, ..of };
        one_service(
            Mode::Mix,
            &options.common,
            None,
            command,
            vec![leg("mix", vec![cohort], timing)],
        )
    }

    /// Virtual clients by threads.
    pub fn matrix(options: &Matrix, command: Vec<String>) -> Result<Self, SetupError> {
        let drop = Duration::from_secs(options.step.as_secs() / 6);
        let mut timing = Timing::step(options.step, drop, options.interval);
        // Whole rows alone can be left out.
        let rows = timing.warmup.as_secs().div_ceil(timing.interval.as_secs().max(1));
        timing.warmup = timing.interval * rows as u32;
        let legs = options.threads.iter().map(|threads| {
            let clients = (1..=options.clients).map(|number| {
                Cohort::new(format!("client-{number}"), Activity::One(options.subject), *threads)
            });
            let plural = if *threads == 1 { "" } else { "s" };
            leg(&format!("{threads} thread{plural} per client"), clients.collect(), timing)
        });
        one_service(Mode::Matrix, &options.common, Some(options.subject), command, legs.collect())
    }

    /// An open stream of requests.
    pub fn rate(options: &Rate, command: Vec<String>) -> Result<Self, SetupError> {
        let pace = pace(options)?;
        let cohort =
            Cohort::new("connections", Activity::One(options.subject), options.connections);
        let leg =
            Leg { pace: Some(pace), ..leg("rate", vec![cohort], Timing::of(options.duration)) };
        one_service(Mode::Rate, &options.common, Some(options.subject), command, vec![leg])
    }
}

pub(super) fn leg(label: &str, cohorts: Vec<Cohort>, timing: Timing) -> Leg {
    Leg { label: label.to_owned(), cohorts, timing, quota: None, pace: None, keep_alive: true }
}

fn one_service(
    mode: Mode,
    common: &Common,
    subject: Option<Subject>,
    command: Vec<String>,
    mut legs: Vec<Leg>,
) -> Result<Plan, SetupError> {
    let client = client(common)?;
    legs.iter_mut().for_each(|leg| leg.keep_alive = client.keep_alive);
    let station = Station {
        label: String::new(),
        target: target(&common.target)?,
        credentials: common.target.user.is_some(),
        wants_tls: false,
        client,
        legs,
    };
    Plan::new(mode, common, subject, command, vec![station])
}

/// Requests per second: as given, or a share of what a ramp found.
fn pace(options: &Rate) -> Result<f64, SetupError> {
    let wrong = |why: &str| SetupError::Usage(format!("--rate: `{}` {why}", options.rate));
    let number = |text: &str| {
        text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0)
    };
    let pace = match (options.rate.strip_suffix('%'), &options.of) {
        (None, Some(_)) => return Err(wrong("is no share; with --of write one such as 70%")),
        (None, None) => number(&options.rate)
            .ok_or_else(|| wrong("is not a number of requests per second, such as 2000"))?,
        (Some(_), None) => {
            return Err(wrong("is a share of what? name a ramp's report.json with --of"));
        }
        (Some(share), Some(path)) => {
            let share = number(share).ok_or_else(|| wrong("is not a share, such as 70%"))?;
            let ramp = stored(path, "--of: ")?;
            let Some(knee) = ramp.knee else {
                let why = format!("--of: {} is no report of a ramp", path.display());
                return Err(SetupError::Usage(why));
            };
            knee.tps * share / 100.0
        }
    };
    if (0.1..=1e6).contains(&pace) {
        Ok(pace)
    } else {
        Err(wrong("is not between 0.1 and 1,000,000 per second"))
    }
}

//! Shared by the tests that decide: policies and a history in, the body of the answer out.

use jiff::Timestamp;
use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::{Context, Instant, Limits as DecisionLimits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::model::{Policy, RequestOptions};
use pdp_engine::program::{Program, Root};
use pdp_onap::Application;
use pdp_onap::decision::{DecisionRequest, Form, GuardIndeterminate, write_decision};
use pdp_onap::history::{
    HistoryError, Listing, Operation, OperationHistory, OperationKey, Progress, Window,
};
use pdp_onap::pip::{Guard, HistoryFinder};

/// A history that says the same whatever it is asked; by itself, that nothing was ever run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct History {
    pub(crate) count: u64,
    pub(crate) last: Option<Progress>,
    pub(crate) down: bool,
}

impl History {
    fn unless_down<T>(&self, answer: T) -> Result<T, HistoryError> {
        if self.down {
            Err(HistoryError::Unavailable("connection refused".into()))
        } else {
            Ok(answer)
        }
    }
}

impl OperationHistory for History {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn record(&self, _: Operation) -> Result<(), HistoryError> {
        self.unless_down(())
    }

    fn count_recent(
        &self,
        _: OperationKey<'_>,
        _: Window,
        _: Timestamp,
    ) -> Result<u64, HistoryError> {
        self.unless_down(self.count)
    }

    fn last_outcome(&self, _: &str) -> Result<Option<Progress>, HistoryError> {
        self.unless_down(self.last)
    }

    fn list(&self, _: &Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        self.unless_down(Vec::new())
    }

    fn prune(&self, _: Timestamp) -> Result<u64, HistoryError> {
        self.unless_down(0)
    }
}

/// The policies of one application, ready to decide.
pub(crate) fn program(
    policies: &[(Application, Policy)],
    application: Application,
    root: Algorithm,
) -> Program {
    let mut build = Build::new(Root::all(root), &Guard, CompileLimits::default());
    for (_, policy) in policies.iter().filter(|(of, _)| *of == application) {
        build.add(policy, "shipped").expect("it compiles");
    }
    build.finish().0
}

/// The answer to an ONAP request, at the beginning of 1970.
pub(crate) fn decide(
    policies: &[(Application, Policy)],
    body: &[u8],
    history: &History,
) -> Vec<u8> {
    let request = DecisionRequest::from_json(body).expect("it is a request");
    let application = request.application().expect("its action is known");
    let program = program(policies, application, application.row().combining);
    let mut scratch = Scratch::new();
    let limits = DecisionLimits::default();
    let mut context = Context::new(&program, &mut scratch, Instant::default(), &limits);
    request.drive(application, RequestOptions::default(), &mut context).expect("it can be used");
    let finder = HistoryFinder { history, now: history.now() };
    let Outcome::Done(answer) = eval::decide(&mut context, &finder) else {
        panic!("the history answers at once");
    };
    let mut out = Vec::new();
    write_decision(&answer, application, Form::Full, GuardIndeterminate::Permit, &mut out);
    out
}

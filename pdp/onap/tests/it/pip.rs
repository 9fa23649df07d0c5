//! How policies ask the history.

use jiff::Timestamp;
use pdp_engine::finder::{AttributeName, Catalogue, Finder, Found, Supplier};
use pdp_engine::value::{Arena, Data, DataType, Integer, Value};
use pdp_onap::history::{
    HistoryError, Listing, Operation, OperationHistory, OperationKey, Progress, Question, Reply,
    Window, WindowError,
};
use pdp_onap::ids;
use pdp_onap::pip::{self, Guard, HistoryFinder};

fn supplier(
    id: &str,
    data_type: DataType,
    issuer: Option<&str>,
) -> Result<Option<Supplier>, String> {
    Guard.supplier(&AttributeName {
        category: ids::category::RESOURCE.into(),
        id: id.into(),
        data_type,
        issuer: issuer.map(Into::into),
    })
}

fn count(issuer: &str) -> Result<Option<Supplier>, String> {
    supplier(ids::GUARD_OPERATION_COUNT, DataType::Integer, Some(issuer))
}

#[test]
fn issuers_name_windows() {
    for (window, seconds) in [
        ("1:second", 1),
        ("10:minute", 600),
        ("2:Hour", 7_200),
        ("1:DAY", 86_400),
        ("1:week", 604_800),
        ("1:month", 2_592_000),
        ("1:year", 31_536_000),
    ] {
        for prefix in [ids::COUNT_ISSUER, "urn:org:onap:xacml:guard:tw:"] {
            let supplier = count(&format!("{prefix}{window}")).expect("it is a window");
            let supplier = supplier.expect("the history supplies it");
            assert_eq!((supplier.name, supplier.number), ("count-recent-operations", seconds));
            let inputs: Vec<_> = supplier.inputs.iter().map(|input| &*input.id).collect();
            assert_eq!(inputs, [ids::GUARD_ACTOR, ids::GUARD_OPERATION, ids::GUARD_TARGET]);
        }
    }
}

#[test]
fn other_attributes_are_not_the_history_s() {
    let issuer = format!("{}1:hour", ids::COUNT_ISSUER);
    for (id, data_type, issuer) in [
        (ids::GUARD_OPERATION_COUNT, DataType::Integer, None),
        (ids::GUARD_OPERATION_COUNT, DataType::Integer, Some("")),
        (ids::GUARD_OPERATION_COUNT, DataType::Integer, Some("wrong-issuer")),
        (ids::GUARD_OPERATION_COUNT, DataType::String, Some(issuer.as_str())),
        (ids::GUARD_OPERATION_OUTCOME, DataType::Integer, Some(issuer.as_str())),
        (ids::GUARD_ACTOR, DataType::String, Some(issuer.as_str())),
    ] {
        assert_eq!(supplier(id, data_type, issuer), Ok(None), "{id} {issuer:?}");
    }
}

#[test]
fn windows_that_mean_nothing_are_told() {
    for (window, expected) in [
        ("", "asks for nothing: expected `tw:` and a window such as 10:minute"),
        ("5", "names no window: expected a number and a unit such as 10:minute"),
        ("null:null", "names no window: `null` is not a number"),
        (
            "0:hour",
            "names no window: a window of 0 is not possible: expected a number from 1 on, and at most 1,000 years",
        ),
        (
            "99999999999999:year",
            "names no window: a window of 99999999999999 is not possible: expected a number from 1 on, and at most 1,000 years",
        ),
        (
            "1:fortnight",
            "names no window: `fortnight` is no unit of time: expected second, minute, hour, day, week, month or year",
        ),
    ] {
        let issuer = format!("{}{window}", ids::COUNT_ISSUER);
        assert_eq!(count(&issuer), Err(format!("the issuer `{issuer}` {expected}")));
    }
    let issuer = ids::OUTCOME_ISSUER;
    let found = supplier(ids::GUARD_OPERATION_OUTCOME, DataType::String, Some(issuer));
    assert_eq!(
        found,
        Err(format!(
            "the issuer `{issuer}` asks for nothing: expected `clname:` and the name of a control loop"
        ))
    );
}

/// Answers what it is told to.
#[derive(Debug)]
struct Told(Result<Reply, HistoryError>);

impl OperationHistory for Told {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn record(&self, _: Operation) -> Result<(), HistoryError> {
        Ok(())
    }

    fn count_recent(
        &self,
        key: OperationKey<'_>,
        window: Window,
        _: Timestamp,
    ) -> Result<u64, HistoryError> {
        assert_eq!(key, OperationKey { actor: "a", operation: "o", target: "t" });
        assert_eq!(window.seconds(), 600);
        match self.0.clone()? {
            Reply::Count(count) => Ok(count),
            other => panic!("a count is asked for, not {other:?}"),
        }
    }

    fn last_outcome(&self, name: &str) -> Result<Option<Progress>, HistoryError> {
        assert_eq!(name, "a:loop");
        match self.0.clone()? {
            Reply::LastOutcome(progress) => Ok(progress),
            other => panic!("an outcome is asked for, not {other:?}"),
        }
    }

    fn list(&self, _: &Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        Ok(Vec::new())
    }

    fn prune(&self, _: Timestamp) -> Result<u64, HistoryError> {
        Ok(0)
    }
}

fn find(told: Result<Reply, HistoryError>, supplier: &Supplier, inputs: &[&[Value<'_>]]) -> String {
    let arena = Arena::new();
    let history = Told(told);
    let finder = HistoryFinder { history: &history, now: history.now() };
    match finder.find(supplier, inputs, &arena) {
        Found::Values([value]) => match value.data() {
            Data::Integer(Integer::Small(number)) => number.to_string(),
            Data::String(text) => text.to_owned(),
            other => panic!("{other:?} is not expected"),
        },
        Found::Values(values) => panic!("{} values", values.len()),
        Found::Empty => "empty".to_owned(),
        Found::Failed(cause) => format!("failed: {cause}"),
        Found::Pending => "pending".to_owned(),
    }
}

#[test]
fn counts_are_answered() {
    let supplier =
        count(&format!("{}10:minute", ids::COUNT_ISSUER)).expect("a window").expect("supplied");
    let values = ["a", "o", "t"].map(|text| [Value::string(text), Value::string("second")]);
    let inputs: Vec<&[Value<'_>]> = values.iter().map(|values| &values[..]).collect();
    assert_eq!(find(Ok(Reply::Count(0)), &supplier, &inputs), "0");
    assert_eq!(find(Ok(Reply::Count(3)), &supplier, &inputs), "3");
    assert_eq!(find(Ok(Reply::Count(u64::MAX)), &supplier, &inputs), i64::MAX.to_string());
    let down = Err(HistoryError::Unavailable("connection refused".to_owned()));
    assert_eq!(
        find(down, &supplier, &inputs),
        "failed: the operations history is not available: connection refused"
    );
    for missing in 0..3 {
        let mut inputs = inputs.clone();
        inputs[missing] = &[];
        assert_eq!(find(Ok(Reply::Count(1)), &supplier, &inputs), "empty");
    }
}

#[test]
fn outcomes_are_answered() {
    let issuer = format!("{}a:loop", ids::OUTCOME_ISSUER);
    let supplier = supplier(ids::GUARD_OPERATION_OUTCOME, DataType::String, Some(&issuer));
    let supplier = supplier.expect("a loop").expect("supplied");
    assert_eq!(supplier.inputs, []);
    let of = |outcome: &str| Some(Progress::of_outcome(Some(outcome)));
    for (last, expected) in [
        (None, "empty"),
        (of("Started"), "In_Progress"),
        (of("STARTED"), "In_Progress"),
        (of("In_Progress"), "Complete"),
        (of("Failure"), "Complete"),
        (Some(Progress::of_outcome(None)), "Complete"),
    ] {
        assert_eq!(find(Ok(Reply::LastOutcome(last)), &supplier, &[]), expected);
    }
}

#[test]
fn questions_can_be_taken_away_and_answered_later() {
    let supplier =
        count(&format!("{}10:minute", ids::COUNT_ISSUER)).expect("a window").expect("supplied");
    let values = ["a", "o", "t"].map(|text| [Value::string(text)]);
    let inputs: Vec<&[Value<'_>]> = values.iter().map(|values| &values[..]).collect();
    let key = OperationKey { actor: "a", operation: "o", target: "t" };
    let window = Window::of_seconds(600).expect("it is positive");
    assert_eq!(pip::question(&supplier, &inputs), Some(Question::Count(key, window)));
}

#[test]
fn windows_begin_so_long_ago() {
    let now = Timestamp::from_second(1_000).expect("the year 1970");
    let window = Window::new(10, "minute").expect("it is a window");
    assert_eq!(window.start(now), Timestamp::from_second(400).expect("the year 1970"));
    assert_eq!(Window::new(1, "Day"), Ok(Window::of_seconds(86_400).expect("it is positive")));
    assert_eq!(Window::new(-1, "day"), Err(WindowError::Number(-1)));
    assert_eq!(Window::of_seconds(0), None);
}

#[test]
fn rows_are_json_with_the_table_s_columns() {
    let text = r#"{"closedLoopName":"loop","requestId":"r","subrequestId":"s","actor":"SO","operation":"Scale","target":"t","starttime":"2025-06-01T08:00:00Z","outcome":"Success","message":"m","endtime":"2025-06-01T08:00:20Z"}"#;
    let row: Operation = serde_json::from_str(text).expect("it is a row");
    assert_eq!(row.end_time.map(Timestamp::as_second), Some(1_748_764_820));
    assert_eq!(serde_json::to_string(&row).expect("it is a row"), text);
    let error = serde_json::from_str::<Operation>(r#"{"endTime":"x"}"#).expect_err("no column");
    assert!(
        error
            .to_string()
            .starts_with("unknown field `endTime`, expected one of `id`, `closedLoopName`"),
        "{error}"
    );
}

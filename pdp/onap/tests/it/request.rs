//! From request bodies to what the engine gets.

use pdp_engine::model::{AttributeHead, RequestOptions, RequestSink};
use pdp_engine::value::{Arena, Data, DataType, Integer, Value};
use pdp_onap::Application;
use pdp_onap::decision::{DecisionError, DecisionRequest};
use pdp_onap::tosca::{self, Limits, Syntax};

/// Prints what it is given, identifiers by their last part.
struct Printer<'a> {
    arena: &'a Arena,
    out: String,
}

impl<'a> RequestSink<'a> for Printer<'a> {
    fn arena(&self) -> &'a Arena {
        self.arena
    }

    fn options(&mut self, options: RequestOptions) {
        assert_eq!(options, RequestOptions::default());
    }

    fn category(&mut self, category: &'a str, _: Option<&'a str>) {
        self.out += category.rsplit(':').next().unwrap_or_default();
        self.out += ":\n";
    }

    fn content(&mut self, _: &'a str) {
        panic!("ONAP requests have no content");
    }

    fn attribute(&mut self, head: AttributeHead<'a>) {
        assert!(!head.include_in_result && head.issuer.is_none());
        self.out += "  ";
        self.out += head.id.rsplit(':').next().unwrap_or_default();
        self.out += "\n";
    }

    fn value(&mut self, data_type: DataType, value: Value<'a>) {
        let text = match value.data() {
            Data::String(text) => text.to_owned(),
            Data::Integer(Integer::Small(number)) => number.to_string(),
            Data::Foreign(_) => value.written_text().unwrap_or_default().to_owned(),
            Data::Time(time) => format!("{} {:?}", time.0.local_seconds, time.0.zone),
            Data::Date(date) => format!("{} {:?}", date.0.local_seconds, date.0.zone),
            Data::DateTime(time) => format!("{} {:?}", time.local_seconds, time.zone),
            other => panic!("{other:?} is not expected"),
        };
        let line = format!("    {data_type:?} {text}\n");
        self.out += &line;
    }

    fn reference(&mut self, _: &[&'a str]) {
        panic!("ONAP requests have no references");
    }
}

fn converted(body: &str, syntax: Syntax) -> Result<String, DecisionError> {
    let arena = Arena::new();
    let node;
    let request = match syntax {
        Syntax::Json => DecisionRequest::from_json(body.as_bytes())?,
        Syntax::Yaml => {
            node =
                tosca::document(body.as_bytes(), syntax, &Limits::default()).expect("it is YAML");
            DecisionRequest::from_node(&node)?
        }
    };
    let application = request.application()?;
    let mut printer = Printer { arena: &arena, out: String::new() };
    request.drive(application, RequestOptions::default(), &mut printer)?;
    Ok(printer.out)
}

#[track_caller]
fn check(body: &str, expected: &str) {
    assert_eq!(converted(body, Syntax::Json).as_deref(), Ok(expected), "{body}");
    assert_eq!(converted(body, Syntax::Yaml).as_deref(), Ok(expected), "{body} as YAML");
}

#[test]
fn combined_applications_read_names_and_types() {
    check(
        r#"{"ONAPName": "DCAE", "ONAPComponent": "PolicyHandler", "ONAPInstance": "i-1", "requestId": "r",
            "action": "configure", "currentTime": "not read here", "unknown": {"a": [1]},
            "resource": {"policy-id": ["a", 5, "b\u0041", null, ["c"]], "policy-type": "t", "nfRole": ["x"]}}"#,
        "access-subject:
  subject-id
    String DCAE
  onap-component
    String PolicyHandler
  onap-instance
    String i-1
action:
  action-id
    String configure
resource:
  resource-id
    String a
    String bA
  policy-type
    String t
",
    );
    check(
        r#"{"action": "naming", "ONAPName": null, "resource": {"policy-id": 100, "policy-type": {"a": 1}}}"#,
        "access-subject:\naction:\n  action-id\n    String naming\nresource:\n",
    );
}

#[test]
fn guard_reads_its_fields_and_the_clock() {
    check(
        r#"{"ONAPName": "Policy", "requestId": 7, "action": "guard",
            "currentDateTime": "2025-06-01T08:00:00+02:00", "currentDate": "2025-06-01",
            "currentTime": "08:00:00-05:00", "timeZone": "+05:00",
            "resource": {"policy-id": "not read here", "guard": {
              "actor": "SO", "operation": "VF Module Create", "clname": "loop", "target": 12.0, "recipe": "old",
              "requestId": "ignored", "vfCount": "0x10", "generic-vnf.vnf-name": true,
              "cloud-region.cloud-region-id": "R1"}}}"#,
        "access-subject:
  subject-id
    String Policy
  request-id
    String 7
action:
  action-id
    String guard
resource:
  actor-id
    String SO
  operation-id
    String VF Module Create
  clname-id
    String loop
  target-id
    String 12
  generic-vnf.vnf-name
    String true
  cloud-region.cloud-region-id
    String R1
  vf-count
    Integer 16
environment:
  current-dateTime
    DateTime 1748764800 Some(120)
  current-date
    Date 1748736000 None
  current-time
    Time 28800 Some(-300)
  timezone
    Foreign +05:00
",
    );
}

#[test]
fn guard_needs_no_resource() {
    let nothing = "access-subject:\naction:\n  action-id\n    String guard\n";
    for body in [
        r#"{"action": "guard"}"#,
        r#"{"action": "guard", "resource": null}"#,
        r#"{"action": "guard", "resource": {"notguard": "foo"}}"#,
        r#"{"action": "guard", "resource": {"guard": null}}"#,
    ] {
        check(body, nothing);
    }
    check(r#"{"action": "guard", "resource": {"guard": {}}}"#, &format!("{nothing}resource:\n"));
}

#[test]
fn vf_counts_are_java_integers() {
    for (count, expected) in [
        ("1", "1"),
        ("1.0", "1"),
        ("\"-010\"", "-8"),
        ("\"#1f\"", "31"),
        ("\"+2147483647\"", "2147483647"),
    ] {
        let body =
            format!(r#"{{"action": "guard", "resource": {{"guard": {{"vfCount": {count}}}}}}}"#);
        let found = converted(&body, Syntax::Json).expect("it is a count");
        assert!(found.ends_with(&format!("vf-count\n    Integer {expected}\n")), "{found}");
    }
    for count in ["\"six\"", "1.5", "2147483648", "true", "[1]", "{}", "\"\""] {
        let body =
            format!(r#"{{"action": "guard", "resource": {{"guard": {{"vfCount": {count}}}}}}}"#);
        let error = DecisionError::Conversion("Failed to decode vfCount".to_owned());
        assert_eq!(converted(&body, Syntax::Json), Err(error), "{count}");
    }
}

#[test]
fn what_cannot_be_used_is_told() {
    let invalid = |text: &str| DecisionError::Invalid(text.to_owned());
    for (body, expected) in [
        (r#"{"action": "foo"}"#, DecisionError::UnknownAction("foo".to_owned())),
        ("{}", DecisionError::UnknownAction("null".to_owned())),
        (r#"{"action": null}"#, DecisionError::UnknownAction("null".to_owned())),
        (
            r#"{"action": "native"}"#,
            DecisionError::Conversion("POLICY-500: Do not call native convertRequest".to_owned()),
        ),
        (
            r#"{"action": "configure"}"#,
            invalid(
                "`resource` is missing: expected an object, such as one with `policy-id` or `policy-type`",
            ),
        ),
        (
            r#"{"action": "guard", "resource": {"guard": {"actor": null}}}"#,
            invalid("`resource.guard.actor` is null: expected a value, or leave the field out"),
        ),
        (
            r#"{"action": "guard", "resource": {"guard": {"target": ["a"]}}}"#,
            invalid("`resource.guard.target` is a list: expected a value, or leave the field out"),
        ),
        (
            r#"{"action": "guard", "resource": {"guard": {"vserver.vserver-id": {}}}}"#,
            invalid(
                "`resource.guard.vserver.vserver-id` is an object: expected a value, or leave the field out",
            ),
        ),
        (
            r#"{"action": "guard", "resource": {"guard": {"vfCount": null}}}"#,
            invalid("`resource.guard.vfCount` is null: expected a value, or leave the field out"),
        ),
        (
            r#"{"action": "guard", "currentTime": "noon"}"#,
            invalid(
                "`currentTime` cannot be read: `noon`; expected a value such as 08:00:00+05:00",
            ),
        ),
        (
            r#"{"action": "guard", "currentDate": "2025-02-30"}"#,
            invalid(
                "`currentDate` cannot be read: `2025-02-30`; expected a value such as 2025-06-01",
            ),
        ),
        (
            r#"{"action": "guard", "currentDateTime": "2025-06-01"}"#,
            invalid(
                "`currentDateTime` cannot be read: `2025-06-01`; expected a value such as 2025-06-01T08:00:00Z",
            ),
        ),
        (
            r#"{"action": "guard", "timeZone": "CET"}"#,
            invalid("`timeZone` cannot be read: `CET`; expected a value such as +05:00"),
        ),
    ] {
        assert_eq!(converted(body, Syntax::Json), Err(expected), "{body}");
    }
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    for (body, expected) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{\"action\":", "EOF while parsing a value at line 1 column 10"),
        (
            "[]",
            "invalid type: sequence, expected a decision request, which is an object at line 1 column 0",
        ),
        ("{} x", "trailing characters at line 1 column 4"),
        (r#"{"action": ["guard"]}"#, "`action` must be text at line 1 column 21"),
        (r#"{"action": "guard", "action": "x"}"#, "duplicate field `action` at line 1 column 28"),
        (
            r#"{"resource": "text"}"#,
            "invalid type: string \"text\", expected an object as `resource` at line 1 column 19",
        ),
        (
            r#"{"resource": {"guard": 5}}"#,
            "invalid type: integer `5`, expected an object as `resource.guard` at line 1 column 24",
        ),
        (
            r#"{"resource": {"guard": {"actor": "a", "actor": "b"}}}"#,
            "duplicate field `actor` at line 1 column 45",
        ),
    ] {
        let error = DecisionError::Malformed(expected.to_owned());
        assert_eq!(converted(body, Syntax::Json), Err(error), "{body}");
    }
    for (body, expected) in [
        ("action: [guard]", "`action` must be text at line 1 column 1"),
        (
            "action: guard\nresource:\n  guard: 5\n",
            "invalid type: integer `5`, expected an object as `resource.guard` at line 3 column 10",
        ),
    ] {
        let error = DecisionError::Malformed(expected.to_owned());
        assert_eq!(converted(body, Syntax::Yaml), Err(error), "{body}");
    }
}

#[test]
fn request_ids_and_applications_are_told() {
    let request = DecisionRequest::from_json(br#"{"requestId": "r-1", "action": "optimize"}"#);
    let request = request.expect("it is a request");
    assert_eq!(request.request_id(), Some("r-1"));
    assert_eq!(request.application(), Ok(Application::Optimization));
}

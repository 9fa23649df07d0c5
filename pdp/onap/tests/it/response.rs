//! From the engine's answers to bodies.

use pdp_engine::model::{
    Answer, AssignedValue, Decision, NoticeKind, ReturnedNotice, Status, StatusCode,
};
use pdp_engine::value::Value;
use pdp_onap::decision::{
    Form, GuardIndeterminate, to_yaml, write_decision, write_error_response, write_failure,
    write_invalid_request,
};
use pdp_onap::{APPLICATIONS, Application, ids};

fn answer<'a>(
    decision: Decision,
    message: Option<&'a str>,
    notices: &'a [ReturnedNotice<'a>],
) -> Answer<'a> {
    let status = Status { code: StatusCode::Ok, message, missing: None };
    Answer { decision, status, notices, attributes: &[], policies: &[] }
}

fn body(answer: &Answer<'_>, application: Application, form: Form) -> String {
    let mut out = Vec::new();
    write_decision(answer, application, form, GuardIndeterminate::Permit, &mut out);
    String::from_utf8(out).expect("bodies are UTF-8")
}

#[test]
fn guard_answers_permit_or_deny() {
    for (decision, message, setting, expected) in [
        (Decision::Permit, None, GuardIndeterminate::Deny, r#"{"status":"Permit"}"#),
        (Decision::Deny, None, GuardIndeterminate::Permit, r#"{"status":"Deny"}"#),
        (Decision::NotApplicable, Some("x"), GuardIndeterminate::Deny, r#"{"status":"Permit"}"#),
        (
            Decision::Indeterminate,
            Some("the \"history\" is not available"),
            GuardIndeterminate::Permit,
            r#"{"status":"Permit","message":"the \"history\" is not available"}"#,
        ),
        (
            Decision::Indeterminate,
            None,
            GuardIndeterminate::Deny,
            r#"{"status":"Deny","message":"the decision could not be determined"}"#,
        ),
    ] {
        let mut out = Vec::new();
        let answer = answer(decision, message, &[]);
        write_decision(&answer, Application::Guard, Form::Full, setting, &mut out);
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }
}

/// An obligation that carries a policy.
fn carried<'a>(id: &'a str, content: &'a str) -> [AssignedValue<'a>; 2] {
    [(ids::OBLIGATION_POLICY_ID, id), (ids::OBLIGATION_CONTENT, content)].map(
        |(attribute_id, text)| AssignedValue {
            attribute_id,
            category: None,
            issuer: None,
            value: Value::string(text),
        },
    )
}

fn notice<'a>(assignments: &'a [AssignedValue<'a>]) -> ReturnedNotice<'a> {
    ReturnedNotice { kind: NoticeKind::Obligation, id: ids::REST_BODY, assignments }
}

#[test]
fn policies_are_spliced_in_as_they_are() {
    let (a, b) = (carried("a", r#"{"type":"t","n":1.50}"#), carried("b\"", "{}"));
    let notices = [notice(&a), notice(&b)];
    let permit = answer(Decision::Permit, None, &notices);
    for application in [Application::Monitoring, Application::Naming] {
        assert_eq!(
            body(&permit, application, Form::Full),
            r#"{"policies":{"a":{"type":"t","n":1.50},"b\"":{}}}"#
        );
    }
}

#[test]
fn obligations_that_carry_nothing_are_dropped() {
    let (full, no_content, no_id) = (carried("a", "{}"), carried("b", ""), carried("", "{}"));
    let notices = [
        notice(&full[..1]),
        notice(&no_content),
        notice(&no_id),
        ReturnedNotice { kind: NoticeKind::Advice, ..notice(&full) },
        ReturnedNotice { id: "urn:other", ..notice(&full) },
    ];
    let permit = answer(Decision::Permit, None, &notices);
    assert_eq!(body(&permit, Application::Monitoring, Form::Full), r#"{"policies":{}}"#);
}

#[test]
fn of_two_versions_the_newer_one_answers() {
    let contents: Vec<String> =
        ["1.9.0", "1.10.0", "1.2.0"].iter().map(|it| format!(r#"{{"version":"{it}"}}"#)).collect();
    let all: Vec<_> = contents.iter().map(|content| carried("a", content)).collect();
    let other = carried("b", "{}");
    let notices = [notice(&all[0]), notice(&other), notice(&all[1]), notice(&all[2])];
    let permit = answer(Decision::Permit, None, &notices);
    assert_eq!(
        body(&permit, Application::Monitoring, Form::Full),
        r#"{"policies":{"a":{"version":"1.10.0"},"b":{}}}"#
    );
}

#[test]
fn abbreviated_policies_lose_four_fields() {
    let content = r#"{"type":"t","type_version":"1.0.0","properties":{"type":5},"name":"a","version":"1.0.0","derived_from":"r","metadata":{"policy-id":"a"},"description":"d"}"#;
    let assignments = carried("a", content);
    let notices = [notice(&assignments)];
    let permit = answer(Decision::Permit, None, &notices);
    assert_eq!(
        body(&permit, Application::Monitoring, Form::Abbreviated),
        r#"{"policies":{"a":{"type":"t","derived_from":"r","metadata":{"policy-id":"a"},"description":"d"}}}"#
    );
}

#[test]
fn only_monitoring_looks_at_abbrev() {
    for (application, query, expected) in [
        (Application::Monitoring, &[("abbrev", "true")][..], Form::Abbreviated),
        (Application::Monitoring, &[("abbrev", "false"), ("abbrev", "true")], Form::Abbreviated),
        (Application::Monitoring, &[("abbrev", "True")], Form::Full),
        (Application::Monitoring, &[("unknown", "true")], Form::Full),
        (Application::Monitoring, &[], Form::Full),
        (Application::Naming, &[("abbrev", "true")], Form::Full),
    ] {
        assert_eq!(Form::of_query(application, query.iter().copied()), expected, "{query:?}");
    }
}

#[test]
fn nothing_found_is_an_error_status() {
    for (decision, message, expected) in [
        (Decision::NotApplicable, None, r#"{"status":"error","policies":{}}"#),
        (Decision::Deny, None, r#"{"status":"error","policies":{}}"#),
        (Decision::Indeterminate, Some("m"), r#"{"status":"error","message":"m","policies":{}}"#),
    ] {
        let answer = answer(decision, message, &[]);
        assert_eq!(body(&answer, Application::Monitoring, Form::Full), expected);
    }
}

#[test]
fn errors_have_onap_s_shapes() {
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("UTF-8")
    };
    assert_eq!(
        written(&|out| write_failure("Failed to decode vfCount", out)),
        r#"{"status":"error","message":"Failed to decode vfCount"}"#
    );
    assert_eq!(
        written(&|out| write_error_response("BAD_REQUEST", "No application for action foo", out)),
        r#"{"code":"BAD_REQUEST","error":"No application for action foo","details":["No application for action foo"]}"#
    );
    assert_eq!(written(&write_invalid_request), r#"{"errorDetails":"Invalid request"}"#);
}

#[test]
fn bodies_can_be_yaml() {
    assert_eq!(to_yaml(br#"{"status":"Permit"}"#), b"status: Permit\n");
    assert_eq!(
        to_yaml(br#"{"policies":{"a":{"version":"1.0.0","list":[1,"two"]}}}"#),
        b"policies:\n  a:\n    version: \"1.0.0\"\n    list:\n      - 1\n      - two\n"
    );
}

#[test]
fn applications_report_nineteen_types() {
    assert_eq!(APPLICATIONS.iter().map(|row| row.reported_types).sum::<u32>(), 19);
    for row in APPLICATIONS {
        assert_eq!(row.application.row().name, row.name);
        assert_eq!(Application::of_action(row.action), Some(row.application));
        assert_eq!(Application::of_name(row.name), Some(row.application));
        assert_eq!(Application::of_name(row.class), Some(row.application));
    }
}

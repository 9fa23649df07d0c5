//! What is legal, but surely not meant; and what only looks so.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml::policy;
use pdp_engine::program::Root;

use crate::xacml::{document, policy_of, rule_if};

/// The codes of the warnings of a policy that compiles, in the order of their places.
#[track_caller]
fn warned(text: &str) -> Vec<String> {
    let text = document(text);
    let policy = policy::read(text.as_bytes(), &ReadLimits::POLICY)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let root = Root::all(Algorithm::DenyOverrides);
    let mut build = Build::new(root, &RequestOnly, CompileLimits::default());
    build.add(&policy, "test").unwrap_or_else(|found| panic!("{found:?}\n{text}"));
    let mut found = build.warnings().to_vec();
    found.sort_by_key(|one| one.position);
    found.iter().map(|one| format!("{}: {}", one.code, one.message)).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found = warned(text);
    let codes: Vec<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(codes, expected, "{found:#?}\n{text}");
}

fn rules(combining: &str, rules: &[&str]) -> String {
    policy_of("p", combining, &rules.concat())
}

fn attribute(id: &str, data_type: &str) -> String {
    format!(
        "<AttributeDesignator Category=\"c:resource\" AttributeId=\"{id}\" \
         DataType=\"{data_type}\" MustBePresent=\"false\"/>"
    )
}

fn value(data_type: &str, text: &str) -> String {
    format!("<AttributeValue DataType=\"{data_type}\">{text}</AttributeValue>")
}

fn call(function: &str, arguments: &[String]) -> String {
    format!("<Apply FunctionId=\"{function}\">{}</Apply>", arguments.concat())
}

/// A condition that requests decide.
fn open() -> String {
    call("f1:string-is-in", &[value("xs:string", "x"), attribute("a", "xs:string")])
}

#[test]
fn rules_behind_one_that_always_decides_are_unreachable() {
    let permit = rule_if("permit", "Permit", "");
    let deny = rule_if("deny", "Deny", "");
    let maybe = rule_if("maybe", "Permit", &open());
    for (combining, before, warns) in [
        ("ra1:first-applicable", &permit, true),
        ("ra1:first-applicable", &deny, true),
        ("ra1:first-applicable", &maybe, false),
        ("ra:deny-overrides", &deny, true),
        ("ra:deny-overrides", &permit, false),
        ("ra:permit-overrides", &permit, true),
        ("ra:permit-overrides", &deny, false),
        ("ra:deny-unless-permit", &permit, true),
        ("ra:deny-unless-permit", &deny, false),
        ("ra:permit-unless-deny", &deny, true),
    ] {
        let late = maybe.replace("maybe", "late");
        let expected: &[&str] = if warns { &["unreachable", "unreachable"] } else { &[] };
        check(&rules(combining, &[before, &late, &late.replace("late", "later")]), expected);
        // The last one is never behind itself.
        check(&rules(combining, &[&late, before]), &[]);
    }
}

#[test]
fn an_obligation_that_may_err_keeps_an_effect_from_being_certain() {
    let assigned = |expression: &str| {
        format!(
            "<Rule RuleId=\"d\" Effect=\"Deny\"><ObligationExpressions>\
             <ObligationExpression ObligationId=\"o\" FulfillOn=\"Deny\">\
             <AttributeAssignmentExpression AttributeId=\"a\">{expression}\
             </AttributeAssignmentExpression></ObligationExpression></ObligationExpressions></Rule>"
        )
    };
    let late = rule_if("late", "Permit", &open());
    let literal = assigned(&value("xs:string", "x"));
    let one = assigned(&call("f1:string-one-and-only", &[attribute("a", "xs:string")]));
    check(&rules("ra:deny-overrides", &[&literal, &late]), &["unreachable"]);
    check(&rules("ra:deny-overrides", &[&one, &late]), &[]);
    // Under first-applicable an error ends it too.
    check(&rules("ra1:first-applicable", &[&one, &late]), &["unreachable"]);
}

fn set(combining: &str, children: &[&str]) -> String {
    format!(
        "<PolicySet PolicySetId=\"s\" Version=\"1\" PolicyCombiningAlgId=\"{combining}\"><Target/>\
         {}</PolicySet>",
        children.concat()
    )
}

#[test]
fn policies_behind_one_that_always_applies_are_unreachable() {
    let open = rule_if("r", "Permit", &open());
    let always = rules("ra:deny-unless-permit", &[&open]).replace("\"p\"", "\"always\"");
    let sometimes = rules("ra:deny-overrides", &[&open]).replace("\"p\"", "\"sometimes\"");
    let last = sometimes.replace("sometimes", "last");
    let first = "pa1:first-applicable";
    check(&set(first, &[&always, &last]), &["unreachable"]);
    check(&set(first, &[&sometimes, &last]), &[]);
    check(&set("pa:deny-overrides", &[&always, &last]), &[]);
    let reference = "<PolicyIdReference>other</PolicyIdReference>";
    check(&set(first, &[reference, &last]), &[]);
    // A target keeps it from applying always.
    let target = format!(
        "<Target><AnyOf><AllOf><Match MatchId=\"f1:string-equal\">{}{}</Match></AllOf></AnyOf>\
         </Target>",
        value("xs:string", "x"),
        attribute("a", "xs:string")
    );
    check(&set(first, &[&always.replace("<Target/>", &target), &last]), &[]);
}

#[test]
fn conditions_that_are_the_same_for_every_request() {
    let (yes, no) = (value("xs:boolean", "true"), value("xs:boolean", "0"));
    let seven = value("xs:integer", "7");
    let noon = value("xs:time", "12:00:00");
    let divided = call("f1:integer-divide", &[seven.clone(), value("xs:integer", "0")]);
    let constant = [
        yes.clone(),
        no.clone(),
        call("f1:not", std::slice::from_ref(&no)),
        call("f1:and", &[open(), no.clone()]),
        call("f1:or", &[yes.clone(), open()]),
        call("f1:or", &[]),
        call("f1:integer-equal", &[seven.clone(), value("xs:integer", "+07")]),
        call("f1:integer-less-than", &[seven.clone(), seven.clone()]),
        call("f1:integer-equal", &[divided.clone(), seven.clone()]),
        call("f1:string-equal", &[value("xs:string", "a"), value("xs:string", "b")]),
    ];
    for condition in constant {
        check(
            &rules("ra:deny-overrides", &[&rule_if("r", "Permit", &condition)]),
            &["condition-constant"],
        );
    }
    let open_ones = [
        open(),
        call("f1:and", &[open(), yes.clone()]),
        call("f1:or", &[open(), no]),
        call("f1:not", &[open()]),
        // Which zone it is may be a setting.
        call("f1:time-equal", &[noon, value("xs:time", "12:00:00Z")]),
        call("f1:n-of", &[value("xs:integer", "1"), open(), open()]),
    ];
    for condition in open_ones {
        check(&rules("ra:deny-overrides", &[&rule_if("r", "Permit", &condition)]), &[]);
    }
}

#[test]
fn variables_that_use_each_other_many_times_cost_no_time() {
    let mut parts = format!(
        "<VariableDefinition VariableId=\"v0\">{}</VariableDefinition>",
        value("xs:boolean", "true")
    );
    for at in 1..60 {
        let below = format!("<VariableReference VariableId=\"v{}\"/>", at - 1);
        let both = call("f1:and", &[below.clone(), below]);
        parts.push_str(&format!(
            "<VariableDefinition VariableId=\"v{at}\">{both}</VariableDefinition>"
        ));
    }
    parts.push_str(&rule_if("r", "Permit", "<VariableReference VariableId=\"v59\"/>"));
    check(&policy_of("p", "ra:deny-overrides", &parts), &["condition-constant"]);
}

#[test]
fn variables_that_nothing_refers_to() {
    let define = |id: &str, expression: &str| {
        format!("<VariableDefinition VariableId=\"{id}\">{expression}</VariableDefinition>")
    };
    let refer = |id: &str| format!("<VariableReference VariableId=\"{id}\"/>");
    let rule = rule_if("r", "Permit", &refer("used"));
    // `inner` is used by `idle`, wherever it stands.
    for parts in [
        [define("inner", &open()), define("idle", &refer("inner"))],
        [define("idle", &refer("inner")), define("inner", &open())],
    ] {
        let parts = format!("{}{}{rule}", parts.concat(), define("used", &open()));
        let found = warned(&policy_of("p", "ra:deny-overrides", &parts));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("unused-variable") && found[0].contains("`idle`"),
            "{found:?}"
        );
    }
}

fn with_obligation(on: &str, inside: &str) -> String {
    let kind = ["Obligation", "Advice"];
    let attribute = ["FulfillOn", "AppliesTo"];
    (0..2)
        .map(|at| {
            let (kind, attribute) = (kind[at], attribute[at]);
            let plural = if at == 0 { "ObligationExpressions" } else { "AdviceExpressions" };
            format!("<{plural}><{kind}Expression {kind}Id=\"o\" {attribute}=\"{on}\"/></{plural}>")
        })
        .fold(inside.to_owned(), |text, notice| text + &notice)
}

#[test]
fn obligations_and_advice_that_are_never_returned() {
    let twice: &[&str] = &["never-returned", "never-returned"];
    let rule = |effect: &str, on: &str| {
        let rule = rule_if("r", effect, &open());
        rule.replace("</Rule>", &format!("{}</Rule>", with_obligation(on, "")))
    };
    for (effect, on, expected) in
        [("Permit", "Permit", &[][..]), ("Permit", "Deny", twice), ("Deny", "Permit", twice)]
    {
        check(&rules("ra:deny-overrides", &[&rule(effect, on)]), expected);
    }
    let permit = rule_if("r", "Permit", &open());
    let deny = rule_if("q", "Deny", &open());
    for (combining, children, on, expected) in [
        ("ra:deny-overrides", vec![&permit], "Deny", twice),
        ("ra:deny-overrides", vec![&permit], "Permit", &[]),
        ("ra:deny-overrides", vec![&permit, &deny], "Deny", &[]),
        ("ra:deny-overrides", vec![], "Permit", twice),
        ("ra:deny-unless-permit", vec![&permit], "Deny", &[]),
        ("ra:deny-unless-permit", vec![], "Deny", &[]),
        ("ra:deny-unless-permit", vec![&deny], "Permit", twice),
        ("ra:permit-unless-deny", vec![], "Permit", &[]),
        ("ra:permit-unless-deny", vec![&permit], "Deny", twice),
    ] {
        let parts: String = children.into_iter().map(String::as_str).collect();
        check(&policy_of("p", combining, &with_obligation(on, &parts)), expected);
    }
    // What a reference leads to is not known here.
    let reference = "<PolicyIdReference>other</PolicyIdReference>";
    check(&set("pa:deny-overrides", &[&with_obligation("Deny", reference)]), &[]);
    check(&set("pa:deny-overrides", &[&with_obligation("Deny", "")]), twice);
}

#[test]
fn targets_that_never_match() {
    let target = |function: &str, literal: &str, data_type: &str| {
        let alternative = format!(
            "<AllOf><Match MatchId=\"{function}\">{literal}{}</Match></AllOf>",
            attribute("a", data_type)
        );
        let rule = rule_if("r", "Permit", &open());
        policy_of("p", "ra:deny-overrides", &rule)
            .replace("<Target/>", &format!("<Target><AnyOf>{alternative}</AnyOf></Target>"))
    };
    let double = |text: &str| value("xs:double", text);
    let string = |text: &str| value("xs:string", text);
    let mail = "d1:rfc822Name";
    for (function, literal, data_type, never) in [
        ("f1:double-greater-than", double("-INF"), "xs:double", true),
        ("f1:double-greater-than", double("INF"), "xs:double", false),
        ("f1:double-less-than", double("INF"), "xs:double", true),
        ("f1:double-less-than-or-equal", double("INF"), "xs:double", false),
        ("f1:double-less-than-or-equal", double("NaN"), "xs:double", true),
        ("f1:double-equal", double("NaN"), "xs:double", false),
        ("f3:anyURI-starts-with", string(" http"), "xs:anyURI", true),
        ("f3:anyURI-starts-with", string("http "), "xs:anyURI", false),
        ("f3:anyURI-ends-with", string("x "), "xs:anyURI", true),
        ("f3:anyURI-contains", string("a  b"), "xs:anyURI", true),
        ("f3:anyURI-contains", string("a b"), "xs:anyURI", false),
        ("f3:string-contains", string("a  b"), "xs:string", false),
        ("f1:rfc822Name-match", string("@sun.com"), mail, true),
        ("f1:rfc822Name-match", string("a@"), mail, true),
        ("f1:rfc822Name-match", string(""), mail, true),
        ("f1:rfc822Name-match", string(".sun.com"), mail, false),
    ] {
        let expected: &[&str] = if never { &["never-matches"] } else { &[] };
        check(&target(function, &literal, data_type), expected);
    }
    // Two values of one attribute are no contradiction.
    let equal = |text: &str| {
        format!(
            "<AnyOf><AllOf><Match MatchId=\"f1:string-equal\">{}{}</Match></AllOf></AnyOf>",
            value("xs:string", text),
            attribute("a", "xs:string")
        )
    };
    let both = format!("<Target>{}{}</Target>", equal("x"), equal("y"));
    let rule = rule_if("r", "Permit", &open());
    check(&policy_of("p", "ra:deny-overrides", &rule).replace("<Target/>", &both), &[]);
}

#[test]
fn deprecated_identifiers_name_their_successor() {
    let old = "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#dayTimeDuration";
    let condition = call(
        "f1:dayTimeDuration-equal",
        &[call("f1:dayTimeDuration-one-and-only", &[attribute("a", old)]), value(old, "P1D")],
    );
    let found = warned(&rules("ra1:deny-overrides", &[&rule_if("r", "Permit", &condition)]));
    assert_eq!(found.len(), 5, "{found:#?}");
    for part in [
        "use `urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides`",
        "use `urn:oasis:names:tc:xacml:3.0:function:dayTimeDuration-equal`",
        "use `urn:oasis:names:tc:xacml:3.0:function:dayTimeDuration-one-and-only`",
        "use `http://www.w3.org/2001/XMLSchema#dayTimeDuration`",
    ] {
        assert!(
            found.iter().any(|line| line.starts_with("deprecated") && line.contains(part)),
            "{part}"
        );
    }
}

#[test]
fn a_shipped_kind_of_policy_has_no_warning() {
    let rules_of = [rule_if("some", "Permit", &open()), rule_if("others", "Deny", "")];
    check(&policy_of("p", "ra1:first-applicable", &rules_of.concat()), &[]);
    check(&policy_of("p", "ra:deny-unless-permit", &rules_of[0]), &[]);
}

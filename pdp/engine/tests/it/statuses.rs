//! Status codes and what they name (XACML 3.0 section 7.19 and appendix B.8), matches and selectors.

use crate::support::Decided;
use crate::xacml::{decide, policy_of, request_of, response_to, rule_if, spelled_out};

const SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";
const RESOURCE: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";
const XPATH: &str = "urn:oasis:names:tc:xacml:3.0:data-type:xpathExpression";

/// A subject with `here`, and a resource with a Content and paths into it.
fn request() -> String {
    let path = |id: &str, path: &str| {
        format!(
            "<Attribute AttributeId=\"{id}\" IncludeInResult=\"false\"><AttributeValue \
             DataType=\"{XPATH}\" XPathCategory=\"{RESOURCE}\">{path}</AttributeValue></Attribute>"
        )
    };
    request_of(&format!(
        "<Attributes Category=\"c:subject\"><Attribute AttributeId=\"here\" Issuer=\"hr\" \
         IncludeInResult=\"false\"><AttributeValue DataType=\"xs:string\">yes</AttributeValue>\
         <AttributeValue DataType=\"xs:dayTimeDuration\">P1D</AttributeValue></Attribute></Attributes>\
         <Attributes Category=\"c:resource\"><Content><r xmlns=\"\"><a n=\"1\">x</a><a n=\"2\">7</a></r>\
         </Content>{}{}{}{}</Attributes>",
        path("one", "\n /r/a[2] "),
        path("all", "//a"),
        path("none", "//b"),
        path("bad", "//["),
    ))
}

fn designator(id: &str, data_type: &str, more: &str) -> String {
    format!(
        "<AttributeDesignator Category=\"c:subject\" AttributeId=\"{id}\" \
         DataType=\"{data_type}\" {more}/>"
    )
}

fn one(data_type: &str, bag: &str) -> String {
    format!("<Apply FunctionId=\"f1:{data_type}-one-and-only\">{bag}</Apply>")
}

fn selector(path: &str, data_type: &str, more: &str) -> String {
    format!(
        "<AttributeSelector Category=\"c:resource\" Path=\"{path}\" DataType=\"{data_type}\" {more}/>"
    )
}

fn string(text: &str) -> String {
    format!("<AttributeValue DataType=\"xs:string\">{text}</AttributeValue>")
}

fn apply(function: &str, arguments: &[String]) -> String {
    format!("<Apply FunctionId=\"{function}\">{}</Apply>", arguments.concat())
}

fn condition(condition: &str) -> Decided {
    let rule = rule_if("r", "Permit", condition);
    decide(&[policy_of("p", "ra:deny-overrides", &rule)], &request())
}

const MUST: &str = "MustBePresent=\"true\"";
const MAY: &str = "MustBePresent=\"false\"";

#[test]
fn an_error_has_the_code_of_its_kind() {
    let absent = apply("f1:string-is-in", &[string("a"), designator("gone", "xs:string", MUST)]);
    let zero = "<AttributeValue DataType=\"xs:integer\">0</AttributeValue>".to_owned();
    let size = apply("f1:string-bag-size", &[designator("gone", "xs:string", MAY)]);
    let division = apply(
        "f1:integer-equal",
        &[zero.clone(), apply("f1:integer-divide", &[zero.clone(), size.clone()])],
    );
    let true_one = apply("f1:integer-equal", &[zero.clone(), size]);
    let number = |bag: String| apply("f1:integer-is-in", &[zero.clone(), bag]);
    let parsed =
        apply("f3:integer-from-string", &[one("string", &designator("here", "xs:string", MAY))]);
    let old_path =
        apply("f1:integer-equal", &[zero.clone(), apply("f1:xpath-node-count", &[string("/r")])]);
    let context = |id: &str| format!("ContextSelectorId=\"{id}\" {MUST}");
    for (expression, decision, code, missing) in [
        (
            absent.clone(),
            "Indeterminate",
            "MissingAttribute",
            Some(format!("{SUBJECT} gone xs:string ")),
        ),
        (
            number(designator("here", "xs:integer", "MustBePresent=\"true\" Issuer=\"it\"")),
            "Indeterminate",
            "MissingAttribute",
            Some(format!("{SUBJECT} here xs:integer it")),
        ),
        (
            apply(
                "f1:string-equal",
                &[string("a"), one("string", &designator("gone", "xs:string", MAY))],
            ),
            "Indeterminate",
            "ProcessingError",
            None,
        ),
        (number(apply("f1:integer-bag", &[parsed])), "Indeterminate", "SyntaxError", None),
        (division.clone(), "Indeterminate", "ProcessingError", None),
        (old_path, "Indeterminate", "ProcessingError", None),
        // The first of several errors is told, unless a value decides.
        (
            apply("f1:or", &[absent.clone(), division.clone()]),
            "Indeterminate",
            "MissingAttribute",
            Some(format!("{SUBJECT} gone xs:string ")),
        ),
        (
            apply("f1:or", &[division.clone(), absent.clone()]),
            "Indeterminate",
            "ProcessingError",
            None,
        ),
        (apply("f1:or", &[division, absent, true_one]), "Permit", "Ok", None),
        // Selectors.
        (number(selector("/r/a[2]", "xs:integer", MUST)), "NotApplicable", "Ok", None),
        (number(selector("/r/a", "xs:integer", MAY)), "Indeterminate", "SyntaxError", None),
        (number(selector("/r/b", "xs:integer", MAY)), "NotApplicable", "Ok", None),
        (number(selector("/r/b", "xs:integer", MUST)), "Indeterminate", "MissingAttribute", None),
        (number(selector("@n", "xs:integer", &context("one"))), "NotApplicable", "Ok", None),
        (
            number(selector("/r/a[1]/@n", "xs:integer", &context("one"))),
            "NotApplicable",
            "Ok",
            None,
        ),
        (
            number(selector("@n", "xs:integer", &context("all"))),
            "Indeterminate",
            "SyntaxError",
            None,
        ),
        (
            number(selector("@n", "xs:integer", &context("none"))),
            "Indeterminate",
            "SyntaxError",
            None,
        ),
        (
            number(selector("@n", "xs:integer", &context("bad"))),
            "Indeterminate",
            "ProcessingError",
            None,
        ),
        (
            number(selector("@n", "xs:integer", &context("absent"))),
            "Indeterminate",
            "MissingAttribute",
            Some(format!("{RESOURCE} absent {XPATH} ")),
        ),
        (
            number(selector("@n", "xs:integer", &format!("ContextSelectorId=\"absent\" {MAY}"))),
            "NotApplicable",
            "Ok",
            None,
        ),
    ] {
        let decided = condition(&expression);
        assert_eq!(
            (decided.decision, decided.code.as_str()),
            (decision, code),
            "{expression}: {decided:?}"
        );
        let missing = missing.map(|text| text.replace("xs:", "http://www.w3.org/2001/XMLSchema#"));
        assert_eq!(decided.missing, missing, "{expression}");
    }
}

/// A policy of one rule that permits, behind this match.
fn matching(function: &str, value: &str, bag: &str) -> Decided {
    let policy = format!(
        "<Policy PolicyId=\"p\" Version=\"1.0\" RuleCombiningAlgId=\"ra:deny-overrides\"><Target>\
         <AnyOf><AllOf><Match MatchId=\"{function}\">{value}{bag}</Match></AllOf></AnyOf></Target>\
         {}</Policy>",
        rule_if("r", "Permit", "")
    );
    decide(&[policy], &request())
}

#[test]
fn any_function_of_two_values_can_stand_in_a_match() {
    let path = |path: &str| {
        format!(
            "<AttributeValue DataType=\"{XPATH}\" XPathCategory=\"{RESOURCE}\">{path}</AttributeValue>"
        )
    };
    let paths = |id: &str| {
        format!(
            "<AttributeDesignator Category=\"c:resource\" AttributeId=\"{id}\" DataType=\"{XPATH}\" {MUST}/>"
        )
    };
    let here = designator("here", "xs:string", MAY);
    for (function, value, bag, decision) in [
        ("f3:xpath-node-equal", path("//a"), paths("one"), "Permit"),
        ("f3:xpath-node-equal", path("/r"), paths("one"), "NotApplicable"),
        ("f3:xpath-node-match", path("/r"), paths("one"), "Permit"),
        ("f3:xpath-node-match", path("//a[1]"), paths("one"), "NotApplicable"),
        ("f3:xpath-node-match", path("/r"), paths("none"), "NotApplicable"),
        ("f3:xpath-node-match", path("/r"), paths("bad"), "Indeterminate"),
        ("f3:string-ends-with", string("s"), here.clone(), "Permit"),
        ("f1:string-greater-than", string("z"), here.clone(), "Permit"),
        ("f1:string-greater-than", string("a"), here.clone(), "NotApplicable"),
        ("f1:string-regexp-match", string("^y.s$"), here, "Permit"),
        ("f1:string-equal", string("7"), selector("//a/text()", "xs:string", MUST), "Permit"),
        ("f1:string-equal", string("7"), selector("//b", "xs:string", MUST), "Indeterminate"),
        ("f1:string-equal", string("7"), selector("//b", "xs:string", MAY), "NotApplicable"),
    ] {
        let decided = matching(function, &value, &bag);
        assert_eq!(decided.decision, decision, "{function} {value} {bag}: {decided:?}");
    }
}

/// What an obligation returns whose assignment has this expression.
fn assigned(expression: &str) -> Decided {
    let rule = format!(
        "<Rule RuleId=\"r\" Effect=\"Deny\"><ObligationExpressions><ObligationExpression \
         ObligationId=\"o\" FulfillOn=\"Deny\"><AttributeAssignmentExpression AttributeId=\"v\">\
         {expression}</AttributeAssignmentExpression></ObligationExpression></ObligationExpressions></Rule>"
    );
    decide(&[policy_of("p", "ra:permit-overrides", &rule)], &request())
}

#[test]
fn an_assignment_that_errs_is_the_error_of_its_rule() {
    for (expression, decision, code, notices) in [
        (string("a"), "Deny", "Ok", vec!["o(a)"]),
        (selector("//a", "xs:string", MAY), "Deny", "Ok", vec!["o(x,7)"]),
        (selector("//b", "xs:string", MAY), "Deny", "Ok", vec!["o()"]),
        (selector("//b", "xs:string", MUST), "Indeterminate", "MissingAttribute", vec![]),
        (selector("//a", "xs:integer", MAY), "Indeterminate", "SyntaxError", vec![]),
        (designator("gone", "xs:string", MUST), "Indeterminate", "MissingAttribute", vec![]),
        (
            one("string", &designator("gone", "xs:string", MAY)),
            "Indeterminate",
            "ProcessingError",
            vec![],
        ),
    ] {
        let decided = assigned(&spelled_out(&expression));
        assert_eq!((decided.decision, decided.code.as_str()), (decision, code), "{expression}");
        assert_eq!(decided.notices, notices, "{expression}");
    }
}

#[test]
fn an_assignment_keeps_the_identifier_of_its_type_its_category_and_issuer() {
    let old = "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#dayTimeDuration";
    let new = "http://www.w3.org/2001/XMLSchema#dayTimeDuration";
    let rule = |attributes: &str, expression: &str| {
        format!(
            "<Rule RuleId=\"r\" Effect=\"Permit\"><AdviceExpressions><AdviceExpression AdviceId=\"o\" \
             AppliesTo=\"Permit\"><AttributeAssignmentExpression AttributeId=\"v\"{attributes}>\
             {expression}</AttributeAssignmentExpression></AdviceExpression></AdviceExpressions></Rule>"
        )
    };
    let literal = |data_type: &str| {
        format!("<AttributeValue DataType=\"{data_type}\"> PT36H </AttributeValue>")
    };
    for (attributes, expression, expected) in [
        ("", literal(old), format!("AttributeId=\"v\" DataType=\"{old}\">PT36H<")),
        ("", literal(new), format!("AttributeId=\"v\" DataType=\"{new}\">PT36H<")),
        ("", selector("//d", old, MAY), format!("AttributeId=\"v\" DataType=\"{old}\">P2D<")),
        ("", selector("//d", new, MAY), format!("AttributeId=\"v\" DataType=\"{new}\">P2D<")),
        // The value has the identifier that the request gave it, whatever the policy calls its type.
        ("", designator("here", old, MAY), format!("AttributeId=\"v\" DataType=\"{new}\">P1D<")),
        (
            " Category=\"urn:c\" Issuer=\"me\"",
            literal(new),
            format!("AttributeId=\"v\" Category=\"urn:c\" Issuer=\"me\" DataType=\"{new}\">PT36H<"),
        ),
    ] {
        let policy = policy_of("p", "ra:deny-overrides", &rule(attributes, &expression));
        let response = response_to(&[policy], &request().replace("</r>", "<d> P2D </d></r>"));
        assert!(response.contains(&expected), "{expression}: {response}");
    }
}

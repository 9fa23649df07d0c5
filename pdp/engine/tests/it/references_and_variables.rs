//! References by version, variables, and the parts of policies that a core decision point passes over
//! or refuses (XACML 3.0 sections 5.10 to 5.20, 5.28, 5.29).

use pdp_engine::combine::Algorithm;
use pdp_engine::context::Limits;
use pdp_engine::error::Severity;
use pdp_engine::model::PolicyKind;
use pdp_engine::program::Root;

use crate::xacml::{decide_on, one, policy_of, program_from, request_of, rule_if};

fn request() -> String {
    request_of(&one("c:subject", "here", "xs:string", "yes"))
}

/// A policy of this version that permits and says so.
fn version(kind: &str, id: &str, version: &str) -> String {
    let told = format!("<ObligationExpression ObligationId=\"{version}\" FulfillOn=\"Permit\"/>");
    let told = format!("<ObligationExpressions>{told}</ObligationExpressions>");
    if kind == "Policy" {
        return format!(
            "<Policy PolicyId=\"{id}\" Version=\"{version}\" \
             RuleCombiningAlgId=\"ra:permit-unless-deny\"><Target/>{told}</Policy>"
        );
    }
    format!(
        "<PolicySet PolicySetId=\"{id}\" Version=\"{version}\" \
         PolicyCombiningAlgId=\"pa:permit-unless-deny\"><Target/>{told}</PolicySet>"
    )
}

/// A policy set that refers with these attributes.
fn referring(kind: &str, bounds: &str) -> String {
    format!(
        "<PolicySet PolicySetId=\"root\" Version=\"1\" PolicyCombiningAlgId=\"pa:deny-overrides\">\
         <Target/><{kind}IdReference {bounds}> x </{kind}IdReference></PolicySet>"
    )
}

const VERSIONS: [&str; 9] = ["1", "1.0", "1.2", "1.2.3", "1.9", "1.10", "2.0", "2.1.7", "10"];

#[test]
fn a_reference_leads_to_the_highest_version_that_fits() {
    for (bounds, expected) in [
        ("", Some("10")),
        ("Version='1'", Some("1")),
        ("Version='01.02'", Some("1.2")),
        ("Version='*'", Some("10")),
        ("Version='+'", Some("10")),
        ("Version='1.*'", Some("1.10")),
        ("Version='1.+'", Some("1.10")),
        ("Version='1.2.+'", Some("1.2.3")),
        ("Version='*.2.*'", Some("1.2.3")),
        ("Version='*.*'", Some("2.0")),
        ("Version='2.+'", Some("2.1.7")),
        ("Version='3.*'", None),
        ("Version='1.2.3.*'", None),
        ("LatestVersion='1.9'", Some("1.9")),
        ("LatestVersion='1.2'", Some("1.2")),
        ("LatestVersion='1.2.9'", Some("1.2.3")),
        ("LatestVersion='1'", Some("1")),
        ("LatestVersion='0.9'", None),
        ("LatestVersion='1.+'", Some("1.10")),
        ("EarliestVersion='2.1.8' LatestVersion='9'", None),
        ("EarliestVersion='2.1.7' LatestVersion='9'", Some("2.1.7")),
        ("EarliestVersion='1.3' LatestVersion='1.9.9'", Some("1.9")),
        ("Version='1.*' EarliestVersion='1.3' LatestVersion='1.9'", Some("1.9")),
        ("Version='1.*' EarliestVersion='1.11'", None),
        ("EarliestVersion='11'", None),
    ] {
        for kind in ["Policy", "PolicySet"] {
            let mut policies = vec![referring(kind, bounds)];
            policies.extend(VERSIONS.map(|number| version(kind, "x", number)));
            // The other kind is another name space.
            let other = if kind == "Policy" { "PolicySet" } else { "Policy" };
            policies.push(version(other, "x", "99"));
            let named = Some((PolicyKind::PolicySet, "root".into()));
            let root = Root { combining: Algorithm::DenyOverrides, named };
            let (program, refused) = program_from(root, &policies);
            let Some(expected) = expected else {
                assert_eq!(refused.len(), 1, "{bounds}: {refused:?}");
                assert_eq!(refused[0].code, "reference-unknown", "{bounds}");
                continue;
            };
            assert!(refused.is_empty(), "{bounds}: {refused:?}");
            let decided = decide_on(&program, &request(), &Limits::default());
            assert_eq!(decided.decision, "Permit", "{bounds}");
            assert_eq!(decided.notices, [format!("{expected}()")], "{kind} {bounds}");
        }
    }
}

fn truth(value: bool) -> String {
    format!("<AttributeValue DataType=\"xs:boolean\">{value}</AttributeValue>")
}

fn variable(id: &str, expression: &str) -> String {
    format!("<VariableDefinition VariableId=\"{id}\">{expression}</VariableDefinition>")
}

fn uses(id: &str) -> String {
    format!("<VariableReference VariableId=\"{id}\"/>")
}

const BAG: &str = "<AttributeDesignator Category=\"c:subject\" AttributeId=\"here\" \
                   DataType=\"xs:string\" MustBePresent=\"false\"/>";
const MISSING: &str = "<Apply FunctionId=\"f1:boolean-one-and-only\"><AttributeDesignator \
                       Category=\"c:subject\" AttributeId=\"gone\" DataType=\"xs:boolean\" \
                       MustBePresent=\"true\"/></Apply>";

fn apply(function: &str, arguments: &[&str]) -> String {
    format!("<Apply FunctionId=\"{function}\">{}</Apply>", arguments.concat())
}

/// What policies come to: a decision, or the codes of what refuses them.
fn outcome(policies: &[String]) -> String {
    let (program, refused) = program_from(Root::all(Algorithm::OnlyOneApplicable), policies);
    let errors = refused.iter().filter(|found| found.severity == Severity::Error);
    let errors: Vec<&str> = errors.map(|found| found.code).collect();
    if errors.is_empty() {
        return decide_on(&program, &request(), &Limits::default()).decision.to_owned();
    }
    errors.join(" ")
}

#[test]
fn variables_are_those_of_their_policy_in_any_order() {
    let permit = |condition: &str| rule_if("r", "Permit", condition);
    let yes = "<AttributeValue DataType=\"xs:string\">yes</AttributeValue>";
    let is_in = apply("f1:string-is-in", &[yes, &uses("bag")]);
    let one_of = apply("f1:string-one-and-only", &[&uses("bag")]);
    let equal = apply("f1:string-equal", &[yes, &one_of]);
    for (what, parts, expected) in [
        ("before", variable("v", &truth(true)) + &permit(&uses("v")), "Permit"),
        ("after", permit(&uses("v")) + &variable("v", &truth(true)), "Permit"),
        (
            "through another",
            permit(&uses("v")) + &variable("v", &uses("w")) + &variable("w", &truth(true)),
            "Permit",
        ),
        ("a bag", variable("bag", BAG) + &permit(&is_in), "Permit"),
        (
            "a bag, once more",
            variable("bag", BAG) + &permit(&apply("f1:and", &[&is_in, &equal])),
            "Permit",
        ),
        ("a bag as a condition", variable("bag", BAG) + &permit(&uses("bag")), "condition-type"),
        (
            "a bag as a value",
            variable("bag", BAG) + &permit(&apply("f1:string-equal", &[yes, &uses("bag")])),
            "argument-type",
        ),
        ("an error that nothing meets", variable("v", MISSING) + &permit(&truth(true)), "Permit"),
        (
            "an error that a value beats",
            variable("v", MISSING) + &permit(&apply("f1:or", &[&uses("v"), &truth(true)])),
            "Permit",
        ),
        (
            "an error twice",
            variable("v", MISSING) + &permit(&apply("f1:or", &[&uses("v"), &uses("v")])),
            "Indeterminate",
        ),
        ("unknown", permit(&uses("v")), "unknown-variable"),
        ("by another case", variable("V", &truth(true)) + &permit(&uses("v")), "unknown-variable"),
        (
            "twice",
            variable("v", &truth(true)) + &variable("v", &truth(true)) + &permit(&uses("v")),
            "duplicate-variable",
        ),
        (
            "of itself",
            variable("v", &apply("f1:not", &[&uses("v")])) + &permit(&uses("v")),
            "variable-cycle",
        ),
        (
            "in a circle",
            variable("v", &uses("w")) + &variable("w", &uses("v")) + &permit(&uses("w")),
            "variable-cycle",
        ),
        (
            "unused, of a wrong type",
            variable("v", &apply("f1:not", &[yes])) + &permit(""),
            "argument-type",
        ),
    ] {
        assert_eq!(outcome(&[policy_of("p", "ra:deny-overrides", &parts)]), expected, "{what}");
    }
    let inside = format!(
        "<PolicySet PolicySetId=\"s\" Version=\"1\" PolicyCombiningAlgId=\"pa:deny-overrides\"><Target/>{}{}</PolicySet>",
        policy_of("p", "ra:deny-overrides", &variable("v", &truth(true))),
        policy_of("q", "ra:deny-overrides", &permit(&uses("v"))),
    );
    assert_eq!(outcome(&[inside]), "unknown-variable", "of a sibling");
}

#[test]
fn what_a_core_decision_point_does_not_do_is_passed_over_or_refused() {
    let set = |attributes: &str, parts: &str| {
        format!(
            "<PolicySet PolicySetId=\"s\" Version=\"1\" \
             PolicyCombiningAlgId=\"pa:deny-overrides\"{attributes}>{parts}</PolicySet>"
        )
    };
    let permit = rule_if("r", "Permit", "");
    let policy = |head: &str, parts: &str| {
        format!(
            "<Policy PolicyId=\"p\" Version=\"1\" RuleCombiningAlgId=\"ra:deny-overrides\">\
             {head}<Target/>{parts}</Policy>"
        )
    };
    let parameter = "<CombinerParameter ParameterName=\"weight\"><AttributeValue \
                     DataType=\"xs:integer\">1</AttributeValue></CombinerParameter>";
    let parameters =
        |element: &str, reference: &str| format!("<{element}{reference}>{parameter}</{element}>");
    let issuer = "<PolicyIssuer><Attribute AttributeId=\"id\" IncludeInResult=\"false\"><AttributeValue \
                  DataType=\"xs:string\">ann</AttributeValue></Attribute></PolicyIssuer>";
    for (what, document, expected) in [
        ("plain", policy("", &permit), "Permit"),
        ("no rules", policy("", ""), "NotApplicable"),
        ("no policies", set("", "<Target/>"), "NotApplicable"),
        (
            "depth",
            set(" MaxDelegationDepth=\"0\"", &format!("<Target/>{}", policy("", &permit))),
            "Permit",
        ),
        ("issuer", policy(issuer, &permit), "policy-issuer"),
        (
            "issuer inside",
            set("", &format!("<Target/>{}", policy(issuer, &permit))),
            "policy-issuer",
        ),
        (
            "parameters of rules",
            policy(
                "",
                &format!(
                    "{}{permit}{}",
                    parameters("CombinerParameters", ""),
                    parameters("RuleCombinerParameters", " RuleIdRef=\"r\"")
                ),
            ),
            "Permit",
        ),
        (
            "parameters of policies",
            set(
                "",
                &format!(
                    "<Target/>{}{}{}{}",
                    policy("", &permit),
                    parameters("PolicyCombinerParameters", " PolicyIdRef=\"p\""),
                    parameters("PolicySetCombinerParameters", " PolicySetIdRef=\"none\""),
                    parameters("CombinerParameters", "")
                ),
            ),
            "Permit",
        ),
        (
            "XPath 2.0",
            policy(
                "<PolicyDefaults><XPathVersion>http://www.w3.org/TR/2007/REC-xpath20-20070123\
                 </XPathVersion></PolicyDefaults>",
                &permit,
            ),
            "Permit",
        ),
        (
            "an algorithm of policies",
            policy("", &permit).replace("ra:", "pa:"),
            "unknown-algorithm",
        ),
        (
            "only-one-applicable of rules",
            policy("", &permit).replace("ra:deny-overrides", "ra1:only-one-applicable"),
            "unknown-algorithm",
        ),
        ("a rule twice", policy("", &format!("{permit}{permit}")), "duplicate-rule"),
        (
            "a policy twice",
            set("", &format!("<Target/>{0}{0}", policy("", &permit))),
            "duplicate-policy",
        ),
    ] {
        assert_eq!(outcome(&[document]), expected, "{what}");
    }
}

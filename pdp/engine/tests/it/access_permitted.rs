//! `access-permitted`: deciding a changed request within a decision.

use pdp_engine::combine::Algorithm;
use pdp_engine::context::Limits;
use pdp_engine::model::{Child, Effect, Expression, Literal, PolicyKind};

use crate::support::{
    Attribute, RESOURCE, SUPPLIED, Suppliers, apply, compile, decide_in_rounds, designator, equals,
    literal, policy, rule, target,
};
use crate::xacml::{decide, decide_with, one, policy_of, request_of, rule_if};

/// The resource with this identifier, as the text of an Attributes element.
fn about(id: &str) -> String {
    format!(
        "&lt;Attribute AttributeId='id' IncludeInResult='false'&gt;&lt;AttributeValue \
         DataType='http://www.w3.org/2001/XMLSchema#string'&gt;{id}&lt;/AttributeValue&gt;\
         &lt;/Attribute&gt;"
    )
}

fn permitted(category: &str, body: &str) -> String {
    format!(
        "<Apply FunctionId=\"f3:access-permitted\">\
         <AttributeValue DataType=\"xs:anyURI\">{category}</AttributeValue>\
         <AttributeValue DataType=\"xs:string\">{body}</AttributeValue></Apply>"
    )
}

const RESOURCES: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";

/// Whether the attribute `id` of a category has this value.
fn is(category: &str, value: &str) -> String {
    format!(
        "<Apply FunctionId=\"f1:string-is-in\">\
         <AttributeValue DataType=\"xs:string\">{value}</AttributeValue>\
         <AttributeDesignator Category=\"{category}\" AttributeId=\"id\" DataType=\"xs:string\" \
         MustBePresent=\"false\"/></Apply>"
    )
}

fn and(a: &str, b: &str) -> String {
    format!("<Apply FunctionId=\"f1:and\">{a}{b}</Apply>")
}

/// Ann may have `leaf`; she may have `tree` if she may have what `body` describes.
fn policies(body: &str) -> [String; 1] {
    let leaf = rule_if("leaf", "Permit", &and(&is("c:subject", "ann"), &is("c:resource", "leaf")));
    let tree = and(&is("c:resource", "tree"), &permitted(RESOURCES, body));
    let tree = rule_if("tree", "Permit", &tree);
    [policy_of("p", "ra:deny-overrides", &format!("{leaf}{tree}"))]
}

fn asks(subject: &str) -> String {
    let subject = one("c:subject", "id", "xs:string", subject);
    request_of(&format!("{subject}{}", one("c:resource", "id", "xs:string", "tree")))
}

#[test]
fn the_request_is_decided_again_with_the_category_replaced() {
    let leaf = policies(&about("leaf"));
    assert_eq!(decide(&leaf, &asks("ann")).decision, "Permit");
    assert_eq!(decide(&leaf, &asks("bob")).decision, "NotApplicable", "the subject stays");
    let other = policies(&about("other"));
    assert_eq!(decide(&other, &asks("ann")).decision, "NotApplicable", "the old resource is gone");
    let nothing = policies("");
    assert_eq!(decide(&nothing, &asks("ann")).decision, "NotApplicable");
}

#[test]
fn content_is_replaced_with_the_attributes() {
    let count = "<Apply FunctionId=\"f1:integer-equal\">\
                 <AttributeValue DataType=\"xs:integer\">2</AttributeValue>\
                 <Apply FunctionId=\"f3:xpath-node-count\"><AttributeValue \
                 DataType=\"urn:oasis:names:tc:xacml:3.0:data-type:xpathExpression\" \
                 XPathCategory=\"c:resource\">//x</AttributeValue></Apply></Apply>";
    let body = "&lt;Content&gt;&lt;r xmlns=''&gt;&lt;x/&gt;&lt;x/&gt;&lt;/r&gt;&lt;/Content&gt;";
    let two = rule_if("two", "Permit", count);
    let asks =
        rule_if("asks", "Permit", &and(&is("c:resource", "tree"), &permitted(RESOURCES, body)));
    let policy = policy_of("p", "ra:deny-overrides", &format!("{two}{asks}"));
    let tree = super::xacml::attribute("id", "xs:string", "tree");
    let request = |content: &str| {
        request_of(&format!(
            "<Attributes Category=\"c:resource\"><Content><r xmlns=''>{content}</r></Content>{tree}\
             </Attributes>"
        ))
    };
    for content in ["<x/>", "<x/><x/>"] {
        let decided = decide(std::slice::from_ref(&policy), &request(content));
        assert_eq!(decided.decision, "Permit", "{content}: {:?}", decided.message);
    }
}

#[test]
fn what_cannot_be_read_is_indeterminate_and_never_false() {
    for (body, words) in [
        ("&lt;Attribute", "cannot be read"),
        ("just text", "cannot be read"),
        ("&lt;record/&gt;", "cannot be read"),
        ("&lt;/Attributes&gt;&lt;Attributes&gt;", "cannot be read"),
        (
            "&lt;Attribute AttributeId='a' IncludeInResult='false'&gt;&lt;AttributeValue \
             DataType='http://www.w3.org/2001/XMLSchema#integer'&gt;x&lt;/AttributeValue&gt;\
             &lt;/Attribute&gt;",
            "cannot be read",
        ),
        (
            "&lt;Attribute AttributeId='urn:oasis:names:tc:xacml:2.0:resource:scope' \
             IncludeInResult='false'&gt;&lt;AttributeValue \
             DataType='http://www.w3.org/2001/XMLSchema#string'&gt;Children&lt;/AttributeValue&gt;\
             &lt;/Attribute&gt;",
            "one request, not several",
        ),
    ] {
        let decided = decide(&policies(body), &asks("ann"));
        assert_eq!(decided.decision, "Indeterminate", "{body}");
        let message = decided.message.unwrap();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_policy_that_asks_about_itself_ends_at_a_limit_and_never_permits() {
    for combining in ["ra:permit-unless-deny", "ra:deny-overrides", "ra1:first-applicable"] {
        let condition = permitted(RESOURCES, &about("tree"));
        let policy = policy_of("p", combining, &rule_if("r", "Deny", &condition));
        let decided = decide(&[policy], &asks("ann"));
        assert_eq!((decided.decision, &*decided.code), ("Indeterminate", "ProcessingError"));
        let message = decided.message.unwrap();
        assert!(message.contains("deeper than the limit of 4"), "{message}");
    }
}

#[test]
fn calls_are_counted_over_the_whole_decision() {
    let calls: String = (0..10).map(|_| permitted(RESOURCES, &about("leaf"))).collect();
    let all = format!("<Apply FunctionId=\"f1:and\">{}{calls}</Apply>", is("c:resource", "tree"));
    let leaf = rule_if("leaf", "Permit", &is("c:resource", "leaf"));
    let policy =
        policy_of("p", "ra:deny-overrides", &format!("{leaf}{}", rule_if("r", "Permit", &all)));
    let limits = Limits { permitted_calls: 10, ..Limits::default() };
    let policies = [policy];
    assert_eq!(decide_with(&policies, &asks("ann"), &limits).decision, "Permit");
    let limits = Limits { permitted_calls: 9, ..Limits::default() };
    let decided = decide_with(&policies, &asks("ann"), &limits);
    assert_eq!(decided.decision, "Indeterminate");
    assert!(decided.message.unwrap().contains("more often than the limit of 9"));
}

#[test]
fn steps_are_shared_and_the_outer_request_is_what_it_was() {
    // What stands behind the call sees the outer resource again.
    let body = about("leaf");
    let condition = and(&permitted(RESOURCES, &body), &is("c:resource", "tree"));
    let leaf = rule_if("leaf", "Permit", &is("c:resource", "leaf"));
    let policy = policy_of(
        "p",
        "ra:deny-overrides",
        &format!("{leaf}{}", rule_if("r", "Deny", &and(&is("c:resource", "tree"), &condition))),
    );
    let policies = [policy];
    let decided = decide(&policies, &asks("ann"));
    assert_eq!(decided.decision, "Deny");
    assert!((1..200).any(|steps| {
        let limits = Limits { steps, ..Limits::default() };
        let decided = decide_with(&policies, &asks("ann"), &limits);
        decided.decision == "Deny"
    }));
    let limits = Limits { steps: 20, ..Limits::default() };
    let decided = decide_with(&policies, &asks("ann"), &limits);
    assert!(decided.message.unwrap().contains("limit of 20 evaluation steps"));
}

#[test]
fn it_can_be_applied_to_each_element_of_a_bag() {
    let bag = format!(
        "<Apply FunctionId=\"f1:string-bag\"><AttributeValue DataType=\"xs:string\">{}\
         </AttributeValue><AttributeValue DataType=\"xs:string\">{}</AttributeValue></Apply>",
        about("other"),
        about("leaf")
    );
    for (function, wanted) in [("any-of", "Permit"), ("all-of", "NotApplicable")] {
        let call = format!(
            "<Apply FunctionId=\"f3:{function}\"><Function FunctionId=\"f3:access-permitted\"/>\
             <AttributeValue DataType=\"xs:anyURI\">{RESOURCES}</AttributeValue>{bag}</Apply>"
        );
        let leaf = rule_if("leaf", "Permit", &is("c:resource", "leaf"));
        let tree = rule_if("tree", "Permit", &and(&is("c:resource", "tree"), &call));
        let policy = policy_of("p", "ra:deny-overrides", &format!("{leaf}{tree}"));
        assert_eq!(decide(&[policy], &asks("ann")).decision, wanted, "{function}");
    }
}

/// A supplier's answers follow from the resource's `a0`: the changed request asks anew, and both
/// questions are met in one round.
#[test]
fn needs_of_the_changed_request_join_those_of_the_outer_one() {
    let text = "<Attribute AttributeId='a0' IncludeInResult='false'>\
                <AttributeValue DataType='http://www.w3.org/2001/XMLSchema#string'>inner\
                </AttributeValue></Attribute>";
    let uri = Literal {
        data_type: "http://www.w3.org/2001/XMLSchema#anyURI".into(),
        ..literal(RESOURCE)
    };
    let Expression::Apply(mut call) = apply(
        "access-permitted",
        vec![Expression::Literal(uri), Expression::Literal(literal(text))],
    ) else {
        unreachable!()
    };
    call.function = "urn:oasis:names:tc:xacml:3.0:function:access-permitted".into();
    let supplied = |id: &str| {
        let bag = Expression::Designator(designator(SUPPLIED, id, false));
        apply("string-is-in", vec![Expression::Literal(literal(id)), bag])
    };
    let inner = target(vec![vec![vec![equals("a0", "inner")]]]);
    let outer = target(vec![vec![vec![equals("a0", "outer")]]]);
    let rules = vec![
        Child::Rule(rule("inner", Effect::Permit, Some(inner), Some(supplied("x")))),
        Child::Rule(rule(
            "outer",
            Effect::Deny,
            Some(outer),
            Some(apply("and", vec![Expression::Apply(call), supplied("x")])),
        )),
    ];
    let policy = policy(PolicyKind::Policy, "p", "deny-overrides", target(vec![]), rules);
    let request = [Attribute::resource("a0", "outer")];
    for late in [vec![], vec!["x".to_owned()]] {
        let suppliers = Suppliers { present: vec!["x".into()], late, ..Suppliers::default() };
        let (program, refused) =
            compile(Algorithm::DenyOverrides, std::slice::from_ref(&policy), &suppliers);
        assert!(refused.is_empty(), "{refused:?}");
        let (decided, _) =
            decide_in_rounds(&program, &request, &suppliers, &Limits::default(), usize::MAX);
        assert_eq!(decided.decision, "Deny", "{:?}", decided.message);
    }
}

/// The deepest that a decision goes: nested policy sets, nested expressions, and the call within
/// itself. It must stay on the stack of a thread.
#[test]
fn the_deepest_call_stays_on_the_stack() {
    let wrapped = |inner: String, before: &str, after: &str, times: usize| {
        format!("{}{inner}{}", before.repeat(times), after.repeat(times))
    };
    let not = "<Apply FunctionId=\"f1:not\">";
    let condition = wrapped(permitted(RESOURCES, &about("tree")), not, "</Apply>", 60);
    let mut policy = policy_of("p", "ra:deny-overrides", &rule_if("r", "Deny", &condition));
    for at in 0..30 {
        policy = format!(
            "<PolicySet PolicySetId=\"s{at}\" Version=\"1.0\" \
             PolicyCombiningAlgId=\"pa:deny-overrides\"><Target/>{policy}</PolicySet>"
        );
    }
    let decided = decide(&[policy], &asks("ann"));
    assert_eq!(decided.decision, "Indeterminate");
    assert!(decided.message.unwrap().contains("deeper than the limit of 4"));
}

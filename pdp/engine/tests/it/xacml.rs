//! Policies and requests in XACML's XML, decided, as the answer's main parts.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::{Context, Limits, Scratch};
use pdp_engine::error::Diagnostic;
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml::{policy, request, response};
use pdp_engine::program::{Program, Root};
use pdp_engine::value::Arena;

use crate::support::{Decided, NOW};

const NAMESPACE: &str = "urn:oasis:names:tc:xacml:3.0:core:schema:wd-17";

/// Policies are written in short: `f1:`, `f2:` and `f3:` begin identifiers of functions, `xs:` those
/// of types, `c:subject`, `c:resource`, `c:action`, `c:env` are categories, `ra:` and `pa:` begin
/// algorithms of rules and policies of 3.0.
pub(crate) fn spelled_out(text: &str) -> String {
    const SHORT: [(&str, &str); 13] = [
        ("\"f1:", "\"urn:oasis:names:tc:xacml:1.0:function:"),
        ("\"f2:", "\"urn:oasis:names:tc:xacml:2.0:function:"),
        ("\"f3:", "\"urn:oasis:names:tc:xacml:3.0:function:"),
        ("\"xs:", "\"http://www.w3.org/2001/XMLSchema#"),
        ("\"c:subject\"", "\"urn:oasis:names:tc:xacml:1.0:subject-category:access-subject\""),
        ("\"c:resource\"", "\"urn:oasis:names:tc:xacml:3.0:attribute-category:resource\""),
        ("\"c:action\"", "\"urn:oasis:names:tc:xacml:3.0:attribute-category:action\""),
        ("\"c:env\"", "\"urn:oasis:names:tc:xacml:3.0:attribute-category:environment\""),
        ("\"ra1:", "\"urn:oasis:names:tc:xacml:1.0:rule-combining-algorithm:"),
        ("\"pa1:", "\"urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:"),
        ("\"ra:", "\"urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:"),
        ("\"pa:", "\"urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:"),
        ("\"d1:", "\"urn:oasis:names:tc:xacml:1.0:data-type:"),
    ];
    SHORT.iter().fold(text.to_owned(), |text, (short, long)| text.replace(short, long))
}

/// A document whose outermost element is of XACML's namespace.
pub(crate) fn document(text: &str) -> String {
    let text = spelled_out(text);
    let name_end = text.find([' ', '>']).unwrap();
    format!("{} xmlns=\"{NAMESPACE}\"{}", &text[..name_end], &text[name_end..])
}

/// A policy of these parts behind an empty target.
pub(crate) fn policy_of(id: &str, combining: &str, parts: &str) -> String {
    format!(
        "<Policy PolicyId=\"{id}\" Version=\"1.0\" RuleCombiningAlgId=\"{combining}\">\
         <Target/>{parts}</Policy>"
    )
}

/// A rule with this effect and condition.
pub(crate) fn rule_if(id: &str, effect: &str, condition: &str) -> String {
    let condition = if condition.is_empty() {
        String::new()
    } else {
        format!("<Condition>{condition}</Condition>")
    };
    format!("<Rule RuleId=\"{id}\" Effect=\"{effect}\">{condition}</Rule>")
}

/// A request of these `Attributes` elements.
pub(crate) fn request_of(attributes: &str) -> String {
    format!(
        "<Request ReturnPolicyIdList=\"false\" CombinedDecision=\"false\">{attributes}</Request>"
    )
}

/// An `Attributes` element with one attribute.
pub(crate) fn one(category: &str, id: &str, data_type: &str, value: &str) -> String {
    format!("<Attributes Category=\"{category}\">{}</Attributes>", attribute(id, data_type, value))
}

/// An attribute with one value.
pub(crate) fn attribute(id: &str, data_type: &str, value: &str) -> String {
    format!(
        "<Attribute AttributeId=\"{id}\" IncludeInResult=\"false\">\
         <AttributeValue DataType=\"{data_type}\">{value}</AttributeValue></Attribute>"
    )
}

/// Compiles policies that stand side by side.
pub(crate) fn program(combining: Algorithm, policies: &[String]) -> (Program, Vec<Diagnostic>) {
    program_from(Root::all(combining), policies)
}

/// Compiles policies of which decisions start from `root`.
pub(crate) fn program_from(root: Root, policies: &[String]) -> (Program, Vec<Diagnostic>) {
    let mut build = Build::new(root, &RequestOnly, CompileLimits::default());
    let mut refused = Vec::new();
    for text in policies {
        let text = document(text);
        let policy = policy::read(text.as_bytes(), &ReadLimits::POLICY)
            .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        refused.extend(build.add(&policy, "test").err().into_iter().flatten());
    }
    let (program, unlinked) = build.finish();
    refused.extend(unlinked);
    (program, refused)
}

/// Decides a request on policies that all compile.
pub(crate) fn decide_with(policies: &[String], request: &str, limits: &Limits) -> Decided {
    let (program, refused) = program(Algorithm::OnlyOneApplicable, policies);
    assert!(refused.is_empty(), "{refused:?}");
    decide_on(&program, request, limits)
}

/// The whole response to a request on policies that all compile, in XML.
pub(crate) fn response_to(policies: &[String], request: &str) -> String {
    let (program, _) = program(Algorithm::OnlyOneApplicable, policies);
    let request = document(request);
    let (mut scratch, limits) = (Scratch::new(), Limits::default());
    let mut context = Context::new(&program, &mut scratch, NOW, &limits);
    request::read(request.as_bytes(), &ReadLimits::REQUEST, &mut context)
        .unwrap_or_else(|error| panic!("{error}\n{request}"));
    let Outcome::Done(answer) = eval::decide(&mut context, &RequestOnly) else {
        panic!("nothing is pending")
    };
    let mut out = Vec::new();
    response::write(&[answer], &Arena::new(), &mut out);
    String::from_utf8(out).unwrap()
}

/// Decides a request on a program.
pub(crate) fn decide_on(program: &Program, request: &str, limits: &Limits) -> Decided {
    let request = document(request);
    let mut scratch = Scratch::new();
    let mut context = Context::new(program, &mut scratch, NOW, limits);
    request::read(request.as_bytes(), &ReadLimits::REQUEST, &mut context)
        .unwrap_or_else(|error| panic!("{error}\n{request}"));
    match eval::decide(&mut context, &RequestOnly) {
        Outcome::Done(answer) => Decided::of(&answer),
        Outcome::Pending => panic!("nothing is pending"),
    }
}

pub(crate) fn decide(policies: &[String], request: &str) -> Decided {
    decide_with(policies, request, &Limits::default())
}

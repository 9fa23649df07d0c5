//! Functions over Content, and access-permitted (XACML 3.0 appendix A.3.15 and A.3.16). The evaluator
//! does their work; the rows say what they take and return.

use super::arguments::{Outcome, fault};
use super::row::{ANY_URI, BOOLEAN, INTEGER, STRING};
use super::{Call, Code, Family, Row, Type, XPathCode};
use crate::value::DataType;

const XPATH: Type = Type::one(DataType::XPathExpression);

const CONTENT: &[Row] = &[
    row!(
        f3!("xpath-node-count"); None; [XPATH] -> INTEGER;
        "A.3.15"; "How many nodes of Content an expression selects; 0 without Content.";
        Code::XPath(XPathCode::NodeCount);
        ["xpathExpression:/no/content"] => "integer:0",
        ["string:/a"] => "error",
    ),
    row!(
        f3!("xpath-node-equal"); None; [XPATH, XPATH] -> BOOLEAN;
        "A.3.15"; "Whether two expressions have a node in common.";
        Code::XPath(XPathCode::NodeEqual);
        ["xpathExpression:/no/content", "xpathExpression:/no/content"] => "boolean:false",
        ["xpathExpression:/a"] => "error",
    ),
    row!(
        f3!("xpath-node-match"); None; [XPATH, XPATH] -> BOOLEAN;
        "A.3.15"; "Whether two expressions have a node in common, or the second selects one below one of the first.";
        Code::XPath(XPathCode::NodeMatch);
        ["xpathExpression:/no/content", "xpathExpression:/no/content"] => "boolean:false",
        ["xpathExpression:/a"] => "error",
    ),
    row!(
        f1!("xpath-node-count"); Some(f3!("xpath-node-count")); [STRING] -> INTEGER;
        "A.4"; "Of XACML 1.0, on a string; it has no meaning in 3.0 and always fails.";
        Code::Plain(|call, _| gone(call, f1!("xpath-node-count"), f3!("xpath-node-count")));
        ["string:/a"] => "error",
    ),
    row!(
        f1!("xpath-node-equal"); Some(f3!("xpath-node-equal")); [STRING, STRING] -> BOOLEAN;
        "A.4"; "Of XACML 1.0, on strings; it has no meaning in 3.0 and always fails.";
        Code::Plain(|call, _| gone(call, f1!("xpath-node-equal"), f3!("xpath-node-equal")));
        ["string:/a", "string:/a"] => "error",
    ),
    row!(
        f1!("xpath-node-match"); Some(f3!("xpath-node-match")); [STRING, STRING] -> BOOLEAN;
        "A.4"; "Of XACML 1.0, on strings; it has no meaning in 3.0 and always fails.";
        Code::Plain(|call, _| gone(call, f1!("xpath-node-match"), f3!("xpath-node-match")));
        ["string:/a", "string:/a"] => "error",
    ),
];

const OPEN: &str = "string:<Attribute AttributeId='open' IncludeInResult='false'>\
    <AttributeValue DataType='http://www.w3.org/2001/XMLSchema#string'>yes</AttributeValue></Attribute>";

const PERMITTED: &[Row] = &[row!(
    f3!("access-permitted"); None; [ANY_URI, STRING] -> BOOLEAN;
    "A.3.16"; "Whether the policies permit the request once what its category holds is replaced by the XML of an Attributes element's content. In the examples a policy permits what has `open` = `yes` in `urn:category`.";
    Code::AccessPermitted;
    ["anyURI:urn:category", OPEN] => "boolean:true",
    ["anyURI:urn:category", "string:"] => "boolean:false",
    ["anyURI:urn:category", "string:<Attribute"] => "error",
    ["anyURI:urn:c"] => "error",
    ["string:urn:c", "string:<a/>"] => "error",
)];

pub(super) const FAMILIES: [Family; 2] = [
    Family { title: "Nodes of Content", clause: "A.3.15", rows: &[CONTENT] },
    Family { title: "Access permitted", clause: "A.3.16", rows: &[PERMITTED] },
];

#[cold]
fn gone<'a>(call: &Call<'a>, old: &str, new: &str) -> Outcome<'a> {
    Err(fault(call, format_args!("{old} works on text of XACML 1.0 requests; use {new} instead")))
}

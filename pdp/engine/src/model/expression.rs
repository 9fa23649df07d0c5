//! Expressions (XACML 3.0 sections 5.25 to 5.31).

use super::Identifier;
use crate::error::Position;

/// An expression, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A constant.
    Literal(Literal),
    /// The values of an attribute.
    Designator(Designator),
    /// The values of nodes in Content.
    Selector(Selector),
    /// A function call.
    Apply(Apply),
    /// A function as argument of a higher-order function.
    Function {
        /// Its identifier.
        id: Identifier,
        /// Where.
        position: Position,
    },
    /// The value of a variable of the enclosing policy.
    Variable {
        /// Its identifier.
        id: String,
        /// Where.
        position: Position,
    },
}

impl Expression {
    /// Where it stands.
    pub fn position(&self) -> Position {
        match self {
            Self::Literal(literal) => literal.position,
            Self::Designator(designator) => designator.position,
            Self::Selector(selector) => selector.position,
            Self::Apply(apply) => apply.position,
            Self::Function { position, .. } | Self::Variable { position, .. } => *position,
        }
    }
}

/// A constant: text and the identifier of its data type. Compile parses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The identifier of the data type, as written.
    pub data_type: Identifier,
    /// Its text. Shared, because a policy's content can be large and is held once.
    pub text: std::sync::Arc<str>,
    /// The category of an xpathExpression.
    pub xpath_category: Option<String>,
    /// The namespaces in scope, prefix and URI; filled for xpathExpression alone.
    pub namespaces: Vec<(String, String)>,
    /// Where.
    pub position: Position,
}

/// Names an attribute of the request (section 5.29).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Designator {
    /// The category's identifier.
    pub category: Identifier,
    /// The attribute's identifier.
    pub attribute_id: Identifier,
    /// The data type's identifier.
    pub data_type: Identifier,
    /// The issuer, where only its values count.
    pub issuer: Option<String>,
    /// An empty bag is Indeterminate.
    pub must_be_present: bool,
    /// Where.
    pub position: Position,
}

/// Selects nodes of Content (section 5.30).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The category whose Content is asked.
    pub category: Identifier,
    /// The attribute that holds the context node's path.
    pub context_selector_id: Option<String>,
    /// The XPath expression.
    pub path: String,
    /// The data type's identifier.
    pub data_type: Identifier,
    /// No node is Indeterminate.
    pub must_be_present: bool,
    /// The namespaces in scope, prefix and URI.
    pub namespaces: Vec<(String, String)>,
    /// Where.
    pub position: Position,
}

/// A function call (section 5.27).
#[derive(Clone, Debug, PartialEq)]
pub struct Apply {
    /// The function's identifier.
    pub function: Identifier,
    /// The arguments, in order.
    pub arguments: Vec<Expression>,
    /// Where.
    pub position: Position,
}

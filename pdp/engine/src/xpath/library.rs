//! Which functions there are, and what they take (XPath 1.0 section 4).

use super::syntax::Function;

/// A function as the parser sees it. Its bodies are in `call`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) function: Function,
    /// How many arguments there must be.
    pub(super) least: usize,
    /// How many there may be.
    pub(super) most: usize,
    /// The argument must be nodes; any other argument is converted to what is needed.
    pub(super) takes_nodes: bool,
}

const fn row(name: &'static str, function: Function, least: usize, most: usize) -> Row {
    Row { name, function, least, most, takes_nodes: false }
}

const fn of_nodes(name: &'static str, function: Function, least: usize) -> Row {
    Row { name, function, least, most: 1, takes_nodes: true }
}

pub(super) const ALL: &[Row] = &[
    row("last", Function::Last, 0, 0),
    row("position", Function::Position, 0, 0),
    of_nodes("count", Function::Count, 1),
    row("id", Function::Id, 1, 1),
    of_nodes("local-name", Function::LocalName, 0),
    of_nodes("namespace-uri", Function::NamespaceUri, 0),
    of_nodes("name", Function::Name, 0),
    row("string", Function::String, 0, 1),
    row("concat", Function::Concat, 2, usize::MAX),
    row("starts-with", Function::StartsWith, 2, 2),
    row("contains", Function::Contains, 2, 2),
    row("substring-before", Function::SubstringBefore, 2, 2),
    row("substring-after", Function::SubstringAfter, 2, 2),
    row("substring", Function::Substring, 2, 3),
    row("string-length", Function::StringLength, 0, 1),
    row("normalize-space", Function::NormalizeSpace, 0, 1),
    row("translate", Function::Translate, 3, 3),
    row("boolean", Function::Boolean, 1, 1),
    row("not", Function::Not, 1, 1),
    row("true", Function::True, 0, 0),
    row("false", Function::False, 0, 0),
    row("lang", Function::Lang, 1, 1),
    row("number", Function::Number, 0, 1),
    of_nodes("sum", Function::Sum, 1),
    row("floor", Function::Floor, 1, 1),
    row("ceiling", Function::Ceiling, 1, 1),
    row("round", Function::Round, 1, 1),
];

pub(super) fn find(name: &str) -> Option<&'static Row> {
    ALL.iter().find(|row| row.name == name)
}

impl Row {
    /// What a call is told whose number of arguments is wrong.
    pub(super) fn takes(&self) -> String {
        let Self { name, least, most, .. } = self;
        match (least, most) {
            (0, 0) => format!("`{name}` takes no argument"),
            (1, 1) => format!("`{name}` takes one argument"),
            (0, 1) => format!("`{name}` takes one argument at most"),
            (_, &usize::MAX) => format!("`{name}` takes {least} arguments or more"),
            _ if least == most => format!("`{name}` takes {least} arguments"),
            _ => format!("`{name}` takes {least} to {most} arguments"),
        }
    }
}

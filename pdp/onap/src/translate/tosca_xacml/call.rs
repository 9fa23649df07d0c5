//! `apply`: a function call whose arguments are `keys` and then `compareWith`.

use pdp_engine::error::Position;
use pdp_engine::function::{Row, Type};
use pdp_engine::model::Expression;
use pdp_engine::value::DataType;

use super::formula;
use super::operator::{self, OnTexts};
use super::scope::Scope;
use crate::ids::category;
use crate::problem::did_you_mean;
use crate::tosca::Node;
use crate::translate::build;

/// Reads `{operator, keys, compareWith}`.
pub(super) fn read(scope: &mut Scope<'_, '_>, path: &str, node: &Node) -> Option<Expression> {
    let name = scope.required_text(path, node, "operator", "the name of a function");
    let keys = scope.required(path, node, "keys", "a list of arguments");
    let (name, keys) = name.zip(keys)?;
    let keys = scope.items(&format!("{path}.keys"), keys, "arguments");
    if name == operator::PRESENT {
        return present(scope, path, node.position, &keys);
    }
    let on_texts = OnTexts::find(&name);
    let row = match &on_texts {
        Some(on_texts) => on_texts.row,
        None => function(scope, &format!("{path}.operator"), node.position, &name)?,
    };
    let mut types = Types::of(row, &keys);
    types.instead = on_texts.as_ref().map(|it| it.data_type);
    let mut arguments = Vec::with_capacity(keys.len() + 1);
    let mut complete = true;
    for (place, (path, key)) in keys.iter().enumerate() {
        match argument(scope, path, key, types.at(place)) {
            Some(argument) => arguments.push(argument),
            None => complete = false,
        }
    }
    if let Some(last) = node.present("compareWith") {
        let path = format!("{path}.compareWith");
        match compared(scope, &path, last, types.at(keys.len())) {
            Some(argument) => arguments.push(argument),
            None => complete = false,
        }
    }
    complete.then(|| match on_texts {
        Some(on_texts) => of_texts(&on_texts, arguments, node.position),
        None => build::apply(row.id, arguments, node.position),
    })
}

/// The function for strings, of the texts of the arguments.
fn of_texts(on_texts: &OnTexts, arguments: Vec<Expression>, at: Position) -> Expression {
    let each = |function: String, bag: Expression| {
        let function = Expression::Function { id: function.into(), position: at };
        build::apply(MAP, vec![function, bag], at)
    };
    let texts = arguments.into_iter().enumerate().map(|(place, argument)| {
        if operator::parameter(on_texts.row, place).bag {
            each(on_texts.to_text(), argument)
        } else {
            build::apply(on_texts.to_text(), vec![argument], at)
        }
    });
    let result = build::apply(on_texts.row.id, texts.collect(), at);
    if on_texts.row.signature.result.bag { each(on_texts.text_to(), result) } else { result }
}

/// Applies a function to each element of a bag.
const MAP: &str = "urn:oasis:names:tc:xacml:3.0:function:map";

/// Which type the arguments of a call have.
struct Types {
    /// The function whose types they are; for `any-of` and its like the one that is applied.
    row: Option<&'static Row>,
    /// How many arguments stand before that function's own.
    skip: usize,
    /// The places whose argument is a bag of the type, whatever the function takes.
    bags: Bags,
    /// The type in place of the function's.
    instead: Option<DataType>,
}

enum Bags {
    /// Those that the function says.
    AsTheFunctionSays,
    /// None but lists.
    Lists,
    /// All.
    All,
    /// The last one: no list is there.
    Last(usize),
}

impl Types {
    fn of(row: &'static Row, keys: &[(String, &Node)]) -> Self {
        if !operator::is_higher_order(row) {
            return Self { row: Some(row), skip: 0, bags: Bags::AsTheFunctionSays, instead: None };
        }
        let named = keys.iter().find_map(|(_, key)| key.present("function"));
        let row_of = named.and_then(Node::scalar_text).and_then(|name| operator::find(&name));
        let name = row.id.rsplit(':').next().unwrap_or_default();
        let bags = match name {
            "any-of" | "all-of" | "map"
                if keys.iter().any(|(_, key)| key.present("list").is_some()) =>
            {
                Bags::Lists
            }
            "any-of" | "all-of" | "map" => Bags::Last(keys.len().saturating_sub(1)),
            _ => Bags::All,
        };
        Self { row: row_of, skip: 1, bags, instead: None }
    }

    fn at(&self, place: usize) -> Type {
        let own = place.saturating_sub(self.skip);
        let of_function = match self.row {
            Some(row) => operator::parameter(row, own),
            None => Type::one(DataType::String),
        };
        let bag = match self.bags {
            Bags::AsTheFunctionSays => of_function.bag,
            Bags::Lists => false,
            Bags::All => true,
            Bags::Last(last) => place == last,
        };
        Type { data_type: self.instead.unwrap_or(of_function.data_type), bag }
    }
}

fn function(
    scope: &mut Scope<'_, '_>,
    path: &str,
    at: Position,
    name: &str,
) -> Option<&'static Row> {
    let row = operator::find(name);
    if row.is_none() {
        let hint = did_you_mean(name, operator::names());
        scope.refuse(path, at, format!("there is no operator `{name}`{hint}"));
    }
    row
}

/// One of `keys`.
fn argument(
    scope: &mut Scope<'_, '_>,
    path: &str,
    node: &Node,
    expected: Type,
) -> Option<Expression> {
    let at = node.position;
    if let Some(text) = node.scalar_text() {
        let quoted = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        return Some(match (quoted, bare(node)) {
            (Some(text), _) => bagged(literal(expected.data_type, text, at), expected, at),
            (None, true) => attribute(&text, expected, at),
            (None, false) => bagged(literal(expected.data_type, &text, at), expected, at),
        });
    }
    let entries = scope.map(path, node)?;
    let member = entries.first().map(|entry| (&*entry.key, &entry.value));
    match (member, entries.len()) {
        (Some(("list", list)), 1) => {
            members(scope, &format!("{path}.list"), list, expected.data_type)
        }
        (Some(("function", name)), 1) => {
            let path = format!("{path}.function");
            let text = scope.text(&path, name, "the name of a function")?;
            let row = function(scope, &path, at, &text)?;
            Some(Expression::Function { id: row.id.into(), position: at })
        }
        (Some(("apply", apply)), 1) => read(scope, &format!("{path}.apply"), apply),
        (Some(("expr", expr)), 1) => formula::read(scope, &format!("{path}.expr"), expr),
        _ => {
            let message =
                "expected a text, a number, or a map with one of list, function, apply, expr";
            scope.refuse(path, at, message);
            None
        }
    }
}

/// Whether a scalar is text, and so the name of an attribute unless it stands in quotes.
fn bare(node: &Node) -> bool {
    matches!(node.kind, crate::tosca::NodeKind::Text(_))
}

/// `compareWith`: a call, a value or an attribute.
fn compared(
    scope: &mut Scope<'_, '_>,
    path: &str,
    node: &Node,
    expected: Type,
) -> Option<Expression> {
    scope.map(path, node)?;
    if let Some(apply) = node.present("apply") {
        return read(scope, &format!("{path}.apply"), apply);
    }
    if let Some(value) = node.present("value") {
        let text = scope.text(&format!("{path}.value"), value, "a text, number or boolean")?;
        return Some(bagged(
            literal(expected.data_type, &text, value.position),
            expected,
            value.position,
        ));
    }
    let key = scope.required_text(path, node, "key", "one of apply, value, key")?;
    Some(attribute(&key, expected, node.position))
}

/// `list`: a bag of the attributes and then the values that it names.
fn members(
    scope: &mut Scope<'_, '_>,
    path: &str,
    node: &Node,
    data_type: DataType,
) -> Option<Expression> {
    let items = scope.items(path, node, "values");
    node.items()?;
    let (mut attributes, mut values) = (Vec::new(), Vec::new());
    for (path, item) in items {
        let member = argument(scope, &path, item, Type::one(data_type))?;
        match member {
            Expression::Literal(_) => values.push(member),
            _ => attributes.push(member),
        }
    }
    attributes.append(&mut values);
    Some(build::apply(operator::of_type(data_type, "bag"), attributes, node.position))
}

/// `present`: the request has the attribute.
fn present(
    scope: &mut Scope<'_, '_>,
    path: &str,
    at: Position,
    keys: &[(String, &Node)],
) -> Option<Expression> {
    let [(path_of_key, key)] = keys else {
        let message = format!("`present` takes the name of one attribute, not {}", keys.len());
        scope.refuse(&format!("{path}.keys"), at, message);
        return None;
    };
    let name = scope.text(path_of_key, key, "the name of an attribute")?;
    let bag = attribute(&name, Type::bag(DataType::String), at);
    let size = build::apply(operator::of_type(DataType::String, "bag-size"), vec![bag], at);
    let zero = literal(DataType::Integer, "0", at);
    Some(build::apply(crate::ids::function::INTEGER_GREATER_THAN, vec![size, zero], at))
}

fn literal(data_type: DataType, text: &str, at: Position) -> Expression {
    let mut literal = build::literal(data_type.uri(), text, at);
    if data_type == DataType::XPathExpression {
        literal.xpath_category = Some(category::RESOURCE.to_owned());
    }
    Expression::Literal(literal)
}

/// A value where a bag is expected is a bag of one.
fn bagged(value: Expression, expected: Type, at: Position) -> Expression {
    if expected.bag {
        build::apply(operator::of_type(expected.data_type, "bag"), vec![value], at)
    } else {
        value
    }
}

/// The attribute of the resource with this name: its one value, or all where a bag is expected.
pub(super) fn attribute(name: &str, expected: Type, at: Position) -> Expression {
    let designator =
        build::designator(category::RESOURCE, name.to_owned(), expected.data_type.uri(), at);
    let bag = Expression::Designator(designator);
    if expected.bag {
        bag
    } else {
        build::apply(operator::of_type(expected.data_type, "one-and-only"), vec![bag], at)
    }
}

//! What was compared with what: the values behind targets and conditions, in words.

use std::collections::HashMap;
use std::fmt;

use super::Scene;
use crate::finder::AttributeName;
use crate::function::Order;
use crate::program::code::{ExpressionId, ExpressionNode, MatchNode, Test};
use crate::value::{Arena, Data, Operand, Value};

/// Of a bag so many values are shown.
const SHOWN: usize = 8;
/// Of a text so many characters.
const LONGEST: usize = 80;

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The category of the attribute, where it is one.
    pub category: Option<String>,
    /// The attribute that it is the value of; none for a constant.
    pub attribute: Option<String>,
    /// The issuer, where only its values count.
    pub issuer: Option<String>,
    /// The call that computed it, with its own arguments; none where nothing was computed.
    pub call: Option<String>,
    /// Its values, texts in quotes; none where it could not be evaluated.
    pub values: Option<Vec<String>>,
}

/// A test that gave true, false or an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The last part of the function's identifier.
    pub function: String,
    /// What it was applied to.
    pub arguments: Vec<Argument>,
    /// What it gave; none: Indeterminate.
    pub holds: Option<bool>,
}

/// The last part of an identifier: enough to recognise it, short enough to read.
fn short(id: &str) -> &str {
    match id.rsplit([':', '#', '/']).next() {
        Some(last) if !last.is_empty() => last,
        _ => id,
    }
}

/// The name of a variant as names are written in policies: `AnyOf` is `any-of`.
pub(super) fn kebab(variant: impl fmt::Debug) -> String {
    let mut out = String::new();
    for letter in format!("{variant:?}").chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

fn shown(value: &Value<'_>) -> String {
    let arena = Arena::new();
    let text = value.as_string().unwrap_or_else(|| value.lexical(&arena));
    let cut = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    match value.data() {
        Data::Integer(_) | Data::Double(_) | Data::Boolean(_) => cut,
        _ => format!("{cut:?}"),
    }
}

fn listed(values: &[Value<'_>]) -> Vec<String> {
    let mut listed: Vec<String> = values.iter().take(SHOWN).map(shown).collect();
    if values.len() > SHOWN {
        listed.push(format!("… {} more", values.len() - SHOWN));
    }
    listed
}

impl Argument {
    pub(super) fn of_attribute(name: &AttributeName, values: &[Value<'_>]) -> Self {
        Self {
            category: Some(name.category.to_string()),
            attribute: Some(name.id.to_string()),
            issuer: name.issuer.as_deref().map(str::to_owned),
            call: None,
            values: Some(listed(values)),
        }
    }

    fn plain(call: Option<String>, values: Option<Vec<String>>) -> Self {
        Self { category: None, attribute: None, issuer: None, call, values }
    }

    fn constant(value: &Value<'_>) -> Self {
        Self::plain(None, Some(vec![shown(value)]))
    }

    /// A few words for it; none for a constant.
    fn name(&self) -> Option<String> {
        let Some(attribute) = &self.attribute else { return self.call.clone() };
        let category = self.category.as_deref().map_or("", short);
        // `access-subject` is the subject that asks.
        let category = category.strip_prefix("access-").unwrap_or(category);
        let issuer = self.issuer.as_deref().map(|issuer| format!(" by {issuer}"));
        Some(format!("{category} {}{}", short(attribute), issuer.unwrap_or_default()))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        let values = match self.values.as_deref() {
            None => "without a value".to_owned(),
            Some([]) => "absent".to_owned(),
            Some(values) => values.join(", "),
        };
        match name {
            Some(name) => write!(f, "{name} ({values})"),
            None => f.write_str(&values),
        }
    }
}

/// How a comparison of two is written between them.
fn operator(function: &str) -> Option<&'static str> {
    if function.contains(' ') && !function.starts_with("any-of ") {
        return None;
    }
    [
        ("-equal", "="),
        ("-less-than", "<"),
        ("-less-than-or-equal", "<="),
        ("-greater-than", ">"),
        ("-greater-than-or-equal", ">="),
    ]
    .into_iter()
    .filter(|(ending, _)| function.ends_with(ending))
    .max_by_key(|(ending, _)| ending.len())
    .map(|(_, operator)| operator)
}

impl Comparison {
    /// The test alone, without what it gave.
    pub(super) fn test(&self) -> String {
        match (&self.arguments[..], operator(&self.function)) {
            ([left, right], Some(operator)) => format!("{left} {operator} {right}"),
            _ => {
                let arguments: Vec<String> =
                    self.arguments.iter().map(ToString::to_string).collect();
                format!("{}({})", self.function, arguments.join(", "))
            }
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gave = match self.holds {
            Some(true) => "yes",
            Some(false) => "no",
            None => "cannot be told",
        };
        write!(f, "{}: {gave}", self.test())
    }
}

/// The values of expressions that were evaluated, by instance and number.
#[derive(Clone, Debug, Default)]
pub(super) struct Computed(HashMap<(usize, u32), Argument>);

fn key(scene: Scene<'_>, id: ExpressionId) -> (usize, u32) {
    (std::ptr::from_ref(scene.instance) as usize, id.0)
}

impl Computed {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps the value of an expression; a test is handed back.
    pub(super) fn keep(
        &mut self,
        scene: Scene<'_>,
        id: ExpressionId,
        value: Option<&Operand<'_>>,
    ) -> Option<Comparison> {
        let code = scene.segment.code(scene.instance);
        let values = value.map(|value| match value {
            Operand::Value(value) => vec![shown(value)],
            Operand::Bag(bag) => listed(bag.values),
        });
        let (function, arguments) = match code.expression(id) {
            ExpressionNode::Literal(_) | ExpressionNode::Erring { .. } => return None,
            ExpressionNode::Variable(number) => {
                if let Some(inner) = self.0.get(&key(scene, code.variables[number as usize])) {
                    let inner = inner.clone();
                    self.0.insert(key(scene, id), inner);
                }
                return None;
            }
            ExpressionNode::Designator { slot, .. } | ExpressionNode::OneAndOnly { slot, .. } => {
                let name = &scene.program.slots.slot(slot).name;
                let named = Argument::of_attribute(name, &[]);
                // One that must be present and is not is absent, not without a value.
                let values = Some(values.unwrap_or_default());
                self.0.insert(key(scene, id), Argument { values, ..named });
                return None;
            }
            ExpressionNode::Selector(at) => {
                let path = scene.segment.selector(scene.instance, at).path.path().to_owned();
                self.0.insert(key(scene, id), Argument::plain(Some(path), values));
                return None;
            }
            ExpressionNode::Call { function, arguments }
            | ExpressionNode::Pattern { function, arguments, .. } => {
                (short(function.0.id).to_owned(), arguments)
            }
            ExpressionNode::Equal { arguments } => ("value-equal".to_owned(), arguments),
            ExpressionNode::XPath { function, arguments } => (kebab(function), arguments),
            ExpressionNode::AccessPermitted { arguments } => {
                ("access-permitted".to_owned(), arguments)
            }
            ExpressionNode::HigherOrder { function, applied, arguments, .. } => {
                (format!("{} {}", kebab(function), short(applied.0.id)), arguments)
            }
            // What it joins has been told one by one.
            ExpressionNode::Logic { logic, .. } => {
                let call = Some(kebab(logic));
                self.0.insert(key(scene, id), Argument::plain(call, values));
                return None;
            }
        };
        let arguments = arguments.of(&code.arguments).iter();
        let arguments = arguments.map(|argument| self.argument(scene, *argument)).collect();
        let truth = match value {
            Some(Operand::Value(value)) => value.as_boolean(),
            _ => None,
        };
        let comparison = Comparison { function, arguments, holds: truth };
        let call = Some(comparison.test());
        self.0.insert(key(scene, id), Argument::plain(call, values));
        // An error is told where it arose, not again by what is built on it.
        let arose = value.is_none() && comparison.arguments.iter().all(|one| one.values.is_some());
        (arose || truth.is_some()).then_some(comparison)
    }

    fn argument(&self, scene: Scene<'_>, id: ExpressionId) -> Argument {
        if let ExpressionNode::Literal(lit) = scene.segment.code(scene.instance).expression(id) {
            return Argument::constant(&scene.segment.literal(scene.instance, lit));
        }
        let known = self.0.get(&key(scene, id)).cloned();
        known.unwrap_or_else(|| Argument::plain(None, None))
    }

    /// A match of a target as a test: the constant first, as it is written.
    pub(super) fn of_match(
        &self,
        scene: Scene<'_>,
        node: &MatchNode,
        values: Option<&[Value<'_>]>,
        holds: Option<bool>,
    ) -> Comparison {
        let function = match node.test {
            Test::Equal => "value-equal",
            Test::Order(Order::Less) => "value-less-than",
            Test::Order(Order::LessOrEqual) => "value-less-than-or-equal",
            Test::Order(Order::Greater) => "value-greater-than",
            Test::Order(Order::GreaterOrEqual) => "value-greater-than-or-equal",
            Test::Call(row) | Test::Pattern(row, _) => short(row.0.id),
        };
        let constant = Argument::constant(&scene.segment.literal(scene.instance, node.literal));
        let asked = match node.slot {
            Some(slot) => Argument::of_attribute(
                &scene.program.slots.slot(slot).name,
                values.unwrap_or_default(),
            ),
            None => self.argument(scene, node.bag),
        };
        Comparison { function: function.to_owned(), arguments: vec![constant, asked], holds }
    }
}

//! Constraints: which values a definition allows (TOSCA Simple Profile 1.1, section 3.5.2).

use pdp_engine::function::Pattern;

use crate::problem::did_you_mean;
use crate::tosca::Node;

/// The constraints, and what is expected of the value of each.
const CONSTRAINTS: &[(&str, &str)] = &[
    ("equal", "a value"),
    ("greater_than", "a number"),
    ("greater_or_equal", "a number"),
    ("less_than", "a number"),
    ("less_or_equal", "a number"),
    ("in_range", "a list of two numbers, of which one may be UNBOUNDED"),
    ("valid_values", "a list of values"),
    ("length", "a number of characters or entries"),
    ("min_length", "a number of characters or entries"),
    ("max_length", "a number of characters or entries"),
    ("pattern", "a regular expression"),
];

/// What a value must keep to.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the variants are the constraints, by TOSCA's names
pub enum Constraint {
    Equal(Box<str>),
    GreaterThan(f64),
    GreaterOrEqual(f64),
    LessThan(f64),
    LessOrEqual(f64),
    InRange(f64, f64),
    ValidValues(Vec<Box<str>>),
    Length(usize),
    MinLength(usize),
    MaxLength(usize),
    Pattern(Box<str>, Pattern),
}

impl Constraint {
    /// Reads one; none for `schema`, which is known but not looked at.
    ///
    /// # Errors
    /// There is no constraint of this name, or its value means nothing.
    pub(super) fn read(name: &str, node: &Node) -> Result<Option<Self>, String> {
        if name == "schema" {
            return Ok(None);
        }
        let Some((_, expected)) = CONSTRAINTS.iter().find(|(known, _)| *known == name) else {
            let hint = did_you_mean(name, CONSTRAINTS.iter().map(|(known, _)| *known));
            return Err(match hint.is_empty() {
                true => {
                    let known: Vec<&str> = CONSTRAINTS.iter().map(|(known, _)| *known).collect();
                    format!("is no constraint; there are {}", known.join(", "))
                }
                false => format!("is no constraint{hint}"),
            });
        };
        match Self::of(name, node) {
            Some(constraint) => Ok(Some(constraint)),
            None => Err(format!("expected {expected}, found {}", node.found())),
        }
    }

    fn of(name: &str, node: &Node) -> Option<Self> {
        let number = || number(node);
        let length = || node.integer().and_then(|it| usize::try_from(it).ok());
        let text = || node.scalar_text().map(|it| it.into_owned().into_boxed_str());
        match name {
            "equal" => text().map(Self::Equal),
            "greater_than" => number().map(Self::GreaterThan),
            "greater_or_equal" => number().map(Self::GreaterOrEqual),
            "less_than" => number().map(Self::LessThan),
            "less_or_equal" => number().map(Self::LessOrEqual),
            "in_range" => match node.items()? {
                [from, to] => Some(Self::InRange(
                    number_or(from, f64::NEG_INFINITY)?,
                    number_or(to, f64::INFINITY)?,
                )),
                _ => None,
            },
            "valid_values" => {
                let values = node.items()?.iter().map(|it| Some(it.scalar_text()?.into()));
                values.collect::<Option<Vec<_>>>().map(Self::ValidValues)
            }
            "length" => length().map(Self::Length),
            "min_length" => length().map(Self::MinLength),
            "max_length" => length().map(Self::MaxLength),
            "pattern" => {
                let text = text()?;
                let pattern = Pattern::new(&format!("^(?:{text})$"))
                    .or_else(|_| Pattern::new(&format!("^({text})$")));
                Some(Self::Pattern(text, pattern.ok()?))
            }
            _ => None,
        }
    }

    /// What is expected, where the value does not keep to it.
    pub(super) fn broken_by(&self, value: &Node) -> Option<String> {
        let text = value.scalar_text();
        let number = number(value);
        let size = match value.items().map(<[_]>::len).or(value.entries().map(<[_]>::len)) {
            Some(size) => Some(size),
            None => text.as_ref().map(|text| text.chars().count()),
        };
        let (holds, expected) = match self {
            Self::Equal(wanted) => (text.as_deref() == Some(&**wanted), format!("`{wanted}`")),
            Self::GreaterThan(bound) => {
                (number.is_none_or(|it| it > *bound), format!("more than {bound}"))
            }
            Self::GreaterOrEqual(bound) => {
                (number.is_none_or(|it| it >= *bound), format!("{bound} or more"))
            }
            Self::LessThan(bound) => {
                (number.is_none_or(|it| it < *bound), format!("less than {bound}"))
            }
            Self::LessOrEqual(bound) => {
                (number.is_none_or(|it| it <= *bound), format!("{bound} or less"))
            }
            Self::InRange(from, to) => (
                number.is_none_or(|it| (*from..=*to).contains(&it)),
                format!("a number from {from} to {to}"),
            ),
            Self::ValidValues(values) => {
                let holds =
                    text.as_deref().is_none_or(|text| values.iter().any(|it| **it == *text));
                (holds, format!("one of {}", values.join(", ")))
            }
            Self::Length(wanted) => {
                (size.is_none_or(|size| size == *wanted), format!("a length of {wanted}"))
            }
            Self::MinLength(wanted) => {
                (size.is_none_or(|size| size >= *wanted), format!("a length of {wanted} or more"))
            }
            Self::MaxLength(wanted) => {
                (size.is_none_or(|size| size <= *wanted), format!("a length of {wanted} or less"))
            }
            Self::Pattern(written, pattern) => {
                let holds = text.as_deref().is_none_or(|it| pattern.try_match(it).unwrap_or(false));
                (holds, format!("text that matches `{written}`"))
            }
        };
        (!holds).then_some(expected)
    }
}

/// The number that a scalar reads as.
pub(super) fn number(node: &Node) -> Option<f64> {
    match &node.kind {
        crate::tosca::NodeKind::Boolean(_) => None,
        _ => node.scalar_text()?.trim().parse::<f64>().ok().filter(|it| it.is_finite()),
    }
}

fn number_or(node: &Node, unbounded: f64) -> Option<f64> {
    number(node).or_else(|| {
        node.scalar_text()
            .is_some_and(|text| text.eq_ignore_ascii_case("unbounded"))
            .then_some(unbounded)
    })
}

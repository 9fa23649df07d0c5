//! Every function of the table, made through the compiler and the evaluator, and its page.

use std::sync::Arc;

use pdp_engine::combine::Algorithm;
use pdp_engine::context::{Context, Limits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::RequestOnly;
use pdp_engine::function::{self, Row};
use pdp_engine::model::{
    Apply, AttributeHead, Child, Decision, Designator, Effect, Expression, Literal, Match,
    MatchBag, PolicyKind, RequestOptions, RequestSink,
};
use pdp_engine::program::Program;
use pdp_engine::value::{DataType, OwnedValue, Value};

use crate::support::{NOW, compile, designator, literal, obligation, policy, rule, target};

/// The category of the arguments, and of what the examples of `access-permitted` replace.
const CATEGORY: &str = "urn:category";
const AT: pdp_engine::error::Position = pdp_engine::error::Position::new(1, 1);

/// Where arguments come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    Policy,
    Request,
}

/// One argument or result, as examples write it.
enum Written<'t> {
    One(DataType, &'t str),
    Bag(DataType, Vec<&'t str>),
    Function(&'t str),
    Failing(DataType),
}

fn written(text: &str) -> Written<'_> {
    let data_type =
        |name: &str| DataType::from_short_name(name).unwrap_or_else(|| panic!("{name}"));
    if let Some(inside) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        let Some((name, rest)) = inside.split_once(':') else {
            return Written::Bag(data_type(inside), Vec::new());
        };
        let values = rest.split(&format!(", {name}:")).collect();
        return Written::Bag(data_type(name), values);
    }
    let (name, rest) = text.split_once(':').unwrap();
    match name {
        "function" => Written::Function(rest),
        "error" => Written::Failing(data_type(rest)),
        _ => Written::One(data_type(name), rest),
    }
}

fn value(data_type: DataType, text: &str) -> OwnedValue {
    match data_type {
        DataType::XPathExpression => OwnedValue::xpath(text, CATEGORY, []).unwrap(),
        _ => OwnedValue::parse(data_type.uri(), &Arc::from(text)).unwrap(),
    }
}

/// The current function of a type, such as `T-bag`.
fn of_type(data_type: DataType, name: &str) -> Option<String> {
    let end = format!(":{}-{name}", data_type.short_name());
    let row = function::all().find(|row| row.id.ends_with(&end) && row.successor.is_none());
    row.map(|row| row.id.to_owned())
}

fn call(function: String, arguments: Vec<Expression>) -> Expression {
    Expression::Apply(Apply { function: function.into(), arguments, position: AT })
}

fn constant(data_type: DataType, text: &str) -> Expression {
    let xpath_category = (data_type == DataType::XPathExpression).then(|| CATEGORY.to_owned());
    let data_type = data_type.uri().to_owned();
    Expression::Literal(Literal { data_type: data_type.into(), xpath_category, ..literal(text) })
}

fn attribute(data_type: DataType, id: String, must_be_present: bool) -> Expression {
    let data_type = data_type.uri().to_owned();
    Expression::Designator(Designator {
        data_type: data_type.into(),
        ..designator("urn:args", &id, must_be_present)
    })
}

/// None where a type has no function that this way needs.
fn argument(written: &Written<'_>, number: usize, from: From) -> Option<Expression> {
    Some(match (written, from) {
        (Written::Function(id), _) => {
            Expression::Function { id: (*id).to_owned().into(), position: AT }
        }
        (Written::Failing(data_type), _) => call(
            of_type(*data_type, "one-and-only")?,
            vec![attribute(*data_type, "absent".to_owned(), true)],
        ),
        (Written::One(data_type, text), From::Policy) => constant(*data_type, text),
        (Written::One(data_type, _), From::Request) => call(
            of_type(*data_type, "one-and-only")?,
            vec![attribute(*data_type, number.to_string(), true)],
        ),
        (Written::Bag(data_type, texts), From::Policy) => call(
            of_type(*data_type, "bag")?,
            texts.iter().map(|text| constant(*data_type, text)).collect(),
        ),
        (Written::Bag(data_type, _), From::Request) => {
            attribute(*data_type, number.to_string(), false)
        }
    })
}

/// A policy that returns what the expression gives where `urn:category` asks for it, beside one that
/// permits what is open.
fn program(expression: Expression) -> Result<Program, String> {
    let applies = |id: &str| {
        let bag = MatchBag::Designator(designator(CATEGORY, id, false));
        let function = "urn:oasis:names:tc:xacml:1.0:function:string-equal".to_owned();
        target(vec![vec![vec![Match {
            function: function.into(),
            literal: literal("yes"),
            bag,
            position: AT,
        }]]])
    };
    let mut asks = rule("asks", Effect::Permit, None, None);
    asks.notices.push(obligation("result", Effect::Permit, expression));
    let policies = [
        policy(PolicyKind::Policy, "p", "deny-overrides", applies("asks"), vec![Child::Rule(asks)]),
        policy(
            PolicyKind::Policy,
            "q",
            "deny-overrides",
            applies("open"),
            vec![Child::Rule(rule("open", Effect::Permit, None, None))],
        ),
    ];
    let (program, refused) = compile(Algorithm::OnlyOneApplicable, &policies, &RequestOnly);
    match refused.first() {
        Some(refused) => Err(refused.to_string()),
        None => Ok(program),
    }
}

/// What a call gives: its values, or why there are none; nothing where this way cannot make it.
pub(crate) fn made(
    row: &Row,
    arguments: &[&str],
    from: From,
) -> Option<Result<Vec<OwnedValue>, String>> {
    let written: Vec<Written<'_>> = arguments.iter().map(|text| written(text)).collect();
    let expressions = written.iter().enumerate().map(|(at, one)| argument(one, at, from));
    let expressions: Vec<Expression> = expressions.collect::<Option<_>>()?;
    let values: Vec<Vec<OwnedValue>> = written
        .iter()
        .map(|written| match written {
            Written::One(data_type, text) => vec![value(*data_type, text)],
            Written::Bag(data_type, texts) => {
                texts.iter().map(|text| value(*data_type, text)).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    let program = match program(call(row.id.to_owned(), expressions)) {
        Ok(program) => program,
        Err(refused) => return Some(Err(refused)),
    };
    let (mut scratch, limits) = (Scratch::new(), Limits::default());
    let mut context = Context::new(&program, &mut scratch, NOW, &limits);
    context.options(RequestOptions::default());
    context.category(CATEGORY, None);
    context.attribute(AttributeHead { id: "asks", issuer: None, include_in_result: false });
    context.value(DataType::String, Value::string("yes"));
    context.category("urn:args", None);
    if from == From::Request {
        for (number, values) in values.iter().enumerate() {
            let id = context.arena().alloc_str(&number.to_string());
            context.attribute(AttributeHead { id, issuer: None, include_in_result: false });
            for value in values {
                let value = value.as_value();
                context.value(value.data_type(), value);
            }
        }
    }
    Some(match eval::decide(&mut context, &RequestOnly) {
        Outcome::Done(answer) if answer.decision == Decision::Permit => {
            let assignments = answer.notices.iter().flat_map(|notice| notice.assignments);
            Ok(assignments.map(|assignment| OwnedValue::from(&assignment.value)).collect())
        }
        Outcome::Done(answer) => Err(answer.status.message.unwrap_or_default().to_owned()),
        Outcome::Pending => panic!("nothing is pending"),
    })
}

/// Whether the values are those of the example, in any order.
pub(crate) fn same(found: &[OwnedValue], expected: &str) -> bool {
    let expected: Vec<OwnedValue> = match written(expected) {
        Written::One(data_type, text) => vec![value(data_type, text)],
        Written::Bag(data_type, texts) => {
            texts.into_iter().map(|text| value(data_type, text)).collect()
        }
        _ => return false,
    };
    let mut open: Vec<&OwnedValue> = expected.iter().collect();
    found.len() == expected.len()
        && found.iter().all(|value| {
            let value = value.as_value();
            let at = open.iter().position(|other| {
                let other = other.as_value();
                value.data_type() == other.data_type() && value.equals(&other, 0)
            });
            at.is_some_and(|at| {
                open.swap_remove(at);
                true
            })
        })
}

#[test]
fn every_example_is_made_by_compiler_and_evaluator() {
    let mut wrong = Vec::new();
    let mut made_of_attributes = 0;
    for row in function::all() {
        for example in row.examples {
            for from in [From::Policy, From::Request] {
                let Some(result) = made(row, example.arguments, from) else { continue };
                made_of_attributes += usize::from(from == From::Request);
                let good = match &result {
                    Err(_) => example.result == "error",
                    Ok(values) => example.result != "error" && same(values, example.result),
                };
                if !good {
                    wrong.push(format!("{} {example:?} from {from:?}: {result:?}", row.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(made_of_attributes > 500, "{made_of_attributes}");
}

#[test]
fn the_page_says_what_the_table_says() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("FUNCTIONS.md");
    let page = function::page();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == page,
        "pdp/engine/FUNCTIONS.md is not what it should be: pdp functions --markdown > pdp/engine/FUNCTIONS.md"
    );
    for row in function::all() {
        assert!(page.contains(&format!("### `{}`\n", row.id)), "{}", row.id);
    }
}

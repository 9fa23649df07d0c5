//! Tests of single function calls, through the compiler and the evaluator.
//!
//! Each call is made twice. Once its arguments are constants of a policy, which compile may fold;
//! once they are attributes of the request, so that everything is computed at the decision. Both
//! stand in the obligation of a rule, which returns what they give.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::{Context, Instant, Limits, Scratch};
use pdp_engine::error::Position;
use pdp_engine::eval::trace::Unobserved;
use pdp_engine::finder::RequestOnly;
use pdp_engine::function;
use pdp_engine::model::{
    Apply, Assignment, AttributeHead, Child, Decision, Designator, Effect, Expression, Literal,
    Notice, NoticeKind, Policy, PolicyKind, RequestOptions, RequestSink, Rule, Target,
};
use pdp_engine::program::Root;
use pdp_engine::value::{DataType, OwnedValue, Value};

use super::manifest::{Argument, Outcome, Vector};
use super::same;
use crate::several::finish;

const AT: Position = Position::new(0, 0);
const CATEGORY: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:environment";
const DENY_OVERRIDES: &str = "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides";
/// The attribute that no request has.
const ABSENT: &str = "absent";

/// Makes a call in both ways and compares its result.
///
/// # Errors
/// It has another result.
pub(super) fn judge(vector: &Vector) -> Result<(), String> {
    for (how, from) in [("constants", From::Policy), ("attributes", From::Request)] {
        let found = call(vector, from).map_err(|reason| format!("with {how}: {reason}"))?;
        let accepted = std::iter::once(&vector.result).chain(&vector.also_accept);
        let mut reasons = accepted.filter_map(|wanted| compare(wanted, &found, vector).err());
        let count = 1 + vector.also_accept.len();
        let first = reasons.next();
        if let Some(reason) = first
            && reasons.count() + 1 == count
        {
            return Err(format!("with {how}: {reason}"));
        }
    }
    Ok(())
}

/// Where arguments come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Policy,
    Request,
}

/// What a call gives: its values, or why there are none.
type Given = Result<Vec<OwnedValue>, String>;

fn call(vector: &Vector, from: From) -> Result<Given, String> {
    let mut arguments: Vec<Expression> = Vec::new();
    arguments.extend(
        vector
            .applied_function
            .as_ref()
            .map(|id| Expression::Function { id: id.clone().into(), position: AT }),
    );
    for (number, argument) in vector.args.iter().enumerate() {
        arguments.push(expression(argument, number, from)?);
    }
    let function = vector.function.clone().into();
    let policy = policy(Expression::Apply(Apply { function, arguments, position: AT }));
    let root = Root::all(Algorithm::OnlyOneApplicable);
    let mut build = Build::new(root, &RequestOnly, CompileLimits::default());
    if let Err(found) = build.add(&policy, "vector") {
        return Ok(Err(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")));
    }
    let (program, _) = build.finish();
    let mut scratch = Scratch::new();
    let limits = Limits::default();
    let mut context = Context::new(&program, &mut scratch, Instant::default(), &limits);
    context.options(RequestOptions::default());
    if from == From::Request
        && let Err(reason) = attributes(&vector.args, &mut context)
    {
        return Ok(Err(reason));
    }
    let answer = finish(&mut context, &RequestOnly, &mut Unobserved);
    Ok(match answer.decision {
        Decision::Permit => Ok(answer
            .notices
            .iter()
            .flat_map(|notice| notice.assignments)
            .map(|assignment| OwnedValue::from(&assignment.value))
            .collect()),
        _ => Err(answer.status.message.unwrap_or_default().to_owned()),
    })
}

fn data_type(name: &str) -> Result<DataType, String> {
    DataType::from_short_name(name).ok_or_else(|| format!("there is no data type `{name}`"))
}

/// The current identifier of a function of a type, such as `T-bag`.
fn of_type(data_type: DataType, name: &str) -> Result<String, String> {
    let end = format!(":{}-{name}", data_type.short_name());
    function::all()
        .find(|row| row.id.ends_with(&end) && row.successor.is_none())
        .map(|row| row.id.to_owned())
        .ok_or_else(|| format!("there is no function for {name} of {data_type}"))
}

fn expression(argument: &Argument, number: usize, from: From) -> Result<Expression, String> {
    let apply = |function: String, arguments| {
        Expression::Apply(Apply { function: function.into(), arguments, position: AT })
    };
    let designator = |data_type: DataType, id: String, must_be_present| {
        Expression::Designator(Designator {
            category: CATEGORY.into(),
            attribute_id: id.into(),
            data_type: data_type.uri().into(),
            issuer: None,
            must_be_present,
            position: AT,
        })
    };
    let literal = |data_type: DataType, text: &String| {
        Expression::Literal(Literal {
            data_type: data_type.uri().into(),
            text: text.as_str().into(),
            xpath_category: None,
            namespaces: Vec::new(),
            position: AT,
        })
    };
    Ok(match (argument, from) {
        (Argument::Value { data_type: name, value }, From::Policy) => {
            literal(data_type(name)?, value)
        }
        (Argument::Value { data_type: name, .. }, From::Request) => {
            let data_type = data_type(name)?;
            let bag = designator(data_type, number.to_string(), true);
            apply(of_type(data_type, "one-and-only")?, vec![bag])
        }
        (Argument::Bag { bag, values }, From::Policy) => {
            let data_type = data_type(bag)?;
            let values = values.iter().map(|text| literal(data_type, text)).collect();
            apply(of_type(data_type, "bag")?, values)
        }
        (Argument::Bag { bag, .. }, From::Request) => {
            designator(data_type(bag)?, number.to_string(), false)
        }
        (Argument::Indeterminate { indeterminate }, _) => {
            let data_type = data_type(indeterminate)?;
            let absent = designator(data_type, ABSENT.to_owned(), true);
            apply(of_type(data_type, "one-and-only")?, vec![absent])
        }
    })
}

/// A policy whose only rule returns what the expression gives.
fn policy(expression: Expression) -> Policy {
    let assignment = Assignment {
        attribute_id: "result".into(),
        category: None,
        issuer: None,
        expression,
        position: AT,
    };
    let notice = Notice {
        kind: NoticeKind::Obligation,
        id: "result".into(),
        effect: Effect::Permit,
        assignments: vec![assignment],
        position: AT,
    };
    let rule = Rule {
        id: "call".to_owned(),
        effect: Effect::Permit,
        description: None,
        target: None,
        condition: None,
        notices: vec![notice],
        position: AT,
    };
    Policy {
        kind: PolicyKind::Policy,
        id: "vector".to_owned(),
        version: "1".parse().expect("1 is a version"),
        description: None,
        issuer: None,
        xpath_version: None,
        target: Target::default(),
        combining: DENY_OVERRIDES.into(),
        children: vec![Child::Rule(rule)],
        variables: Vec::new(),
        notices: Vec::new(),
        position: AT,
        combining_position: AT,
    }
}

/// Gives the arguments to a context as attributes.
fn attributes<'a>(args: &'a [Argument], context: &mut Context<'a>) -> Result<(), String> {
    let arena = context.arena();
    context.category(CATEGORY, None);
    for (number, argument) in args.iter().enumerate() {
        let (name, values) = match argument {
            Argument::Value { data_type, value } => (data_type, std::slice::from_ref(value)),
            Argument::Bag { bag, values } => (bag, values.as_slice()),
            Argument::Indeterminate { .. } => continue,
        };
        let data_type = data_type(name)?;
        let id = arena.alloc_str(&number.to_string());
        context.attribute(AttributeHead { id, issuer: None, include_in_result: false });
        for text in values {
            let value = Value::parse(data_type, text, arena).map_err(|error| error.to_string())?;
            context.value(data_type, value);
        }
    }
    Ok(())
}

fn compare(wanted: &Outcome, found: &Given, vector: &Vector) -> Result<(), String> {
    let (name, texts, bag) = match wanted {
        Outcome::Named(name) if name == "error" => {
            return match found {
                Err(_) => Ok(()),
                Ok(values) => Err(format!("an error expected, found {}", all(values))),
            };
        }
        Outcome::Given(Argument::Value { data_type, value }) => {
            (data_type, std::slice::from_ref(value), false)
        }
        Outcome::Given(Argument::Bag { bag, values }) => (bag, values.as_slice(), true),
        Outcome::Given(Argument::Indeterminate { .. }) | Outcome::Named(_) => {
            return Err("the result is not understood".to_owned());
        }
    };
    let values = found.as_ref().map_err(|reason| format!("an error found: {reason}"))?;
    let returns_bag = function::find(&vector.function).map(|row| row.signature.result.bag);
    if returns_bag != Some(bag) {
        return Err(format!("a bag found: {returns_bag:?}, expected: {bag}"));
    }
    let uri = data_type(name)?.uri();
    let wanted = texts
        .iter()
        .map(|text| OwnedValue::parse(uri, &text.as_str().into()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("the result is not understood: {error}"))?;
    if wanted.len() != values.len() {
        return Err(format!("{} expected, {} found", all(&wanted), all(values)));
    }
    same::paired(&wanted, values, same::values).map_err(|(_, reason)| reason)
}

fn all(values: &[OwnedValue]) -> String {
    let shown: Vec<String> = values.iter().map(|value| same::shown(value.as_value())).collect();
    format!("[{}]", shown.join(", "))
}

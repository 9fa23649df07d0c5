//! The rows, tested as a table: examples, identifiers, and vectors from a file.

use std::collections::{BTreeMap, BTreeSet};

use check::Mismatch;

use super::*;
use crate::value::{Bag, Integer, Value};

mod check;
mod identifiers;
mod limits;
mod vectors;

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
enum Argument<'a> {
    Operand(Operand<'a>),
    Function(&'static Row),
    /// An expression of this type that fails.
    Failing(Type),
}

/// Why a call has no result.
#[allow(dead_code)] // the texts are read through Debug
#[derive(Debug)]
enum Failure {
    Types(String),
    Stop(String),
}

type Answer<'a> = Result<Operand<'a>, Failure>;

fn type_of(operand: &Operand<'_>) -> Type {
    match operand {
        Operand::Value(value) => Type::one(value.data_type()),
        Operand::Bag(bag) => Type::bag(bag.data_type),
    }
}

/// Evaluates a call as plainly as the standard describes it: a second opinion for what the
/// evaluator does with logic and higher-order functions.
fn evaluate<'a>(row: &Row, arguments: &[Argument<'a>], call: &Call<'a>) -> Answer<'a> {
    let types = |arguments: &[Argument<'a>]| -> Vec<Type> {
        let mut types = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Operand(operand) => types.push(type_of(operand)),
                Argument::Failing(data_type) => types.push(*data_type),
                Argument::Function(_) => {}
            }
        }
        types
    };
    let mistyped = |mismatch: Mismatch| Failure::Types(format!("{} {mismatch}", row.id));
    if let Code::HigherOrder(kind) = row.code {
        let [Argument::Function(applied), rest @ ..] = arguments else {
            return Err(Failure::Types("no function to apply".to_owned()));
        };
        let result = kind.check(&applied.signature, &types(rest)).map_err(mistyped)?;
        return apply(kind, applied, rest, result, call);
    }
    row.signature.check(&types(arguments)).map_err(mistyped)?;
    if let Code::Logic(kind) = row.code {
        return logic(kind, arguments);
    }
    let operands: Vec<Operand<'a>> = operands(arguments)?;
    let stopped = |stop| match stop {
        Stop::Fault(fault) => Failure::Stop(format!("{:?}: {}", fault.code, fault.message)),
        Stop::Limit(message) => Failure::Stop(message.to_owned()),
    };
    match row.code {
        Code::Plain(body) => body(call, &operands).map_err(stopped),
        Code::Pattern(body) => {
            let pattern = operands[0].value().and_then(|value| value.as_string()).expect("checked");
            let pattern = Pattern::new(pattern).map_err(Failure::Stop)?;
            body(call, &pattern, &operands[1..]).map_err(stopped)
        }
        Code::Equal => {
            let [a, b] = [0, 1].map(|at: usize| operands[at].value().expect("checked"));
            Ok(Operand::Value(Value::boolean(a.equals(&b, call.settings.implicit_zone))))
        }
        Code::Order(order) => {
            let [a, b] = [0, 1].map(|at: usize| operands[at].value().expect("checked"));
            Ok(Operand::Value(Value::boolean(order.holds(&a, &b, call.settings.implicit_zone))))
        }
        // Without Content.
        Code::XPath(XPathCode::NodeCount) => Ok(Operand::Value(Value::integer(0))),
        Code::XPath(_) => Ok(Operand::Value(Value::boolean(false))),
        Code::AccessPermitted | Code::Logic(_) | Code::HigherOrder(_) => {
            Err(Failure::Stop("not evaluated here".to_owned()))
        }
    }
}

fn operands<'a>(arguments: &[Argument<'a>]) -> Result<Vec<Operand<'a>>, Failure> {
    let operand = |argument: &Argument<'a>| match argument {
        Argument::Operand(operand) => Ok(*operand),
        _ => Err(Failure::Stop("an argument fails".to_owned())),
    };
    arguments.iter().map(operand).collect()
}

fn logic<'a>(kind: Logic, arguments: &[Argument<'a>]) -> Answer<'a> {
    let values: Vec<Option<Value<'a>>> = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Operand(operand) => operand.value(),
            _ => None,
        })
        .collect();
    let count = |wanted: Option<bool>, values: &[Option<Value<'a>>]| {
        values.iter().filter(|value| value.and_then(|value| value.as_boolean()) == wanted).count()
    };
    let answer = |decided: Option<bool>| match decided {
        Some(value) => Ok(Operand::Value(Value::boolean(value))),
        None => Err(Failure::Stop("an argument fails".to_owned())),
    };
    let (yes, no, failed) =
        (count(Some(true), &values), count(Some(false), &values), count(None, &values));
    match kind {
        Logic::Not => answer((failed == 0).then_some(no == 1)),
        Logic::Or => answer(if yes > 0 { Some(true) } else { (failed == 0).then_some(false) }),
        Logic::And => answer(if no > 0 { Some(false) } else { (failed == 0).then_some(true) }),
        Logic::NOf => {
            let Some(Integer::Small(wanted)) = values[0].and_then(|value| value.as_integer())
            else {
                return answer(None);
            };
            let rest = &values[1..];
            let [yes, failed] = [Some(true), None]
                .map(|wanted| i64::try_from(count(wanted, rest)).expect("few arguments"));
            if wanted < 0 || wanted > i64::try_from(rest.len()).expect("few arguments") {
                answer(None)
            } else if yes >= wanted {
                answer(Some(true))
            } else if yes + failed < wanted {
                answer(Some(false))
            } else {
                answer(None)
            }
        }
    }
}

fn apply<'a>(
    kind: HigherOrder,
    applied: &'static Row,
    arguments: &[Argument<'a>],
    result: Type,
    call: &Call<'a>,
) -> Answer<'a> {
    let operands = operands(arguments)?;
    // The combinations, the first bag varying slowest.
    let mut combinations: Vec<Vec<Argument<'a>>> = vec![Vec::new()];
    for operand in &operands {
        combinations = combinations
            .iter()
            .flat_map(|start| {
                operand.values().iter().map(move |value| {
                    let mut next = start.clone();
                    next.push(Argument::Operand(Operand::Value(*value)));
                    next
                })
            })
            .collect();
    }
    let results: Vec<Value<'a>> = combinations
        .iter()
        .map(|arguments| {
            evaluate(applied, arguments, call).map(|operand| operand.value().expect("checked"))
        })
        .collect::<Result<_, _>>()?;
    let holds: Vec<bool> =
        results.iter().map(|value| value.as_boolean().unwrap_or_default()).collect();
    let width = operands.last().map_or(1, |operand| operand.values().len());
    let rows = || holds.chunks(width.max(1));
    let count = operands.first().map_or(0, |operand| operand.values().len());
    let empty_second = width == 0;
    let value = match kind {
        HigherOrder::Map => {
            let values = call.arena.alloc_slice_copy(&results);
            return Ok(Operand::Bag(Bag { data_type: result.data_type, values }));
        }
        HigherOrder::AnyOf | HigherOrder::AnyOfAny => holds.contains(&true),
        HigherOrder::AllOf | HigherOrder::AllOfAll => !holds.contains(&false),
        HigherOrder::AllOfAny => {
            (count == 0 || !empty_second) && rows().all(|row| row.contains(&true))
        }
        HigherOrder::AnyOfAll => {
            (count > 0 && empty_second) || rows().any(|row| !row.contains(&false))
        }
    };
    Ok(Operand::Value(Value::boolean(value)))
}

fn value<'a>(data_type: DataType, text: &'a str, arena: &'a Arena) -> Value<'a> {
    let parsed = match data_type {
        DataType::XPathExpression => Value::xpath(text, "urn:category", [], arena),
        _ => Value::parse(data_type, text, arena),
    };
    parsed.unwrap_or_else(|error| panic!("{error}"))
}

/// Reads the notation of [`Example`].
fn argument<'a>(text: &'a str, arena: &'a Arena) -> Argument<'a> {
    let data_type = |name: &str| {
        DataType::from_short_name(name).unwrap_or_else(|| panic!("`{name}` in `{text}`"))
    };
    if let Some(inside) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        let (name, values) = match inside.split_once(':') {
            None => (inside, Vec::new()),
            Some((name, _)) => {
                let separator = format!(", {name}:");
                let rest = &inside[name.len() + 1..];
                let values = rest.split(&separator).map(|text| value(data_type(name), text, arena));
                (name, values.collect())
            }
        };
        let values = arena.alloc_slice_copy(&values);
        return Argument::Operand(Operand::Bag(Bag { data_type: data_type(name), values }));
    }
    let (name, rest) = text.split_once(':').unwrap_or_else(|| panic!("`{text}` has no type"));
    match name {
        "function" => Argument::Function(find(rest).unwrap_or_else(|| panic!("{rest}"))),
        "error" => Argument::Failing(Type::one(data_type(rest))),
        _ => Argument::Operand(Operand::Value(value(data_type(name), rest, arena))),
    }
}

/// Equal as values, bags in any order. Doubles that are zero must have the same sign nowhere.
fn same(a: &Operand<'_>, b: &Operand<'_>) -> bool {
    let (left, right) = (a.values(), b.values());
    let mut free: Vec<_> = right.iter().collect();
    type_of(a) == type_of(b)
        && left.len() == right.len()
        && left.iter().all(|value| match free.iter().position(|other| value.equals(other, 0)) {
            Some(at) => {
                free.swap_remove(at);
                true
            }
            None => false,
        })
}

#[test]
fn every_example_holds() {
    let mut problems = Vec::new();
    // Of access-permitted they are made where there are policies, beside all others.
    for row in all().filter(|row| !matches!(row.code, Code::AccessPermitted)) {
        for example in row.examples {
            let arena = Arena::new();
            let settings = Settings::default();
            let budget = Budget::new(1_000_000);
            let call = Call { arena: &arena, settings: &settings, budget: &budget };
            let arguments: Vec<_> =
                example.arguments.iter().map(|text| argument(text, &arena)).collect();
            let answer = evaluate(row, &arguments, &call);
            let good = match (&answer, example.result) {
                (Err(_), "error") => true,
                (Ok(result), expected) if expected != "error" => {
                    matches!(argument(expected, &arena), Argument::Operand(expected) if same(result, &expected))
                }
                _ => false,
            };
            if !good {
                problems.push(format!("{} {example:?}: {answer:?}", row.id));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_row_is_complete() {
    let mut ids = BTreeSet::new();
    for row in all() {
        let id = row.id;
        assert!(ids.insert(id), "{id} occurs twice");
        assert!(std::ptr::eq(find(id).expect(id), row));
        assert!(row.summary.ends_with('.') && !row.clause.is_empty(), "{id}");
        assert!(row.examples.iter().any(|example| example.result == "error"), "{id}: no error");
        // Those that always fail have no other example.
        let succeeds = row.examples.iter().any(|example| example.result != "error");
        assert!(succeeds || row.clause == "A.4", "{id}: no success");
        if let Some(successor) = row.successor {
            let successor = find(successor).unwrap_or_else(|| panic!("{successor}"));
            assert!(successor.successor.is_none(), "{id}: its successor is deprecated too");
        }
        if matches!(row.code, Code::Pattern(_)) {
            assert_eq!(row.signature.parameters[0], Type::one(DataType::String), "{id}");
        }
    }
    assert_eq!(families().iter().map(|family| family.rows().count()).sum::<usize>(), ids.len());
}

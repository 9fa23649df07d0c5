//! Calls from a file: `FUNCTION_VECTORS=FILE cargo test -p pdp-engine vectors`. The file is JSON as
//! the suite of single function calls has it: `vectors` with `function`, `applied_function`, `args`,
//! `result` and `also_accept`. Without the variable there is nothing to do.

use serde_json::Value as Json;

use super::*;

fn text<'j>(json: &'j Json, member: &str) -> Option<&'j str> {
    json.get(member).and_then(Json::as_str)
}

/// An argument, or a problem with the value's text.
fn read<'a>(json: &'a Json, arena: &'a Arena) -> Result<Argument<'a>, String> {
    let data_type = |name| DataType::from_short_name(name).ok_or_else(|| format!("type {name}"));
    let parse =
        |data_type, text| Value::parse(data_type, text, arena).map_err(|error| error.to_string());
    if let Some(name) = text(json, "indeterminate") {
        return Ok(Argument::Failing(Type::one(data_type(name)?)));
    }
    if let Some(name) = text(json, "bag") {
        let data_type = data_type(name)?;
        let texts = json["values"].as_array().ok_or("no values")?;
        let values: Vec<Value<'a>> = texts
            .iter()
            .map(|text| parse(data_type, text.as_str().unwrap_or_default()))
            .collect::<Result<_, _>>()?;
        let values = arena.alloc_slice_copy(&values);
        return Ok(Argument::Operand(Operand::Bag(Bag { data_type, values })));
    }
    let data_type = data_type(text(json, "type").ok_or("no type")?)?;
    let value = parse(data_type, text(json, "value").ok_or("no value")?)?;
    Ok(Argument::Operand(Operand::Value(value)))
}

fn check(vector: &Json) -> Result<(), String> {
    let arena = Arena::new();
    let settings = Settings::default();
    let budget = Budget::new(1_000_000);
    let call = Call { arena: &arena, settings: &settings, budget: &budget };
    let function = |member| match text(vector, member) {
        None => Ok(None),
        Some(id) => find(id).map(Some).ok_or_else(|| format!("no function {id}")),
    };
    let row = function("function")?.ok_or("no function")?;
    let applied = function("applied_function")?.map(Argument::Function);
    let arguments = vector["args"].as_array().ok_or("no args")?;
    let arguments = arguments.iter().map(|json| read(json, &arena));
    let arguments: Result<Vec<_>, _> = applied.into_iter().map(Ok).chain(arguments).collect();
    let answer = arguments.and_then(|arguments| {
        evaluate(row, &arguments, &call).map_err(|failure| format!("{failure:?}"))
    });
    let also = vector.get("also_accept").and_then(Json::as_array).into_iter().flatten();
    for expected in std::iter::once(&vector["result"]).chain(also) {
        match (&answer, expected.as_str()) {
            (Err(_), Some("error")) => return Ok(()),
            (Ok(result), None) => {
                if let Argument::Operand(expected) = read(expected, &arena)?
                    && same(result, &expected)
                {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
    Err(format!("{} gave {answer:?}", vector["result"]))
}

#[test]
fn vectors_of_a_file() {
    let Some(path) = std::env::var_os("FUNCTION_VECTORS") else { return };
    let bytes = std::fs::read(&path).expect("FUNCTION_VECTORS names a file");
    let suite: Json = serde_json::from_slice(&bytes).expect("JSON");
    let vectors = suite["vectors"].as_array().expect("vectors");
    let failures: Vec<String> = vectors
        .iter()
        .filter_map(|vector| check(vector).err().map(|error| format!("{}: {error}", vector["id"])))
        .collect();
    let passed = vectors.len() - failures.len();
    assert!(
        failures.is_empty(),
        "{passed} passed, {} failed\n{}",
        failures.len(),
        failures.join("\n")
    );
}

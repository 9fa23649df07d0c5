//! What functions do at the edges of their domains, made through the compiler and the evaluator:
//! bounds, zones, duplicates, errors. The examples in the tables of the functions say the rest.

mod bags;
mod numbers_and_times;
mod texts;

use pdp_engine::function;

use crate::functions::{From, made, same};

/// Version and name of a function, its arguments, its result, as the examples of functions write them.
type Vector = (&'static str, &'static [&'static str], &'static str);

fn check(vectors: &[Vector]) {
    let mut wrong = Vec::new();
    for (name, arguments, expected) in vectors {
        let (version, short) = name.split_once(' ').unwrap();
        let id = format!("urn:oasis:names:tc:xacml:{version}:function:{short}");
        let row = function::find(&id).unwrap_or_else(|| panic!("{id}"));
        let applied: Vec<String> = arguments
            .iter()
            .map(|text| {
                match text.strip_prefix("function:").and_then(|name| name.split_once(' ')) {
                    Some((version, name)) => {
                        format!("function:urn:oasis:names:tc:xacml:{version}:function:{name}")
                    }
                    None => (*text).to_owned(),
                }
            })
            .collect();
        let arguments: Vec<&str> = applied.iter().map(String::as_str).collect();
        for from in [From::Policy, From::Request] {
            let Some(result) = made(row, &arguments, from) else { continue };
            let good = match &result {
                Err(_) => *expected == "error",
                Ok(values) => *expected != "error" && same(values, expected),
            };
            if !good {
                wrong.push(format!(
                    "{name} {arguments:?} from {from:?}: {result:?}, not {expected}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

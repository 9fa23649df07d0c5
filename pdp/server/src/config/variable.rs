//! `${NAME}` in a configuration file: the environment variable of that name.

use serde_json::Value;

use crate::document::{Document, below};
use crate::failure::Failure;

/// A variable that is asked for and not set.
#[derive(Debug)]
pub(super) struct Unset {
    /// The key whose value asks for it.
    pub(super) key: String,
    name: String,
}

impl Unset {
    /// The failure, without a place.
    pub(super) fn failure(&self) -> Failure {
        Failure::usage(format!(
            "`{}` asks for the environment variable `{}`, which is not set",
            self.key, self.name
        ))
    }

    /// The failure, placed in a document.
    pub(super) fn at(&self, document: &Document) -> Failure {
        self.failure().at(document.place(&self.key)).hint(format!("set `{}`", self.name))
    }
}

/// Puts variables into every text of a tree; whether there was one.
pub(super) fn replace(tree: &mut Value, variables: &[(String, String)]) -> Result<bool, Unset> {
    let mut replaced = false;
    in_value(tree, "", variables, &mut replaced)?;
    Ok(replaced)
}

fn in_value(
    value: &mut Value,
    key: &str,
    variables: &[(String, String)],
    replaced: &mut bool,
) -> Result<(), Unset> {
    match value {
        Value::String(text) => {
            let mut out = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some((before, after)) = rest.split_once("${") {
                let Some((name, after)) = after.split_once('}') else { break };
                let found = variables.iter().find(|(known, _)| known == name);
                let (_, value) =
                    found.ok_or_else(|| Unset { key: key.to_owned(), name: name.to_owned() })?;
                out.push_str(before);
                out.push_str(value);
                *replaced = true;
                rest = after;
            }
            out.push_str(rest);
            *text = out;
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                in_value(item, &format!("{key}[{at}]"), variables, replaced)?;
            }
        }
        Value::Object(entries) => {
            for (name, value) in entries {
                in_value(value, &below(key, name), variables, replaced)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

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

/// What came of putting variables into texts.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    /// There was one.
    pub(super) any: bool,
    /// Those that are not set; what asks for them stays as it is.
    pub(super) unset: Vec<Unset>,
}

/// Puts variables into every text of a tree.
pub(super) fn replace(tree: &mut Value, variables: &[(String, String)]) -> Replaced {
    let mut replaced = Replaced::default();
    in_value(tree, "", variables, &mut replaced);
    replaced
}

fn in_value(value: &mut Value, key: &str, variables: &[(String, String)], replaced: &mut Replaced) {
    match value {
        Value::String(text) => {
            let mut out = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some((before, after)) = rest.split_once("${") {
                let Some((name, after)) = after.split_once('}') else { break };
                out.push_str(before);
                match variables.iter().find(|(known, _)| known == name) {
                    Some((_, value)) => {
                        out.push_str(value);
                        replaced.any = true;
                    }
                    None => {
                        out.push_str(&format!("${{{name}}}"));
                        let unset = Unset { key: key.to_owned(), name: name.to_owned() };
                        replaced.unset.push(unset);
                    }
                }
                rest = after;
            }
            out.push_str(rest);
            *text = out;
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                in_value(item, &format!("{key}[{at}]"), variables, replaced);
            }
        }
        Value::Object(entries) => {
            for (name, value) in entries {
                in_value(value, &below(key, name), variables, replaced);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

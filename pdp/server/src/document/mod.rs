//! Files that people write for this program (configurations, tests of policies), with places.
//!
//! A file is read twice: into a tree of values, and into a tree of places. What is wrong with a
//! value is said in the words of `fault`, at the line and column where it stands.

pub(crate) mod fault;
mod places;

use std::path::{Path, PathBuf};

use pdp_engine::error::Position;
use pdp_onap::tosca::{self, Node, Syntax};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use fault::{fault, nearest};

use crate::failure::Failure;

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the variants are the languages, by their own names
pub enum Language {
    Yaml,
    Json,
    Toml,
}

impl Language {
    /// The language that goes with a file's extension.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

/// A document that was read.
#[derive(Clone, Debug)]
pub struct Document {
    file: PathBuf,
    /// What it says.
    pub tree: Value,
    places: Node,
}

impl Document {
    /// Reads a text.
    ///
    /// # Errors
    /// It is not a text of that language; the failure says where.
    pub fn read(language: Language, text: &str, file: &Path) -> Result<Self, Failure> {
        let at = |position: Position| format!("{}:{position}", file.display());
        let (tree, places) = match language {
            Language::Toml => {
                let places = places::of_toml(text).map_err(|(message, position)| {
                    Failure::usage(format!("not TOML: {message}")).at(at(position))
                })?;
                let tree = toml::from_str(text).map_err(|error| {
                    Failure::usage(format!("not TOML: {}", error.message())).in_file(file)
                })?;
                (tree, places)
            }
            Language::Yaml | Language::Json => {
                let (syntax, name) = match language {
                    Language::Json => (Syntax::Json, "JSON"),
                    _ => (Syntax::Yaml, "YAML"),
                };
                let limits = tosca::Limits::default();
                let places =
                    tosca::document(text.as_bytes(), syntax, &limits).map_err(|error| {
                        let place = match error.place {
                            pdp_engine::error::Place::Position(position) => at(position),
                            pdp_engine::error::Place::Pointer(_) => file.display().to_string(),
                        };
                        Failure::usage(format!("not {name}: {}", error.message)).at(place)
                    })?;
                let tree = match language {
                    Language::Json => serde_json::from_str(text).map_err(|error| {
                        Failure::usage(format!("not JSON: {error}")).in_file(file)
                    })?,
                    _ => serde_saphyr::from_str(text).map_err(|error| {
                        let message = error.without_snippet().to_string();
                        let message = message.lines().next().unwrap_or_default().to_owned();
                        Failure::usage(format!("not YAML: {message}")).in_file(file)
                    })?,
                };
                (tree, places)
            }
        };
        Ok(Self { file: file.to_owned(), tree, places })
    }

    /// The file that it was read from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The document as what it must be.
    ///
    /// # Errors
    /// An unknown key or a wrong value, with its place and what was expected.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_path_to_error::deserialize(&self.tree).map_err(|error| {
            let path = error.path().to_string();
            let fault = fault(&error.inner().to_string(), &path);
            let place = match &fault.unknown {
                Some(key) if !ends_with_key(&path, key) => self.place_of_key(&below(&path, key)),
                Some(_) => self.place_of_key(&path),
                None => self.place(&path),
            };
            fault.failure.at(place)
        })
    }

    /// What stands under a path such as `tests[2].request`.
    pub fn node(&self, path: &str) -> Option<&Node> {
        places::find(&self.places, path).value
    }

    /// Where a path leads, or as far as it does: `file:line:col`.
    pub fn place(&self, path: &str) -> String {
        format!("{}:{}", self.file.display(), self.position(path))
    }

    /// Where the last key of a path stands: `file:line:col`.
    pub fn place_of_key(&self, path: &str) -> String {
        format!("{}:{}", self.file.display(), places::find(&self.places, path).key)
    }

    /// Where a path leads, as line and column.
    pub fn position(&self, path: &str) -> Position {
        places::find(&self.places, path).position
    }
}

/// A key within the section that a path leads to.
pub(crate) fn below(path: &str, key: &str) -> String {
    if path.is_empty() || path == "." { key.to_owned() } else { format!("{path}.{key}") }
}

fn ends_with_key(path: &str, key: &str) -> bool {
    path == key || path.strip_suffix(key).is_some_and(|before| before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Outer {
        #[serde(default)]
        workers: u16,
        #[serde(default)]
        inner: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Inner {
        name: String,
        #[serde(default)]
        strict: bool,
    }

    fn refused(language: Language, text: &str) -> Failure {
        Document::read(language, text, Path::new("f"))
            .and_then(|document| document.typed::<Outer>())
            .map(|outer| panic!("{outer:?}"))
            .unwrap_or_else(|failure| failure)
    }

    #[test]
    fn a_wrong_value_is_told_with_what_was_expected_and_its_place() {
        for (language, text, what, place) in [
            (Language::Yaml, "workers: many\n", "expected a whole number", "f:1:10"),
            (Language::Yaml, "inner:\n- name: a\n  strict: maybe\n", "true or false", "f:3:11"),
            (Language::Json, "{\n\"workers\": -1}", "expected a whole number", "f:2:12"),
            (Language::Toml, "workers = 1.5\n", "expected a whole number", "f:1:11"),
            (Language::Yaml, "inner: {name: a}\n", "expected a list", "f:1:8"),
            (Language::Yaml, "inner:\n- {strict: true}\n", "`inner[0].name` is missing", "f:2:3"),
            (Language::Yaml, "inner: [\n", "not YAML", "f:"),
            (Language::Toml, "[[inner]]\nname = \n", "not TOML", "f:2:"),
            (Language::Json, "{\"workers\":", "not JSON", "f:1:"),
        ] {
            let failure = refused(language, text);
            assert!(failure.what.contains(what), "{text}: {failure:?}");
            let found = failure.place.clone().unwrap_or_default();
            assert!(found.starts_with(place), "{text}: {failure:?}");
        }
    }

    #[test]
    fn an_unknown_key_is_placed_and_the_nearest_is_named() {
        for (language, text, place) in [
            (Language::Yaml, "inner:\n- name: a\n  strickt: true\n", "f:3:3"),
            (Language::Json, "{\"inner\": [{\"name\": \"a\", \"strickt\": true}]}", "f:1:26"),
            (Language::Toml, "[[inner]]\nname = \"a\"\nstrickt = true\n", "f:3:1"),
        ] {
            let failure = refused(language, text);
            assert_eq!(failure.what, "unknown key `strickt`", "{failure:?}");
            assert_eq!(failure.place.as_deref(), Some(place), "{failure:?}");
            assert_eq!(failure.hint.as_deref(), Some("did you mean `strict`?"), "{failure:?}");
        }
    }
}

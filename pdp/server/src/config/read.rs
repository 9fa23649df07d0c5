//! File, environment and flags into one configuration.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Config, LogFormat, Secret, check, environment, onap};
use crate::failure::Failure;

/// What flags say over file and environment.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)] // each is the flag of `pdp serve` of the same name
pub struct Overrides {
    pub listen: Vec<String>,
    pub policies: Vec<PathBuf>,
    pub state: Option<String>,
    pub history: Option<String>,
    pub root: Option<PathBuf>,
    pub combining: Option<String>,
    pub strict: bool,
    pub insecure: bool,
    pub log_format: Option<LogFormat>,
    pub log_level: Option<String>,
}

/// A configuration and what should be said about it once logging runs.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The effective configuration.
    pub config: Config,
    /// What is odd but not wrong.
    pub warnings: Vec<String>,
}

/// Reads the configuration: `file` if there is one, `variables` over it, `overrides` over both.
///
/// # Errors
/// A file that cannot be read, an unknown key or a wrong value, each with its place.
pub fn load(
    file: Option<&Path>,
    variables: impl Iterator<Item = (String, String)>,
    overrides: Overrides,
) -> Result<Loaded, Failure> {
    let variables: Vec<_> = variables.collect();
    let (mut tree, mut warnings) = match file {
        Some(path) => read_file(path, &variables)?,
        None => (Value::Object(Map::new()), Vec::new()),
    };
    warnings.extend(environment::overlay(&mut tree, variables.into_iter())?);
    let mut config: Config = serde_path_to_error::deserialize(tree).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.inner().to_string());
        fault(&inner, &path).at(format!("setting {path}"))
    })?;
    overrides.apply(&mut config);
    if let Some(path) = config.auth.password_file.clone() {
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("the password file cannot be read: {error}")).in_file(&path)
        })?;
        config.auth.password = Some(Secret::new(text.trim_end_matches(['\r', '\n'])));
    }
    warnings.extend(check::check(&config)?);
    Ok(Loaded { config, warnings })
}

impl Overrides {
    fn apply(self, config: &mut Config) {
        if !self.listen.is_empty() {
            config.server.listen = self.listen;
        }
        if !self.policies.is_empty() {
            config.policies.paths = self.policies;
        }
        config.policies.strict |= self.strict;
        config.server.insecure |= self.insecure;
        if let Some(folder) = self.state {
            config.state.folder = folder;
        }
        if let Some(url) = self.history {
            config.history.url = url;
        }
        config.xacml.root = self.root.or(config.xacml.root.take());
        config.xacml.combining = self.combining.or(config.xacml.combining.take());
        config.log.format = self.log_format.or(config.log.format);
        if let Some(level) = self.log_level {
            config.log.level = level;
        }
    }
}

#[derive(Clone, Copy)]
enum Language {
    Yaml,
    Json,
    Toml,
}

fn read_file(path: &Path, variables: &[(String, String)]) -> Result<(Value, Vec<String>), Failure> {
    let language = match path.extension().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => Language::Yaml,
        Some("json") => Language::Json,
        Some("toml") => Language::Toml,
        _ => {
            return Err(
                Failure::usage("a configuration file ends in .yaml, .json or .toml").in_file(path)
            );
        }
    };
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("error reading parameters from \"{}\": {error}", path.display()))
            .hint("`pdp serve --help` says what can stand in a configuration file")
    })?;
    if text.trim().is_empty() {
        return match language {
            Language::Json => {
                Err(Failure::usage(format!("no parameters found in \"{}\"", path.display())))
            }
            Language::Yaml | Language::Toml => Ok((Value::Object(Map::new()), Vec::new())),
        };
    }
    let tree: Value = parse(language, &text, path)?;
    if matches!(language, Language::Json) && onap::is(&tree) {
        return onap::translate(&tree, path, variables);
    }
    // Read once more as what it must be: this time faults know line and column.
    parse::<Config>(language, &text, path)?;
    Ok((tree, Vec::new()))
}

fn parse<T: serde::de::DeserializeOwned>(
    language: Language,
    text: &str,
    path: &Path,
) -> Result<T, Failure> {
    let place = |line: usize, column: usize| format!("{}:{line}:{column}", path.display());
    match language {
        Language::Json => {
            let mut reader = serde_json::Deserializer::from_str(text);
            let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
                let key = error.path().to_string();
                let error = error.into_inner();
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or_default();
                fault(message, &key).at(place(error.line(), error.column()))
            })?;
            reader.end().map_err(|error| {
                Failure::usage("nothing more was expected after the configuration")
                    .at(place(error.line(), error.column()))
            })?;
            Ok(value)
        }
        Language::Toml => {
            let reader = toml::Deserializer::parse(text).map_err(|error| {
                let (line, column) = position(text, error.span().map_or(0, |span| span.start));
                Failure::usage(error.message()).at(place(line, column))
            })?;
            serde_path_to_error::deserialize(reader).map_err(|error| {
                let key = error.path().to_string();
                let error = error.into_inner();
                let (line, column) = position(text, error.span().map_or(0, |span| span.start));
                fault(error.message(), &key).at(place(line, column))
            })
        }
        Language::Yaml => {
            let mut key = String::new();
            serde_saphyr::with_deserializer_from_str(text, |reader| {
                serde_path_to_error::deserialize(reader).map_err(|error| {
                    key = error.path().to_string();
                    error.into_inner()
                })
            })
            .map_err(|error| {
                let message = error.without_snippet().to_string();
                let place = error.location().map_or_else(
                    || path.display().to_string(),
                    |at| place(usize_of(at.line()), usize_of(at.column())),
                );
                fault(&message, &key).at(place)
            })
        }
    }
}

fn usize_of(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or_default()
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let position = pdp_engine::error::Position::of_offset(text.as_bytes(), offset);
    (usize_of(position.line), usize_of(position.column))
}

/// A fault of the deserializer in our words, with the nearest key where one is unknown.
fn fault(message: &str, path: &str) -> Failure {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if !message.contains("unknown field `") {
        let message = message.lines().next().unwrap_or_default();
        return if path.is_empty() || path == "." {
            Failure::usage(message)
        } else {
            Failure::usage(format!("`{path}`: {message}"))
        };
    }
    let unknown = quoted.next().unwrap_or_default();
    let shape = serde_json::to_value(Config::default()).expect("a configuration is plain data");
    let known = keys_at(&shape, path);
    let failure = Failure::usage(format!("unknown key `{unknown}`"));
    match nearest(unknown, known.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("known keys here: {}", known.join(", "))),
    }
}

/// The keys of the section that `path` leads into, as far as it leads anywhere.
fn keys_at<'s>(shape: &'s Value, path: &str) -> Vec<&'s str> {
    let mut section = shape;
    for part in path.split('.') {
        match section.get(part) {
            Some(below) if below.is_object() => section = below,
            _ => break,
        }
    }
    section.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

/// The candidate that `word` was probably meant to be.
pub(super) fn nearest<'c>(
    word: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(name: &str, text: &str, what: &str, place: &str, hint: &str) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder is writable");
        let failure = load(Some(&path), std::iter::empty(), Overrides::default())
            .expect_err("the configuration is wrong");
        assert!(failure.what.contains(what), "{failure:?}");
        assert!(failure.place.clone().unwrap_or_default().contains(place), "{failure:?}");
        assert!(failure.hint.clone().unwrap_or_default().contains(hint), "{failure:?}");
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place_and_the_nearest() {
        wrong(
            "c.yaml",
            "guard:\n  indetermine: deny\n",
            "`indetermine`",
            "c.yaml:2:3",
            "`indeterminate`",
        );
        wrong("c.json", "{\n \"gard\": {}}", "`gard`", "c.json:2:", "`guard`");
        wrong("c.toml", "[server]\nlissen = []\n", "`lissen`", "c.toml:2:1", "`listen`");
    }

    #[test]
    fn a_wrong_value_is_named_with_its_key_and_place() {
        wrong("c.yaml", "server:\n  workers: many\n", "server.workers", "c.yaml:2:", "");
        wrong(
            "c.json",
            "{\"guard\": {\"indeterminate\": \"maybe\"}}",
            "guard.indeterminate",
            "c.json:1:",
            "",
        );
        wrong("c.toml", "[server]\nkeep_alive = \"soon\"\n", "server.keep_alive", "c.toml:2:", "");
    }

    #[test]
    fn values_that_cannot_be_meant_are_refused_with_the_range() {
        for (setting, value) in [
            ("server.workers", "513"),
            ("limits.request_bytes", "0"),
            ("limits.policy_bytes", "0"),
            ("limits.decision_steps", "0"),
            ("log.level", "loud"),
        ] {
            let (section, key) = setting.split_once('.').expect("it is one of a section");
            let text = format!("{section}: {{{key}: {value}}}\n");
            wrong("c.yaml", &text, &format!("`{setting}` is "), &format!("setting {setting}"), "");
            wrong("c.yaml", &text, value, "", "");
        }
    }

    #[test]
    fn half_of_the_credentials_is_a_warning() {
        let warnings = |variables: &[(&str, &str)]| {
            let variables = variables.iter().map(|(name, text)| ((*name).into(), (*text).into()));
            load(None, variables, Overrides::default()).expect("nothing is wrong").warnings.len()
        };
        let (user, password) = (("PDP_AUTH__USER", "a"), ("PDP_AUTH__PASSWORD", "b"));
        assert_eq!(warnings(&[user]), 1);
        assert_eq!(warnings(&[password]), 1);
        assert_eq!(warnings(&[user, ("PDP_AUTH__PASSWORD", " ")]), 1);
        assert_eq!(warnings(&[user, password]), 0);
        assert_eq!(warnings(&[]), 0);
    }

    #[test]
    fn broken_files_say_where() {
        wrong("c.yaml", "server: [\n", "", "c.yaml:", "");
        wrong("c.json", "{\"server\":", "EOF", "c.json:1:", "");
        wrong("c.toml", "server = \n", "", "c.toml:1:", "");
        wrong("c.ini", "", ".yaml, .json or .toml", "c.ini", "");
        wrong("c.json", "", "no parameters found in", "", "");
    }

    #[test]
    fn flags_win_over_environment_and_environment_over_the_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("c.yaml");
        fs::write(&path, "server: {workers: 1, listen: [\"127.0.0.1:1\"]}\nstate: {folder: a}\n")
            .expect("the folder is writable");
        let variables = [("PDP_SERVER__WORKERS", "2"), ("PDP_STATE__FOLDER", "b")];
        let variables = variables.iter().map(|(name, text)| ((*name).into(), (*text).into()));
        let overrides = Overrides { state: Some("none".into()), ..Overrides::default() };
        let loaded = load(Some(&path), variables, overrides).expect("the configuration is right");
        assert_eq!(loaded.config.server.workers, 2);
        assert_eq!(loaded.config.server.listen, ["127.0.0.1:1"]);
        assert_eq!(loaded.config.state.folder, "none");
    }
}

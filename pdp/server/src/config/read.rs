//! File, environment and flags into one configuration.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Config, LogFormat, Secret, check, environment, onap, variable};
use crate::document::{Document, Language, below, fault};
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
    let own = variables.clone();
    warnings.extend(environment::overlay(&mut tree, variables.into_iter())?);
    environment::underlay(&mut tree, &own);
    let mut config: Config = serde_path_to_error::deserialize(tree).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.inner().to_string());
        fault(&inner, &path).failure.at(format!("setting {path}"))
    })?;
    overrides.apply(&mut config);
    if let Some(path) = config.auth.password_file.clone() {
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("the password file cannot be read: {error}"))
                .in_file(&path)
                .hint("auth.password_file names a file of this machine that holds the password")
        })?;
        let password = text.trim_end_matches(['\r', '\n']);
        if password.trim().is_empty() {
            return Err(Failure::usage("the password file is empty").in_file(&path).hint(
                "without a password everyone may ask; leave auth.password_file away if that is meant",
            ));
        }
        if config.auth.password.is_some() {
            return Err(Failure::usage("the password is given twice")
                .at("settings auth.password and auth.password_file")
                .hint("leave one of the two away"));
        }
        config.auth.password = Some(Secret::new(password));
    }
    if let Some(path) = config.history.url_file.clone() {
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("the file with the history's address cannot be read: {error}"))
                .in_file(&path)
        })?;
        text.trim().clone_into(&mut config.history.url);
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

fn read_file(path: &Path, variables: &[(String, String)]) -> Result<(Value, Vec<String>), Failure> {
    let language = Language::of(path).ok_or_else(|| {
        Failure::usage("a configuration file ends in .yaml, .json or .toml").in_file(path)
    })?;
    let text = fs::read_to_string(path).map_err(|error| {
        let failure = Failure::usage(format!(
            "error reading parameters from \"{}\": {error}",
            path.display()
        ));
        failure.hint(match error.kind() {
            io::ErrorKind::InvalidData => "save the file as UTF-8",
            io::ErrorKind::NotFound if path.is_symlink() => {
                "the link leads nowhere: `ls -l` shows where it should"
            }
            _ => "`pdp schema config` says what can stand in a configuration file",
        })
    })?;
    if text.trim().is_empty() {
        return match language {
            Language::Json => {
                Err(Failure::usage(format!("no parameters found in \"{}\"", path.display())))
            }
            Language::Yaml | Language::Toml => Ok((Value::Object(Map::new()), Vec::new())),
        };
    }
    let document = Document::read(language, &text, path)?;
    if language == Language::Json && onap::is(&document.tree) {
        return onap::translate(&document.tree, path, variables);
    }
    // A text of comments alone says nothing, which is a configuration.
    if document.tree.is_null() && language == Language::Yaml {
        return Ok((Value::Object(Map::new()), Vec::new()));
    }
    sections(&document)?;
    let mut tree = document.tree.clone();
    let replaced = variable::replace(&mut tree, variables);
    if let Some(unset) = replaced.unset.first() {
        return Err(unset.at(&document));
    }
    if replaced.any {
        // What stood in the file is not yet what is meant: it is read once more with the rest.
        return Ok((tree, Vec::new()));
    }
    document.typed::<Config>()?;
    Ok((tree, Vec::new()))
}

/// Refuses sections that are none: a list would be taken for the values of a section in order, and
/// nothing for an empty list.
fn sections(document: &Document) -> Result<(), Failure> {
    let shape = serde_json::to_value(Config::default()).expect("a configuration is plain data");
    let mut open = vec![(String::new(), &document.tree, &shape)];
    while let Some((path, found, expected)) = open.pop() {
        let wrong = |what: String| {
            let what = if path.is_empty() { what } else { format!("`{path}`: {what}") };
            Err(Failure::usage(what).at(document.place_of_key(&path)))
        };
        match (expected, found) {
            (Value::Object(expected), Value::Object(found)) => {
                open.extend(found.iter().filter_map(|(key, value)| {
                    expected.get(key).map(|expected| (below(&path, key), value, expected))
                }));
            }
            (Value::Object(expected), found) => {
                let known: Vec<&str> = expected.keys().map(String::as_str).collect();
                let found = kind(found);
                return wrong(format!("expected keys with values, found {found}"))
                    .map_err(|failure| failure.hint(format!("known keys: {}", known.join(", "))));
            }
            // What may be absent is null here.
            (Value::Null, _) => {}
            (expected, Value::Null) => {
                return wrong(format!("has no value: expected {}", kind(expected)))
                    .map_err(|failure| failure.hint("leave the key out to have the default"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "keys with values",
    }
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
        wrong(
            "c.yaml",
            "server:\n  workers: many\n",
            "`server.workers`: expected a whole number from 0 up, such as 4, found the text \"many\"",
            "c.yaml:2:12",
            "",
        );
        wrong(
            "c.json",
            "{\"policies\": {\"paths\": \"here\"}}",
            "`policies.paths`: expected a list, such as [a, b], found the text \"here\"",
            "c.json:1:24",
            "",
        );
        wrong(
            "c.yaml",
            "guard: {indeterminate: denny}\n",
            "`denny` is not one of permit, deny",
            "c.yaml:1:24",
            "did you mean `deny`?",
        );
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
    fn sections_are_sections_and_values_are_there() {
        for (name, text, what, place) in [
            ("c.json", "[]", "expected keys with values, found a list", "c.json:1:1"),
            ("c.yaml", "just words\n", "expected keys with values, found text", "c.yaml:1:1"),
            ("c.yaml", "\nserver: [[\"127.0.0.1:1\"]]\n", "`server`", "c.yaml:2:1"),
            ("c.yaml", "policies:\n", "`policies`: expected keys with values", "c.yaml:1:1"),
            ("c.yaml", "policies:\n  paths:\n", "`policies.paths`: has no value", "c.yaml:2:3"),
            ("c.json", "{\"log\": {\"level\": null}}", "`log.level`: has no value", "c.json:1:10"),
            ("c.toml", "server = []\n", "`server`", "c.toml:1:1"),
        ] {
            wrong(name, text, what, place, "");
        }
    }

    #[test]
    fn variables_in_a_file_are_replaced_and_those_not_set_are_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("c.yaml");
        let text = "auth:\n  user: admin\n  password: ${PASSWORD}\n";
        fs::write(&path, text).expect("the folder is writable");
        let given = [("PASSWORD".to_owned(), "s3cret".to_owned())];
        let loaded = load(Some(&path), given.into_iter(), Overrides::default());
        let password = loaded.expect("it is set").config.auth.password.expect("it is given");
        assert_eq!(password.reveal(), "s3cret");
        wrong("c.yaml", text, "variable `PASSWORD`, which is not set", "c.yaml:3:13", "");
    }

    #[test]
    fn values_that_cannot_be_meant_are_refused_with_the_range() {
        for (setting, value) in [
            ("server.workers", "513"),
            ("limits.request_bytes", "0"),
            ("limits.policy_bytes", "0"),
            ("limits.decision_steps", "0"),
            ("limits.decisions", "0"),
            ("limits.policy_depth", "0"),
            ("limits.policy_depth", "257"),
            ("limits.reference_depth", "0"),
            ("limits.text_bytes", "0"),
            ("limits.bag_values", "0"),
            ("limits.permitted_depth", "9"),
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
        wrong("c.json", "{\"server\":", "not JSON", "c.json:1:", "");
        wrong("c.json", "{} {}", "nothing more was expected", "c.json:1:4", "");
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

//! One case, and which way it is run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{command, inside, part, request};

pub enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Passed)
    }
}

pub struct Case {
    pub folder: PathBuf,
    pub json: Value,
}

impl Case {
    pub fn read(folder: &Path) -> Vec<Self> {
        let path = folder.join("cases.json");
        let text = fs::read_to_string(&path).expect("it was found just now");
        let list: Vec<Value> =
            serde_json::from_str(&text).expect("cases.json is a list of objects");
        list.into_iter().map(|json| Self { folder: folder.to_owned(), json }).collect()
    }

    pub fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or_default()
    }

    pub fn name(&self) -> &str {
        self.text("name")
    }

    pub fn run(&self) -> Outcome {
        if let Some(reason) = self.not_here() {
            return Outcome::Skipped(reason);
        }
        let state = &self.json["state"];
        match self.text("kind") {
            "decision" | "http" if state["decisions"].is_object() => inside::statistics(self),
            "decision" | "http"
                if state["pdpState"].is_string()
                    || state["databaseAvailable"] == Value::Bool(false) =>
            {
                inside::run(self)
            }
            "decision" | "http" | "xacml" => request::run(self),
            "load-error" => command::load_error(self).into(),
            "translate" => command::translate(self).into(),
            "support" => command::support(self).into(),
            "error-mapping" => request::error_mapping(self),
            "config" => command::config(self).into(),
            "filter" => inside::filter(self),
            "request-conversion" => part::request_conversion(self).into(),
            "response-conversion" => part::response_conversion(self).into(),
            "xacml-parse" => part::xacml_parse(self).into(),
            "matchable" => part::matchable(self).into(),
            "matchable-value" => part::matchable_value(self).into(),
            "util" => part::util(self).into(),
            "pip" => part::look_up(self).into(),
            kind => Outcome::Skipped(reason(kind)),
        }
    }

    /// What the case asks for that does not exist here.
    fn not_here(&self) -> Option<String> {
        self.json["expect"]["error"]["contains"]
            .as_str()
            .filter(|it| *it == "Engine is shutdown")
            .map(|_| "the engine has no shutdown of its own: it ends with the process".to_owned())
    }
}

fn reason(kind: &str) -> String {
    match kind {
        "lifecycle" | "policy-api" => format!("{kind} belongs to the PAP or the Policy API"),
        "cli" => "the command line is ours".into(),
        _ => format!("cases of kind {kind} are not known"),
    }
}

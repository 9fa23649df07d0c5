//! One case, and which way it is run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{command, request};

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
        if let Some(reason) = self.not_yet() {
            return Outcome::Skipped(reason);
        }
        match self.text("kind") {
            "decision" | "http" => request::run(self),
            "load-error" => command::load_error(self).into(),
            "translate" => command::translate(self).into(),
            "support" => command::support(self).into(),
            "error-mapping" => request::error_mapping(self),
            "config" => command::config(self).into(),
            kind => Outcome::Skipped(reason(kind)),
        }
    }

    /// What the case needs and the service does not have yet.
    fn not_yet(&self) -> Option<String> {
        let state = &self.json["state"];
        if state["databaseAvailable"] == Value::Bool(false) {
            return Some("needs a history that can fail; the one in memory cannot".into());
        }
        if state["pdpState"].is_string() {
            return Some("the PAP alone changes the state; see the tests of rest::edge".into());
        }
        if state["decisions"].is_object() {
            return Some(
                "names applications of a unit test; see the tests of rest::statistics".into(),
            );
        }
        if self.folder.ends_with("policy-types") {
            return Some("types of one's own are not read yet".into());
        }
        let application = match self.text("application") {
            "" => self.action(),
            application => application.to_owned(),
        };
        matches!(application.as_str(), "optimization" | "optimize" | "match" | "native")
            .then(|| format!("the application `{application}` is not built yet"))
    }

    /// The action that the request asks for.
    fn action(&self) -> String {
        let body = request::body(self).unwrap_or_default();
        serde_json::from_str::<Value>(&body)
            .ok()
            .and_then(|body| body["action"].as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

fn reason(kind: &str) -> String {
    match kind {
        "request-conversion" | "response-conversion" | "pip" => {
            format!("{kind} is a part of pdp-onap and tested there")
        }
        "filter" => "the switch is tested in rest::edge".into(),
        "lifecycle" | "cli" | "policy-api" => format!("{kind} belongs to the PAP or to Java"),
        _ => format!("cases of kind {kind} are not run yet"),
    }
}

//! A policy as TOSCA has it, its name, version and metadata settled.

use std::hash::{DefaultHasher, Hash, Hasher};

use pdp_engine::error::Position;

use super::fingerprint;
use super::name::{name_fault, shown, version_fault};
use super::node::{Entry, Node, NodeKind};
use super::write;
use crate::problem::{Problem, did_you_mean};

/// A TOSCA policy.
#[derive(Clone, Debug, PartialEq)]
pub struct ToscaPolicy {
    /// Its name; with the version its identity.
    pub name: String,
    /// Its version, as written: numbers with dots between.
    pub version: String,
    /// The name of its type.
    pub type_name: String,
    /// The version of its type.
    pub type_version: String,
    /// What its author noted; `policy-id` and `policy-version` are always name and version.
    pub metadata: Vec<Entry>,
    /// Prose for people.
    pub description: Option<String>,
    /// The policy it is derived from.
    pub derived_from: Option<String>,
    /// What it says, by the rules of its type.
    pub properties: Option<Node>,
    /// Where.
    pub position: Position,
    /// Where its type is named.
    pub type_position: Position,
    /// Where the version of its type is named.
    pub type_version_position: Position,
}

/// The fields of a policy.
pub(super) const FIELDS: &[&str] = &[
    "type",
    "type_version",
    "version",
    "name",
    "description",
    "metadata",
    "properties",
    "derived_from",
    "targets",
    "triggers",
];

impl ToscaPolicy {
    /// The policy as JSON text, the way answers hold it: `type`, `type_version`, `properties`, `name`,
    /// `version`, `derived_from`, `metadata`, `description`, without what is null.
    pub fn content(&self) -> String {
        let mut out = Vec::with_capacity(512);
        out.extend_from_slice(b"{\"type\":");
        write::json_text(&self.type_name, &mut out);
        let text = |key: &str, value: Option<&str>, out: &mut Vec<u8>| {
            if let Some(value) = value {
                out.push(b',');
                write::json_text(key, out);
                out.push(b':');
                write::json_text(value, out);
            }
        };
        text("type_version", Some(&self.type_version), &mut out);
        if let Some(properties) = &self.properties {
            out.extend_from_slice(b",\"properties\":");
            write::json(properties, &mut out);
        }
        text("name", Some(&self.name), &mut out);
        text("version", Some(&self.version), &mut out);
        text("derived_from", self.derived_from.as_deref(), &mut out);
        out.extend_from_slice(b",\"metadata\":");
        write::json_map(&self.metadata, &mut out);
        text("description", self.description.as_deref(), &mut out);
        out.push(b'}');
        String::from_utf8(out).expect("JSON is written as UTF-8")
    }

    /// A number that is the same for policies that say the same, in whatever order.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let texts = (&self.type_name, &self.type_version, &self.name, &self.version);
        (texts, &self.derived_from, &self.description).hash(&mut hasher);
        self.properties.as_ref().map(fingerprint::of).hash(&mut hasher);
        fingerprint::of_entries(&self.metadata).hash(&mut hasher);
        hasher.finish()
    }

    /// Settles a policy that stands under `key` of a service template.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(super) fn under_key(
        key: &str,
        at: Position,
        body: Node,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let (name, version) = match key.split_once(':') {
            Some((name, version)) => (name, Some(version)),
            None => (key, None),
        };
        let NodeKind::Map(entries) = body.kind else {
            let problem = if body.is_null() {
                let message = "nothing stands under the policy's name: expected a map with `type`, `type_version` and `properties`";
                Problem::error("tosca-structure", &shown(name), "", at, message)
                    .onap_says("Cannot convert a NULL policy")
            } else {
                let message = format!(
                    "expected a map with `type`, `type_version` and `properties`, found {}",
                    body.found()
                );
                Problem::error("tosca-structure", &shown(name), "", body.position, message)
            };
            problems.push(problem);
            return None;
        };
        Settling { name, key_version: version, at, fields: entries, problems }.settle()
    }

    /// Settles a policy that stands alone and names itself, as in messages of the PAP.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn alone(body: Node, problems: &mut Vec<Problem>) -> Option<Self> {
        let at = body.position;
        let name = body.present("name").and_then(Node::scalar_text).map(|name| name.into_owned());
        match (name, body.kind) {
            (Some(name), NodeKind::Map(fields)) => {
                Settling { name: &name, key_version: None, at, fields, problems }.settle()
            }
            _ => {
                let message =
                    "this is no policy: expected a map with `name`, `type` and `type_version`";
                problems.push(
                    Problem::error("tosca-structure", "", "", at, message)
                        .onap_says("Cannot convert a policy with missing metadata section"),
                );
                None
            }
        }
    }
}

/// One policy on its way.
struct Settling<'s> {
    name: &'s str,
    key_version: Option<&'s str>,
    at: Position,
    fields: Vec<Entry>,
    problems: &'s mut Vec<Problem>,
}

impl Settling<'_> {
    fn settle(mut self) -> Option<ToscaPolicy> {
        if let Some(fault) = name_fault(self.name) {
            let name = shown(self.name);
            self.problems.push(Problem::error("tosca-name", &name, "name", self.at, fault));
            return None;
        }
        let before = self.problems.len();
        self.unknown_fields();
        if let Some((name, position)) = self.text("name")
            && name != self.name
        {
            let name = shown(&name);
            let message =
                format!("`{name}` differs from the key `{}`: leave one of them out", self.name);
            self.refuse("tosca-name", "name", position, message);
        }
        let version = self.version();
        let type_name = self.text("type");
        if type_name.is_none() {
            self.refuse("tosca-type", "type", self.at, "the policy's type is missing");
        }
        let type_version = self.text("type_version");
        if type_version.is_none() {
            let message =
                "the version of the policy's type is missing, such as type_version: 1.0.0";
            let problem = Problem::error("tosca-type", self.name, "type_version", self.at, message)
                .onap_says("Version not specified, the version of this TOSCA entity must be specified in the type_version field");
            self.problems.push(problem);
        }
        let description = self.text("description").map(|(text, _)| text);
        let derived_from = self.text("derived_from").map(|(text, _)| text);
        let properties = self.map("properties");
        let metadata = self.metadata(&version);
        let refused = self.problems[before..]
            .iter()
            .any(|problem| problem.severity == pdp_engine::error::Severity::Error);
        let ((type_name, type_position), (type_version, type_version_position)) =
            type_name.zip(type_version)?;
        (!refused).then(|| ToscaPolicy {
            name: self.name.to_owned(),
            version,
            type_name,
            type_version,
            metadata,
            description,
            derived_from,
            properties,
            position: self.at,
            type_position,
            type_version_position,
        })
    }

    fn refuse(&mut self, code: &'static str, path: &str, at: Position, message: impl Into<String>) {
        self.problems.push(Problem::error(code, self.name, path, at, message));
    }

    fn unknown_fields(&mut self) {
        for entry in &self.fields {
            if !FIELDS.contains(&&*entry.key) {
                let hint = did_you_mean(&entry.key, FIELDS.iter().copied());
                let message = format!("a policy has no field of this name; it is ignored{hint}");
                let problem = Problem::error(
                    "tosca-field",
                    self.name,
                    &*entry.key,
                    entry.key_position,
                    message,
                );
                self.problems.push(problem.warning());
            }
        }
    }

    fn take(&mut self, field: &str) -> Option<Node> {
        let at = self.fields.iter().position(|entry| &*entry.key == field)?;
        let node = std::mem::replace(&mut self.fields[at].value.kind, NodeKind::Null);
        let position = self.fields[at].value.position;
        (node != NodeKind::Null).then_some(Node { position, kind: node })
    }

    fn text(&mut self, field: &str) -> Option<(String, Position)> {
        let node = self.take(field)?;
        match node.scalar_text() {
            Some(text) => Some((text.into_owned(), node.position)),
            None => {
                let message = format!("expected text, found {}", node.found());
                self.refuse("tosca-structure", field, node.position, message);
                None
            }
        }
    }

    fn map(&mut self, field: &str) -> Option<Node> {
        let node = self.take(field)?;
        if node.entries().is_none() {
            let message = format!("expected a map, found {}", node.found());
            self.refuse("tosca-structure", field, node.position, message);
            return None;
        }
        Some(node)
    }

    fn version(&mut self) -> String {
        let written = self.text("version");
        let at = written.as_ref().map_or(self.at, |(_, position)| *position);
        if let (Some(key), Some((written, _))) = (self.key_version, &written)
            && key != written
        {
            let message = format!(
                "`{}` differs from the version `{}` in the key: leave one of them out",
                shown(written),
                shown(key)
            );
            self.refuse("tosca-version", "version", at, message);
        }
        let version = written
            .map(|(version, _)| version)
            .or_else(|| self.key_version.map(str::to_owned))
            .unwrap_or_else(|| "0.0.0".to_owned());
        if let Some(message) = version_fault(&version) {
            self.refuse("tosca-version", "version", at, message);
        }
        version
    }

    /// The policy's metadata, in which name and version replace what the author may have written.
    fn metadata(&mut self, version: &str) -> Vec<Entry> {
        let mut entries = match self.map("metadata").map(|node| node.kind) {
            Some(NodeKind::Map(entries)) => entries,
            _ => Vec::new(),
        };
        for (key, text) in [("policy-id", self.name), ("policy-version", version)] {
            match entries.iter_mut().find(|entry| &*entry.key == key) {
                Some(entry) => entry.value.kind = NodeKind::Text(text.into()),
                None => entries.push(Entry {
                    key: key.into(),
                    key_position: self.at,
                    value: Node::text(text),
                }),
            }
        }
        entries
    }
}

//! A service template: where in a document policies and types stand.

use pdp_engine::error::Position;

use super::node::{Entry, Node, NodeKind};
use super::policy::{FIELDS, ToscaPolicy};
use crate::cores;
use crate::problem::{Problem, nearest};

/// What a TOSCA document holds.
#[derive(Clone, Debug, Default)]
pub struct ServiceTemplate {
    /// Its policies, in document order, without those that are refused.
    pub policies: Vec<ToscaPolicy>,
    /// Its policy types, by name.
    pub policy_types: Option<Node>,
    /// Its data types, by name.
    pub data_types: Option<Node>,
    /// What is wrong with the document and its policies.
    pub problems: Vec<Problem>,
}

/// Fewer policies of a document are not worth a thread.
const SETTLED_ALONE: usize = 512;

/// The versions of TOSCA's simple profile begin so.
const PROFILE: &str = "tosca_simple_yaml_1_";

const PARTS: &[&str] = &["topology_template", "policies", "policy_types", "data_types"];

/// How a document says which version of TOSCA it is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Versioned {
    Well,
    Not,
    Otherwise,
}

impl ServiceTemplate {
    /// Takes a document apart.
    ///
    /// Policies stand under `topology_template`, or at the top as older files have them; a document
    /// may also be one policy that names itself.
    pub fn of(document: Node) -> Self {
        let mut template = Self::default();
        let at = document.position;
        if document.is_null() {
            let problem = Problem::error(
                "tosca-structure",
                "",
                "",
                at,
                "the document is empty: expected `topology_template` with `policies`",
            );
            template.problems.push(problem.onap_says("Cannot convert a NULL policy"));
            return template;
        }
        let is_template = PARTS.iter().any(|part| document.present(part).is_some());
        match document.kind {
            NodeKind::Map(entries) if is_template => {
                let versioned = template.version(&entries);
                entries.into_iter().for_each(|entry| template.part(entry));
                if versioned == Versioned::Otherwise {
                    template.policies.clear();
                    (template.policy_types, template.data_types) = (None, None);
                } else if versioned == Versioned::Not
                    && let Some(types) = template.policy_types.as_ref()
                {
                    let message =
                        format!("is missing: write tosca_definitions_version: {PROFILE}1_0");
                    let path = "tosca_definitions_version";
                    let problem =
                        Problem::error("tosca-version", "", path, types.position, message);
                    template.problems.push(problem.warning());
                }
            }
            NodeKind::Map(entries) => template.alone(at, entries),
            _ => {
                let message =
                    format!("expected a map with `topology_template`, found {}", document.found());
                template.problems.push(Problem::error("tosca-structure", "", "", at, message));
            }
        }
        template
    }

    /// Whether the document is in a version that is known; whatever another one says may mean something
    /// else.
    fn version(&mut self, entries: &[Entry]) -> Versioned {
        let key = "tosca_definitions_version";
        let written = entries.iter().find(|entry| &*entry.key == key);
        let Some(value) = written.map(|entry| &entry.value).filter(|value| !value.is_null()) else {
            return Versioned::Not;
        };
        if value.scalar_text().is_some_and(|text| text.starts_with(PROFILE)) {
            return Versioned::Well;
        }
        let message = format!("expected {PROFILE}1_0, found {}", value.found());
        self.problems.push(Problem::error("tosca-version", "", key, value.position, message));
        Versioned::Otherwise
    }

    fn part(&mut self, entry: Entry) {
        match (&*entry.key, entry.value.kind) {
            ("topology_template", NodeKind::Map(entries)) => self.topology(entries),
            ("policies", kind) => {
                self.policies("policies", Node { position: entry.value.position, kind });
            }
            ("policy_types", kind) => {
                self.policy_types = Some(Node { position: entry.value.position, kind });
            }
            ("data_types", kind) => {
                self.data_types = Some(Node { position: entry.value.position, kind });
            }
            ("topology_template", kind) => {
                let position = entry.value.position;
                let what = Node { position, kind }.found();
                self.refuse(
                    "topology_template",
                    position,
                    format!("expected a map with `policies`, found {what}"),
                );
            }
            (key, _) => {
                if let Some(meant) = nearest(key, PARTS.iter().copied()) {
                    let message = format!("means nothing here, did you mean `{meant}`?");
                    self.refuse(key, entry.key_position, message);
                }
            }
        }
    }

    fn topology(&mut self, entries: Vec<Entry>) {
        for Entry { key, key_position, value } in entries {
            if &*key == "policies" {
                self.policies("topology_template.policies", value);
            } else if let Some(meant) = nearest(&key, ["policies"]) {
                let path = format!("topology_template.{key}");
                self.refuse(
                    &path,
                    key_position,
                    format!("means nothing here, did you mean `{meant}`?"),
                );
            }
        }
    }

    fn policies(&mut self, path: &str, node: Node) {
        match node.kind {
            NodeKind::Map(entries) => self.entries(entries),
            NodeKind::List(items) if items.is_empty() => {
                self.refuse(
                    path,
                    node.position,
                    "the list has no entries: expected at least one policy",
                );
            }
            NodeKind::List(items) => {
                let items = items.into_iter().enumerate().collect();
                let settled = cores::map(items, SETTLED_ALONE, |(at, item)| {
                    let mut part = Self::default();
                    part.item(path, at, item);
                    part
                });
                for part in settled {
                    self.policies.extend(part.policies);
                    self.problems.extend(part.problems);
                }
            }
            NodeKind::Null => {}
            _ => {
                let message = format!("expected a list of policies, found {}", node.found());
                self.refuse(path, node.position, message);
            }
        }
    }

    fn item(&mut self, path: &str, at: usize, item: Node) {
        match item.kind {
            NodeKind::Map(entries) if !entries.is_empty() => self.entries(entries),
            _ => {
                let message = format!(
                    "expected a map from the policy's name to the policy, found {}",
                    item.found()
                );
                self.refuse(&format!("{path}[{at}]"), item.position, message);
            }
        }
    }

    fn entries(&mut self, entries: Vec<Entry>) {
        for Entry { key, key_position, value } in entries {
            let policy = ToscaPolicy::under_key(&key, key_position, value, &mut self.problems);
            self.policies.extend(policy);
        }
    }

    fn alone(&mut self, at: Position, entries: Vec<Entry>) {
        let known = |key: &str| PARTS.contains(&key) || FIELDS.contains(&key);
        let mut unknown = entries.iter().filter(|entry| !known(&entry.key));
        let misspelt = unknown.find_map(|entry| {
            let meant = nearest(&entry.key, PARTS.iter().copied())?;
            let message = format!("`{}` means nothing here, did you mean `{meant}`?", entry.key);
            Some((entry.key_position, message))
        });
        match misspelt {
            Some((at, message)) => self.refuse("", at, message),
            None => {
                let body = Node { position: at, kind: NodeKind::Map(entries) };
                self.policies.extend(ToscaPolicy::alone(body, &mut self.problems));
            }
        }
    }

    fn refuse(&mut self, path: &str, at: Position, message: impl Into<String>) {
        self.problems.push(Problem::error("tosca-structure", "", path, at, message));
    }
}

//! From a document to a service template: where policies and types stand, and what is wrong with that.

use pdp_engine::error::Position;

use super::json::{Items, LongLists};
use super::node::{Entry, Node, NodeKind};
use super::policy::{FIELDS, ToscaPolicy};
use super::template::ServiceTemplate;
use crate::cores;
use crate::problem::{Problem, nearest};

/// So many policies of a document are taken at a time.
const SHARE: usize = 256;

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

/// What is made of policies, some at a time.
type Work<'w, P> = dyn Fn(Vec<ToscaPolicy>) -> Vec<P> + Sync + 'w;

/// A document being taken apart.
pub(super) struct Taking<'w, P> {
    template: ServiceTemplate<P>,
    work: &'w Work<'w, P>,
    /// What came of a list that was long, and the keys that lead to it.
    long: Option<(Vec<String>, Vec<Share<P>>)>,
}

/// What came of some items of a list.
struct Share<P> {
    items: usize,
    policies: Vec<P>,
    problems: Vec<Fault>,
}

enum Fault {
    Of(Problem),
    /// An item, by its place in the share, is no map from a name to a policy.
    Item(usize, Position, String),
}

/// The keys that lead to a list of policies.
const PATHS: [&[&str]; 2] = [&["policies"], &["topology_template", "policies"]];

impl<P: Send> LongLists for Taking<'_, P> {
    fn wants(&self, path: &[&str]) -> bool {
        PATHS.contains(&path)
    }

    fn take(&mut self, path: &[&str], items: &mut Items<'_>) -> bool {
        let work = self.work;
        let shares = cores::each(items, |piece| Some(share(piece.read()?, work)));
        let shares: Option<Vec<Share<P>>> = shares.into_iter().collect();
        let path = path.iter().map(|key| (*key).to_owned()).collect();
        self.long = shares.map(|shares| (path, shares));
        self.long.is_some()
    }
}

/// Settles the policies that are items of a list, and does the work on them.
fn share<P>(items: Vec<Node>, work: &Work<'_, P>) -> Share<P> {
    let mut share = Share { items: items.len(), policies: Vec::new(), problems: Vec::new() };
    let mut policies = Vec::with_capacity(items.len());
    let mut found = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        match item.kind {
            NodeKind::Map(entries) if !entries.is_empty() => {
                settle(entries, &mut policies, &mut found);
                share.problems.extend(found.drain(..).map(Fault::Of));
            }
            _ => share.problems.push(Fault::Item(at, item.position, item.found())),
        }
    }
    if !policies.is_empty() {
        share.policies = work(policies);
    }
    share
}

fn settle(entries: Vec<Entry>, policies: &mut Vec<ToscaPolicy>, problems: &mut Vec<Problem>) {
    let one = |Entry { key, key_position, value }| {
        ToscaPolicy::under_key(&key, key_position, value, problems)
    };
    policies.extend(entries.into_iter().filter_map(one));
}

impl<'w, P: Send> Taking<'w, P> {
    pub(super) fn new(work: &'w Work<'w, P>) -> Self {
        Self { template: ServiceTemplate::default(), work, long: None }
    }

    /// Takes a document apart. Where a list was long, an empty one stands in it.
    pub(super) fn document(mut self, document: Node) -> ServiceTemplate<P> {
        let at = document.position;
        if document.is_null() {
            let problem = Problem::error(
                "tosca-structure",
                "",
                "",
                at,
                "the document is empty: expected `topology_template` with `policies`",
            );
            self.template.problems.push(problem.onap_says("Cannot convert a NULL policy"));
            return self.template;
        }
        let is_template = PARTS.iter().any(|part| document.present(part).is_some());
        match document.kind {
            NodeKind::Map(entries) if is_template => {
                let versioned = self.version(&entries);
                entries.into_iter().for_each(|entry| self.part(entry));
                let template = &mut self.template;
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
            NodeKind::Map(entries) => self.alone(at, entries),
            _ => {
                let message =
                    format!("expected a map with `topology_template`, found {}", document.found());
                self.template.problems.push(Problem::error("tosca-structure", "", "", at, message));
            }
        }
        self.template
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
        let problem = Problem::error("tosca-version", "", key, value.position, message);
        self.template.problems.push(problem);
        Versioned::Otherwise
    }

    fn part(&mut self, entry: Entry) {
        match (&*entry.key, entry.value.kind) {
            ("topology_template", NodeKind::Map(entries)) => self.topology(entries),
            ("policies", kind) => {
                self.policies(&["policies"], Node { position: entry.value.position, kind });
            }
            ("policy_types", kind) => {
                self.template.policy_types = Some(Node { position: entry.value.position, kind });
            }
            ("data_types", kind) => {
                self.template.data_types = Some(Node { position: entry.value.position, kind });
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
                self.policies(&["topology_template", "policies"], value);
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

    fn policies(&mut self, path: &[&str], node: Node) {
        if let Some((_, shares)) = self.long.take_if(|(long, _)| *long == path) {
            return self.shares(path, shares);
        }
        match node.kind {
            NodeKind::Map(entries) => self.entries(entries),
            NodeKind::List(items) if items.is_empty() => {
                self.refuse(
                    &path.join("."),
                    node.position,
                    "the list has no entries: expected at least one policy",
                );
            }
            NodeKind::List(items) => {
                let work = self.work;
                let shares = cores::in_shares(items, SHARE, |items| share(items, work));
                self.shares(path, shares);
            }
            NodeKind::Null => {}
            _ => {
                let message = format!("expected a list of policies, found {}", node.found());
                self.refuse(&path.join("."), node.position, message);
            }
        }
    }

    fn shares(&mut self, path: &[&str], shares: Vec<Share<P>>) {
        let mut before = 0;
        self.template.policies.reserve(shares.iter().map(|share| share.policies.len()).sum());
        for share in shares {
            self.template.policies.extend(share.policies);
            for fault in share.problems {
                match fault {
                    Fault::Of(problem) => self.template.problems.push(problem),
                    Fault::Item(at, position, found) => {
                        let message = format!(
                            "expected a map from the policy's name to the policy, found {found}"
                        );
                        let path = format!("{}[{}]", path.join("."), before + at);
                        self.refuse(&path, position, message);
                    }
                }
            }
            before += share.items;
        }
    }

    fn entries(&mut self, entries: Vec<Entry>) {
        let work = self.work;
        let shares = cores::in_shares(entries, SHARE, |entries| {
            let (mut policies, mut problems) = (Vec::new(), Vec::new());
            settle(entries, &mut policies, &mut problems);
            (if policies.is_empty() { Vec::new() } else { work(policies) }, problems)
        });
        for (policies, problems) in shares {
            self.template.policies.extend(policies);
            self.template.problems.extend(problems);
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
                let policy = ToscaPolicy::alone(body, &mut self.template.problems);
                if let Some(policy) = policy {
                    self.template.policies = (self.work)(vec![policy]);
                }
            }
        }
    }

    fn refuse(&mut self, path: &str, at: Position, message: impl Into<String>) {
        let problem = Problem::error("tosca-structure", "", path, at, message);
        self.template.problems.push(problem);
    }
}

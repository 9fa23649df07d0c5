//! Which policies and rules were decided by a test.

use std::collections::{BTreeMap, HashSet};

use pdp_engine::combine::Verdict;
use pdp_engine::error::Position;
use pdp_engine::eval::trace::{Explanation, Listed, Step, subjects};
use pdp_onap::APPLICATIONS;
use serde_json::{Value, json};

use crate::store::Snapshot;

/// A policy or rule of a file.
type Key = (Position, &'static str, String);

/// What the tests have to decide, and what they have decided.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    files: BTreeMap<String, BTreeMap<Key, bool>>,
    seen: HashSet<Listed>,
}

impl Coverage {
    /// Takes note of what a snapshot holds.
    pub(super) fn holds(&mut self, snapshot: &Snapshot) {
        for row in APPLICATIONS {
            for listed in subjects(snapshot.program(row.application)) {
                if self.seen.insert(listed.clone()) {
                    let key = (listed.position, listed.subject.kind(), listed.id);
                    self.files.entry(listed.source).or_default().entry(key).or_insert(false);
                }
            }
        }
    }

    /// Takes note of what a decision came to.
    pub(super) fn decided(&mut self, explanation: &Explanation) {
        for story in &explanation.stories {
            self.steps(&story.steps);
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            if matches!(step.verdict, Verdict::Permit | Verdict::Deny) {
                let key = (step.position, step.subject.kind(), step.id.clone());
                let found = self.files.get_mut(&step.source).and_then(|file| file.get_mut(&key));
                if let Some(decided) = found {
                    *decided = true;
                }
            }
            self.steps(&step.children);
        }
    }

    /// So many of so many, by what they are.
    fn counts<'k>(
        entries: impl Iterator<Item = (&'k Key, &'k bool)> + Clone,
        kind: &str,
    ) -> (usize, usize) {
        let of_kind = entries.filter(|((_, found, _), _)| (*found == "rule") == (kind == "rule"));
        (of_kind.clone().filter(|(_, decided)| **decided).count(), of_kind.count())
    }

    /// Lines for people.
    pub(super) fn text(&self) -> String {
        let all = self.files.values().flatten();
        let ((rules, of_rules), (policies, of_policies)) =
            (Self::counts(all.clone(), "rule"), Self::counts(all, "policy"));
        let mut text = format!(
            "coverage: rules {rules}/{of_rules}, policies {policies}/{of_policies} decided by a test\n"
        );
        for (file, entries) in &self.files {
            let (rules, of_rules) = Self::counts(entries.iter(), "rule");
            let (policies, of_policies) = Self::counts(entries.iter(), "policy");
            text.push_str(&format!(
                "  {file}: rules {rules}/{of_rules}, policies {policies}/{of_policies}\n"
            ));
            for ((position, kind, id), _) in entries.iter().filter(|(_, decided)| !**decided) {
                text.push_str(&format!("    {file}:{position}: no test decides {kind} {id}\n"));
            }
        }
        text
    }

    /// The same for tools.
    pub(super) fn json(&self) -> Value {
        let files = self.files.iter().map(|(file, entries)| {
            let (rules, of_rules) = Self::counts(entries.iter(), "rule");
            let (policies, of_policies) = Self::counts(entries.iter(), "policy");
            let open: Vec<Value> = entries
                .iter()
                .filter(|(_, decided)| !**decided)
                .map(|((position, kind, id), _)| {
                    json!({"kind": kind, "id": id, "line": position.line, "column": position.column})
                })
                .collect();
            json!({
                "file": file,
                "rules": of_rules, "rulesDecided": rules,
                "policies": of_policies, "policiesDecided": policies,
                "undecided": open,
            })
        });
        files.collect()
    }
}

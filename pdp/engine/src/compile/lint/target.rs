//! Matches that no value satisfies, and targets that they keep from matching.

use super::Lint;
use crate::function::Order;
use crate::model::{self, Target};
use crate::program::code::{MatchNode, Span, Test};
use crate::value::{Data, Value};

impl<'l> Lint<'l> {
    /// Whether a target never matches. Two matches on one attribute are no contradiction: an
    /// attribute may have several values.
    pub(super) fn target(&mut self, target: &'l Target, nodes: Span) -> bool {
        let mut never = false;
        let parts = nodes.of(&self.code.any_of);
        for (part, node) in target.any_of.iter().zip(parts) {
            let alternatives = node.of(&self.code.all_of);
            let mut dead = Vec::new();
            for (all_of, node) in part.all_of.iter().zip(alternatives) {
                let matches = node.of(&self.code.matches);
                let first = all_of.matches.iter().zip(matches).find_map(|(written, node)| {
                    let literal = self.frame.literals.value(node.literal);
                    Some((written, never_true(written, node, &literal)?))
                });
                dead.extend(first);
            }
            let whole = dead.len() == part.all_of.len();
            never |= whole && !dead.is_empty();
            for (written, why) in dead {
                let so = if whole {
                    "the target never matches"
                } else {
                    "this alternative never matches"
                };
                self.warn("never-matches", written.position, format!("{why}: {so}"));
            }
        }
        never
    }
}

/// Why a match is true of no value.
fn never_true(written: &model::Match, node: &MatchNode, literal: &Value<'_>) -> Option<String> {
    match (node.test, literal.data()) {
        (Test::Order(order), Data::Double(double)) => {
            let beyond = match order {
                Order::Greater => double == f64::NEG_INFINITY,
                Order::Less => double == f64::INFINITY,
                Order::GreaterOrEqual | Order::LessOrEqual => false,
            };
            (double.is_nan() || beyond)
                .then(|| format!("`{}` is in this order to no double", &*written.literal.text))
        }
        (Test::Call(row), Data::String(text)) => {
            let name = row.0.id.rsplit(':').next().unwrap_or_default();
            let blank = match name {
                "anyURI-starts-with" => text.starts_with(' ') || uncollapsed(text),
                "anyURI-ends-with" => text.ends_with(' ') || uncollapsed(text),
                "anyURI-contains" => uncollapsed(text),
                _ => false,
            };
            if blank {
                return Some(format!(
                    "no anyURI has the blanks of `{text}`: blanks around it are dropped, runs of \
                     blanks are one"
                ));
            }
            let empty_part = |(local, domain): (&str, &str)| local.is_empty() || domain.is_empty();
            let no_address = text.is_empty() || text.rsplit_once('@').is_some_and(empty_part);
            (name == "rfc822Name-match" && no_address)
                .then(|| format!("`{text}` is neither a mail address nor a domain"))
        }
        _ => None,
    }
}

/// Whether a text holds blanks that collapsing removes.
fn uncollapsed(text: &str) -> bool {
    text.contains(['\t', '\n', '\r']) || text.contains("  ")
}

//! Lowers one policy: structure, targets, rules, obligations. Expressions have files of their own.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::CompileLimits;
use super::call::describe;
use super::expression::Variables;
use super::lint;
use crate::combine::{self, table::Combines};
use crate::error::{Diagnostic, Position, Severity};
use crate::finder::Catalogue;
use crate::function::{self, Code as FunctionCode, Pattern, Type};
use crate::model::{self, Child, Policy, PolicyKind, Version};
use crate::program::code::{
    AssignmentNode, ChildNode, Code, ExpressionNode, Lit, MatchNode, NoticeNode, PatternAt,
    PolicyNode, RowRef, RuleNode, Span, Test,
};
use crate::program::segment::{Frame, worth_an_index};
use crate::program::slots::SlotTable;
use crate::value::{DataType, OwnedValue};

/// What lowering one policy gave.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    pub(super) code: Code,
    pub(super) frame: Frame,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Lowered {
    /// Empty, with the memory of the policy before.
    fn clear(&mut self) {
        self.code.clear();
        self.frame.clear();
        self.diagnostics.clear();
    }
}

/// The policy being lowered.
pub(super) struct Lowering<'b> {
    pub(super) catalogue: &'b dyn Catalogue,
    pub(super) slots: &'b mut SlotTable,
    pub(super) patterns: &'b mut HashMap<String, Arc<Pattern>>,
    pub(super) limits: CompileLimits,
    pub(super) code: &'b mut Code,
    pub(super) frame: &'b mut Frame,
    pub(super) diagnostics: &'b mut Vec<Diagnostic>,
    /// The outermost policy, for diagnostics.
    pub(super) policy: String,
    /// The document that it was read from.
    source: &'b str,
    rule_places: Vec<Position>,
    /// The policies met so far, where some are nested.
    identities: HashSet<(PolicyKind, String, Version)>,
}

/// Lowers `policy` into `lowered`, whose memory is used again.
pub(super) fn lower(
    policy: &Policy,
    source: &str,
    catalogue: &dyn Catalogue,
    slots: &mut SlotTable,
    patterns: &mut HashMap<String, Arc<Pattern>>,
    limits: CompileLimits,
    lowered: &mut Lowered,
) {
    lowered.clear();
    let mut lowering = Lowering {
        catalogue,
        slots,
        patterns,
        limits,
        code: &mut lowered.code,
        frame: &mut lowered.frame,
        diagnostics: &mut lowered.diagnostics,
        policy: policy.id.clone(),
        source,
        rule_places: Vec::new(),
        identities: HashSet::new(),
    };
    lowering.policy(policy, 1);
    lowering.number_indexes();
    let rule_places = lowering.rule_places;
    lowered.frame.places.extend(rule_places);
    // What is surely not meant shows only in a policy that is whole.
    if lowered.diagnostics.iter().all(|found| found.severity == Severity::Warning) {
        let found = lint::lint(policy, source, (&lowered.code, &lowered.frame));
        lowered.diagnostics.extend(found);
    }
}

pub(super) fn at(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Appends `nodes` and gives their run.
fn extend<T>(all: &mut Vec<T>, nodes: Vec<T>) -> Span {
    let span = Span { start: at(all.len()), len: at(nodes.len()) };
    all.extend(nodes);
    span
}

impl Lowering<'_> {
    pub(super) fn error(&mut self, code: &'static str, position: Position, message: String) {
        let policy = self.policy.clone();
        self.diagnostics.push(Diagnostic {
            severity: Severity::Error,
            code,
            message,
            position,
            policy,
            document: self.source.to_owned(),
        });
    }

    pub(super) fn warning(&mut self, code: &'static str, position: Position, message: String) {
        let policy = self.policy.clone();
        self.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            code,
            message,
            position,
            policy,
            document: self.source.to_owned(),
        });
    }

    pub(super) fn literal_value(&mut self, value: OwnedValue) -> Lit {
        self.frame.literals.push_value(value)
    }

    pub(super) fn text(&mut self, text: &str) -> Lit {
        self.frame.literals.push_text(text)
    }

    /// A nested policy gets the next number; number 0 is the policy itself.
    fn policy(&mut self, policy: &Policy, depth: usize) -> u32 {
        let number = at(self.code.policies.len());
        self.frame.places.push(policy.position);
        let id = self.text(&policy.id);
        let version = at(self.frame.versions.len());
        self.frame.versions.push(Arc::new(policy.version.clone()));
        self.code.policies.push(PolicyNode {
            kind: policy.kind,
            id,
            version,
            target: Span::default(),
            combining: combine::Algorithm::DenyOverrides,
            children: Span::default(),
            notices: Span::default(),
            index: None,
        });
        if depth > self.limits.policy_depth {
            let message = format!(
                "`{}` is nested {depth} deep; the limit is {}",
                policy.id, self.limits.policy_depth
            );
            self.error("limit-depth", policy.position, message);
            return number;
        }
        let nests = policy.children.iter().any(|child| matches!(child, Child::Policy(_)));
        if depth > 1 || nests {
            let identity = (policy.kind, policy.id.clone(), policy.version.clone());
            if !self.identities.insert(identity) {
                let message = format!(
                    "`{}` version {} stands in this policy set already",
                    policy.id, policy.version
                );
                self.error("duplicate-policy", policy.position, message);
            }
        }
        if let Some(position) = policy.issuer {
            let message = "a policy with a PolicyIssuer is trusted only through delegation, \
                           which this service does not do"
                .to_owned();
            self.error("policy-issuer", position, message);
        }
        let combining = self.algorithm(policy);
        let target = self.target(&policy.target);
        let mut variables = Variables::new(&policy.variables, self);
        let children = self.children(policy, &mut variables, depth);
        let notices = self.notices(&policy.notices, &mut variables);
        variables.lower_unused(self);
        let index = (combining.ignores_no_match() && worth_an_index(children.len)).then_some(0);
        let node = &mut self.code.policies[number as usize];
        *node = PolicyNode { target, combining, children, notices, index, ..*node };
        number
    }

    /// Numbers the child indexes in the order of their policies, as the segment builds them.
    fn number_indexes(&mut self) {
        let indexed = self.code.policies.iter_mut().filter_map(|policy| policy.index.as_mut());
        for (number, index) in (0u32..).zip(indexed) {
            *index = number;
        }
    }

    fn algorithm(&mut self, policy: &Policy) -> combine::Algorithm {
        let wanted = match policy.kind {
            PolicyKind::Policy => Combines::Rules,
            PolicyKind::PolicySet => Combines::Policies,
        };
        match combine::table::find(&policy.combining) {
            Some(row) if row.combines == wanted => {
                if let Some(successor) = row.successor {
                    let message =
                        format!("`{}` is deprecated; use `{successor}`", policy.combining);
                    self.warning("deprecated", policy.combining_position, message);
                }
                row.algorithm
            }
            Some(_) => {
                let (it, not) = match wanted {
                    Combines::Rules => ("policies", "rules"),
                    Combines::Policies => ("rules", "policies"),
                };
                let message = format!("`{}` combines {it}, not {not}", policy.combining);
                self.error("unknown-algorithm", policy.combining_position, message);
                combine::Algorithm::DenyOverrides
            }
            None => {
                let known = combine::table::ROWS
                    .iter()
                    .filter(|row| row.combines == wanted)
                    .map(|row| row.id);
                let message = format!(
                    "unknown combining algorithm `{}`{}",
                    policy.combining,
                    did_you_mean(&policy.combining, known)
                );
                self.error("unknown-algorithm", policy.combining_position, message);
                combine::Algorithm::DenyOverrides
            }
        }
    }

    fn children(&mut self, policy: &Policy, variables: &mut Variables<'_>, depth: usize) -> Span {
        let mut nodes = Vec::with_capacity(policy.children.len());
        let mut rule_ids = HashSet::new();
        for child in &policy.children {
            nodes.push(match child {
                Child::Rule(rule) => {
                    if !rule_ids.insert(rule.id.as_str()) {
                        let message = format!("a rule `{}` stands in this policy already", rule.id);
                        self.error("duplicate-rule", rule.position, message);
                    }
                    ChildNode::Rule(self.rule(rule, variables))
                }
                Child::Policy(nested) => ChildNode::Policy(self.policy(nested, depth + 1)),
                Child::Reference(reference) => {
                    self.frame.references.push(reference.clone());
                    ChildNode::Reference(at(self.frame.references.len() - 1))
                }
            });
        }
        extend(&mut self.code.children, nodes)
    }

    fn rule(&mut self, rule: &model::Rule, variables: &mut Variables<'_>) -> u32 {
        let id = self.text(&rule.id);
        let target = rule.target.as_ref().map_or_else(Span::default, |target| self.target(target));
        let condition = rule.condition.as_ref().and_then(|condition| {
            let (expression, found) = self.expression(condition, variables, 1)?;
            if found != Type::one(DataType::Boolean) {
                let message = format!("a condition must be one boolean, not {}", describe(found));
                self.error("condition-type", condition.position(), message);
            }
            Some(expression)
        });
        let notices = self.notices(&rule.notices, variables);
        self.rule_places.push(rule.position);
        self.code.rules.push(RuleNode { id, effect: rule.effect, target, condition, notices });
        at(self.code.rules.len() - 1)
    }

    fn target(&mut self, target: &model::Target) -> Span {
        let mut any_of = Vec::with_capacity(target.any_of.len());
        for part in &target.any_of {
            let mut all_of = Vec::with_capacity(part.all_of.len());
            for alternative in &part.all_of {
                let matches =
                    alternative.matches.iter().filter_map(|node| self.match_node(node)).collect();
                all_of.push(extend(&mut self.code.matches, matches));
            }
            any_of.push(extend(&mut self.code.all_of, all_of));
        }
        extend(&mut self.code.any_of, any_of)
    }

    fn match_node(&mut self, node: &model::Match) -> Option<MatchNode> {
        // Every part is looked at even after an error, so that all problems are reported.
        let row = self.function_row(&node.function, node.position);
        let literal_type = self.data_type(&node.literal.data_type, node.literal.position);
        let literal = literal_type.and_then(|_| self.literal(&node.literal));
        let bag = match &node.bag {
            model::MatchBag::Designator(designator) => {
                self.slot(designator).map(|(slot, data_type)| {
                    let must_be_present = designator.must_be_present;
                    let bag = ExpressionNode::Designator { slot, must_be_present };
                    (bag, data_type, designator.position)
                })
            }
            model::MatchBag::Selector(selector) => {
                self.selector(selector).map(|(bag, data_type)| (bag, data_type, selector.position))
            }
        };
        let (row, literal_type, (bag, bag_type, position)) = (row?, literal_type?, bag?);
        let signature = &row.signature;
        let [first, second] = signature.parameters else {
            return self.match_function(node, "does not take two values");
        };
        if first.bag || second.bag || signature.rest.is_some() {
            return self.match_function(node, "does not take two values");
        }
        if signature.result != Type::one(DataType::Boolean) {
            return self.match_function(node, "does not yield a boolean");
        }
        for (name, found, wanted, position) in [
            ("value", literal_type, first.data_type, node.literal.position),
            ("attribute", bag_type, second.data_type, position),
        ] {
            if found != wanted {
                let message = format!(
                    "the {name} of this match is of type {}; `{}` takes {} there",
                    found.short_name(),
                    node.function,
                    wanted.short_name()
                );
                self.error("argument-type", position, message);
                return None;
            }
        }
        let test = match row.code {
            FunctionCode::Equal => Test::Equal,
            FunctionCode::Order(order) => Test::Order(order),
            FunctionCode::Plain(_) | FunctionCode::XPath(_) | FunctionCode::AccessPermitted => {
                Test::Call(RowRef(row))
            }
            FunctionCode::Pattern(_) => {
                Test::Pattern(RowRef(row), self.pattern(&node.literal.text, node.literal.position)?)
            }
            _ => return self.match_function(node, "cannot stand in a match"),
        };
        let literal = literal?;
        let (slot, must_be_present) = match bag {
            ExpressionNode::Designator { slot, must_be_present } => (Some(slot), must_be_present),
            _ => (None, false),
        };
        let bag = self.node(bag);
        Some(MatchNode { bag, slot, must_be_present, literal, test })
    }

    fn match_function<T>(&mut self, node: &model::Match, why: &str) -> Option<T> {
        let message = format!("`{}` {why}, so a match cannot use it", node.function);
        self.error("match-function", node.position, message);
        None
    }

    pub(super) fn function_row(
        &mut self,
        id: &str,
        position: Position,
    ) -> Option<&'static function::Row> {
        let Some(row) = function::find(id) else {
            let known = function::all().map(|row| row.id);
            let message = format!("unknown function `{id}`{}", did_you_mean(id, known));
            self.error("unknown-function", position, message);
            return None;
        };
        if let Some(successor) = row.successor {
            let message = format!("`{id}` is deprecated; use `{successor}`");
            self.warning("deprecated", position, message);
        }
        Some(row)
    }

    /// The regular expression `text`, built once for all that use it.
    pub(super) fn pattern(&mut self, text: &str, position: Position) -> Option<PatternAt> {
        let pattern = match self.patterns.get(text) {
            Some(pattern) => Arc::clone(pattern),
            None => match Pattern::new(text) {
                Ok(pattern) => {
                    let pattern = Arc::new(pattern);
                    self.patterns.insert(text.to_owned(), Arc::clone(&pattern));
                    pattern
                }
                Err(reason) => {
                    let message = format!("`{text}` is not a regular expression: {reason}");
                    self.error("bad-pattern", position, message);
                    return None;
                }
            },
        };
        self.frame.patterns.push(pattern);
        Some(PatternAt(at(self.frame.patterns.len() - 1)))
    }

    fn notices(&mut self, notices: &[model::Notice], variables: &mut Variables<'_>) -> Span {
        let mut nodes = Vec::with_capacity(notices.len());
        for notice in notices {
            let id = self.text(&notice.id);
            let mut assignments = Vec::with_capacity(notice.assignments.len());
            for assignment in &notice.assignments {
                let attribute_id = self.text(&assignment.attribute_id);
                let category = assignment.category.as_ref().map(|text| self.text(text));
                let issuer = assignment.issuer.as_ref().map(|text| self.text(text));
                if let Some((expression, _)) = self.expression(&assignment.expression, variables, 1)
                {
                    assignments.push(AssignmentNode { attribute_id, category, issuer, expression });
                }
            }
            let assignments = extend(&mut self.code.assignments, assignments);
            nodes.push(NoticeNode { kind: notice.kind, id, effect: notice.effect, assignments });
        }
        extend(&mut self.code.notices, nodes)
    }
}

/// ` (did you mean …?)` where a known identifier is near.
pub(super) fn did_you_mean<'k>(given: &str, known: impl Iterator<Item = &'k str>) -> String {
    let near = known
        .map(|candidate| (strsim::damerau_levenshtein(given, candidate), candidate))
        .min()
        .filter(|(distance, _)| *distance <= 3.max(given.len() / 8));
    near.map_or_else(String::new, |(_, candidate)| format!(" (did you mean `{candidate}`?)"))
}

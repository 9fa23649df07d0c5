//! Policies, rules and references (XACML 3.0 sections 7.12 to 7.14).

use std::cell::OnceCell;

use super::children::Family;
use super::trace::Observer;
use super::{Abort, Activation, Evaluation, Trouble, Valued};
use crate::combine::{Applicability, Verdict};
use crate::context::words;
use crate::model::{PolicyIdentifier, Status, StatusCode};
use crate::program::Location;
use crate::program::code::{ChildNode, ExpressionId, Span};
use crate::value::{Data, Operand};

/// Where a target leaves its policy.
pub(super) type Applied<'a> = (Applicability, Option<&'a Status<'a>>);

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// The value of the whole program.
    pub(super) fn root(&mut self) -> Result<Valued<'a>, Abort> {
        let program = self.context.program;
        let roots = self.roots();
        self.observer.begin(self.context, roots.len());
        self.combine(program.root.combining, Family::Instances(roots))
    }

    fn activate(&mut self, location: Location, references: usize) -> &'a Activation<'a> {
        let program = self.context.program;
        let segment = &*program.parts[location.segment as usize].segment;
        let instance = &segment.instances()[location.instance as usize];
        let arena = self.call.arena;
        arena.alloc(Activation {
            segment,
            instance,
            code: segment.code(instance),
            part: location.segment,
            variables: arena.alloc(OnceCell::new()),
            references,
        })
    }

    pub(super) fn instance(
        &mut self,
        location: Location,
        references: usize,
    ) -> Result<Valued<'a>, Abort> {
        let activation = self.activate(location, references);
        self.policy(activation, 0)
    }

    pub(super) fn instance_applicability(
        &mut self,
        location: Location,
        references: usize,
    ) -> Result<Applied<'a>, Abort> {
        let activation = self.activate(location, references);
        self.target(activation, activation.code.policies[0].target)
    }

    pub(super) fn child(
        &mut self,
        activation: &'a Activation<'a>,
        node: ChildNode,
    ) -> Result<Valued<'a>, Abort> {
        match node {
            ChildNode::Rule(rule) => self.rule(activation, rule),
            ChildNode::Policy(policy) => self.policy(activation, policy),
            ChildNode::Reference(reference) => match self.follow(activation, reference)? {
                Some(location) => self.instance(location, activation.references + 1),
                None => {
                    let status = Some(self.leads_nowhere(activation, reference));
                    Ok(Valued { verdict: Verdict::IndeterminateDP, status })
                }
            },
        }
    }

    pub(super) fn child_applicability(
        &mut self,
        activation: &'a Activation<'a>,
        node: ChildNode,
    ) -> Result<Applied<'a>, Abort> {
        match node {
            ChildNode::Rule(rule) => {
                self.target(activation, activation.code.rules[rule as usize].target)
            }
            ChildNode::Policy(policy) => {
                self.target(activation, activation.code.policies[policy as usize].target)
            }
            ChildNode::Reference(reference) => match self.follow(activation, reference)? {
                Some(location) => self.instance_applicability(location, activation.references + 1),
                None => {
                    let status = self.leads_nowhere(activation, reference);
                    Ok((Applicability::Indeterminate, Some(status)))
                }
            },
        }
    }

    /// Where a reference leads. Linking has refused those that lead in a circle, or nowhere and may not.
    fn follow(
        &mut self,
        activation: &Activation<'a>,
        reference: u32,
    ) -> Result<Option<Location>, Abort> {
        let number = activation.segment.reference_number(activation.instance, reference);
        let program = self.context.program;
        let target = program.parts[activation.part as usize].references[number as usize];
        let limit = self.context.limits.reference_depth;
        match target {
            Some(_) if activation.references >= limit => {
                let message = words(
                    self.call.arena,
                    format_args!(
                        "policy references follow one another deeper than the limit of {limit}"
                    ),
                );
                Err(self.limit_reached(message))
            }
            target => Ok(target),
        }
    }

    #[cold]
    fn leads_nowhere(&mut self, activation: &Activation<'a>, reference: u32) -> &'a Status<'a> {
        let number = activation.segment.reference_number(activation.instance, reference);
        let id = &activation.segment.references()[number as usize].id;
        let message = words(
            self.call.arena,
            format_args!("no policy that is loaded fits the reference to `{id}`"),
        );
        self.status(StatusCode::ProcessingError, message)
    }

    fn policy(&mut self, activation: &'a Activation<'a>, number: u32) -> Result<Valued<'a>, Abort> {
        self.step()?;
        // Evaluation goes down by recursion: this is what keeps it on the stack.
        if self.nesting >= self.context.limits.policy_depth {
            return Err(self.nested_too_deep());
        }
        self.nesting += 1;
        self.observer.enter_policy(activation.segment, activation.instance, number);
        let valued = self.policy_value(activation, number)?;
        self.observer.leave(valued.verdict, valued.status);
        self.nesting -= 1;
        Ok(valued)
    }

    #[cold]
    fn nested_too_deep(&mut self) -> Abort {
        let limit = self.context.limits.policy_depth;
        let message = words(
            self.call.arena,
            format_args!(
                "policies are nested deeper than the limit of {limit}, references followed"
            ),
        );
        self.limit_reached(message)
    }

    fn policy_value(
        &mut self,
        activation: &'a Activation<'a>,
        number: u32,
    ) -> Result<Valued<'a>, Abort> {
        let node = &activation.code.policies[number as usize];
        let (applicability, status) = self.target(activation, node.target)?;
        self.observer.target(applicability);
        match applicability {
            Applicability::NoMatch => return Ok(Valued::NOT_APPLICABLE),
            Applicability::Pending => return Ok(Valued::PENDING),
            Applicability::Match | Applicability::Indeterminate => {}
        }
        let mark = self.context.lists.notices.len();
        let family = match node.index {
            Some(index) if self.context.limits.indexed => {
                let index = activation.segment.child_index(activation.instance, index);
                let proposed = self.propose(index);
                self.observer.left_out(node.children.len as usize - proposed.len());
                Family::Proposed(activation, node.children, proposed)
            }
            _ => Family::Inner(activation, node.children),
        };
        let combined = self.combine(node.combining, family)?;
        if applicability == Applicability::Indeterminate {
            self.context.lists.notices.truncate(mark);
            let verdict = combined.verdict.under_indeterminate_target();
            return Ok(match verdict {
                Verdict::NotApplicable | Verdict::Pending => Valued::plain(verdict),
                _ => Valued { verdict, status },
            });
        }
        let Some(effect) = combined.verdict.effect() else { return Ok(combined) };
        let valued = self.with_notices(activation, node.notices, effect, mark)?;
        if self.context.options.return_policy_ids && valued.verdict.effect().is_some() {
            self.context.lists.policies.push(PolicyIdentifier {
                kind: node.kind,
                id: activation.segment.text(activation.instance, node.id),
                version: activation.segment.version(activation.instance, node.version),
            });
        }
        Ok(valued)
    }

    fn rule(&mut self, activation: &'a Activation<'a>, number: u32) -> Result<Valued<'a>, Abort> {
        self.step()?;
        self.observer.enter_rule(activation.segment, activation.instance, number);
        let valued = self.rule_value(activation, number)?;
        self.observer.leave(valued.verdict, valued.status);
        Ok(valued)
    }

    fn rule_value(
        &mut self,
        activation: &'a Activation<'a>,
        number: u32,
    ) -> Result<Valued<'a>, Abort> {
        let node = &activation.code.rules[number as usize];
        if node.target != Span::default() {
            let (applicability, status) = self.target(activation, node.target)?;
            self.observer.target(applicability);
            match applicability {
                Applicability::Match => {}
                Applicability::NoMatch => return Ok(Valued::NOT_APPLICABLE),
                Applicability::Pending => return Ok(Valued::PENDING),
                Applicability::Indeterminate => {
                    return Ok(Valued { verdict: Verdict::indeterminate(node.effect), status });
                }
            }
        }
        if let Some(condition) = node.condition {
            match self.boolean(activation, condition) {
                Ok(true) => self.observer.condition(Some(true)),
                Ok(false) => {
                    self.observer.condition(Some(false));
                    return Ok(Valued::NOT_APPLICABLE);
                }
                Err(Trouble::Fault(status)) => {
                    self.observer.condition(None);
                    let verdict = Verdict::indeterminate(node.effect);
                    return Ok(Valued { verdict, status: Some(status) });
                }
                Err(Trouble::Pending) => return Ok(Valued::PENDING),
                Err(Trouble::Abort) => return Err(Abort),
            }
        }
        let mark = self.context.lists.notices.len();
        self.with_notices(activation, node.notices, node.effect, mark)
    }

    /// A boolean expression. Compile has checked the type.
    pub(super) fn boolean(
        &mut self,
        activation: &'a Activation<'a>,
        id: ExpressionId,
    ) -> Result<bool, Trouble<'a>> {
        match self.expression(activation, id)? {
            Operand::Value(value) => match value.data() {
                Data::Boolean(truth) => Ok(truth),
                _ => Err(self.wrong_type()),
            },
            Operand::Bag(_) => Err(self.wrong_type()),
        }
    }
}

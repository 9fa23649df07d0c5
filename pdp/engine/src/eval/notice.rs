//! Obligations and advice (XACML 3.0 section 7.18).

use bumpalo::collections::Vec as ArenaVec;

use super::trace::Observer;
use super::{Abort, Activation, Evaluation, Trouble, Valued};
use crate::combine::Verdict;
use crate::model::{AssignedValue, Effect, ReturnedNotice};
use crate::program::code::{NoticeNode, Span};
use crate::value::Operand;

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// Drops the notices since `mark` whose decision is not `verdict`.
    #[inline]
    pub(super) fn keep_notices(&mut self, mark: usize, verdict: Verdict) {
        let notices = &mut self.context.lists.notices;
        if notices.len() == mark {
            return;
        }
        let Some(effect) = verdict.effect() else {
            notices.truncate(mark);
            return;
        };
        let mut at = 0;
        notices.retain(|(of, _)| {
            at += 1;
            at <= mark || *of == effect
        });
    }

    /// A rule or policy that yields `effect`, with those of its notices that go with it. One that
    /// errs makes the rule or policy Indeterminate, and what it held since `mark` is dropped.
    pub(super) fn with_notices(
        &mut self,
        activation: &'a Activation<'a>,
        notices: Span,
        effect: Effect,
        mark: usize,
    ) -> Result<Valued<'a>, Abort> {
        for node in notices.of(&activation.code.notices) {
            if node.effect != effect {
                continue;
            }
            match self.notice(activation, node) {
                Ok(notice) => self.context.lists.notices.push((effect, notice)),
                Err(Trouble::Abort) => return Err(Abort),
                Err(Trouble::Pending) => return Ok(Valued::PENDING),
                Err(Trouble::Fault(status)) => {
                    self.context.lists.notices.truncate(mark);
                    let verdict = Verdict::indeterminate(effect);
                    return Ok(Valued { verdict, status: Some(status) });
                }
            }
        }
        Ok(Valued::plain(Verdict::of(effect)))
    }

    fn notice(
        &mut self,
        activation: &'a Activation<'a>,
        node: &NoticeNode,
    ) -> Result<ReturnedNotice<'a>, Trouble<'a>> {
        let text = |lit| activation.segment.text(activation.instance, lit);
        let nodes = node.assignments.of(&activation.code.assignments);
        let mut assignments = ArenaVec::with_capacity_in(nodes.len(), self.call.arena);
        for assignment in nodes {
            let assigned = AssignedValue {
                attribute_id: text(assignment.attribute_id),
                category: assignment.category.map(text),
                issuer: assignment.issuer.map(text),
                value: crate::value::Value::boolean(false),
            };
            match self.expression(activation, assignment.expression)? {
                Operand::Value(value) => assignments.push(AssignedValue { value, ..assigned }),
                Operand::Bag(bag) => assignments.extend(
                    bag.values.iter().map(|value| AssignedValue { value: *value, ..assigned }),
                ),
            }
        }
        let assignments = assignments.into_bump_slice();
        Ok(ReturnedNotice { kind: node.kind, id: text(node.id), assignments })
    }
}

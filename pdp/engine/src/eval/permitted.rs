//! `access-permitted`: decides again, on a changed request (XACML 3.0 appendix A.3.16).
//!
//! The request is the one at hand, but what stands within the Attributes element of one category is
//! replaced. It is decided by itself, from the same roots; only the steps, the look-ups that do not
//! depend on the category, and the limits are shared. Policies that ask about themselves without end
//! are stopped by two limits: of calls, and of calls within each other.

use super::trace::{Observer, Unobserved};
use super::{Abort, Evaluation, Trouble};
use crate::combine::Verdict;
use crate::context::words;
use crate::format::cursor::ReadLimits;
use crate::format::xacml3_xml::request::read_category;
use crate::model::StatusCode;
use crate::value::{Data, Operand, Value};

/// Bytes and slots that one step reads.
const PER_STEP: usize = 32;

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// Whether the policies permit the request with the category of the first argument replaced by
    /// the XML of the second. Anything but Permit is false.
    pub(super) fn access_permitted(
        &mut self,
        operands: &[Operand<'a>],
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let [Operand::Value(category), Operand::Value(body)] = operands else {
            return Err(self.wrong_type());
        };
        let (Data::AnyUri(category), Data::String(body)) = (category.data(), body.data()) else {
            return Err(self.wrong_type());
        };
        self.count_call()?;
        let read = body.len() + self.context.program.slots.len();
        if !self.call.budget.spend((read / PER_STEP) as u64) {
            return Err(self.out_of_steps().into());
        }
        let outer = self.context.set_aside(category);
        let permitted = match self.replace(category, body) {
            Ok(()) => {
                self.context.take_over(&outer, category);
                self.decide_within()
            }
            Err(trouble) => Err(trouble),
        };
        self.context.go_back(outer);
        Ok(Operand::Value(Value::boolean(permitted?)))
    }

    fn count_call(&mut self) -> Result<(), Abort> {
        let limits = self.context.limits;
        let (calls, depth) = (limits.permitted_calls, limits.permitted_depth);
        if self.context.permitted_calls >= calls {
            return Err(self.limit_reached(words(
                self.call.arena,
                format_args!(
                    "the decision calls access-permitted more often than the limit of {calls}"
                ),
            )));
        }
        if self.context.permitted_depth >= depth {
            return Err(self.limit_reached(words(
                self.call.arena,
                format_args!("access-permitted leads to itself deeper than the limit of {depth}"),
            )));
        }
        self.context.permitted_calls += 1;
        Ok(())
    }

    /// Reads the category anew.
    fn replace(&mut self, category: &'a str, body: &str) -> Result<(), Trouble<'a>> {
        let read = read_category(body, category, &ReadLimits::REQUEST, &mut *self.context);
        if let Err(error) = read {
            let message = words(
                self.call.arena,
                format_args!("access-permitted: `{category}` cannot be read: {}", error.message),
            );
            return Err(Trouble::Fault(self.status(StatusCode::SyntaxError, message)));
        }
        if let Some(why) = self.context.several() {
            let message = words(
                self.call.arena,
                format_args!("access-permitted decides one request, not several ({why})"),
            );
            return Err(Trouble::Fault(self.status(StatusCode::ProcessingError, message)));
        }
        Ok(())
    }

    /// Decides what the context holds now.
    fn decide_within(&mut self) -> Result<bool, Trouble<'a>> {
        self.context.seal();
        self.context.permitted_depth += 1;
        let mut within = Evaluation {
            context: &mut *self.context,
            finder: self.finder,
            call: self.call,
            observer: &mut Unobserved,
            limit: None,
            nesting: self.nesting,
        };
        let valued = within.root();
        let limit = within.limit;
        self.context.permitted_depth -= 1;
        match valued {
            Ok(valued) if valued.verdict == Verdict::Pending => Err(Trouble::Pending),
            Ok(valued) => Ok(valued.verdict == Verdict::Permit),
            Err(Abort) => {
                self.limit = self.limit.or(limit);
                Err(Trouble::Abort)
            }
        }
    }
}

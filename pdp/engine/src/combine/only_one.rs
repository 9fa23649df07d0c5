//! only-one-applicable (appendix C.9): looks at targets first.

use super::{Applicability, Children, Verdict};

pub(super) fn combine<C: Children>(children: &mut C) -> Result<Verdict, C::Abort> {
    let (mut found, mut pending) = (false, false);
    while children.advance() {
        match children.applicability()? {
            Applicability::NoMatch => {}
            // Nothing after a pending target is certain to be looked at, but targets are what this
            // algorithm looks at in any case unless it ends early.
            Applicability::Pending => pending = true,
            Applicability::Indeterminate if pending => return Ok(Verdict::Pending),
            Applicability::Indeterminate => return Ok(Verdict::IndeterminateDP),
            Applicability::Match if pending => {}
            Applicability::Match if found => {
                children.fail("more than one policy applies under only-one-applicable");
                return Ok(Verdict::IndeterminateDP);
            }
            Applicability::Match => {
                found = true;
                children.mark();
            }
        }
    }
    match (pending, found) {
        (true, _) => Ok(Verdict::Pending),
        (false, true) => children.evaluate_marked(),
        (false, false) => Ok(Verdict::NotApplicable),
    }
}

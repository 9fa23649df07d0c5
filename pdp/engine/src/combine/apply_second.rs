//! on-permit-apply-second (additional combining algorithms profile).

use super::{Children, Verdict};

/// The first child chooses between the second and the third.
pub(super) fn combine<C: Children>(children: &mut C) -> Result<Verdict, C::Abort> {
    if !(2..=3).contains(&children.count()) {
        children.fail("on-permit-apply-second takes two or three policies");
        return Ok(Verdict::IndeterminateDP);
    }
    children.advance();
    match children.evaluate()? {
        Verdict::Pending => Ok(Verdict::Pending),
        Verdict::Permit => {
            children.advance();
            children.evaluate()
        }
        Verdict::Deny | Verdict::NotApplicable | Verdict::IndeterminateD => {
            children.advance();
            if children.advance() { children.evaluate() } else { Ok(Verdict::NotApplicable) }
        }
        Verdict::IndeterminateP | Verdict::IndeterminateDP => Ok(Verdict::IndeterminateDP),
    }
}

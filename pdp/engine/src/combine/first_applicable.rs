//! first-applicable (appendix C.8).

use super::{Children, Verdict};

/// The first child that is not NotApplicable decides, with its extended Indeterminate.
pub(super) fn combine<C: Children>(children: &mut C) -> Result<Verdict, C::Abort> {
    while children.advance() {
        match children.evaluate()? {
            Verdict::NotApplicable => {}
            verdict => return Ok(verdict),
        }
    }
    Ok(Verdict::NotApplicable)
}

//! deny-overrides and permit-overrides, version 3.0 (appendix C.2 and C.4).

use super::{Children, Verdict};
use crate::model::Effect;

/// `strong` wins over the other effect. Written for Deny; Permit is the mirror image.
pub(super) fn combine<C: Children>(children: &mut C, strong: Effect) -> Result<Verdict, C::Abort> {
    let mirror = |verdict: Verdict| match strong {
        Effect::Deny => verdict,
        Effect::Permit => verdict.mirrored(),
    };
    let (mut permit, mut error_d, mut error_p, mut error_dp, mut pending) =
        (false, false, false, false, false);
    while children.advance() {
        match mirror(children.evaluate()?) {
            // What stands before may still be pending, so only a settled run may stop here.
            Verdict::Deny if pending => return Ok(Verdict::Pending),
            Verdict::Deny => return Ok(mirror(Verdict::Deny)),
            Verdict::Permit => permit = true,
            Verdict::IndeterminateD => error_d = true,
            Verdict::IndeterminateP => error_p = true,
            Verdict::IndeterminateDP => error_dp = true,
            Verdict::NotApplicable => {}
            Verdict::Pending => pending = true,
        }
    }
    Ok(if pending {
        Verdict::Pending
    } else if error_dp || (error_d && (error_p || permit)) {
        Verdict::IndeterminateDP
    } else if error_d {
        mirror(Verdict::IndeterminateD)
    } else if permit {
        mirror(Verdict::Permit)
    } else if error_p {
        mirror(Verdict::IndeterminateP)
    } else {
        Verdict::NotApplicable
    })
}

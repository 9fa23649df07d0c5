//! combined-permit-overrides, the algorithm of ONAP's root policy sets: every child is evaluated,
//! and all that permit contribute their obligations and advice.

use super::{Children, Verdict};

pub(super) fn combine<C: Children>(children: &mut C) -> Result<Verdict, C::Abort> {
    let (mut permit, mut deny, mut pending) = (false, false, false);
    let (mut error_d, mut error_p, mut error_dp) = (false, false, false);
    while children.advance() {
        match children.evaluate()? {
            Verdict::Permit => permit = true,
            Verdict::Deny => deny = true,
            Verdict::IndeterminateD => error_d = true,
            Verdict::IndeterminateP => error_p = true,
            Verdict::IndeterminateDP => error_dp = true,
            Verdict::NotApplicable => {}
            Verdict::Pending => pending = true,
        }
    }
    Ok(if pending {
        Verdict::Pending
    } else if permit {
        Verdict::Permit
    } else if error_dp || (error_p && (deny || error_d)) {
        Verdict::IndeterminateDP
    } else if error_p {
        Verdict::IndeterminateP
    } else if deny {
        Verdict::Deny
    } else if error_d {
        Verdict::IndeterminateD
    } else {
        Verdict::NotApplicable
    })
}

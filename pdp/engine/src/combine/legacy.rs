//! The overrides of 1.0 and 1.1 (appendix C.10 to C.13). They do not track the extended
//! Indeterminate of 3.0 beyond what their own text says.

use super::{Children, Verdict};
use crate::model::Effect;

/// Rules: an error of a rule with the strong effect counts before the other effect.
pub(super) fn rules<C: Children>(children: &mut C, strong: Effect) -> Result<Verdict, C::Abort> {
    let mirror = |verdict: Verdict| match strong {
        Effect::Deny => verdict,
        Effect::Permit => verdict.mirrored(),
    };
    let (mut permit, mut error_d, mut error_p, mut pending) = (false, false, false, false);
    while children.advance() {
        match mirror(children.evaluate()?) {
            Verdict::Deny if pending => return Ok(Verdict::Pending),
            Verdict::Deny => return Ok(mirror(Verdict::Deny)),
            Verdict::Permit => permit = true,
            Verdict::IndeterminateD | Verdict::IndeterminateDP => error_d = true,
            Verdict::IndeterminateP => error_p = true,
            Verdict::NotApplicable => {}
            Verdict::Pending => pending = true,
        }
    }
    Ok(if pending {
        Verdict::Pending
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

/// Policies, deny-overrides: an error denies. Never Indeterminate.
pub(super) fn policies_deny<C: Children>(children: &mut C) -> Result<Verdict, C::Abort> {
    let (mut permit, mut pending) = (false, false);
    while children.advance() {
        match children.evaluate()? {
            Verdict::Deny
            | Verdict::IndeterminateD
            | Verdict::IndeterminateP
            | Verdict::IndeterminateDP => {
                return Ok(if pending { Verdict::Pending } else { Verdict::Deny });
            }
            Verdict::Permit => permit = true,
            Verdict::NotApplicable => {}
            Verdict::Pending => pending = true,
        }
    }
    Ok(if pending {
        Verdict::Pending
    } else if permit {
        Verdict::Permit
    } else {
        Verdict::NotApplicable
    })
}

/// Policies, permit-overrides: an error counts after both effects.
pub(super) fn policies_permit<C: Children>(children: &mut C) -> Result<Verdict, C::Abort> {
    let (mut deny, mut error, mut pending) = (false, false, false);
    while children.advance() {
        match children.evaluate()? {
            Verdict::Permit => return Ok(if pending { Verdict::Pending } else { Verdict::Permit }),
            Verdict::Deny => deny = true,
            Verdict::IndeterminateD | Verdict::IndeterminateP | Verdict::IndeterminateDP => {
                error = true;
            }
            Verdict::NotApplicable => {}
            Verdict::Pending => pending = true,
        }
    }
    Ok(if pending {
        Verdict::Pending
    } else if deny {
        Verdict::Deny
    } else if error {
        Verdict::IndeterminateDP
    } else {
        Verdict::NotApplicable
    })
}

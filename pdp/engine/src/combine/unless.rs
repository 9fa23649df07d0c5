//! deny-unless-permit and permit-unless-deny (appendix C.6 and C.7).

use super::{Children, Verdict};
use crate::model::Effect;

/// `wanted` if a child yields it, else the other effect. Errors count as nothing; a pending child
/// does not, since it may still become the wanted one.
pub(super) fn combine<C: Children>(children: &mut C, wanted: Effect) -> Result<Verdict, C::Abort> {
    let mut pending = false;
    while children.advance() {
        match children.evaluate()? {
            Verdict::Pending => pending = true,
            verdict if verdict == Verdict::of(wanted) => {
                return Ok(if pending { Verdict::Pending } else { verdict });
            }
            _ => {}
        }
    }
    Ok(if pending { Verdict::Pending } else { Verdict::of(wanted).mirrored() })
}

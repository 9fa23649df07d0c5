//! Combining algorithms: how the values of children become the value of their policy.
//!
//! One file per family of algorithms, [`table`] for identifiers. An algorithm sees its children
//! only through [`Children`], in written order. It knows no program and no request.
//!
//! [`Verdict::Pending`] is never absorbed: once a child is pending, the value of the policy is
//! pending. An algorithm goes on past a pending child only where it would evaluate the next one
//! anyway, so that the needs of thirty limiters are met in one round.

mod apply_second;
mod combined_permit;
mod first_applicable;
mod legacy;
mod only_one;
mod overrides;
pub mod table;
mod unless;

pub use table::{Algorithm, Row};

use crate::model::Effect;

/// The value of a rule or policy, with the extended Indeterminate of XACML 3.0 section 7.10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It does not apply.
    NotApplicable,
    /// Permit.
    Permit,
    /// Deny.
    Deny,
    /// Could have been Permit, not Deny.
    IndeterminateP,
    /// Could have been Deny, not Permit.
    IndeterminateD,
    /// Could have been either.
    IndeterminateDP,
    /// An attribute that decides it has been asked for and is not there yet.
    Pending,
}

impl Verdict {
    /// The value of a rule or policy that yields `effect`.
    pub const fn of(effect: Effect) -> Self {
        match effect {
            Effect::Permit => Self::Permit,
            Effect::Deny => Self::Deny,
        }
    }

    /// The value of a rule or policy that would have yielded `effect` but for an error.
    pub const fn indeterminate(effect: Effect) -> Self {
        match effect {
            Effect::Permit => Self::IndeterminateP,
            Effect::Deny => Self::IndeterminateD,
        }
    }

    /// The effect, where it is one.
    pub const fn effect(self) -> Option<Effect> {
        match self {
            Self::Permit => Some(Effect::Permit),
            Self::Deny => Some(Effect::Deny),
            _ => None,
        }
    }

    /// One of the three Indeterminates.
    pub const fn is_indeterminate(self) -> bool {
        matches!(self, Self::IndeterminateP | Self::IndeterminateD | Self::IndeterminateDP)
    }

    /// The value of a policy whose target is Indeterminate and whose children combine to `self`
    /// (XACML 3.0 table 7).
    #[must_use]
    pub const fn under_indeterminate_target(self) -> Self {
        match self {
            Self::Permit => Self::IndeterminateP,
            Self::Deny => Self::IndeterminateD,
            other => other,
        }
    }

    /// The mirror image: Permit for Deny and the other way round.
    #[must_use]
    const fn mirrored(self) -> Self {
        match self {
            Self::Permit => Self::Deny,
            Self::Deny => Self::Permit,
            Self::IndeterminateP => Self::IndeterminateD,
            Self::IndeterminateD => Self::IndeterminateP,
            other => other,
        }
    }
}

/// Whether the target of a child matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicability {
    /// It matches.
    Match,
    /// It does not match.
    NoMatch,
    /// It cannot be told.
    Indeterminate,
    /// It is not known yet.
    Pending,
}

/// The children of a policy, in written order, as an algorithm sees them.
pub trait Children {
    /// Ends the whole decision: a limit has tripped.
    type Abort;

    /// Moves to the next child; false after the last one. Children whose target certainly does not
    /// match may be left out where the algorithm's row allows it.
    fn advance(&mut self) -> bool;

    /// How many children were written.
    fn count(&self) -> usize;

    /// The value of the current child.
    ///
    /// # Errors
    /// A limit has tripped.
    fn evaluate(&mut self) -> Result<Verdict, Self::Abort>;

    /// Whether the target of the current child matches.
    ///
    /// # Errors
    /// A limit has tripped.
    fn applicability(&mut self) -> Result<Applicability, Self::Abort>;

    /// Marks the current child for a later [`Children::evaluate_marked`].
    fn mark(&mut self);

    /// The value of the marked child.
    ///
    /// # Errors
    /// A limit has tripped.
    fn evaluate_marked(&mut self) -> Result<Verdict, Self::Abort>;

    /// Says why the algorithm itself is Indeterminate, as a processing error.
    fn fail(&mut self, message: &'static str);
}

/// Combines the children by `algorithm`.
///
/// # Errors
/// A limit has tripped.
pub fn combine<C: Children>(algorithm: Algorithm, children: &mut C) -> Result<Verdict, C::Abort> {
    match algorithm {
        Algorithm::DenyOverrides => overrides::combine(children, Effect::Deny),
        Algorithm::PermitOverrides => overrides::combine(children, Effect::Permit),
        Algorithm::DenyUnlessPermit => unless::combine(children, Effect::Permit),
        Algorithm::PermitUnlessDeny => unless::combine(children, Effect::Deny),
        Algorithm::FirstApplicable => first_applicable::combine(children),
        Algorithm::OnlyOneApplicable => only_one::combine(children),
        Algorithm::OnPermitApplySecond => apply_second::combine(children),
        Algorithm::CombinedPermitOverrides => combined_permit::combine(children),
        Algorithm::LegacyRuleDenyOverrides => legacy::rules(children, Effect::Deny),
        Algorithm::LegacyRulePermitOverrides => legacy::rules(children, Effect::Permit),
        Algorithm::LegacyPolicyDenyOverrides => legacy::policies_deny(children),
        Algorithm::LegacyPolicyPermitOverrides => legacy::policies_permit(children),
    }
}

#[cfg(test)]
mod tests;

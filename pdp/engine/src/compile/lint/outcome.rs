//! What a rule or policy may come to, as far as it is the same for every request.

use crate::combine::Algorithm as A;
use crate::model::Effect;

/// What a rule or policy may come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    permit: bool,
    deny: bool,
    /// It is never NotApplicable.
    pub(super) always: bool,
    /// It is this and nothing else.
    pub(super) certain: Option<Effect>,
}

impl Outcome {
    /// It never applies.
    pub(super) const NEVER: Self =
        Self { permit: false, deny: false, always: false, certain: None };
    /// Nothing is known.
    pub(super) const ANY: Self = Self { permit: true, deny: true, always: false, certain: None };

    /// This effect, or none.
    pub(super) const fn of_effect(effect: Effect) -> Self {
        let permit = matches!(effect, Effect::Permit);
        Self { permit, deny: !permit, always: false, certain: None }
    }

    /// The same, with more known of it.
    pub(super) const fn with(self, always: bool, certain: Option<Effect>) -> Self {
        Self { always, certain, ..self }
    }

    pub(super) const fn can_be(self, effect: Effect) -> bool {
        match effect {
            Effect::Permit => self.permit,
            Effect::Deny => self.deny,
        }
    }

    /// A policy of these children. `open`: its target is empty; `certain_notices`: its obligations
    /// and advice cannot err.
    pub(super) fn of_policy(
        combining: A,
        children: &[Self],
        open: bool,
        certain_notices: bool,
    ) -> Self {
        let permit = children.iter().any(|child| child.permit);
        let deny = children.iter().any(|child| child.deny);
        let decides = matches!(combining, A::DenyUnlessPermit | A::PermitUnlessDeny);
        let passes_on = matches!(
            combining,
            A::DenyOverrides
                | A::PermitOverrides
                | A::FirstApplicable
                | A::LegacyRuleDenyOverrides
                | A::LegacyRulePermitOverrides
                | A::LegacyPolicyDenyOverrides
                | A::LegacyPolicyPermitOverrides
        );
        let always = open && (decides || (passes_on && children.iter().any(|child| child.always)));
        let by = deciding(combining)
            .filter(|effect| children.iter().any(|child| child.certain == Some(*effect)));
        Self {
            permit: permit || combining == A::PermitUnlessDeny,
            deny: deny
                || combining == A::DenyUnlessPermit
                || (combining == A::LegacyPolicyDenyOverrides && !children.is_empty()),
            always,
            certain: by.filter(|_| open && certain_notices),
        }
    }
}

/// The effect that ends combining as soon as a child has it.
const fn deciding(combining: A) -> Option<Effect> {
    match combining {
        A::DenyOverrides
        | A::PermitUnlessDeny
        | A::LegacyRuleDenyOverrides
        | A::LegacyPolicyDenyOverrides => Some(Effect::Deny),
        A::PermitOverrides
        | A::DenyUnlessPermit
        | A::LegacyRulePermitOverrides
        | A::LegacyPolicyPermitOverrides => Some(Effect::Permit),
        A::FirstApplicable
        | A::OnlyOneApplicable
        | A::OnPermitApplySecond
        | A::CombinedPermitOverrides => None,
    }
}

/// Whether no child after one of this outcome is looked at.
pub(super) fn ends(combining: A, outcome: Outcome) -> bool {
    if combining == A::FirstApplicable {
        return outcome.always;
    }
    deciding(combining).is_some_and(|effect| outcome.certain == Some(effect))
}

//! Identifiers of combining algorithms, and what the evaluator may do around each.

use crate::ids::algorithm as ids;

/// The algorithms. Ordered variants are the same algorithm: evaluation is always in written order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the algorithms, by their own names
pub enum Algorithm {
    DenyOverrides,
    PermitOverrides,
    DenyUnlessPermit,
    PermitUnlessDeny,
    FirstApplicable,
    OnlyOneApplicable,
    OnPermitApplySecond,
    CombinedPermitOverrides,
    LegacyRuleDenyOverrides,
    LegacyRulePermitOverrides,
    LegacyPolicyDenyOverrides,
    LegacyPolicyPermitOverrides,
}

impl Algorithm {
    /// A child whose target does not match changes nothing, so an index may leave it out.
    pub const fn ignores_no_match(self) -> bool {
        !matches!(self, Self::OnPermitApplySecond)
    }
}

/// What an algorithm combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combines {
    /// Rules of a policy.
    Rules,
    /// Policies of a policy set.
    Policies,
}

/// One identifier.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The identifier.
    pub id: &'static str,
    /// What it combines.
    pub combines: Combines,
    /// What it stands for.
    pub algorithm: Algorithm,
    /// The identifier that takes its place, for a deprecated one.
    pub successor: Option<&'static str>,
    /// The clause that defines it.
    pub clause: &'static str,
}

const fn row(
    id: &'static str,
    combines: Combines,
    algorithm: Algorithm,
    clause: &'static str,
) -> Row {
    Row { id, combines, algorithm, successor: None, clause }
}

const fn old(
    id: &'static str,
    combines: Combines,
    algorithm: Algorithm,
    successor: &'static str,
    clause: &'static str,
) -> Row {
    Row { id, combines, algorithm, successor: Some(successor), clause }
}

use Algorithm as A;
use Combines::{Policies, Rules};

/// Every identifier.
pub static ROWS: &[Row] = &[
    row(ids::rule::DENY_OVERRIDES, Rules, A::DenyOverrides, "C.2"),
    row(ids::policy::DENY_OVERRIDES, Policies, A::DenyOverrides, "C.2"),
    row(ids::rule::ORDERED_DENY_OVERRIDES, Rules, A::DenyOverrides, "C.3"),
    row(ids::policy::ORDERED_DENY_OVERRIDES, Policies, A::DenyOverrides, "C.3"),
    row(ids::rule::PERMIT_OVERRIDES, Rules, A::PermitOverrides, "C.4"),
    row(ids::policy::PERMIT_OVERRIDES, Policies, A::PermitOverrides, "C.4"),
    row(ids::rule::ORDERED_PERMIT_OVERRIDES, Rules, A::PermitOverrides, "C.5"),
    row(ids::policy::ORDERED_PERMIT_OVERRIDES, Policies, A::PermitOverrides, "C.5"),
    row(ids::rule::DENY_UNLESS_PERMIT, Rules, A::DenyUnlessPermit, "C.6"),
    row(ids::policy::DENY_UNLESS_PERMIT, Policies, A::DenyUnlessPermit, "C.6"),
    row(ids::rule::PERMIT_UNLESS_DENY, Rules, A::PermitUnlessDeny, "C.7"),
    row(ids::policy::PERMIT_UNLESS_DENY, Policies, A::PermitUnlessDeny, "C.7"),
    row(ids::rule::FIRST_APPLICABLE, Rules, A::FirstApplicable, "C.8"),
    row(ids::policy::FIRST_APPLICABLE, Policies, A::FirstApplicable, "C.8"),
    row(ids::policy::ONLY_ONE_APPLICABLE, Policies, A::OnlyOneApplicable, "C.9"),
    row(
        ids::policy::ON_PERMIT_APPLY_SECOND,
        Policies,
        A::OnPermitApplySecond,
        "additional combining algorithms profile, section 2",
    ),
    row(
        ids::policy::COMBINED_PERMIT_OVERRIDES,
        Policies,
        A::CombinedPermitOverrides,
        "not of the standard: every child is evaluated, all that permit contribute",
    ),
    old(
        ids::rule::LEGACY_DENY_OVERRIDES,
        Rules,
        A::LegacyRuleDenyOverrides,
        ids::rule::DENY_OVERRIDES,
        "C.10",
    ),
    old(
        ids::policy::LEGACY_DENY_OVERRIDES,
        Policies,
        A::LegacyPolicyDenyOverrides,
        ids::policy::DENY_OVERRIDES,
        "C.10",
    ),
    old(
        ids::rule::LEGACY_ORDERED_DENY_OVERRIDES,
        Rules,
        A::LegacyRuleDenyOverrides,
        ids::rule::ORDERED_DENY_OVERRIDES,
        "C.11",
    ),
    old(
        ids::policy::LEGACY_ORDERED_DENY_OVERRIDES,
        Policies,
        A::LegacyPolicyDenyOverrides,
        ids::policy::ORDERED_DENY_OVERRIDES,
        "C.11",
    ),
    old(
        ids::rule::LEGACY_PERMIT_OVERRIDES,
        Rules,
        A::LegacyRulePermitOverrides,
        ids::rule::PERMIT_OVERRIDES,
        "C.12",
    ),
    old(
        ids::policy::LEGACY_PERMIT_OVERRIDES,
        Policies,
        A::LegacyPolicyPermitOverrides,
        ids::policy::PERMIT_OVERRIDES,
        "C.12",
    ),
    old(
        ids::rule::LEGACY_ORDERED_PERMIT_OVERRIDES,
        Rules,
        A::LegacyRulePermitOverrides,
        ids::rule::ORDERED_PERMIT_OVERRIDES,
        "C.13",
    ),
    old(
        ids::policy::LEGACY_ORDERED_PERMIT_OVERRIDES,
        Policies,
        A::LegacyPolicyPermitOverrides,
        ids::policy::ORDERED_PERMIT_OVERRIDES,
        "C.13",
    ),
];

/// The row with this identifier. Compile time only.
pub fn find(id: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.id == id)
}

//! Identifiers of combining algorithms, and what the evaluator may do around each.

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

macro_rules! rule_id {
    ($version:literal, $name:literal) => {
        concat!("urn:oasis:names:tc:xacml:", $version, ":rule-combining-algorithm:", $name)
    };
}

macro_rules! policy_id {
    ($version:literal, $name:literal) => {
        concat!("urn:oasis:names:tc:xacml:", $version, ":policy-combining-algorithm:", $name)
    };
}

use Algorithm as A;
use Combines::{Policies, Rules};

/// Every identifier.
pub static ROWS: &[Row] = &[
    row(rule_id!("3.0", "deny-overrides"), Rules, A::DenyOverrides, "C.2"),
    row(policy_id!("3.0", "deny-overrides"), Policies, A::DenyOverrides, "C.2"),
    row(rule_id!("3.0", "ordered-deny-overrides"), Rules, A::DenyOverrides, "C.3"),
    row(policy_id!("3.0", "ordered-deny-overrides"), Policies, A::DenyOverrides, "C.3"),
    row(rule_id!("3.0", "permit-overrides"), Rules, A::PermitOverrides, "C.4"),
    row(policy_id!("3.0", "permit-overrides"), Policies, A::PermitOverrides, "C.4"),
    row(rule_id!("3.0", "ordered-permit-overrides"), Rules, A::PermitOverrides, "C.5"),
    row(policy_id!("3.0", "ordered-permit-overrides"), Policies, A::PermitOverrides, "C.5"),
    row(rule_id!("3.0", "deny-unless-permit"), Rules, A::DenyUnlessPermit, "C.6"),
    row(policy_id!("3.0", "deny-unless-permit"), Policies, A::DenyUnlessPermit, "C.6"),
    row(rule_id!("3.0", "permit-unless-deny"), Rules, A::PermitUnlessDeny, "C.7"),
    row(policy_id!("3.0", "permit-unless-deny"), Policies, A::PermitUnlessDeny, "C.7"),
    row(rule_id!("1.0", "first-applicable"), Rules, A::FirstApplicable, "C.8"),
    row(policy_id!("1.0", "first-applicable"), Policies, A::FirstApplicable, "C.8"),
    row(policy_id!("1.0", "only-one-applicable"), Policies, A::OnlyOneApplicable, "C.9"),
    row(
        policy_id!("3.0", "on-permit-apply-second"),
        Policies,
        A::OnPermitApplySecond,
        "additional combining algorithms profile, section 2",
    ),
    row(
        "urn:com:att:xacml:3.0:policy-combining-algorithm:combined-permit-overrides",
        Policies,
        A::CombinedPermitOverrides,
        "not of the standard: every child is evaluated, all that permit contribute",
    ),
    old(
        rule_id!("1.0", "deny-overrides"),
        Rules,
        A::LegacyRuleDenyOverrides,
        rule_id!("3.0", "deny-overrides"),
        "C.10",
    ),
    old(
        policy_id!("1.0", "deny-overrides"),
        Policies,
        A::LegacyPolicyDenyOverrides,
        policy_id!("3.0", "deny-overrides"),
        "C.10",
    ),
    old(
        rule_id!("1.1", "ordered-deny-overrides"),
        Rules,
        A::LegacyRuleDenyOverrides,
        rule_id!("3.0", "ordered-deny-overrides"),
        "C.11",
    ),
    old(
        policy_id!("1.1", "ordered-deny-overrides"),
        Policies,
        A::LegacyPolicyDenyOverrides,
        policy_id!("3.0", "ordered-deny-overrides"),
        "C.11",
    ),
    old(
        rule_id!("1.0", "permit-overrides"),
        Rules,
        A::LegacyRulePermitOverrides,
        rule_id!("3.0", "permit-overrides"),
        "C.12",
    ),
    old(
        policy_id!("1.0", "permit-overrides"),
        Policies,
        A::LegacyPolicyPermitOverrides,
        policy_id!("3.0", "permit-overrides"),
        "C.12",
    ),
    old(
        rule_id!("1.1", "ordered-permit-overrides"),
        Rules,
        A::LegacyRulePermitOverrides,
        rule_id!("3.0", "ordered-permit-overrides"),
        "C.13",
    ),
    old(
        policy_id!("1.1", "ordered-permit-overrides"),
        Policies,
        A::LegacyPolicyPermitOverrides,
        policy_id!("3.0", "ordered-permit-overrides"),
        "C.13",
    ),
];

/// The row with this identifier. Compile time only.
pub fn find(id: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.id == id)
}

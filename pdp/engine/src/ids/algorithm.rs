//! Combining algorithms (XACML 3.0 appendix B.9 and C; additional combining algorithms profile).

/// Over the rules of a policy.
pub mod rule {
    /// A Deny wins.
    pub const DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides";
    /// A Permit wins.
    pub const PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:permit-overrides";
    /// A Deny wins; in written order.
    pub const ORDERED_DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:ordered-deny-overrides";
    /// A Permit wins; in written order.
    pub const ORDERED_PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:ordered-permit-overrides";
    /// Permit if a child permits, else Deny.
    pub const DENY_UNLESS_PERMIT: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-unless-permit";
    /// Deny if a child denies, else Permit.
    pub const PERMIT_UNLESS_DENY: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:permit-unless-deny";
    /// The first child that applies decides.
    pub const FIRST_APPLICABLE: &str =
        "urn:oasis:names:tc:xacml:1.0:rule-combining-algorithm:first-applicable";
    /// A Deny wins, as XACML 1.0 had it.
    pub const LEGACY_DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.0:rule-combining-algorithm:deny-overrides";
    /// A Permit wins, as XACML 1.0 had it.
    pub const LEGACY_PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.0:rule-combining-algorithm:permit-overrides";
    /// A Deny wins, in written order, as XACML 1.1 had it.
    pub const LEGACY_ORDERED_DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.1:rule-combining-algorithm:ordered-deny-overrides";
    /// A Permit wins, in written order, as XACML 1.1 had it.
    pub const LEGACY_ORDERED_PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.1:rule-combining-algorithm:ordered-permit-overrides";
}

/// Over the policies of a policy set.
pub mod policy {
    /// A Deny wins.
    pub const DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:deny-overrides";
    /// A Permit wins.
    pub const PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:permit-overrides";
    /// A Deny wins; in written order.
    pub const ORDERED_DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:ordered-deny-overrides";
    /// A Permit wins; in written order.
    pub const ORDERED_PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:ordered-permit-overrides";
    /// Permit if a child permits, else Deny.
    pub const DENY_UNLESS_PERMIT: &str =
        "urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:deny-unless-permit";
    /// Deny if a child denies, else Permit.
    pub const PERMIT_UNLESS_DENY: &str =
        "urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:permit-unless-deny";
    /// The first child that applies decides.
    pub const FIRST_APPLICABLE: &str =
        "urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:first-applicable";
    /// The one child that applies decides; two are an error.
    pub const ONLY_ONE_APPLICABLE: &str =
        "urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:only-one-applicable";
    /// If the first child permits, the second decides, else the third.
    pub const ON_PERMIT_APPLY_SECOND: &str =
        "urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:on-permit-apply-second";
    /// A Deny wins, as XACML 1.0 had it.
    pub const LEGACY_DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:deny-overrides";
    /// A Permit wins, as XACML 1.0 had it.
    pub const LEGACY_PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:permit-overrides";
    /// A Deny wins, in written order, as XACML 1.1 had it.
    pub const LEGACY_ORDERED_DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.1:policy-combining-algorithm:ordered-deny-overrides";
    /// A Permit wins, in written order, as XACML 1.1 had it.
    pub const LEGACY_ORDERED_PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:1.1:policy-combining-algorithm:ordered-permit-overrides";
    /// Not of the standard: a Permit wins, and the obligations of every Permit are kept.
    pub const COMBINED_PERMIT_OVERRIDES: &str =
        "urn:com:att:xacml:3.0:policy-combining-algorithm:combined-permit-overrides";
}

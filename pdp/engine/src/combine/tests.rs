//! Truth tables of XACML 3.0 appendix C and section 8 of the profile, as rows.

use super::{Algorithm, Applicability, Children, Verdict, combine};
use Verdict::{
    Deny as D, IndeterminateD as ID, IndeterminateDP as IDP, IndeterminateP as IP,
    NotApplicable as NA, Pending, Permit as P,
};

/// Children with known values; counts how many were evaluated.
struct Fixed<'c> {
    values: &'c [Verdict],
    next: usize,
    marked: usize,
    evaluated: usize,
}

impl Children for Fixed<'_> {
    type Abort = std::convert::Infallible;

    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.values.len()
    }
    fn count(&self) -> usize {
        self.values.len()
    }
    fn evaluate(&mut self) -> Result<Verdict, Self::Abort> {
        self.evaluated += 1;
        Ok(self.values[self.next - 1])
    }
    fn applicability(&mut self) -> Result<Applicability, Self::Abort> {
        Ok(match self.values[self.next - 1] {
            NA => Applicability::NoMatch,
            Pending => Applicability::Pending,
            IDP => Applicability::Indeterminate,
            _ => Applicability::Match,
        })
    }
    fn mark(&mut self) {
        self.marked = self.next;
    }
    fn evaluate_marked(&mut self) -> Result<Verdict, Self::Abort> {
        Ok(self.values[self.marked - 1])
    }
    fn fail(&mut self, _: &'static str) {}
}

fn check(algorithm: Algorithm, rows: &[(&[Verdict], Verdict, usize)]) {
    for (values, expected, evaluated) in rows {
        let mut children = Fixed { values, next: 0, marked: 0, evaluated: 0 };
        let Ok(verdict) = combine(algorithm, &mut children);
        assert_eq!(verdict, *expected, "{algorithm:?} over {values:?}");
        assert_eq!(
            children.evaluated, *evaluated,
            "children evaluated by {algorithm:?}, {values:?}"
        );
    }
}

#[test]
fn deny_overrides_follows_its_table() {
    check(
        Algorithm::DenyOverrides,
        &[
            (&[], NA, 0),
            (&[NA, P, D, P], D, 3),
            (&[IDP, P], IDP, 2),
            (&[ID, IP], IDP, 2),
            (&[P, ID], IDP, 2),
            (&[ID, NA], ID, 2),
            (&[IP, P], P, 2),
            (&[IP, NA], IP, 2),
            (&[Pending, P, Pending], Pending, 3),
            (&[Pending, D, P], Pending, 2),
            (&[D, Pending], D, 1),
        ],
    );
}

#[test]
fn permit_overrides_is_the_mirror_image() {
    check(
        Algorithm::PermitOverrides,
        &[
            (&[D, P, D], P, 2),
            (&[IDP, D], IDP, 2),
            (&[IP, ID], IDP, 2),
            (&[IP, D], IDP, 2),
            (&[IP], IP, 1),
            (&[ID, D], D, 2),
            (&[ID], ID, 1),
            (&[], NA, 0),
        ],
    );
}

#[test]
fn the_unless_algorithms_never_give_an_error() {
    check(
        Algorithm::DenyUnlessPermit,
        &[(&[], D, 0), (&[IDP, NA], D, 2), (&[D, P, D], P, 2), (&[Pending, P], Pending, 2)],
    );
    check(Algorithm::PermitUnlessDeny, &[(&[], P, 0), (&[ID], P, 1), (&[Pending], Pending, 1)]);
}

#[test]
fn first_applicable_stops_at_the_first_that_applies() {
    check(
        Algorithm::FirstApplicable,
        &[(&[NA, IP, D], IP, 2), (&[NA, D, P], D, 2), (&[NA], NA, 1), (&[Pending, D], Pending, 1)],
    );
}

#[test]
fn only_one_applicable_looks_at_targets() {
    check(
        Algorithm::OnlyOneApplicable,
        &[
            (&[NA, P, NA], P, 0),
            (&[D, P], IDP, 0),
            (&[NA, IDP, P], IDP, 0),
            (&[NA], NA, 0),
            (&[Pending, P], Pending, 0),
        ],
    );
}

#[test]
fn on_permit_apply_second_chooses_by_the_first() {
    check(
        Algorithm::OnPermitApplySecond,
        &[
            (&[P], IDP, 0),
            (&[P, D, P], D, 2),
            (&[D, P, NA], NA, 2),
            (&[NA, P], NA, 1),
            (&[ID, P, D], D, 2),
            (&[IP, P, D], IDP, 1),
            (&[P, P, P, P], IDP, 0),
        ],
    );
}

#[test]
fn combined_permit_overrides_evaluates_every_child() {
    check(
        Algorithm::CombinedPermitOverrides,
        &[
            (&[P, D, P, IDP], P, 4),
            (&[IDP, D], IDP, 2),
            (&[IP, D], IDP, 2),
            (&[IP, NA], IP, 2),
            (&[D, ID], D, 2),
            (&[ID], ID, 1),
            (&[], NA, 0),
        ],
    );
}

#[test]
fn legacy_overrides_keep_their_own_tables() {
    check(
        Algorithm::LegacyRuleDenyOverrides,
        &[(&[ID, P], ID, 2), (&[IP, P], P, 2), (&[IP], IP, 1)],
    );
    check(Algorithm::LegacyRulePermitOverrides, &[(&[IP, D], IP, 2), (&[ID, D, P], P, 3)]);
    check(
        Algorithm::LegacyPolicyDenyOverrides,
        &[(&[P, IP, P], D, 2), (&[P, NA], P, 2), (&[], NA, 0)],
    );
    check(
        Algorithm::LegacyPolicyPermitOverrides,
        &[(&[ID, D], D, 2), (&[ID], IDP, 1), (&[D, P], P, 2)],
    );
}

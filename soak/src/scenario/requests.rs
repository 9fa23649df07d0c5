//! The bodies that are sent, and the facts about the shipped policies that the expectations rest
//! on. The files are in `policies/`; the preflight finds out whether the target has them.

use bytes::Bytes;
use serde_json::json;

use crate::oracle::{Decision, Expectation};

/// The shipped monitoring policy.
pub const MONITORING_POLICY: &str = "onap.restart.tca";
/// Actor of both guard policies.
pub const ACTOR: &str = "SO";
/// Operation of both guard policies.
pub const OPERATION: &str = "VF Module Create";
/// Control loop of both guard policies.
pub const CONTROL_LOOP: &str = "ControlLoop-vDNS-6f37f56d-a87d-4b85-b6a9-cc953cf779b3";
/// Target of the min/max policy. Nothing is ever recorded for it, so the limiter permits it.
pub const MINMAX_TARGET: &str = "e6130d03-56f1-4b0a-9a1d-e1b2ebc30e0e";
/// From this count of modules on, the min/max policy denies.
pub const MINMAX_MAX: u32 = 2;

/// Counts of modules that min/max is asked about: below, at and above its maximum.
pub const MINMAX_COUNTS: u32 = 5;

/// What monitoring must hand out.
pub const MONITORING_EXPECTED: Expectation = Expectation::Policies(&[MONITORING_POLICY]);

/// The same policy without its properties.
pub const ABBREVIATED_EXPECTED: Expectation = Expectation::Abbreviated(&[MONITORING_POLICY]);

/// The shipped naming policy.
pub const NAMING_EXPECTED: Expectation =
    Expectation::Policies(&["SDNC_Policy.ONAP_NF_NAMING_TIMESTAMP"]);

/// The shipped optimization policy.
pub const OPTIMIZATION_EXPECTED: Expectation =
    Expectation::Policies(&["OSDF_CASABLANCA.Affinity_Default"]);

/// Where no guard policy applies, the answer is Permit.
pub const DEFAULT_EXPECTED: Expectation = Expectation::Guard(Decision::Permit);

/// A name that no policy has.
pub const NO_SUCH_POLICY: &str = "soak.no.such.policy";

/// Nothing is handed out where there is no policy.
pub const NOTHING_EXPECTED: Expectation = Expectation::NoPolicies;

/// The decision that min/max must give for a count of modules.
pub fn minmax_expected(vf_count: u32) -> Expectation {
    Expectation::Guard(if vf_count < MINMAX_MAX { Decision::Permit } else { Decision::Deny })
}

/// A request for the monitoring policy.
pub fn monitoring(instance: &str) -> Bytes {
    monitoring_of(instance, MONITORING_POLICY)
}

/// A request for the naming policy.
pub fn naming(instance: &str) -> Bytes {
    body(&json!({
        "ONAPName": "SDNC",
        "ONAPComponent": "SDNC-component",
        "ONAPInstance": instance,
        "requestId": "naming",
        "action": "naming",
        "resource": {
            "nfRole": [],
            "naming-type": [],
            "property-name": [],
            "policy-type": ["onap.policies.Naming"],
        },
    }))
}

/// A request for optimization policies of any scope.
pub fn optimization(instance: &str) -> Bytes {
    body(&json!({
        "ONAPName": "OOF",
        "ONAPComponent": "OOF-component",
        "ONAPInstance": instance,
        "context": { "subscriberName": [] },
        "action": "optimize",
        "resource": { "scope": [], "services": [], "resources": [], "geography": [] },
    }))
}

/// A guard request that no policy is about.
pub fn guard_default(instance: &str) -> Bytes {
    body(&json!({
        "ONAPName": "Policy",
        "ONAPComponent": "drools-pdp",
        "ONAPInstance": instance,
        "requestId": "default",
        "action": "guard",
        "resource": { "guard": {
            "actor": "APPC",
            "operation": "ModifyConfig",
            "clname": "ControlLoop-vFirewall-d0a1dfc6-94f5-4fd4-a5b5-4630b438850a",
            "target": "soak-default",
        } },
    }))
}

/// A request for a monitoring policy by its name.
pub fn monitoring_of(instance: &str, policy: &str) -> Bytes {
    body(&json!({
        "ONAPName": "DCAE",
        "ONAPComponent": "PolicyHandler",
        "ONAPInstance": instance,
        "action": "configure",
        "resource": { "policy-id": policy },
    }))
}

/// A guard request about one target.
pub fn guard(instance: &str, request_id: &str, target: &str, vf_count: u32) -> Bytes {
    body(&json!({
        "ONAPName": "Policy",
        "ONAPComponent": "drools-pdp",
        "ONAPInstance": instance,
        "requestId": request_id,
        "action": "guard",
        "resource": { "guard": {
            "actor": ACTOR,
            "operation": OPERATION,
            "clname": CONTROL_LOOP,
            "target": target,
            "vfCount": vf_count.to_string(),
        } },
    }))
}

/// A finished operation for the history.
pub fn operation(
    request_id: &str,
    target: &str,
    start: jiff::Timestamp,
    end: jiff::Timestamp,
) -> Bytes {
    body(&json!({
        "closedLoopName": CONTROL_LOOP,
        "requestId": request_id,
        "subrequestId": "1",
        "actor": ACTOR,
        "operation": OPERATION,
        "target": target,
        "starttime": start.to_string(),
        "outcome": "SUCCESS",
        "message": "recorded by soak",
        "endtime": end.to_string(),
    }))
}

fn body(value: &serde_json::Value) -> Bytes {
    Bytes::from(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minmax_permits_below_its_maximum_only() {
        let expected: Vec<Expectation> = (0..4).map(minmax_expected).collect();
        let (permit, deny) =
            (Expectation::Guard(Decision::Permit), Expectation::Guard(Decision::Deny));
        assert_eq!(expected, [permit.clone(), permit, deny.clone(), deny]);
    }

    #[test]
    fn an_operation_carries_its_times_as_rfc_3339() {
        let end: jiff::Timestamp = "2026-03-04T05:06:07.089Z".parse().expect("a valid time");
        let body = operation("r1", "t1", end, end);
        let value: serde_json::Value = serde_json::from_slice(&body).expect("our own JSON");
        assert_eq!(value["endtime"], "2026-03-04T05:06:07.089Z");
        assert_eq!(
            (value["target"].as_str(), value["outcome"].as_str()),
            (Some("t1"), Some("SUCCESS"))
        );
    }
}

//! A policy that one user deploys and undeploys: it applies to nothing that others ask.

use bytes::Bytes;
use reqwest::Url;
use serde_json::json;

use crate::target::administration::PolicyName;

/// The type of such a policy.
const TYPE: &str = "onap.policies.monitoring.tcagen2";
const VERSION: &str = "1.0.0";

/// One user's policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPolicy {
    /// What names it.
    pub name: PolicyName,
    /// Whether it is deployed, as far as is known.
    pub deployed: bool,
}

impl OwnPolicy {
    /// The policy of a user, not deployed yet.
    pub fn new(tag: &str, user: usize) -> Self {
        let id = format!("soak.{tag}.u{user}");
        Self { name: PolicyName { id, version: VERSION, type_name: TYPE }, deployed: false }
    }

    /// The policy itself.
    pub fn document(&self) -> Bytes {
        let id = &self.name.id;
        body(&json!({
            "tosca_definitions_version": "tosca_simple_yaml_1_1_0",
            "topology_template": { "policies": [ { id: {
                "type": TYPE,
                "type_version": VERSION,
                "version": VERSION,
                "metadata": { "policy-id": id, "policy-version": VERSION },
                "properties": { "tca.policy": { "domain": "measurementsForVfScaling", "metricsPerEventName": [ {
                    "controlLoopSchemaType": "VM",
                    "eventName": id,
                    "policyName": id,
                    "policyScope": "soak",
                    "policyVersion": "v1",
                    "thresholds": [ {
                        "closedLoopControlName": "soak",
                        "closedLoopEventStatus": "ONSET",
                        "direction": "GREATER",
                        "fieldPath": "$.event.load",
                        "severity": "MINOR",
                        "thresholdValue": 90,
                        "version": "1.0.2",
                    } ],
                } ] } },
            } } ] },
        }))
    }

    /// The body that deploys it.
    pub fn deployment(&self) -> Bytes {
        self.name.deployment()
    }

    /// The address that undeploys it, below that of deployments.
    pub fn deployment_url(&self, base: &Url) -> Url {
        let mut url = base.clone();
        url.set_path(&format!("{}/{}/versions/{VERSION}", base.path(), self.name.id));
        url
    }
}

fn body(value: &serde_json::Value) -> Bytes {
    Bytes::from(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_bodies_name_the_policy_and_its_version() {
        let policy = OwnPolicy::new("ab12", 3);
        let base: Url = "http://h/base/policy/pap/v1/pdps/policies".parse().expect("an address");
        assert_eq!(
            policy.deployment_url(&base).as_str(),
            "http://h/base/policy/pap/v1/pdps/policies/soak.ab12.u3/versions/1.0.0"
        );
        let body: serde_json::Value = serde_json::from_slice(&policy.deployment()).expect("JSON");
        assert_eq!(body["policies"][0]["policy-id"], "soak.ab12.u3");
        let document: serde_json::Value = serde_json::from_slice(&policy.document()).expect("JSON");
        assert_eq!(
            document["topology_template"]["policies"][0]["soak.ab12.u3"]["version"],
            "1.0.0"
        );
    }
}

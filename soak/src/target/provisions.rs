//! The shipped policies, brought to a service that lacks them and taken away again after the run.
//!
//! What is there already is left alone: a policy is deployed only where the service does not answer as it
//! would with it, and is deleted only if the run has made it.

use std::collections::BTreeSet;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::json;

use super::Target;
use super::administration::{Administration, PolicyName};
use super::client::ClientSettings;
use crate::measure::endpoint::Endpoint;

/// A service works with what is deployed within this time.
pub const EFFECTIVE_WITHIN: Duration = Duration::from_secs(15);

const VERSION: &str = "1.0.0";

/// One of the shipped policies.
#[derive(Clone, Copy, Debug)]
struct Provision {
    id: &'static str,
    type_name: &'static str,
    form: Form,
    document: &'static str,
    /// What cannot be asked without it.
    endpoints: &'static [Endpoint],
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Yaml,
    Json,
    /// A XACML document, to be wrapped.
    Xacml,
}

use Endpoint::*;

const PROVISIONS: [Provision; 6] = [
    Provision {
        id: "onap.restart.tca",
        type_name: "onap.policies.monitoring.tcagen2",
        form: Form::Yaml,
        document: include_str!("../../../policies/s3p/monitoring.tca.yaml"),
        endpoints: &[Monitoring, MonitoringAbbrev],
    },
    Provision {
        id: "guard.frequency.scaleout",
        type_name: "onap.policies.controlloop.guard.common.FrequencyLimiter",
        form: Form::Json,
        document: include_str!("../../../policies/s3p/guard.frequency.scaleout.json"),
        endpoints: &[GuardFrequency],
    },
    Provision {
        id: "guard.minmax.scaleout",
        type_name: "onap.policies.controlloop.guard.common.MinMax",
        form: Form::Yaml,
        document: include_str!("../../../policies/s3p/guard.minmax.scaleout.yaml"),
        endpoints: &[GuardMinMax, DecidePermit, DecideDeny],
    },
    Provision {
        id: "SDNC_Policy.ONAP_NF_NAMING_TIMESTAMP",
        type_name: "onap.policies.Naming",
        form: Form::Yaml,
        document: include_str!("../../../policies/s3p/naming.yaml"),
        endpoints: &[Naming],
    },
    Provision {
        id: "OSDF_CASABLANCA.Affinity_Default",
        type_name: "onap.policies.optimization.resource.AffinityPolicy",
        form: Form::Yaml,
        document: include_str!("../../../policies/s3p/optimization.yaml"),
        endpoints: &[Optimization],
    },
    Provision {
        id: "mapping.computing-element",
        type_name: "onap.policies.native.Xacml",
        form: Form::Xacml,
        document: include_str!("../../../policies/mapping/mapping.computing-element.xml"),
        endpoints: &[MapIdentity],
    },
];

impl Provision {
    fn name(&self) -> PolicyName {
        PolicyName { id: self.id.to_owned(), version: VERSION, type_name: self.type_name }
    }

    /// The media type and the document that makes it.
    fn body(&self) -> (&'static str, Bytes) {
        match self.form {
            Form::Yaml => ("application/yaml", Bytes::from_static(self.document.as_bytes())),
            Form::Json => ("application/json", Bytes::from_static(self.document.as_bytes())),
            Form::Xacml => {
                let document = json!({
                    "tosca_definitions_version": "tosca_simple_yaml_1_1_0",
                    "topology_template": { "policies": [ { self.id: {
                        "type": self.type_name,
                        "type_version": "1.0.0",
                        "version": VERSION,
                        "properties": { "policy": STANDARD.encode(self.document) },
                    } } ] },
                });
                ("application/json", Bytes::from(document.to_string()))
            }
        }
    }
}

/// What was brought to a service.
#[derive(Debug, Default)]
pub struct Provisions {
    made: Vec<PolicyName>,
    deployed: Vec<PolicyName>,
}

impl Provisions {
    /// Makes and deploys what is needed for the endpoints; the error is what the service said, after which
    /// nothing has been left there.
    pub async fn bring(
        target: &Target,
        settings: &ClientSettings,
        lacking: &BTreeSet<Endpoint>,
    ) -> Result<Self, String> {
        let mut brought = Self::default();
        match brought.bring_all(target, settings, lacking).await {
            Ok(()) => Ok(brought),
            Err(why) => {
                let stayed = brought.take_away(target, settings).await;
                Err([vec![why], stayed].concat().join("; "))
            }
        }
    }

    async fn bring_all(
        &mut self,
        target: &Target,
        settings: &ClientSettings,
        lacking: &BTreeSet<Endpoint>,
    ) -> Result<(), String> {
        let administration = Administration::new(target, settings);
        let needed = PROVISIONS
            .iter()
            .filter(|one| one.endpoints.iter().any(|endpoint| lacking.contains(endpoint)));
        for provision in needed {
            let policy = provision.name();
            if !administration.find(&policy).await.is_good() {
                let (media_type, document) = provision.body();
                let made = administration.create(&policy, media_type, document).await;
                if !made.is_good() {
                    return Err(made.told());
                }
                self.made.push(policy.clone());
            }
            let deployed = administration.deploy(&policy).await;
            if !deployed.is_good() {
                return Err(deployed.told());
            }
            self.deployed.push(policy);
        }
        Ok(())
    }

    /// Whether anything was brought.
    pub fn is_empty(&self) -> bool {
        self.deployed.is_empty()
    }

    /// What was brought, for the report.
    pub fn told(&self) -> Option<String> {
        let names: Vec<&str> = self.deployed.iter().map(|policy| policy.id.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "The service lacked these policies; the run has deployed them, and taken them away again: {}.",
                names.join(", ")
            )
        })
    }

    /// Undeploys what was deployed and deletes what was made; says what stayed.
    pub async fn take_away(&self, target: &Target, settings: &ClientSettings) -> Vec<String> {
        let administration = Administration::new(target, settings);
        let mut stayed = Vec::new();
        for policy in self.deployed.iter().rev() {
            let gone = administration.undeploy(policy).await;
            if !gone.is_good() {
                stayed.push(format!("{} is still deployed: {}", policy.id, gone.told()));
            }
        }
        for policy in self.made.iter().rev() {
            let gone = administration.delete(policy).await;
            if !gone.is_good() {
                stayed.push(format!("{} is still there: {}", policy.id, gone.told()));
            }
        }
        stayed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_holds_its_policy_by_name_type_and_version() {
        for provision in PROVISIONS {
            let (_, body) = provision.body();
            let text = String::from_utf8(body.to_vec()).expect("UTF-8");
            for word in [provision.id, provision.type_name, VERSION] {
                assert!(text.contains(word), "{}: {word}", provision.id);
            }
        }
    }

    #[test]
    fn whatever_is_decided_by_a_policy_has_one_to_bring() {
        for endpoint in Endpoint::ALL {
            let bringable = PROVISIONS.iter().any(|one| one.endpoints.contains(&endpoint));
            let without = [GuardDefault, DecideNotApplicable].contains(&endpoint);
            let decides = endpoint.kind() == crate::measure::endpoint::Kind::Decision;
            assert_eq!(bringable, decides && !without, "{}", endpoint.name());
        }
    }
}

//! A service template: what a document holds.

use super::node::Node;
use super::policy::ToscaPolicy;
use super::taking::Taking;
use crate::problem::Problem;

/// What a TOSCA document holds.
#[derive(Clone, Debug)]
pub struct ServiceTemplate<P = ToscaPolicy> {
    /// Its policies, in document order, without those that are refused.
    pub policies: Vec<P>,
    /// Its policy types, by name.
    pub policy_types: Option<Node>,
    /// Its data types, by name.
    pub data_types: Option<Node>,
    /// What is wrong with the document and its policies.
    pub problems: Vec<Problem>,
}

impl<P> Default for ServiceTemplate<P> {
    fn default() -> Self {
        let (policies, problems) = (Vec::new(), Vec::new());
        Self { policies, policy_types: None, data_types: None, problems }
    }
}

impl ServiceTemplate {
    /// Takes a document apart.
    ///
    /// Policies stand under `topology_template`, or at the top as older files have them; a document
    /// may also be one policy that names itself.
    pub fn of(document: Node) -> Self {
        Taking::new(&|policies| policies).document(document)
    }
}

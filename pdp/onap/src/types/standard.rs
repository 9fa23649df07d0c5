//! The types that are known from the start. Their definitions are shipped in `policies/types`, where
//! people can read them; the service has them built in.

use std::sync::{Arc, LazyLock};

use super::Types;
use crate::tosca::{self, Limits, Syntax};

macro_rules! shipped {
    ($($name:literal),+ $(,)?) => {
        &[$(include_str!(concat!("../../../../policies/types/", $name))),+]
    };
}

const DOCUMENTS: &[&str] = shipped![
    "authorization.yaml",
    "guard.yaml",
    "match.yaml",
    "monitoring.tcagen2.v2.yaml",
    "monitoring.tcagen2.yaml",
    "monitoring.yaml",
    "naming.yaml",
    "native.yaml",
    "optimization.yaml",
];

static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let mut types = Types::default();
    for text in DOCUMENTS {
        let template = tosca::read(text.as_bytes(), Syntax::Yaml, &Limits::default())
            .expect("shipped types can be read, tests hold them to it");
        types.add(&template);
    }
    for versions in types.policy_types.values_mut() {
        for policy_type in versions.values_mut() {
            Arc::make_mut(policy_type).standard = true;
        }
    }
    types
});

pub(super) fn types() -> &'static Types {
    &TYPES
}

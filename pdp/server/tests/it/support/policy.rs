//! Policies and requests that tests share.

pub const MONITORING: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_1_0
topology_template:
  policies:
  - test.monitoring.one:
      type: onap.policies.monitoring.tcagen2
      type_version: 1.0.0
      version: 1.0.0
      metadata: {policy-id: test.monitoring.one}
      properties: {threshold: 500}
";

pub const MIN_MAX: &str = "\
topology_template:
  policies:
  - test.guard.minmax:
      type: onap.policies.controlloop.guard.common.MinMax
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Grow, target: vnf-1, id: loop-1, min: 1, max: 3}
";

pub const FREQUENCY: &str = "\
topology_template:
  policies:
  - test.guard.frequency:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Build, target: vnf-2, id: loop-1, timeWindow: 10, timeUnits: minute, limit: 1}
";

pub fn guard_request(operation: &str, target: &str, count: u32) -> String {
    serde_json::json!({
        "ONAPName": "Policy", "requestId": "r", "action": "guard",
        "resource": {"guard": {
            "actor": "SO", "operation": operation, "target": target, "clname": "loop-1", "vfCount": count
        }}
    })
    .to_string()
}

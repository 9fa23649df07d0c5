//! `GET /policy/pdpx/v1/statistics`: the counters, by ONAP's names and spelling.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use actix_web::{HttpRequest, HttpResponse};
use pdp_engine::model::Decision;
use pdp_onap::{APPLICATIONS, Application};
use serde::Serialize;
use serde_json::{Value, json};

use super::error::ApiError;
use super::negotiate::ONAP;
use super::openapi::parts;
use super::request_id::RequestId;
use super::{Row, negotiate, report};
use crate::rest::Worker;
use crate::telemetry::{Deployments, Totals};

pub(super) const ROW: Row = Row {
    path: "/policy/pdpx/v1/statistics",
    name: "statistics",
    allow: "GET, HEAD",
    route: |at| at.route(super::get().to(get)),
    describe,
};

/// The report, members in ONAP's order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Statistics {
    code: u16,
    total_policy_types_count: u32,
    total_policies_count: usize,
    total_error_count: u64,
    permit_decisions_count: u64,
    deny_decisions_count: u64,
    deploy_success_count: u64,
    deploy_failure_count: u64,
    undeploy_success_count: u64,
    undeploy_failure_count: u64,
    indeterminant_decisions_count: u64,
    not_applicable_decisions_count: u64,
    application_metrics: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
}

const COUNTS: [(Decision, &str); 4] = [
    (Decision::Permit, "permit_decisions_count"),
    (Decision::Deny, "deny_decisions_count"),
    (Decision::Indeterminate, "indeterminant_decisions_count"),
    (Decision::NotApplicable, "not_applicable_decisions_count"),
];

impl Statistics {
    fn of(
        alive: bool,
        excluded: &[Application],
        policies: usize,
        totals: &Totals,
        deployments: &Deployments,
    ) -> Self {
        let included = || APPLICATIONS.iter().filter(|row| !excluded.contains(&row.application));
        let mut application_metrics = BTreeMap::new();
        for row in included() {
            let counts: BTreeMap<_, _> = COUNTS
                .into_iter()
                .map(|(decision, name)| (name, totals.decisions(row.application).of(decision)))
                .filter(|(_, count)| *count > 0)
                .collect();
            if !counts.is_empty() {
                application_metrics.insert(row.name, counts);
            }
        }
        let all = |decision| {
            APPLICATIONS.iter().map(|row| totals.decisions(row.application).of(decision)).sum()
        };
        Self {
            code: if alive { 200 } else { 500 },
            total_policy_types_count: included().map(|row| row.reported_types).sum(),
            total_policies_count: policies,
            total_error_count: totals.errors(),
            permit_decisions_count: all(Decision::Permit),
            deny_decisions_count: all(Decision::Deny),
            deploy_success_count: deployments.deployed.load(Relaxed),
            deploy_failure_count: deployments.refused.load(Relaxed),
            undeploy_success_count: deployments.undeployed.load(Relaxed),
            undeploy_failure_count: deployments.undeploy_refused.load(Relaxed),
            indeterminant_decisions_count: all(Decision::Indeterminate),
            not_applicable_decisions_count: all(Decision::NotApplicable),
            application_metrics,
        }
    }
}

async fn get(request: HttpRequest, id: RequestId) -> HttpResponse {
    id.answer(answer(&request))
}

fn answer(request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let app = &Worker::of(request).app;
    let statistics = Statistics::of(
        app.lifecycle.is_alive(),
        &app.excluded,
        app.store.current().policies.len(),
        &app.workers.totals(),
        &app.store.deployments,
    );
    report::write(negotiate::answer(request, ONAP)?, &statistics)
}

fn describe() -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    let names = [
        "totalPolicyTypesCount",
        "totalPoliciesCount",
        "totalErrorCount",
        "permitDecisionsCount",
        "denyDecisionsCount",
        "deploySuccessCount",
        "deployFailureCount",
        "undeploySuccessCount",
        "undeployFailureCount",
        "indeterminantDecisionsCount",
        "notApplicableDecisionsCount",
    ];
    let mut report = json!({
        "type": "object",
        "properties": {
            "code": {"enum": [200, 500]},
            "applicationMetrics": {"type": "object", "additionalProperties": {
                "type": "object", "additionalProperties": count
            }}
        },
        "required": ["code", "applicationMetrics"]
    });
    for name in names {
        report["properties"][name] = count.clone();
    }
    let more = json!({
        "description": "Always answered 200. Counters begin with the process.",
        "parameters": [parts::request_id()],
        "responses": {"200": parts::onap("The counters.", &report)}
    });
    let mut operation =
        parts::operation("observation", "statistics", "What was decided so far", more);
    parts::add_failures(&mut operation, &[400, 406]);
    json!({"get": operation})
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::telemetry::Workers;

    #[test]
    fn counters_appear_with_their_first_decision() {
        let workers = Workers::default();
        let none: Vec<Application> = Vec::new();
        let report = |policies| {
            Statistics::of(true, &none, policies, &workers.totals(), &Deployments::default())
        };
        let empty = serde_json::to_value(report(0)).expect("plain data");
        assert_eq!(empty["applicationMetrics"], serde_json::json!({}));
        assert_eq!(empty["totalPolicyTypesCount"], 19);
        let counters = workers.add();
        for (application, decision) in [
            (Application::Guard, Decision::Permit),
            (Application::Guard, Decision::Deny),
            (Application::Monitoring, Decision::Indeterminate),
            (Application::Monitoring, Decision::NotApplicable),
        ] {
            counters.decision(application, decision, Duration::ZERO);
        }
        let filled = serde_json::to_value(report(1)).expect("plain data");
        assert_eq!(filled["totalPoliciesCount"], 1);
        assert_eq!(filled["permitDecisionsCount"], 1);
        assert_eq!(filled["indeterminantDecisionsCount"], 1);
        assert_eq!(
            filled["applicationMetrics"],
            serde_json::json!({
                "guard": {"permit_decisions_count": 1, "deny_decisions_count": 1},
                "monitoring": {"indeterminant_decisions_count": 1, "not_applicable_decisions_count": 1}
            })
        );
    }

    #[test]
    fn excluded_applications_report_no_types() {
        let all: Vec<_> = APPLICATIONS.iter().map(|row| row.application).collect();
        let report =
            Statistics::of(false, &all, 0, &Workers::default().totals(), &Deployments::default());
        assert_eq!((report.code, report.total_policy_types_count), (500, 0));
    }
}

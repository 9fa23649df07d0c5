//! `/policy/pap/v1/…`: policies are deployed and undeployed.

use actix_web::http::StatusCode;
use actix_web::web::{self, Payload};
use actix_web::{HttpRequest, HttpResponse};
use pdp_onap::tosca::{self, Node, Syntax};
use serde_json::{Value, json};

use super::{HttpBody, answer, answer_body, describe, parameter};
use crate::administration::{AdministrationError, GROUP, SUBGROUP, Wanted};
use crate::rest::error::ApiError;
use crate::rest::request_id::RequestId;
use crate::rest::{self, Row, Worker};

pub(in crate::rest) const DEPLOY: Row = Row {
    path: "/policy/pap/v1/pdps/policies",
    name: "pap-deploy",
    allow: "POST",
    route: |at| at.route(web::post().to(post)),
    describe: || json!({"post": describe::deploy()}),
};

pub(in crate::rest) const UNDEPLOY: Row = Row {
    path: "/policy/pap/v1/pdps/policies/{policy}",
    name: "pap-undeploy",
    allow: "DELETE",
    route: |at| at.route(web::delete().to(delete)),
    describe: || json!({"delete": describe::undeploy("undeploy", &["policy"])}),
};

pub(in crate::rest) const UNDEPLOY_VERSION: Row = Row {
    path: "/policy/pap/v1/pdps/policies/{policy}/versions/{version}",
    name: "pap-undeploy-version",
    allow: "DELETE",
    route: |at| at.route(web::delete().to(delete)),
    describe: || json!({"delete": describe::undeploy("undeployVersion", &["policy", "version"])}),
};

/// Where the state of deployments is told.
pub(in crate::rest) const STATUS: Row = Row {
    path: "/policy/pap/v1/policies/status",
    name: "pap-status",
    allow: "GET, HEAD",
    route: |at| at.route(rest::get().to(status)),
    describe: || json!({"get": describe::status()}),
};

const ACCEPTED: &str = "Use the policy status url to fetch the latest status. Kindly note that when a \
    policy is successfully undeployed, it will disappear from policy status response.";

async fn post(request: HttpRequest, id: RequestId, payload: Payload) -> HttpResponse {
    let log = id.clone();
    answer_body(request, id, payload, ApiError::Deployment, move |it, bytes, syntax| {
        for (name, version) in it.deploy(&wanted(bytes, syntax)?)? {
            tracing::info!(request_id = log.text(), "policy {name}:{version} deployed");
        }
        Ok(accepted())
    })
    .await
}

async fn delete(request: HttpRequest, id: RequestId) -> HttpResponse {
    let name = parameter(&request, "policy").unwrap_or_default().to_owned();
    let version = Wanted::of_pap(parameter(&request, "version"));
    let log = id.clone();
    answer(request, id, ApiError::Deployment, move |it| {
        let version = version.map_err(AdministrationError::Malformed)?;
        for (name, version) in it.undeploy(&name, &version)? {
            tracing::info!(request_id = log.text(), "policy {name}:{version} undeployed");
        }
        Ok(accepted())
    })
    .await
}

async fn status(request: HttpRequest, id: RequestId) -> HttpResponse {
    let pdp = Worker::of(&request).app.name.clone();
    answer(request, id, ApiError::Deployment, move |it| {
        let rows: Vec<Value> = it
            .deployments()?
            .iter()
            .map(|one| {
                json!({
                    "pdpGroup": GROUP,
                    "pdpType": SUBGROUP,
                    "pdpId": pdp,
                    "policy": {"name": one.name, "version": one.version},
                    "policyType": {"name": one.type_name, "version": one.type_version},
                    "deploy": true,
                    "state": if it.decides(one) { "SUCCESS" } else { "FAILURE" },
                })
            })
            .collect();
        Ok(HttpBody::ok(serde_json::to_vec(&rows).expect("plain data is written to memory")))
    })
    .await
}

/// What ONAP's PAP answers: there the deployment is still to come, here it is done.
fn accepted() -> HttpBody {
    let body = json!({"message": ACCEPTED, "uri": STATUS.path});
    HttpBody { status: StatusCode::ACCEPTED, json: body.to_string().into_bytes() }
}

/// `{"policies": [{"policy-id": …, "policy-version": …}]}`; the version may be left out, or lack
/// numbers at its end.
fn wanted(bytes: &[u8], syntax: Syntax) -> Result<Vec<(String, Wanted)>, AdministrationError> {
    let malformed = |what: String| AdministrationError::Malformed(what);
    let document = tosca::document(bytes, syntax, &tosca::Limits::default())
        .map_err(|error| malformed(error.to_string()))?;
    let policies = document.present("policies").and_then(Node::items).unwrap_or_default();
    if policies.is_empty() {
        return Err(malformed(
            "expected `policies`, a list of maps with `policy-id` and perhaps `policy-version`"
                .into(),
        ));
    }
    let one = |(at, policy): (usize, &Node)| {
        let text = |key: &str| policy.present(key).and_then(Node::scalar_text);
        let name = text("policy-id").filter(|name| !name.is_empty()).ok_or_else(|| {
            malformed(format!("policies[{at}]: expected `policy-id`, found {}", policy.found()))
        })?;
        let version = Wanted::of_pap(text("policy-version").as_deref())
            .map_err(|error| malformed(format!("policies[{at}].policy-version: {error}")))?;
        Ok((name.into_owned(), version))
    };
    policies.iter().enumerate().map(one).collect()
}

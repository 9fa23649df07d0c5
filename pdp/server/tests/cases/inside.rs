//! Cases that need a service in a state that no request brings about: PASSIVE, with a history that is
//! down, or with given counters. The same routes answer, in this process.

use std::rc::Rc;
use std::sync::Arc;

use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::{App as HttpApp, test};
use jiff::Timestamp;
use pdp_engine::model::Decision;
use pdp_onap::Application;
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationHistory, OperationKey, Permit, Progress,
    Window,
};
use pdp_server::app::App;
use pdp_server::config::Config;
use pdp_server::rest::{self, ApiError, Worker};
use serde_json::{Value, json};

use crate::case::{Case, Outcome};
use crate::support::{DECISION, Folder, Reply};
use crate::{expect, policies, request};

/// A history whose store is down.
#[derive(Debug)]
pub struct Down;

fn down<T>() -> Result<T, HistoryError> {
    Err(HistoryError::Unavailable("connection refused".into()))
}

impl OperationHistory for Down {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn record(&self, _: Operation) -> Result<(), HistoryError> {
        down()
    }

    fn record_if(&self, _: &Permit<'_>) -> Result<Admission, HistoryError> {
        down()
    }

    fn count_recent(
        &self,
        _: OperationKey<'_>,
        _: Window,
        _: Timestamp,
    ) -> Result<u64, HistoryError> {
        down()
    }

    fn last_outcome(&self, _: &str) -> Result<Option<Progress>, HistoryError> {
        down()
    }

    fn list(&self, _: &Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        down()
    }

    fn prune(&self, _: Timestamp) -> Result<u64, HistoryError> {
        down()
    }
}

/// A service over a folder of policies, changed as the case wants it before it starts.
fn service(folder: &Folder, change: impl FnOnce(&mut Config)) -> Result<App, String> {
    let mut config = Config::default();
    config.policies.paths = vec![folder.text().into()];
    config.state.folder = "none".into();
    config.history.url = "memory".into();
    change(&mut config);
    App::build(config).map_err(|failure| failure.to_string())
}

/// Asks the service once.
fn ask(app: App, worker: impl FnOnce(&Worker), method: &str, path: &str, body: &str) -> Reply {
    app.lifecycle.started();
    let app = Arc::new(app);
    actix_web::rt::System::new().block_on(async move {
        let shared = Rc::new(Worker::new(app));
        worker(&shared);
        let service = test::init_service(
            HttpApp::new().app_data(shared).wrap(from_fn(rest::edge)).configure(rest::configure),
        )
        .await;
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET);
        let request = test::TestRequest::with_uri(path)
            .method(method)
            .insert_header(("Content-Type", "application/json"))
            .set_payload(body.to_owned())
            .to_request();
        let response = test::call_service(&service, request).await;
        let status = response.status().as_u16();
        let body = test::read_body(response).await;
        let body = String::from_utf8_lossy(&body).into_owned();
        Reply { status, headers: Vec::new(), body }
    })
}

pub fn run(case: &Case) -> Outcome {
    asked(case).into()
}

fn asked(case: &Case) -> Result<(), String> {
    let folder = policies::write(case)?;
    let state = &case.json["state"];
    let app = service(&folder, |config| {
        if state["databaseAvailable"] == json!(false) {
            // Nobody listens there.
            config.history.url = "postgres://pdp@127.0.0.1:9/operationshistory".into();
            config.history.required = false;
        }
    })?;
    if state["pdpState"].is_string() {
        app.lifecycle.set_active(state["pdpState"] == "ACTIVE");
    }
    let decision = case.text("kind") == "decision";
    let (method, path) =
        if decision { ("POST", DECISION) } else { (case.text("method"), case.text("path")) };
    let reply = ask(app, |_| {}, method, path, &request::body(case)?);
    expect::check(&case.json["expect"], &reply)
        .map_err(|reason| format!("{reason}; answer {} {}", reply.status, reply.body))
}

/// Statistics of two applications. The names in the case are those of a unit test: two of ours stand
/// for them, such that only the first reports a type.
pub fn statistics(case: &Case) -> Outcome {
    counted(case).into()
}

fn counted(case: &Case) -> Result<(), String> {
    const STAND_INS: [(&str, Application); 2] =
        [("testApp1", Application::Monitoring), ("testApp2", Application::Authorization)];
    let policy = json!({"topology_template": {"policies": [{"m": {
        "type": "onap.policies.monitoring.x", "type_version": "1.0.0", "properties": {}}}]}});
    let folder = Folder::new(&[("policy.json", &policy.to_string())]);
    let app = service(&folder, |config| {
        config.applications.exclude =
            ["naming", "match", "optimization", "guard", "native"].map(str::to_owned).to_vec();
    })?;
    let state = case.json["state"]["decisions"].clone();
    let count = |worker: &Worker| {
        for (name, application) in STAND_INS {
            for (decision, number) in state[name].as_object().into_iter().flatten() {
                let decision = match decision.as_str() {
                    "permit" => Decision::Permit,
                    "deny" => Decision::Deny,
                    "indeterminate" => Decision::Indeterminate,
                    _ => Decision::NotApplicable,
                };
                for _ in 0..number.as_u64().unwrap_or(0) {
                    worker.counters.decision(application, decision, Default::default());
                }
            }
        }
    };
    let mut reply = ask(app, count, case.text("method"), case.text("path"), "");
    for (name, application) in STAND_INS {
        let ours = format!("\"{}\"", application.name());
        reply.body = reply.body.replace(&ours, &format!("\"{name}\""));
    }
    expect::check(&case.json["expect"], &reply)
        .map_err(|reason| format!("{reason}; answer {} {}", reply.status, reply.body))
}

/// Which paths are open while the service is not active.
pub fn filter(case: &Case) -> Outcome {
    filtered(case).into()
}

fn filtered(case: &Case) -> Result<(), String> {
    let folder = Folder::new(&[]);
    let app = service(&folder, |_| {})?;
    app.lifecycle.set_active(case.json["state"]["apiEnabled"] == json!(true));
    let path = format!("/{}", case.text("path").trim_start_matches('/'));
    let reply = ask(app, |_| {}, "GET", &path, "");
    let expected = &case.json["expect"];
    let passes = reply.status != 409;
    let status = expected["http"].as_u64().is_none_or(|status| status == u64::from(reply.status));
    if json!(passes) == expected["pass"] && status {
        Ok(())
    } else {
        Err(format!("answer {} {}", reply.status, reply.body))
    }
}

/// What is answered where a response cannot be written.
pub fn unwritable(case: &Case) -> Outcome {
    let format = if case.json["input"]["format"] == "xml" { "XML" } else { "JSON" };
    let response = actix_web::HttpResponse::from(ApiError::MalformedXacml {
        format,
        part: "response",
        detail: String::new(),
    });
    let status = response.status().as_u16();
    let body = actix_web::rt::System::new()
        .block_on(actix_web::body::to_bytes(response.into_body()))
        .unwrap_or_default();
    let body = String::from_utf8_lossy(&body).into_owned();
    let reply = Reply { status, headers: Vec::new(), body };
    let expected: &Value = &case.json["expect"];
    expect::check(expected, &reply)
        .map_err(|reason| format!("{reason}; answer {} {}", reply.status, reply.body))
        .into()
}

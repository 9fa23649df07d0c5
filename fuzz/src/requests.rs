//! Requests and responses in every format that is read.

use pdp_engine::context::multiple::{self, Flat};
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::{xacml3_json, xacml3_xml};
use pdp_engine::function::Budget;
use pdp_engine::model::{OwnedRequest, Recorder};
use pdp_engine::value::Arena;
use pdp_onap::decision::DecisionRequest;
use pdp_onap::tosca::{self, Limits, Syntax};

/// A request that was read is written in both formats, and both are read again.
fn written(request: &OwnedRequest) {
    let mut out = Vec::new();
    xacml3_xml::request::write(request, &mut out);
    let arena = Arena::new();
    xacml3_xml::request::read(&out, &ReadLimits::POLICY, &mut Recorder::new(&arena))
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&out)));
    out.clear();
    xacml3_json::request::write(request, &mut out);
    if let Err(error) =
        xacml3_json::request::read(&out, &ReadLimits::POLICY, &mut Recorder::new(&arena))
    {
        // In JSON a name that is no URI is a short name, and none of those is foreign.
        let text = String::from_utf8_lossy(&out);
        assert!(error.to_string().contains("there is no data type"), "{error}\n{text}");
    }
    let _ = multiple::expand(request, &Flat, 64, &Budget::new(100_000));
}

/// A request in XML.
pub fn request_xml(data: &[u8]) {
    let arena = Arena::new();
    let mut recorder = Recorder::new(&arena);
    if xacml3_xml::request::read(data, &ReadLimits::REQUEST, &mut recorder).is_ok() {
        written(&recorder.finish());
    }
}

/// A request in the JSON profile.
pub fn request_json(data: &[u8]) {
    let arena = Arena::new();
    let mut recorder = Recorder::new(&arena);
    if xacml3_json::request::read(data, &ReadLimits::REQUEST, &mut recorder).is_ok() {
        written(&recorder.finish());
    }
}

/// A response in XML.
pub fn response_xml(data: &[u8]) {
    let _ = xacml3_xml::response::read(data, &ReadLimits::REQUEST);
}

/// A response in the JSON profile.
pub fn response_json(data: &[u8]) {
    let _ = xacml3_json::response::read(data, &ReadLimits::REQUEST);
}

/// ONAP's decision request, as JSON and as YAML.
pub fn decision_request(data: &[u8]) {
    if let Ok(request) = DecisionRequest::from_json(data) {
        let _ = request.application();
        let _ = request.request_id();
    }
    if let Ok(node) = tosca::document(data, Syntax::Yaml, &Limits::REQUEST)
        && let Ok(request) = DecisionRequest::from_node(&node)
    {
        let _ = request.application();
    }
}

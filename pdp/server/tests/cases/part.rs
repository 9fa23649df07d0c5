//! Cases of one part of the translation or of the readers, called as a library with the handed values.

use std::fs;

use pdp_engine::finder::{AttributeName, Catalogue, Found};
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::{xacml3_json, xacml3_xml};
use pdp_engine::model::{
    Answer, AssignedValue, Decision, Expression, NoticeKind, OwnedRequest, Recorder,
    RequestOptions, ReturnedNotice, Status,
};
use pdp_engine::value::{Arena, Data, DataType, Integer, Value as EngineValue};
use pdp_history::{AnchoredClock, MemoryHistory, Settings};
use pdp_onap::decision::{DecisionRequest, Form, GuardIndeterminate, write_decision};
use pdp_onap::history::OperationHistory;
use pdp_onap::tosca::{self, Node, ServiceTemplate, Syntax};
use pdp_onap::translate::translate_with;
use pdp_onap::types::Types;
use pdp_onap::types::matchable::{Shape, Simple};
use pdp_onap::{Application, pip};
use serde_json::{Value, json};

use crate::case::Case;
use crate::inside::Down;
use crate::policies::texts;
use crate::request;

type Ran = Result<(), String>;

fn held(holds: bool, found: impl std::fmt::Debug) -> Ran {
    if holds { Ok(()) } else { Err(format!("found {found:?}")) }
}

/// Whether a failure is the expected one.
fn fails(expect: &Value, message: &str) -> bool {
    let error = &expect["error"];
    let text = |key: &str| error[key].as_str();
    text("contains").is_none_or(|text| message.contains(text))
        && text("equals").is_none_or(|text| message == text)
}

fn application(case: &Case) -> Application {
    Application::of_name(case.text("application")).unwrap_or(Application::Match)
}

/// From a decision request to what the engine gets.
pub fn request_conversion(case: &Case) -> Ran {
    let expect = &case.json["expect"];
    let application = application(case);
    let body = match application {
        // The conversion refuses whatever the request says.
        Application::Native => json!({"action": "native"}).to_string(),
        _ => request::body(case)?,
    };
    let request = DecisionRequest::from_json(body.as_bytes()).map_err(|error| error.to_string())?;
    let arena = Arena::new();
    let mut recorder = Recorder::new(&arena);
    let driven = match application {
        Application::Native => request.application().map(|_| ()),
        _ => request.drive(application, RequestOptions::default(), &mut recorder),
    };
    if let Err(error) = driven {
        return held(expect["ok"] == json!(false) && fails(expect, &error.to_string()), error);
    }
    let converted = recorder.finish();
    if expect["ok"] == json!(false) {
        return held(false, converted);
    }
    let has = |id: &str| !values(&converted, id).is_empty();
    let categories = texts(&expect["categories"])
        .iter()
        .all(|name| converted.categories.iter().any(|category| category.category.ends_with(name)));
    let attributes = expect["attributes"].as_object().into_iter().flatten();
    let attributes = attributes
        .into_iter()
        .all(|(id, value)| value.as_str().is_some_and(|value| values(&converted, id) == [value]));
    let lists = [("ids", pdp_onap::ids::RESOURCE_ID), ("types", pdp_onap::ids::POLICY_TYPE)];
    let lists = lists
        .iter()
        .all(|(key, id)| !expect[*key].is_array() || json!(values(&converted, id)) == expect[*key]);
    let resource = texts(&expect["resourceHas"]).into_iter().all(has);
    held(categories && attributes && lists && resource, converted)
}

/// The texts of an attribute's values.
fn values(request: &OwnedRequest, id: &str) -> Vec<String> {
    let attributes = request.categories.iter().flat_map(|category| &category.attributes);
    attributes
        .filter(|attribute| attribute.id == id)
        .flat_map(|attribute| &attribute.values)
        .filter_map(|value| match value.as_value().data() {
            Data::String(text) => Some(text.to_owned()),
            _ => None,
        })
        .collect()
}

/// From an answer of the engine to the body.
pub fn response_conversion(case: &Case) -> Ran {
    let decision = match case.json["input"]["decision"].as_str().unwrap_or_default() {
        "Permit" => Decision::Permit,
        "Deny" => Decision::Deny,
        "NotApplicable" => Decision::NotApplicable,
        _ => Decision::Indeterminate,
    };
    let mut obligations: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for obligation in case.json["input"]["obligations"].as_array().into_iter().flatten() {
        match obligation {
            Value::String(text) => obligations.push(described(case, text)?),
            written => {
                let assignments = written["assignments"].as_object().into_iter().flatten();
                let assignments = assignments.map(|(id, text)| {
                    Ok::<_, String>((
                        id.clone(),
                        stands_for(case, text.as_str().unwrap_or_default())?,
                    ))
                });
                let id = written["id"].as_str().unwrap_or_default().to_owned();
                obligations.push((id, assignments.collect::<Result<_, _>>()?));
            }
        }
    }
    let assigned: Vec<Vec<AssignedValue<'_>>> = obligations
        .iter()
        .map(|(_, assignments)| {
            assignments
                .iter()
                .map(|(id, text)| AssignedValue {
                    attribute_id: id,
                    category: None,
                    issuer: None,
                    value: assigned_value(id, text),
                })
                .collect()
        })
        .collect();
    let notices: Vec<ReturnedNotice<'_>> = obligations
        .iter()
        .zip(&assigned)
        .map(|((id, _), assignments)| ReturnedNotice {
            kind: NoticeKind::Obligation,
            id,
            assignments,
        })
        .collect();
    let answer =
        Answer { decision, status: Status::OK, notices: &notices, attributes: &[], policies: &[] };
    let mut out = Vec::new();
    write_decision(&answer, application(case), Form::Full, GuardIndeterminate::Permit, &mut out);
    let body: Value = serde_json::from_slice(&out).map_err(|error| error.to_string())?;
    let expect = &case.json["expect"];
    let count = body["policies"].as_object().map_or(0, |policies| policies.len() as u64);
    let holds = (expect["status"].is_null() || expect["status"] == body["status"])
        && expect["policyCount"].as_u64().is_none_or(|wanted| wanted == count);
    held(holds, body)
}

fn assigned_value<'a>(id: &str, text: &'a str) -> EngineValue<'a> {
    match text.parse() {
        Ok(number) if id.ends_with(":weight") => {
            EngineValue::new(Data::Integer(Integer::Small(number)))
        }
        _ => EngineValue::string(text),
    }
}

/// `<text of FILE>` is the text of that file.
fn stands_for(case: &Case, text: &str) -> Result<String, String> {
    match text.strip_prefix("<text of ").and_then(|rest| rest.strip_suffix('>')) {
        Some(file) => fs::read_to_string(case.folder.join(file)).map_err(|error| error.to_string()),
        None => Ok(text.to_owned()),
    }
}

/// An obligation in words: the policy's own, or one that nobody knows.
fn described(case: &Case, text: &str) -> Result<(String, Vec<(String, String)>), String> {
    if text.contains("unknown") {
        return Ok(("urn:unknown".to_owned(), Vec::new()));
    }
    let translated = translated(case)?;
    let notice = translated.policy.notices.first().ok_or("the policy has no obligation")?;
    let assignments =
        notice.assignments.iter().filter_map(|assignment| match &assignment.expression {
            Expression::Literal(literal) => {
                Some((assignment.attribute_id.to_string(), literal.text.to_string()))
            }
            _ => None,
        });
    Ok((notice.id.to_string(), assignments.collect()))
}

/// The documents that a member of the case lists.
fn documents(case: &Case, key: &str) -> Result<Vec<ServiceTemplate>, String> {
    let files = case.json[key].as_array().into_iter().flatten();
    files
        .map(|entry| {
            let file = entry.as_str().or(entry["file"].as_str()).unwrap_or_default();
            let path = case.folder.join(file);
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let syntax = if file.ends_with(".json") { Syntax::Json } else { Syntax::Yaml };
            tosca::read(&bytes, syntax, &Default::default()).map_err(|error| error.to_string())
        })
        .collect()
}

/// The types that are known in the case.
fn types(case: &Case) -> Result<Types, String> {
    let mut types = Types::standard().clone();
    for document in documents(case, "policyTypes")? {
        types.add(&document);
    }
    Ok(types)
}

fn translated(case: &Case) -> Result<pdp_onap::translate::Translated, String> {
    let types = types(case)?;
    let documents = documents(case, "policies")?;
    let policy =
        documents.iter().flat_map(|it| &it.policies).next().ok_or("the case has no policy")?;
    translate_with(policy, &types).map_err(|problems| format!("{problems:?}"))
}

/// Which properties are matchable, and what becomes of them.
pub fn matchable(case: &Case) -> Ran {
    let expect = &case.json["expect"];
    if let Some(wanted) = expect["targetAnyOf"].as_u64() {
        let translated = translated(case)?;
        let found = translated.policy.target.any_of.len() as u64;
        return held(found == wanted, found);
    }
    let wanted = &case.json["policyType"];
    let name = |key: &str| wanted[key].as_str().unwrap_or_default().to_owned();
    let types = types(case)?;
    let found = types.matchable(&name("name"), &name("version")).len();
    held(json!(found) == expect["matchableProperties"], found)
}

/// What a translation says of obligations, beyond what the listing shows.
pub fn obligations(case: &Case) -> Ran {
    let expect = &case.json["expect"];
    if expect["obligations"].is_null() {
        return Ok(());
    }
    let policy = translated(case)?.policy;
    let first = policy.notices.first().map_or(0, |notice| notice.assignments.len());
    let found = json!({"obligations": policy.notices.len(), "obligationAssignments": first});
    held(
        found["obligations"] == expect["obligations"]
            && (expect["obligationAssignments"].is_null()
                || found["obligationAssignments"] == expect["obligationAssignments"]),
        found,
    )
}

/// A value of a matchable property, or how a property is declared.
pub fn matchable_value(case: &Case) -> Ran {
    let (input, expect) = (&case.json["input"], &case.json["expect"]);
    if let Some(name) = input["entrySchemaType"].as_str() {
        let found = Simple::of_name(name);
        return held(found.is_some() == (expect["primitive"] == json!(true)), found);
    }
    if let Some(name) = input["type"].as_str() {
        let node = node(&input["value"])?;
        let shape = match name {
            "list" => Shape::List(Simple::String),
            "map" => Shape::Map(Simple::String),
            name => Shape::One(Simple::of_name(name).ok_or("no such type")?),
        };
        let found: Vec<Option<String>> =
            shape.values(&node).into_iter().map(|value| shape.simple().text(value.node)).collect();
        let first = found.first().cloned().flatten();
        let holds = if expect["empty"] == json!(true) {
            found.is_empty()
        } else if expect["error"].is_object() {
            first.is_none()
        } else if let Some(hour) = expect["hour"].as_u64() {
            first.as_ref().is_some_and(|text| text.contains(&format!("T{hour:02}:")))
        } else {
            let written: Option<Value> =
                first.as_deref().and_then(|text| serde_json::from_str(text).ok());
            written.is_some_and(|it| it == expect["value"]) || json!(first) == expect["value"]
        };
        return held(holds, found);
    }
    let mut property = json!({"type": "string"});
    property["metadata"] = input["metadata"].clone();
    let types = own_type(&json!({"p": property}))?;
    let found = !types.matchable("own", "1.0.0").is_empty();
    held(json!(found) == expect["matchable"], found)
}

fn node(value: &Value) -> Result<Node, String> {
    tosca::document(value.to_string().as_bytes(), Syntax::Json, &Default::default())
        .map_err(|error| error.to_string())
}

/// Types with one more, `own`.
fn own_type(properties: &Value) -> Result<Types, String> {
    let document = json!({"policy_types": {"own": {
        "derived_from": "onap.policies.Match", "version": "1.0.0", "properties": properties}}});
    let template = ServiceTemplate::of(node(&document)?);
    let mut types = Types::standard().clone();
    let problems = types.add(&template);
    if problems.is_empty() { Ok(types) } else { Err(format!("{problems:?}")) }
}

/// What is said of a policy of the type `own`.
fn said(types: &Types, type_name: &str, properties: &Value) -> Result<String, String> {
    let document = json!({"name": "p", "version": "1.0.0", "type": type_name, "type_version": "1.0.0",
        "properties": properties});
    let template = ServiceTemplate::of(node(&document)?);
    let policy = template.policies.first().ok_or("no policy")?;
    Ok(match translate_with(policy, types) {
        Ok(_) => String::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    })
}

/// Small parts: numbers, decoding of properties, time ranges.
pub fn util(case: &Case) -> Ran {
    let (input, expect) = (&case.json["input"], &case.json["expect"]);
    if let Some(text) = input["parseInteger"].as_str() {
        let found = Node::text(text).integer();
        return held(json!(found) == expect["value"], found);
    }
    if input["class"].is_string() {
        if input["properties"].is_null() {
            // ONAP names the class that it decodes into; ours are those of the guard types.
            let guard = "onap.policies.controlloop.guard.common.MinMax";
            let said = said(Types::standard(), guard, &Value::Null)?;
            let wanted = expect["error"]["equals"].as_str().unwrap_or_default();
            let wanted = wanted.replace("Data", "MinMaxDefinition");
            return held(said.contains(&wanted), said);
        }
        let types = own_type(&json!({"value": {"type": "integer", "required": true}}))?;
        let said = said(&types, "own", &input["properties"])?;
        return match expect["error"].is_object() {
            true => held(!said.is_empty() && fails(expect, &said), said),
            false => held(said.is_empty() && input["properties"]["value"] == expect["value"], said),
        };
    }
    let range = json!({"start_time": input["start"], "end_time": input["end"]});
    let document = json!({"name": "p", "version": "1.0.0", "type_version": "1.0.0",
        "type": "onap.policies.controlloop.guard.common.Blacklist",
        "properties": {"blacklist": ["x"], "timeRange": range}});
    let template = ServiceTemplate::of(node(&document)?);
    let policy = template.policies.first().ok_or("no policy")?;
    let translated =
        translate_with(policy, Types::standard()).map_err(|problems| format!("{problems:?}"))?;
    let arguments =
        translated.policy.variables.first().and_then(|variable| match &variable.expression {
            Expression::Apply(apply) => Some(apply.arguments.len()),
            _ => None,
        });
    held(json!(arguments) == expect["applyArguments"], arguments)
}

/// Look-ups in the operations history.
pub fn look_up(case: &Case) -> Ran {
    let (input, expect) = (&case.json["input"], &case.json["expect"]);
    let count = input["pip"] == "count-recent-operations";
    let issuers = match input["issuers"].as_array() {
        Some(_) => texts(&input["issuers"]).into_iter().map(Some).collect(),
        None => vec![input["issuer"].as_str()],
    };
    for issuer in issuers {
        let found = looked_up(case, count, issuer)?;
        let holds = match expect {
            _ if expect["noException"] == json!(true) => true,
            _ if expect["empty"] == json!(true) => found.is_none(),
            // A look-up that fails is -1 in ONAP. Here it stays a failure, which a guard reads Permit.
            _ if expect["value"] == json!(-1) => found == Some(Err(())),
            _ if expect["value"].is_null() => found.is_none(),
            _ => found == Some(Ok(expect["value"].clone())),
        };
        held(holds, found)?;
    }
    Ok(())
}

/// What the history supplies: nothing, a value or a failure.
fn looked_up(
    case: &Case,
    count: bool,
    issuer: Option<&str>,
) -> Result<Option<Result<Value, ()>>, String> {
    let input = &case.json["input"];
    let (id, data_type) = if count {
        (pdp_onap::ids::GUARD_OPERATION_COUNT, DataType::Integer)
    } else {
        (pdp_onap::ids::GUARD_OPERATION_OUTCOME, DataType::String)
    };
    let name = AttributeName {
        category: pdp_onap::ids::category::RESOURCE.into(),
        id: id.into(),
        data_type,
        issuer: issuer.map(Into::into),
    };
    let Some(supplier) = pip::Guard.supplier(&name)? else { return Ok(None) };
    let memory = MemoryHistory::new(AnchoredClock::start(), Settings::default());
    request::rows(case, memory.now(), |row| {
        let operation = serde_json::from_value(row).map_err(|error| error.to_string())?;
        memory.record(operation).map_err(|error| error.to_string())
    })?;
    let down = Down;
    let history: &dyn OperationHistory =
        if input["databaseAvailable"] == json!(false) { &down } else { &memory };
    let arena = Arena::new();
    let input_values: Vec<Vec<EngineValue<'_>>> = ["actor", "operation", "target"]
        .iter()
        .map(|key| input[*key].as_str().map(EngineValue::string).into_iter().collect())
        .collect();
    let inputs: Vec<&[EngineValue<'_>]> =
        if count { input_values.iter().map(Vec::as_slice).collect() } else { Vec::new() };
    let Some(question) = pip::question(&supplier, &inputs) else { return Ok(None) };
    Ok(match pip::found(history.answer(question, history.now()), &arena) {
        Found::Values([value]) => match value.data() {
            Data::Integer(Integer::Small(number)) => Some(Ok(json!(number))),
            Data::String(text) => Some(Ok(json!(text))),
            _ => None,
        },
        Found::Failed(_) => Some(Err(())),
        _ => None,
    })
}

/// The readers of XACML.
pub fn xacml_parse(case: &Case) -> Ran {
    let path = case.folder.join(case.text("input"));
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let expect = &case.json["expect"];
    let limits = ReadLimits::default();
    let is_json = path.extension().is_some_and(|it| it == "json");
    if expect["roundTrip"] == json!(true) {
        let read = |bytes: &[u8], is_json| {
            if is_json {
                xacml3_json::response::read(bytes, &limits)
            } else {
                xacml3_xml::response::read(bytes, &limits)
            }
            .map_err(|error| error.to_string())
        };
        let before = read(&bytes, is_json)?;
        let arena = Arena::new();
        let answers: Vec<Answer<'_>> = before
            .results
            .iter()
            .map(|result| Answer {
                decision: result.decision,
                status: Status::OK,
                notices: &[],
                attributes: &[],
                policies: &[],
            })
            .collect();
        let mut written = Vec::new();
        let via_json = expect["via"].as_str().unwrap_or_default().contains("json");
        match via_json {
            true => xacml3_json::response::write(&answers, &arena, &mut written),
            false => xacml3_xml::response::write(&answers, &arena, &mut written),
        }
        let after = read(&written, via_json)?;
        let (before, after) = (format!("{before:?}"), format!("{after:?}"));
        return held(before == after, (before, after));
    }
    let arena = Arena::new();
    let mut recorder = Recorder::new(&arena);
    let read = match is_json {
        true => xacml3_json::request::read_expanding(&bytes, &limits, &|_, _| false, &mut recorder),
        false => xacml3_xml::request::read(&bytes, &limits, &mut recorder),
    };
    if let Err(error) = read {
        return held(expect["error"].is_object(), error);
    }
    let request = recorder.finish();
    let firsts: Vec<String> = request
        .categories
        .iter()
        .filter_map(|category| {
            let value = category.attributes.first()?.values.first()?;
            Some(value.as_value().lexical(&arena).to_owned())
        })
        .collect();
    let wanted = texts(&expect["firstValues"]);
    let holds = (expect["attributeCategories"].is_null()
        || expect["attributeCategories"] == json!(request.categories.len()))
        && (wanted.is_empty() || wanted == firsts)
        && [
            ("combinedDecision", request.options.combined_decision),
            ("returnPolicyIdList", request.options.return_policy_ids),
        ]
        .iter()
        .all(|(key, value)| expect[*key].is_null() || expect[*key] == json!(value));
    held(holds, request)
}

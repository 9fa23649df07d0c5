//! Cases that are calls of a command.

use serde_json::{Value, json};

use crate::case::Case;
use crate::part;
use crate::policies::{self, texts};
use crate::support::{Finished, Folder, run};

/// Policies that must be refused, with a reason that holds the handed text.
pub fn load_error(case: &Case) -> Result<(), String> {
    let folder = match case.json.get("input") {
        Some(input) => Folder::new(&[("input.json", &input.to_string())]),
        None => policies::write(case)?,
    };
    let checked = run(&["check", "--format", "json", &folder.text()]);
    let report: Value =
        serde_json::from_str(&checked.out).map_err(|error| shown(&error.to_string(), &checked))?;
    if checked.code != 4 {
        return Err(shown("exit code 4 was expected", &checked));
    }
    let expect = &case.json["expect"];
    if let Some(loaded) = expect["loaded"].as_u64()
        && report["policies"] != json!(loaded)
    {
        return Err(shown(&format!("{loaded} policies were expected"), &checked));
    }
    let messages: Vec<&str> = report["problems"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|problem| problem["message"].as_str())
        .collect();
    let held = match &expect["error"] {
        error if error["contains"].is_string() => {
            let text = error["contains"].as_str().unwrap_or_default();
            messages.iter().any(|message| message.contains(text))
        }
        error if error["equals"].is_string() => {
            messages.iter().any(|message| error["equals"] == **message)
        }
        _ => !messages.is_empty(),
    };
    if held { Ok(()) } else { Err(shown(&format!("expected {}", expect["error"]), &checked)) }
}

/// Policies that must be accepted; what the case says of the translation is looked for in the listing.
pub fn translate(case: &Case) -> Result<(), String> {
    let folder = policies::write(case)?;
    let checked = run(&["check", "--listing", &folder.text()]);
    if checked.code != 0 {
        return Err(shown("exit code 0 was expected", &checked));
    }
    let expect = &case.json["expect"];
    let mut wanted = Vec::new();
    wanted.extend(expect["policyId"].as_str());
    wanted.extend(expect["policySetId"].as_str());
    wanted.extend(expect["version"].as_str());
    for key in ["targetHas", "rulesMatchOn", "values"] {
        wanted.extend(texts(&expect[key]));
    }
    if expect["hasTimeRangeVariable"] == json!(true) {
        wanted.push("time-in-recurring-range");
    }
    if let Some(missing) = wanted.iter().find(|text| !checked.out.contains(**text)) {
        return Err(shown(&format!("the listing lacks {missing}"), &checked));
    }
    if let Some(loaded) = expect["loaded"].as_u64()
        && !checked.out.contains(&format!("{loaded} policies, 0 refused"))
    {
        return Err(shown(&format!("{loaded} policies were expected"), &checked));
    }
    part::obligations(case)
}

/// Whether a policy type is claimed: a policy of the type is then judged by its properties.
pub fn support(case: &Case) -> Result<(), String> {
    let wanted = &case.json["policyType"];
    let policy = json!({"topology_template": {"policies": [{"test": {
        "type": wanted["name"], "type_version": wanted["version"], "version": "1.0.0", "properties": {}
    }}]}});
    let folder = Folder::new(&[("policy.json", &policy.to_string())]);
    let checked = run(&["check", "--format", "json", &folder.text()]);
    let claimed = !checked.out.contains("\"policy-type\"")
        && !checked.out.contains("\"policy-type-version\"");
    if json!(claimed) == case.json["expect"]["supported"] {
        Ok(())
    } else {
        Err(shown(&format!("supported: {}", case.json["expect"]["supported"]), &checked))
    }
}

/// Configurations that must be taken or refused.
pub fn config(case: &Case) -> Result<(), String> {
    let folder = Folder::new(&[]);
    let path = match &case.json["config"] {
        Value::String(file) => case.folder.join(file),
        change => {
            let file = case.folder.join(change["file"].as_str().unwrap_or_default());
            let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
            let mut tree: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            for (key, value) in change["change"].as_object().into_iter().flatten() {
                tree[key] = value.clone();
            }
            folder.write("config.json", &tree.to_string())
        }
    };
    let printed = run(&["serve", "--config", &path.display().to_string(), "--print-config"]);
    let expect = &case.json["expect"];
    let valid = expect["valid"] == json!(true);
    if (printed.code == 0) != valid {
        return Err(shown(&format!("valid: {valid} was expected"), &printed));
    }
    let error = &expect["error"];
    let text = error["contains"].as_str().or(error["equals"].as_str()).unwrap_or_default();
    let text = text.replace("<path>", &path.display().to_string());
    let also = texts(&error["alsoContains"]);
    let missing =
        std::iter::once(text.as_str()).chain(also).find(|text| !printed.err.contains(text));
    match missing {
        Some(missing) => Err(shown(&format!("the message lacks {missing}"), &printed)),
        None => Ok(()),
    }
}

fn shown(reason: &str, finished: &Finished) -> String {
    format!("{reason}; exit code {}; {}{}", finished.code, finished.out.trim(), finished.err.trim())
}

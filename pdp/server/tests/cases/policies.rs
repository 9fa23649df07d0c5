//! The policies of a case, written to a folder.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::case::Case;
use crate::support::Folder;

/// Writes the policies in the order of the case, without those that are unloaded again.
pub fn write(case: &Case) -> Result<Folder, String> {
    let folder = Folder::new(&[]);
    let unload: Vec<&str> = texts(&case.json["unload"]);
    let listed = case.json["policyTypes"].as_array().into_iter().flatten();
    let listed = listed.chain(case.json["policies"].as_array().into_iter().flatten());
    for (number, entry) in listed.enumerate() {
        let file = entry.as_str().or_else(|| entry["file"].as_str()).unwrap_or_default();
        let path = case.folder.join(file);
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // The order of names is the order of loading.
        let name = format!("{number:02}-{name}");
        let select = texts(&entry["select"]);
        if select.is_empty() && unload.is_empty() {
            folder.write(&name, &text);
            continue;
        }
        let mut document = parse(&path, &text)?;
        keep(&mut document, &select, &unload, &entry["replaceProperties"]);
        folder.write(&format!("{name}.json"), &document.to_string());
    }
    Ok(folder)
}

fn parse(path: &Path, text: &str) -> Result<Value, String> {
    // Every JSON text here is YAML too.
    serde_saphyr::from_str(text).map_err(|error| format!("{}: {error}", path.display()))
}

fn keep(document: &mut Value, select: &[&str], unload: &[&str], properties: &Value) {
    let Some(policies) = document["topology_template"]["policies"].as_array_mut() else { return };
    for entry in policies.iter_mut() {
        let Some(entry) = entry.as_object_mut() else { continue };
        entry.retain(|key, _| {
            let name = key.split(':').next().unwrap_or(key);
            (select.is_empty() || select.contains(&name)) && !unload.contains(&name)
        });
        if !properties.is_null() {
            for policy in entry.values_mut() {
                policy["properties"] = properties.clone();
            }
        }
    }
    policies.retain(|entry| entry != &json!({}));
}

pub fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

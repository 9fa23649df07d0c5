//! What a deserializer complains of, in the words of whoever wrote the document.

use super::below;
use crate::failure::Failure;

/// A fault in words.
#[derive(Debug)]
pub(crate) struct Fault {
    /// What is wrong and what to do, without the place.
    pub(crate) failure: Failure,
    /// The key, where it is one that is not known.
    pub(crate) unknown: Option<String>,
}

/// The complaint `message` about what stands under `path`.
pub(crate) fn fault(message: &str, path: &str) -> Fault {
    let known = |failure| Fault { failure, unknown: None };
    let at_top = path.is_empty() || path == ".";
    let mut quoted = message.split('`').skip(1).step_by(2);
    if message.starts_with("unknown field `") {
        let key = quoted.next().unwrap_or_default();
        let failure = Failure::usage(format!("unknown key `{key}`"));
        let choice: Vec<&str> = quoted.collect();
        let failure = failure.hint(suggestion(key, &choice, "known keys here: "));
        return Fault { failure, unknown: Some(key.to_owned()) };
    }
    if message.starts_with("unknown variant `") {
        let word = quoted.next().unwrap_or_default();
        let choice: Vec<&str> = quoted.collect();
        let what = format!("`{path}`: `{word}` is not one of {}", choice.join(", "));
        let hint = suggestion(word, &choice, "write one of ");
        return known(Failure::usage(what).hint(hint));
    }
    if message.starts_with("missing field `") {
        let key = quoted.next().unwrap_or_default();
        return known(Failure::usage(format!("`{}` is missing", below(path, key))));
    }
    // A YAML parser has words of its own for text.
    let message = if message == "expected string scalar" { "expected text" } else { message };
    let said = match expectation(message, is_secret(path)) {
        Some((_, found)) if is_time(path) => format!("expected {TIME}, found {found}"),
        Some((expected, found)) => format!("expected {expected}, found {found}"),
        None if is_time(path) => format!("expected {TIME}"),
        None if is_secret(path) => "it cannot be read".to_owned(),
        None => message.to_owned(),
    };
    known(Failure::usage(if at_top { said } else { format!("`{path}`: {said}") }))
}

fn suggestion(word: &str, choice: &[&str], all: &str) -> String {
    match nearest(word, choice.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{all}{}", choice.join(", ")),
    }
}

/// What is expected where a time stands.
const TIME: &str = "a time such as 2026-01-01T08:00:00Z or 2026-01-01T10:00:00+02:00 (RFC 3339)";

/// Whether a time stands under such a key: of an operation that was run.
pub(crate) fn is_time(path: &str) -> bool {
    matches!(path.rsplit('.').next(), Some("starttime" | "endtime"))
}

/// What stands under such a key is never shown.
fn is_secret(path: &str) -> bool {
    let key = path.rsplit('.').next().unwrap_or(path).to_ascii_lowercase();
    key.contains("passw") || key.contains("secret")
}

/// `invalid type: string "many", expected u64` and the like: what was expected, and what was found.
fn expectation(message: &str, secret: bool) -> Option<(&str, String)> {
    let rest = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 up, such as 4",
        "i8" | "i16" | "i32" | "i64" => "a whole number, such as 4",
        "f32" | "f64" => "a number, such as 1.5",
        "a boolean" => "true or false",
        "a string" | "path string" => "text, such as \"abc\"",
        "a sequence" => "a list, such as [a, b]",
        "a map" => "keys with values",
        other if other.starts_with("struct ") => "keys with values",
        other => other,
    };
    let found = if secret { "something else".to_owned() } else { in_words(found) };
    Some((expected, found))
}

/// What a deserializer calls a value, as people call it.
fn in_words(found: &str) -> String {
    let rest = |prefix: &str| found.strip_prefix(prefix);
    match found {
        "null" | "unit value" | "Option value" => return "nothing".to_owned(),
        "sequence" => return "a list".to_owned(),
        "map" => return "keys with values".to_owned(),
        _ => {}
    }
    if let Some(text) = rest("string ") {
        return format!("the text {text}");
    }
    let number = rest("integer ").or_else(|| rest("floating point "));
    match number.or_else(|| rest("boolean ")) {
        Some(value) => value.trim_matches('`').to_owned(),
        None => found.to_owned(),
    }
}

/// The candidate that `word` was probably meant to be.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

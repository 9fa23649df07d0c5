//! The operations history that ONAP's guard application names in its `xacml.properties`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

const URL: &str = "persistence.jdbc.url";
const USER: &str = "persistence.jdbc.user";
const PASSWORD: &str = "persistence.jdbc.password";

/// Our settings for the database that the guard application's properties name; none of our settings
/// where they name none. A database that cannot be reached keeps nobody from starting, as with ONAP.
pub(super) fn read(applications: &Path, warnings: &mut Vec<String>) -> Value {
    let file = applications.join("guard/xacml.properties");
    // ONAP skips an application without this file; here it has the usual history.
    let Ok(text) = fs::read_to_string(&file) else { return json!({}) };
    let properties = properties(&text);
    let value = |name: &str| {
        // `jakarta.` today, `javax.` in older files.
        let found = properties.iter().rev().find(|(key, _)| {
            key.strip_prefix("jakarta.").or(key.strip_prefix("javax.")) == Some(name)
        });
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    };
    let Some(jdbc) = value(URL) else { return json!({}) };
    match address(jdbc, value(USER), value(PASSWORD)) {
        Some(url) => {
            if jdbc.contains('?') {
                warnings.push(format!(
                    "{}: what follows `?` in {URL} is for Java's driver and is not used",
                    file.display()
                ));
            }
            json!({"url": url, "required": false})
        }
        None => {
            warnings.push(format!(
                "{}: {URL} names no database that is known (jdbc:postgresql:, jdbc:mariadb:, \
                 jdbc:mysql:): operations are counted in this service alone",
                file.display()
            ));
            json!({})
        }
    }
}

fn address(jdbc: &str, user: Option<&str>, password: Option<&str>) -> Option<String> {
    let (kind, place) = jdbc.strip_prefix("jdbc:")?.split_once("://")?;
    let scheme = match kind {
        "postgresql" => "postgres",
        "mariadb" | "mysql" => "mysql",
        _ => return None,
    };
    let place = place.split('?').next().unwrap_or_default();
    let who = match (user, password) {
        (Some(user), Some(password)) => format!("{}:{}@", encoded(user), encoded(password)),
        (Some(user), None) => format!("{}@", encoded(user)),
        (None, _) => String::new(),
    };
    Some(format!("{scheme}://{who}{place}"))
}

/// A part of an address in which no character has a meaning.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Names and values of a file in Java's form: `=`, `:` or a blank between them, `\\` before a character
/// that is meant as such or at the end of a line that goes on.
fn properties(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_owned();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        while line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            line.pop();
            line.push_str(lines.next().unwrap_or_default().trim_start());
        }
        found.push(split(&line));
    }
    found
}

fn split(line: &str) -> (String, String) {
    let (mut name, mut value) = (String::new(), String::new());
    let mut in_name = true;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped = match characters.next() {
                    Some('t') => '\t',
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some(other) => other,
                    None => break,
                };
                if in_name { name.push(escaped) } else { value.push(escaped) }
            }
            '=' | ':' | ' ' | '\t' if in_name => {
                in_name = false;
                let mut separated = character == '=' || character == ':';
                while let Some(next) = characters.peek() {
                    match next {
                        ' ' | '\t' => {}
                        '=' | ':' if !separated => separated = true,
                        _ => break,
                    }
                    characters.next();
                }
            }
            other if in_name => name.push(other),
            other => value.push(other),
        }
    }
    (name, value.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Value, Vec<String>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("guard")).expect("it is writable");
        fs::write(folder.path().join("guard/xacml.properties"), text).expect("it is writable");
        let mut warnings = Vec::new();
        (read(folder.path(), &mut warnings), warnings)
    }

    #[test]
    fn a_database_becomes_our_address() {
        let (ours, warnings) = read_text(
            "# a comment\n\
             xacml.pip.engines = count-recent-operations,\\\n    get-operation-outcome\n\
             jakarta.persistence.jdbc.url=jdbc:postgresql://postgres:5432/operationshistory\n\
             jakarta.persistence.jdbc.user=policy_user\n\
             jakarta.persistence.jdbc.password: p@ss/word\n",
        );
        let url = "postgres://policy_user:p%40ss%2Fword@postgres:5432/operationshistory";
        assert_eq!(ours, json!({"url": url, "required": false}));
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn colons_may_be_written_with_a_backslash() {
        let (ours, warnings) = read_text(
            "javax.persistence.jdbc.url = jdbc\\:mariadb\\://db\\:3306/oh?useSSL=false\n",
        );
        assert_eq!(ours["url"], "mysql://db:3306/oh");
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn another_database_is_a_warning_and_no_file_is_none() {
        let (ours, warnings) = read_text("jakarta.persistence.jdbc.url=jdbc:h2:mem:testdb\n");
        assert_eq!((ours, warnings.len()), (json!({}), 1));
        let mut warnings = Vec::new();
        assert_eq!(read(Path::new("/nowhere"), &mut warnings), json!({}));
        assert!(warnings.is_empty());
    }
}

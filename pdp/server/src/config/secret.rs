//! Text that is never shown.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// A password. Debug output and `--print-config` hide it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Keeps `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one place that compares it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "writeOnly": true})
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("(hidden)")
    }
}

/// Writes an address without the password that may stand in it.
pub(super) fn serialize_url<S: Serializer>(url: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&without_password(url))
}

fn without_password(url: &str) -> String {
    let (scheme, rest) =
        url.split_once("://").map_or(("", url), |(_, rest)| (&url[..url.len() - rest.len()], rest));
    // A password may hold any character, so that its end is the last @.
    let shown = match rest.rsplit_once('@') {
        Some((who, place)) => match who.split_once(':') {
            Some((user, _)) => format!("{scheme}{user}:(hidden)@{place}"),
            None => url.to_owned(),
        },
        None => url.to_owned(),
    };
    let Some((address, query)) = shown.split_once('?') else { return shown };
    let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if name.to_ascii_lowercase().contains("pass") => format!("{name}=(hidden)"),
        _ => parameter.to_owned(),
    });
    format!("{address}?{}", parameters.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn a_password_in_an_address_is_hidden() {
        for (url, shown) in [
            ("memory", "memory"),
            ("postgres://host:5432/db", "postgres://host:5432/db"),
            ("postgres://me@host/db", "postgres://me@host/db"),
            ("postgres://me:se:cr@et@host/db", "postgres://me:(hidden)@host/db"),
            (
                "postgres://h/db?user=a&password=b&x=1",
                "postgres://h/db?user=a&password=(hidden)&x=1",
            ),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}

//! The names of keys in Redis.

use std::fmt::Write as _;

use pdp_onap::history::OperationKey;

/// The set of a key. Its parts stand in one hash tag; what would end a part or the tag is written as
/// its number.
pub(super) fn set(key: OperationKey<'_>) -> String {
    let mut name = String::with_capacity(64);
    name.push_str("pdp:ops:{");
    for (at, part) in [key.actor, key.operation, key.target].into_iter().enumerate() {
        if at > 0 {
            name.push('|');
        }
        escape(part, &mut name);
    }
    name.push('}');
    name
}

/// The requests that Permits of a key were recorded for.
pub(super) fn requests(key: OperationKey<'_>) -> String {
    let mut name = set(key);
    name.push_str(":requests");
    name
}

pub(super) fn loop_key(name: &str) -> String {
    let mut key = String::from("pdp:loop:{");
    escape(name, &mut key);
    key.push('}');
    key
}

fn escape(part: &str, out: &mut String) {
    for c in part.chars() {
        if matches!(c, '%' | '|' | '{' | '}') {
            let _ = write!(out, "%{:02x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_read_alike_are_kept_apart() {
        let key = |actor, operation| set(OperationKey { actor, operation, target: "t" });
        assert_eq!(key("a", "b"), "pdp:ops:{a|b|t}");
        assert_eq!(key("a|}", "%"), "pdp:ops:{a%7c%7d|%25|t}");
        assert_ne!(key("a|b", "c"), key("a", "b|c"));
    }
}

//! What names and versions of policies and types may look like: both stand in paths, so that everything
//! that is created can be asked for again.

use pdp_engine::model::Version;

/// The longest name, in characters.
const NAME_CHARACTERS: usize = 255;
/// The longest version.
const VERSION_CHARACTERS: usize = 64;

/// What is wrong with a name; nothing where it can be used.
pub(crate) fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("the name is empty".into());
    }
    let length = name.chars().count();
    if length > NAME_CHARACTERS {
        return Some(format!("the name has {length} characters, the limit is {NAME_CHARACTERS}"));
    }
    if name.bytes().all(|it| it == b'.') {
        return Some(format!("the name `{name}` means a folder in a path"));
    }
    let odd = name.chars().find(|it| !(it.is_ascii_alphanumeric() || "._-".contains(*it)))?;
    Some(format!(
        "the name holds `{}`: allowed are the letters A to Z and a to z, digits, `.`, `-` and `_`",
        odd.escape_default()
    ))
}

/// What is wrong with a version; nothing where it can be used.
pub(crate) fn version_fault(version: &str) -> Option<String> {
    if version.len() > VERSION_CHARACTERS {
        return Some(format!(
            "the version has {} characters, the limit is {VERSION_CHARACTERS}",
            version.chars().count()
        ));
    }
    version.parse::<Version>().err()
}

/// A name for messages, cut to a readable length and without control characters.
pub(crate) fn shown(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", name[..end].escape_debug()),
        None => name.escape_debug().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_stand_in_a_path() {
        for name in ["onap.restart.tca", "OSDF_CASABLANCA.Affinity-1", "a", "7"] {
            assert_eq!(name_fault(name), None, "{name}");
        }
        let long = "x".repeat(NAME_CHARACTERS);
        assert_eq!(name_fault(&long), None);
        for (name, says) in [
            ("", "empty"),
            ("..", "a folder"),
            ("a/b", "`/`"),
            (" a", "` `"),
            ("a\n", "`\\n`"),
            ("naïve", "`\\u{ef}`"),
            ("a%2Fb", "`%`"),
            (&*(long + "x"), "256 characters, the limit is 255"),
        ] {
            let fault = name_fault(name).expect("it cannot be used");
            assert!(fault.contains(says), "{fault}");
        }
    }

    #[test]
    fn versions_are_numbers_of_a_readable_length() {
        assert_eq!(version_fault("1.0.0"), None);
        assert!(version_fault("1.x.0").is_some_and(|it| it.contains("1.x.0")));
        assert!(version_fault(&"1.".repeat(99)).is_some_and(|it| it.contains("198 characters")));
    }
}

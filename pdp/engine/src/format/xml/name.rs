//! Names (Namespaces in XML 1.0, section 4).

/// The prefix, empty where there is none, and the local part of a well-formed name.
pub(crate) fn split(name: &str) -> Option<(&str, &str)> {
    match name.split_once(':') {
        None => is_part(name).then_some(("", name)),
        Some((prefix, local)) => (is_part(prefix) && is_part(local)).then_some((prefix, local)),
    }
}

/// Whether `text` is a name without colon.
pub(crate) fn is_part(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(starts) && characters.all(continues)
}

fn starts(character: char) -> bool {
    match character {
        'A'..='Z' | 'a'..='z' | '_' => true,
        character if character.is_ascii() => false,
        character => matches!(character,
            '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
            | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
            | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}'),
    }
}

fn continues(character: char) -> bool {
    starts(character)
        || matches!(character, '-' | '.' | '0'..='9' | '\u{B7}'
            | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn names_have_at_most_one_colon_and_start_with_a_letter() {
        assert_eq!(split("Rule"), Some(("", "Rule")));
        assert_eq!(split("x:Rule-1.é"), Some(("x", "Rule-1.é")));
        for wrong in ["", ":", "x:", ":x", "a:b:c", "1a", "-a", "a b", "a/b", "x:1"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }
}

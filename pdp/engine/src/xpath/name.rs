//! Names (Namespaces in XML 1.0, section 4).

/// The bytes of the longest name without colon that `text` starts with; 0 where there is none.
pub(super) fn length(text: &str) -> usize {
    let mut characters = text.char_indices();
    match characters.next() {
        Some((_, first)) if starts(first) => {}
        _ => return 0,
    }
    characters.find(|(_, character)| !continues(*character)).map_or(text.len(), |(at, _)| at)
}

/// Whether `text` is a name without colon.
pub(super) fn is_part(text: &str) -> bool {
    !text.is_empty() && length(text) == text.len()
}

/// The prefix, empty where there is none, and the local part of a well-formed name.
pub(super) fn split(name: &str) -> Option<(&str, &str)> {
    let first = length(name);
    match name.get(first..)? {
        "" => (first > 0).then_some(("", name)),
        rest => {
            let local = rest.strip_prefix(':').filter(|local| first > 0 && is_part(local))?;
            Some((&name[..first], local))
        }
    }
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
    use super::{length, split};

    #[test]
    fn names_have_at_most_one_colon_and_start_with_a_letter() {
        assert_eq!(split("record"), Some(("", "record")));
        assert_eq!(split("md:record-1.é"), Some(("md", "record-1.é")));
        for wrong in ["", ":", "x:", ":x", "a:b:c", "1a", "-a", "a b", "a/b", "x:1"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
        assert_eq!(length("a.b::c"), 3);
        assert_eq!(length("é*"), 2);
    }
}

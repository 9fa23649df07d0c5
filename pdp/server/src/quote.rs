//! What was sent, repeated in a message: in a length that people read.

use std::borrow::Cow;

/// Characters of a name, a path or a value that are repeated: as many as the longest name has.
const QUOTED: usize = 255;
/// Characters of a whole message, from its beginning and from its end.
const BEGINNING: usize = 400;
const END: usize = 200;

/// A name, a path or a value that was sent, cut where it is too long to be read.
pub(crate) fn quoted(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A message that may repeat what was sent, such as a parser's. Of a long one both ends stay: what is
/// wrong stands at its beginning, what was expected and where at its end.
pub(crate) fn shortened(message: &str) -> Cow<'_, str> {
    // No text has more characters than bytes.
    if message.len() <= BEGINNING + END {
        return Cow::Borrowed(message);
    }
    let length = message.chars().count();
    if length <= BEGINNING + END {
        return Cow::Borrowed(message);
    }
    let at = |characters: usize| {
        message.char_indices().nth(characters).map_or(message.len(), |(at, _)| at)
    };
    Cow::Owned(format!("{}…{}", &message[..at(BEGINNING)], &message[at(length - END)..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_readable_stays_as_it_is() {
        for text in ["", "onap.restart.tca", &"ä".repeat(QUOTED)] {
            assert_eq!(quoted(text), text);
        }
        for message in ["", "short", &"ä".repeat(BEGINNING + END)] {
            assert_eq!(shortened(message), message);
        }
    }

    #[test]
    fn what_is_long_is_cut_at_a_character() {
        let cut = quoted(&"ä".repeat(QUOTED + 1)).into_owned();
        assert_eq!(cut, "ä".repeat(QUOTED) + "…");
        let long = format!("expected{}at line 7", "漢".repeat(70_000));
        let cut = shortened(&long).into_owned();
        assert_eq!(cut.chars().count(), BEGINNING + 1 + END);
        assert!(cut.starts_with("expected漢") && cut.ends_with("漢at line 7"), "{cut}");
    }
}

//! What readers share: limits, places, and the nearest known name.

use crate::error::Position;

/// How much a reader takes before it refuses. Every refusal names the limit, its value and the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of the document.
    pub bytes: usize,
    /// Elements (or objects and arrays) within each other. Readers descend by recursion, so that no
    /// setting raises it above [`ReadLimits::DEEPEST`].
    pub depth: usize,
    /// Bytes of one attribute of an element.
    pub attribute: usize,
    /// Bytes of one text: a value, a description, a Content.
    pub text: usize,
    /// Elements and attributes (or members and items) of the document.
    pub nodes: usize,
    /// Problems that are collected before reading is given up.
    pub problems: usize,
}

impl ReadLimits {
    /// The deepest nesting that any setting allows.
    pub const DEEPEST: usize = 256;

    /// For policies, which their administrator brings.
    pub const POLICY: Self = Self {
        bytes: 64 << 20,
        depth: 128,
        attribute: 64 << 10,
        text: 4 << 20,
        nodes: 10_000_000,
        problems: 100,
    };

    /// For requests and responses, which anyone may send.
    pub const REQUEST: Self = Self {
        bytes: 4 << 20,
        depth: 64,
        attribute: 16 << 10,
        text: 2 << 20,
        nodes: 200_000,
        problems: 1,
    };

    /// The depth that holds.
    pub(crate) fn deepest(&self) -> usize {
        self.depth.min(Self::DEEPEST)
    }
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self::POLICY
    }
}

/// Turns byte offsets into lines and columns. Offsets that grow cost what lies between them.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'i> {
    text: &'i [u8],
    offset: usize,
    position: Position,
}

impl<'i> Lines<'i> {
    pub(crate) fn new(text: &'i str) -> Self {
        Self { text: text.as_bytes(), offset: 0, position: Position::new(1, 1) }
    }

    pub(crate) fn at(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            return Position::of_offset(self.text, offset);
        }
        let passed = &self.text[self.offset..offset];
        let tail = match memchr::memrchr(b'\n', passed) {
            Some(last) => {
                self.position.line += count(memchr::memchr_iter(b'\n', passed).count());
                self.position.column = 1;
                &passed[last + 1..]
            }
            None => passed,
        };
        // UTF-8 continuation bytes do not start a character.
        self.position.column += count(tail.iter().filter(|byte| **byte & 0xC0 != 0x80).count());
        self.offset = offset;
        self.position
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The known name that `name` was most likely meant to be.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A misspelling differs in about a third of the letters at most; a long name is not compared.
    if name.len() > 100 {
        return None;
    }
    let allowed = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| {
            let distance = if candidate.eq_ignore_ascii_case(name) {
                0
            } else {
                strsim::damerau_levenshtein(candidate, name)
            };
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `text` within backticks, cut to a readable length.
pub(crate) fn quoted(text: &str) -> String {
    const READABLE: usize = 80;
    match text.char_indices().nth(READABLE) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}

/// The names, each within backticks, the last two joined by "or".
pub(crate) fn alternatives(names: &[&str]) -> String {
    let mut list = String::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            list.push_str(if index + 1 == names.len() { " or " } else { ", " });
        }
        list.push('`');
        list.push_str(name);
        list.push('`');
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_agree_with_a_count_from_the_start() {
        let text = "a\nbé\r\n\n  ü<x/>\nend";
        let mut lines = Lines::new(text);
        for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(lines.at(offset), Position::of_offset(text.as_bytes(), offset));
        }
        assert_eq!(lines.at(2), Position::new(2, 1), "an offset before the last one");
    }

    #[test]
    fn the_nearest_name_is_close() {
        let known = ["Target", "Rule", "Condition"];
        assert_eq!(nearest("Taget", known), Some("Target"));
        assert_eq!(nearest("rule", known), Some("Rule"));
        assert_eq!(nearest("Obligation", known), None);
    }
}

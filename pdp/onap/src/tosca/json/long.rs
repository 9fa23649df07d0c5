//! A long list, such as that of a hundred thousand policies, is read on all cores.
//!
//! A scan that knows strings and brackets cuts the list at commas between its items. Each piece is read as items
//! with commas between, and then the pieces with the commas between them are a list, however the scan
//! came by the cuts. Where a piece does not read, the list is read in order, which finds the first fault.

use pdp_engine::error::Position;

use super::super::node::Node;
use super::{Mark, Reader};
use crate::cores;

/// Shorter lists are not worth a thread.
const LONG: usize = 1 << 20;
/// About how long a piece is, so that cores end together.
const PIECE: usize = LONG / 2;

impl Reader<'_> {
    /// Reads the list whose first item the cursor stands on, and moves behind its end; none where it is
    /// short, or has a fault: then nothing has moved.
    pub(super) fn long_list(&mut self) -> Option<Vec<Node>> {
        if self.long_lists_left == 0 || self.bytes.len() - self.at < LONG {
            return None;
        }
        self.long_lists_left -= 1;
        let (cuts, end) = cut(self.bytes, self.at)?;
        let mut at = Mark { at: self.at, position: self.position() };
        let mut pieces = Vec::with_capacity(cuts.len() + 1);
        for cut in cuts.into_iter().chain([end]) {
            let next =
                Mark { at: cut + 1, position: behind(at.position, &self.bytes[at.at..=cut]) };
            let begin = std::mem::replace(&mut at, next);
            pieces.push(Reader {
                text: self.text,
                bytes: &self.bytes[..cut],
                at: begin.at,
                mark: begin,
                depth_left: self.depth_left,
                depth: self.depth,
                long_lists_left: 0,
            });
        }
        let read = cores::map(pieces, 1, |mut piece| piece.items());
        let mut items = Vec::new();
        for piece in read {
            items.append(&mut piece?);
        }
        (self.at, self.mark) = (at.at, at);
        Some(items)
    }

    /// Items with commas between, up to the end.
    fn items(&mut self) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        loop {
            self.blanks();
            items.push(self.value().ok()?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(_) => return None,
                None => return Some(items),
            }
        }
    }
}

/// The commas to cut a list at, and where it ends; none where it is short.
fn cut(bytes: &[u8], begin: usize) -> Option<(Vec<usize>, usize)> {
    let (mut at, mut depth, mut cuts) = (begin, 0usize, Vec::new());
    let mut next = begin + PIECE;
    loop {
        match bytes.get(at)? {
            b'"' => at = closing_quote(bytes, at + 1)?,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => break,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 && at >= next => {
                cuts.push(at);
                next = at + PIECE;
            }
            _ => {}
        }
        at += 1;
    }
    (bytes[at] == b']' && !cuts.is_empty()).then_some((cuts, at))
}

/// The quote that ends the string whose text begins at `at`.
fn closing_quote(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => return Some(at),
            _ => at += 2,
        }
    }
}

/// The place behind `bytes` that begin at `position`.
fn behind(position: Position, bytes: &[u8]) -> Position {
    let Position { line, column } = position;
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    let (rest, column) = match memchr::memrchr(b'\n', bytes) {
        Some(last) => (&bytes[last + 1..], 1),
        None => (bytes, column),
    };
    // UTF-8 continuation bytes do not start a character.
    let characters = rest.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    let add = |to: u32, count: usize| to.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    Position::new(add(line, lines), add(column, characters))
}

#[cfg(test)]
mod tests {
    use super::super::super::node::Limits;
    use super::super::read;
    use super::*;

    /// The list that a document of one list holds, read in order.
    fn in_order(text: &str) -> Result<Node, pdp_engine::error::ReadError> {
        let limits = Limits::default();
        let mut reader = Reader::new(text, &limits);
        reader.long_lists_left = 0;
        reader.document()
    }

    fn long(item: impl Fn(usize) -> String) -> String {
        let mut text = "{\"before\": [1, 2],\n \"list\": [".to_owned();
        for at in 0..60_000 {
            let comma = if at == 0 { "" } else { [",", ",\n", " , "][at % 3] };
            text.push_str(comma);
            text.push_str(&item(at));
        }
        text.push_str("], \"after\": {\"x\": \"ü\"}}");
        text
    }

    fn odd(at: usize) -> String {
        match at % 5 {
            0 => format!("{{\"k{at}\": [\"],[\\\"\", {{}}, []], \"ü\": \"é\\\\\"}}"),
            1 => format!("\"text, {at} \\\\\\\" [\""),
            2 => format!("-{at}.5e2"),
            3 => "[[[]], {\"a\": [null, true]}]".to_owned(),
            _ => "false\n".to_owned(),
        }
    }

    #[test]
    fn a_long_list_reads_as_in_order_with_every_place() {
        let text = long(odd);
        assert!(text.len() > 2 * PIECE, "it would not be cut");
        let read = read(&text, &Limits::default());
        assert!(read.is_ok());
        assert_eq!(read, in_order(&text));
        let items = read.expect("it is JSON").get("list").map(|list| list.items().map(<[_]>::len));
        assert_eq!(items, Some(Some(60_000)));
    }

    #[test]
    fn a_fault_is_told_as_in_order() {
        let faults: [&str; 10] =
            ["", "]", "}", "{", "[", "\"", "\"\\q\"", "01", "{\"a\": 1, \"a\": 2}", "1 2"];
        for fault in faults {
            for place in [0, 7, 31_003, 59_999] {
                let text = long(|at| if at == place { fault.to_owned() } else { odd(at) });
                let read = read(&text, &Limits::default());
                assert!(read.is_err(), "`{fault}` at {place}");
                assert_eq!(read, in_order(&text), "`{fault}` at {place}");
            }
        }
        let cut_off = &long(odd)[..900_000];
        assert_eq!(read(cut_off, &Limits::default()), in_order(cut_off));
    }

    #[test]
    fn nesting_is_limited_within_pieces_too() {
        let limits = Limits { depth: 4, ..Limits::default() };
        let plain = "\"a text that is long enough\"";
        let with = |item: &str| long(|at| (if at == 40_000 { item } else { plain }).to_owned());
        assert!(read(&with("[[]]"), &limits).is_ok());
        assert_eq!(read(&with("[[[]]]"), &limits).expect_err("it is too deep").code, "limit");
    }
}

//! A long list, such as that of a hundred thousand policies, is read piece by piece, on all cores.
//!
//! A scan that knows strings and brackets cuts the list at commas between its items. Each piece is read as items
//! with commas between, and then the pieces with the commas between them are a list, however the scan
//! came by the cuts. Where a piece does not read, the list is read in order, which finds the first fault.

use pdp_engine::error::Position;

use super::super::node::Node;
use super::{Mark, Reader};

/// Shorter lists are not worth a thread.
const LONG: usize = 1 << 20;
/// About how long a piece is: what becomes of it should stay in a core's own cache.
const PIECE: usize = 128 << 10;

/// Takes long lists in pieces.
pub(in super::super) trait LongLists: Send {
    /// Whether it takes the list that these keys lead to, in maps alone.
    fn wants(&self, path: &[&str]) -> bool;
    /// Takes that list. Where it returns false, the list is read in order.
    fn take(&mut self, path: &[&str], items: &mut Items<'_>) -> bool;
}

/// A list in pieces.
pub(in super::super) struct Items<'t> {
    text: &'t str,
    /// Where the next piece begins.
    next: Mark,
    depth_left: usize,
    depth: usize,
    end: End,
}

/// What is known of the end of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Ahead,
    /// Its bracket.
    At(usize),
    /// The scan finds none: the list has a fault.
    Missing,
}

/// Some items of a list.
pub(in super::super) struct Piece<'t>(Reader<'t, 'static>);

impl Piece<'_> {
    /// The items; none where they are none.
    pub(in super::super) fn read(mut self) -> Option<Vec<Node>> {
        let reader = &mut self.0;
        let mut items = Vec::new();
        loop {
            reader.blanks();
            items.push(reader.value().ok()?);
            reader.blanks();
            match reader.peek() {
                Some(b',') => reader.at += 1,
                Some(_) => return None,
                None => return Some(items),
            }
        }
    }
}

impl<'t> Iterator for Items<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        if self.end != End::Ahead {
            return None;
        }
        let bytes = self.text.as_bytes();
        let Some(cut) = cut(bytes, self.next.at) else {
            self.end = End::Missing;
            return None;
        };
        if bytes[cut] == b']' {
            self.end = End::At(cut);
        }
        let position = behind(self.next.position, &bytes[self.next.at..=cut]);
        let begin = std::mem::replace(&mut self.next, Mark { at: cut + 1, position });
        Some(Piece(Reader {
            text: self.text,
            bytes: &bytes[..cut],
            at: begin.at,
            mark: begin,
            depth_left: self.depth_left,
            depth: self.depth,
            path: Vec::new(),
            long: None,
        }))
    }
}

impl Reader<'_, '_> {
    /// Whether the list whose first item the cursor stands on was read in pieces: then the cursor stands behind
    /// its end. Else nothing has moved.
    pub(super) fn long_list(&mut self) -> bool {
        // In maps alone: each key opens one, and the list is open too.
        if self.bytes.len() - self.at < LONG || self.nesting() != self.path.len() + 1 {
            return false;
        }
        let path = &self.path;
        // Each look is a scan, and one list is enough.
        let Some(long) = self.long.take_if(|long| long.wants(path)) else { return false };
        let position = self.position();
        let mut items = Items {
            text: self.text,
            next: Mark { at: self.at, position },
            depth_left: self.depth_left,
            depth: self.depth,
            end: End::Ahead,
        };
        let taken = long.take(&self.path, &mut items) && matches!(items.end, End::At(_));
        if taken {
            (self.at, self.mark) = (items.next.at, items.next);
        }
        taken
    }
}

/// The comma to end a piece with that begins at `begin`, or the bracket that ends the list; none where
/// neither comes.
fn cut(bytes: &[u8], begin: usize) -> Option<usize> {
    let (mut at, mut depth) = (begin, 0usize);
    loop {
        match bytes.get(at)? {
            b'"' => at = closing_quote(bytes, at + 1)?,
            b'[' | b'{' => depth += 1,
            b']' if depth == 0 => return Some(at),
            b'}' if depth == 0 => return None,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 && at >= begin + PIECE => return Some(at),
            _ => {}
        }
        at += 1;
    }
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
    use super::super::super::node::{Limits, NodeKind};
    use super::super::read;
    use super::*;

    /// Keeps what it is given.
    #[derive(Default)]
    struct Kept {
        path: Vec<String>,
        pieces: usize,
        items: Vec<Node>,
    }

    impl LongLists for Kept {
        fn wants(&self, path: &[&str]) -> bool {
            path == ["list"]
        }

        fn take(&mut self, path: &[&str], items: &mut Items<'_>) -> bool {
            self.path = path.iter().map(|key| (*key).to_owned()).collect();
            for piece in items {
                let Some(mut read) = piece.read() else { return false };
                self.pieces += 1;
                self.items.append(&mut read);
            }
            true
        }
    }

    type Read = Result<Node, pdp_engine::error::ReadError>;

    fn in_order(text: &str) -> Read {
        read(text, &Limits::default(), None)
    }

    /// The document with the list that was read in pieces in its place.
    fn in_pieces(text: &str, limits: &Limits) -> Read {
        let mut kept = Kept::default();
        let mut document = read(text, limits, Some(&mut kept))?;
        if kept.pieces > 0
            && let NodeKind::Map(entries) = &mut document.kind
            && let Some(entry) = entries.iter_mut().find(|entry| &*entry.key == "list")
            && entry.value.items().is_some_and(<[_]>::is_empty)
        {
            assert!(kept.pieces > 2 && kept.path == ["list"]);
            entry.value.kind = NodeKind::List(kept.items);
        }
        Ok(document)
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
        assert!(text.len() > LONG + PIECE, "it would not be cut");
        let read = in_pieces(&text, &Limits::default());
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
                let read = in_pieces(&text, &Limits::default());
                assert!(read.is_err(), "`{fault}` at {place}");
                assert_eq!(read, in_order(&text), "`{fault}` at {place}");
            }
        }
        let cut_off = &long(odd)[..900_000];
        assert_eq!(in_pieces(cut_off, &Limits::default()), in_order(cut_off));
    }

    #[test]
    fn nesting_is_limited_within_pieces_too() {
        let limits = Limits { depth: 4, ..Limits::default() };
        let plain = "\"a text that is long enough\"";
        let with = |item: &str| long(|at| (if at == 40_000 { item } else { plain }).to_owned());
        assert!(in_pieces(&with("[[]]"), &limits).is_ok());
        assert_eq!(in_pieces(&with("[[[]]]"), &limits).expect_err("it is too deep").code, "limit");
    }
}

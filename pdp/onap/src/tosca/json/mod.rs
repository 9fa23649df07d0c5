//! JSON (RFC 8259) into the document tree, each node with its line and column.

mod long;

use pdp_engine::error::{Position, ReadError};

use super::keys;
use super::node::{Entry, Limits, Node, NodeKind};

pub(super) use long::{Items, LongLists};

/// Reads one JSON document.
///
/// # Errors
/// It is not JSON, repeats a key or goes beyond a limit.
///
/// Long lists of policies are handed to `long`, where it is given; an empty list stands in their place.
pub(super) fn read(
    text: &str,
    limits: &Limits,
    long: Option<&mut dyn LongLists>,
) -> Result<Node, ReadError> {
    Reader { long, ..Reader::new(text, limits) }.document()
}

/// A place whose line and column are known; places are asked for in order, so each step is short.
struct Mark {
    at: usize,
    position: Position,
}

struct Reader<'t, 'l> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    mark: Mark,
    depth_left: usize,
    depth: usize,
    /// The keys that lead to what is read, as written: those of the two outermost maps.
    path: Vec<&'t str>,
    long: Option<&'l mut dyn LongLists>,
}

impl<'t> Reader<'t, '_> {
    fn new(text: &'t str, limits: &Limits) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            mark: Mark { at: 0, position: Position::new(1, 1) },
            depth_left: limits.depth,
            depth: limits.depth,
            path: Vec::new(),
            long: None,
        }
    }
}

impl Reader<'_, '_> {
    fn document(&mut self) -> Result<Node, ReadError> {
        self.blanks();
        if self.peek().is_none() {
            return Ok(Node { position: self.position(), kind: NodeKind::Null });
        }
        let node = self.value()?;
        self.blanks();
        if self.peek().is_some() {
            return Err(self.error("nothing more was expected after the document"));
        }
        Ok(node)
    }

    /// How many lists and maps are open.
    fn nesting(&self) -> usize {
        self.depth - self.depth_left
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn position(&mut self) -> Position {
        let Position { mut line, mut column } = self.mark.position;
        for byte in &self.bytes[self.mark.at..self.at] {
            if *byte == b'\n' {
                line = line.saturating_add(1);
                column = 1;
            } else if byte & 0xC0 != 0x80 {
                // UTF-8 continuation bytes do not start a character.
                column = column.saturating_add(1);
            }
        }
        self.mark = Mark { at: self.at, position: Position::new(line, column) };
        self.mark.position
    }

    #[cold]
    fn error(&mut self, message: impl Into<String>) -> ReadError {
        ReadError::at(self.position(), "json-syntax", message)
    }

    #[cold]
    fn unexpected(&mut self, expected: &str) -> ReadError {
        let found = match self.text[self.at..].chars().next() {
            None => "the end of the document".to_owned(),
            Some(found) => format!("`{}`", found.escape_default()),
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    fn value(&mut self) -> Result<Node, ReadError> {
        let position = self.position();
        let kind = match self.peek() {
            Some(b'{') => self.nested(Self::map)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => NodeKind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ if self.bytes[self.at..].starts_with(b"true") => {
                self.word(4, NodeKind::Boolean(true))
            }
            _ if self.bytes[self.at..].starts_with(b"false") => {
                self.word(5, NodeKind::Boolean(false))
            }
            _ if self.bytes[self.at..].starts_with(b"null") => self.word(4, NodeKind::Null),
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node { position, kind })
    }

    fn word(&mut self, length: usize, kind: NodeKind) -> NodeKind {
        self.at += length;
        kind
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<NodeKind, ReadError>,
    ) -> Result<NodeKind, ReadError> {
        if self.depth_left == 0 {
            let message = format!("lists and maps are nested deeper than {}", self.depth);
            return Err(ReadError::at(self.position(), "limit", message));
        }
        self.depth_left -= 1;
        self.at += 1;
        self.blanks();
        let kind = read(self)?;
        self.depth_left += 1;
        Ok(kind)
    }

    fn map(&mut self) -> Result<NodeKind, ReadError> {
        let mut entries = Vec::new();
        if self.peek() == Some(b'}') {
            return Ok(self.word(1, NodeKind::Map(entries)));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key_position = self.position();
            let begin = self.at + 1;
            let key = self.string()?;
            let outer = self.nesting() <= 2;
            if outer {
                self.path.push(&self.text[begin..self.at - 1]);
            }
            self.blanks();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:` after the key"));
            }
            self.at += 1;
            self.blanks();
            let value = self.value()?;
            if outer {
                self.path.pop();
            }
            entries.push(Entry { key, key_position, value });
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("`,` or `}`")),
            }
            self.blanks();
        }
        self.at += 1;
        keys::unique(&entries)?;
        Ok(NodeKind::Map(entries))
    }

    fn list(&mut self) -> Result<NodeKind, ReadError> {
        if self.long_list() {
            return Ok(NodeKind::List(Vec::new()));
        }
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            return Ok(self.word(1, NodeKind::List(items)));
        }
        loop {
            items.push(self.value()?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("`,` or `]`")),
            }
            self.blanks();
        }
        self.at += 1;
        Ok(NodeKind::List(items))
    }

    /// A string; the cursor stands on its opening quote.
    fn string(&mut self) -> Result<Box<str>, ReadError> {
        let begin = self.at + 1;
        self.at = begin;
        let mut escaped = false;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(0..=0x1F) => return Err(self.unexpected("no control character in a string")),
                Some(_) => self.at += 1,
                None => {
                    self.at = self.bytes.len();
                    return Err(self.unexpected("the closing quote"));
                }
            }
        }
        let raw = &self.text[begin..self.at];
        self.at += 1;
        if !escaped {
            return Ok(raw.into());
        }
        serde_json::from_str::<String>(&self.text[begin - 1..self.at])
            .map(String::into_boxed_str)
            .map_err(|_| {
                self.at = begin;
                self.error("the string has an escape that JSON does not know")
            })
    }

    fn number(&mut self) -> Result<NodeKind, ReadError> {
        let begin = self.at;
        let mut whole = true;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected("a digit")),
        }
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            whole = false;
            self.at += 1;
            if let Some(b'-' | b'+') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        let text = &self.text[begin..self.at];
        if whole && let Ok(value) = text.parse() {
            return Ok(NodeKind::Integer(value));
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(NodeKind::Double(value)),
            _ => {
                self.at = begin;
                Err(self.error("the number is too large"))
            }
        }
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), ReadError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        self.digits();
        Ok(())
    }
}

//! What the writers of requests and responses share: members, attribute objects, values.

use crate::format::json::is_number;
use crate::value::{Arena, Data, DataType, Spelling, Value};

/// A JSON document that grows. Commas are set where a value ends and another begins.
pub(super) struct Writer<'o, 'a> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) arena: &'a Arena,
}

impl<'a> Writer<'_, 'a> {
    /// Appends `{` or `[`, with a comma where something stands before it.
    pub(super) fn open(&mut self, bracket: u8) {
        self.comma();
        self.out.push(bracket);
    }

    /// Appends `}` or `]`.
    pub(super) fn close(&mut self, bracket: u8) {
        self.out.push(bracket);
    }

    /// Appends the name of a member. Names need no escaping.
    pub(super) fn name(&mut self, name: &str) {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Appends a string.
    pub(super) fn string(&mut self, text: &str) {
        self.comma();
        push_string(self.out, text);
    }

    /// Appends a number or boolean, which is its own JSON form.
    pub(super) fn raw(&mut self, text: &str) {
        self.comma();
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Appends a member that is a string.
    pub(super) fn member(&mut self, name: &str, text: &str) {
        self.name(name);
        self.string(text);
    }

    /// Appends a member that may be absent.
    pub(super) fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.member(name, text);
        }
    }

    fn comma(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
    }

    /// Appends the members Value and, where it is not the inferred one, DataType. All values are of
    /// one type.
    pub(super) fn values(&mut self, values: &[Value<'a>], always_array: bool) {
        let natural = values.iter().all(|value| is_natural(value, self.arena));
        self.name("Value");
        if let ([value], false) = (values, always_array) {
            self.value(value, natural);
        } else {
            self.open(b'[');
            for value in values {
                self.value(value, natural);
            }
            self.close(b']');
        }
        if let Some(first) = values.first()
            && !(natural && self.is_inferred(first.data_type(), values))
        {
            self.member("DataType", first.type_uri());
        }
    }

    fn value(&mut self, value: &Value<'a>, natural: bool) {
        match value.data() {
            Data::XPathExpression(expression) => {
                self.open(b'{');
                self.member("XPathCategory", expression.category());
                self.member("XPath", expression.path());
                let mut namespaces = expression.namespaces().peekable();
                if namespaces.peek().is_some() {
                    self.name("Namespaces");
                    self.open(b'[');
                    for (prefix, uri) in namespaces {
                        self.open(b'{');
                        self.optional("Prefix", (!prefix.is_empty()).then_some(prefix));
                        self.member("Namespace", uri);
                        self.close(b'}');
                    }
                    self.close(b']');
                }
                self.close(b'}');
            }
            Data::Boolean(_) | Data::Integer(_) | Data::Double(_) if natural => {
                self.raw(value.lexical(self.arena));
            }
            _ => self.string(value.lexical(self.arena)),
        }
    }

    /// Whether a reader would infer the type from the natural form of the values.
    fn is_inferred(&self, data_type: DataType, values: &[Value<'a>]) -> bool {
        match data_type {
            DataType::String | DataType::Boolean | DataType::Integer => true,
            DataType::Double => values.iter().any(|value| {
                value.lexical(self.arena).bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
            }),
            _ => false,
        }
    }

    /// Attribute objects for the values of one attribute: one object per run of one data type.
    pub(super) fn attribute(
        &mut self,
        id: &str,
        issuer: Option<&str>,
        include_in_result: bool,
        values: &[Value<'a>],
    ) {
        let mut object = |values: &[Value<'a>]| {
            self.open(b'{');
            self.member("AttributeId", id);
            self.optional("Issuer", issuer);
            if include_in_result {
                self.name("IncludeInResult");
                self.raw("true");
            }
            self.values(values, values.is_empty());
            self.close(b'}');
        };
        if values.is_empty() {
            object(values);
        }
        for run in values.chunk_by(|a, b| a.type_uri() == b.type_uri()) {
            object(run);
        }
    }
}

/// Whether the written text is also the JSON form of the value.
fn is_natural(value: &Value<'_>, arena: &Arena) -> bool {
    match value.data() {
        Data::String(_) => true,
        Data::Boolean(_) => {
            value.written_text().is_none_or(|text| matches!(text, "true" | "false"))
        }
        // JSON has no infinite numbers, however many digits they are written with.
        Data::Double(double) if !double.is_finite() => false,
        Data::Integer(_) | Data::Double(_) if value.spelling() == Spelling::Current => {
            match value.written_text() {
                Some(text) => is_number(text),
                None => is_number(value.canonical(arena)),
            }
        }
        _ => false,
    }
}

/// Appends a string with its quotes.
fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut written = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escaped: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            ..0x20 => b"",
            _ => continue,
        };
        out.extend_from_slice(&bytes[written..at]);
        if escaped.is_empty() {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
        } else {
            out.extend_from_slice(escaped);
        }
        written = at + 1;
    }
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}

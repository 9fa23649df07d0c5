//! Attributes and namespace declarations of a start tag.

use std::borrow::Cow;

use super::{Attribute, Binding, MOST_BINDINGS, Scanner, XML_NAMESPACE, XMLNS_NAMESPACE};
use crate::error::{ReadError, code};
use crate::format::cursor::quoted;
use crate::format::xml::{name, text};

/// An attribute as written, before it is sorted into declarations and attributes.
struct Written<'i> {
    name: &'i str,
    prefix: &'i str,
    local: &'i str,
    raw: &'i str,
    offset: usize,
    value_offset: usize,
}

impl<'i> Scanner<'i> {
    /// `tag` is the inside of a start tag that begins at byte `base`; its name ends at `at`.
    pub(super) fn read_attributes(
        &mut self,
        tag: &'i str,
        at: usize,
        base: usize,
    ) -> Result<(), ReadError> {
        let bytes = tag.as_bytes();
        let blank = |at: &usize| matches!(bytes.get(*at), Some(b' ' | b'\t' | b'\n' | b'\r'));
        let after_blanks = |mut at: usize| {
            while blank(&at) {
                at += 1;
            }
            at
        };
        let mut at = at;
        loop {
            let start = after_blanks(at);
            if start == bytes.len() {
                break;
            }
            if start == at {
                return Err(self.error(
                    base + at,
                    code::XML_SYNTAX,
                    "a blank must stand between attributes",
                ));
            }
            let length = bytes[start..]
                .iter()
                .position(|byte| matches!(byte, b'=' | b' ' | b'\t' | b'\n' | b'\r'));
            let name_end = length.map_or(bytes.len(), |length| start + length);
            let written = &tag[start..name_end];
            let Some((prefix, local)) = name::split(written) else {
                return Err(self.error(
                    base + start,
                    code::XML_SYNTAX,
                    format!("{} is not the name of an attribute", quoted(written)),
                ));
            };
            let equals = after_blanks(name_end);
            let quote_at = after_blanks(equals + 1);
            let quote = match (bytes.get(equals), bytes.get(quote_at)) {
                (Some(b'='), Some(quote @ (b'"' | b'\''))) => *quote,
                _ => {
                    return Err(self.error(
                        base + start,
                        code::XML_SYNTAX,
                        format!(
                            "the attribute {} needs `=` and a value in quotes",
                            quoted(written)
                        ),
                    ));
                }
            };
            let Some(length) = memchr::memchr(quote, &bytes[quote_at + 1..]) else {
                return Err(self.error(
                    base + quote_at,
                    code::XML_SYNTAX,
                    format!("the value of {} does not end", quoted(written)),
                ));
            };
            let value_end = quote_at + 1 + length;
            self.attribute(Written {
                name: written,
                prefix,
                local,
                raw: &tag[quote_at + 1..value_end],
                offset: base + start,
                value_offset: base + quote_at + 1,
            })?;
            at = value_end + 1;
        }
        self.resolve_attributes()
    }

    fn attribute(&mut self, written: Written<'i>) -> Result<(), ReadError> {
        let Written { name, prefix, local, raw, offset, value_offset } = written;
        if raw.len() > self.limits.attribute {
            return Err(self.error(
                offset,
                code::LIMIT,
                format!(
                    "the value of {} has {} bytes; the limit `attribute` is {}",
                    quoted(name),
                    raw.len(),
                    self.limits.attribute
                ),
            ));
        }
        // Checked even where nobody reads the value: the document must be well-formed.
        if memchr::memchr(b'&', raw.as_bytes()).is_some()
            && let Err((at, message)) = text::attribute(raw)
        {
            return Err(self.error(value_offset + at, code::XML_SYNTAX, message));
        }
        let declared = match (prefix, local) {
            ("", "xmlns") => Some(""),
            ("xmlns", prefix) => Some(prefix),
            _ => None,
        };
        if let Some(prefix) = declared {
            return self.declare(prefix, raw, offset);
        }
        self.attributes.push(Attribute { name, raw, offset, namespace: None });
        Ok(())
    }

    fn declare(&mut self, prefix: &'i str, raw: &'i str, offset: usize) -> Result<(), ReadError> {
        let uri = text::attribute(raw).unwrap_or(Cow::Borrowed(raw));
        let fault = match (prefix, uri.as_ref()) {
            ("xmlns", _) | (_, XMLNS_NAMESPACE) => Some("`xmlns` cannot be declared"),
            ("xml", XML_NAMESPACE) => return Ok(()),
            ("xml", _) | (_, XML_NAMESPACE) => Some("`xml` has a fixed namespace"),
            ("", "") => None,
            (_, "") => Some("a prefix cannot be declared away"),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(self.error(offset, code::XML_NAMESPACE, fault));
        }
        let own = self.open.last().map_or(0, |(_, bindings)| *bindings);
        if self.bindings[own..].iter().any(|binding| binding.prefix == prefix) {
            let message = format!("the prefix {} is declared twice in this tag", quoted(prefix));
            return Err(self.error(offset, code::XML_SYNTAX, message));
        }
        if self.bindings.len() > MOST_BINDINGS {
            return Err(self.error(
                offset,
                code::LIMIT,
                format!("more namespace declarations in scope than the limit, {MOST_BINDINGS}"),
            ));
        }
        self.bindings.push(Binding { prefix, uri });
        self.count_nodes(1, offset)
    }

    /// Resolves prefixes and refuses attributes that occur twice.
    fn resolve_attributes(&mut self) -> Result<(), ReadError> {
        for index in 0..self.attributes.len() {
            let Attribute { name, offset, .. } = self.attributes[index];
            if let Some((prefix, _)) = name.split_once(':') {
                self.attributes[index].namespace = self.resolve(prefix, offset)?;
            }
        }
        let local = |name: &'i str| name.split_once(':').map_or(name, |(_, local)| local);
        let same = |a: &Attribute<'i>, b: &Attribute<'i>| {
            a.name == b.name
                || (a.namespace.is_some()
                    && b.namespace.is_some()
                    && local(a.name) == local(b.name)
                    && self.uri(a.namespace) == self.uri(b.namespace))
        };
        let twice = if self.attributes.len() <= 16 {
            self.attributes
                .iter()
                .enumerate()
                .find(|(index, attribute)| {
                    self.attributes[..*index].iter().any(|a| same(a, attribute))
                })
                .map(|(_, attribute)| *attribute)
        } else {
            // Many attributes: sorted, so that a hostile tag costs no more than its length allows.
            let mut sorted = self.attributes.clone();
            sorted.sort_by_key(|a| (local(a.name), self.uri(a.namespace), a.offset));
            sorted
                .windows(2)
                .find(|pair| {
                    local(pair[0].name) == local(pair[1].name)
                        && self.uri(pair[0].namespace) == self.uri(pair[1].namespace)
                })
                .map(|pair| pair[1])
        };
        match twice {
            None => Ok(()),
            Some(attribute) => Err(self.error(
                attribute.offset,
                code::XML_SYNTAX,
                format!("the attribute {} occurs twice", quoted(attribute.name)),
            )),
        }
    }

    /// The binding of a prefix; none for no prefix without default namespace.
    pub(super) fn resolve(&self, prefix: &str, offset: usize) -> Result<Option<usize>, ReadError> {
        let found = self.bindings.iter().rposition(|binding| binding.prefix == prefix);
        if found.is_none() && !prefix.is_empty() {
            return Err(self.error(
                offset,
                code::XML_NAMESPACE,
                format!("the prefix {} is not declared", quoted(prefix)),
            ));
        }
        Ok(found)
    }
}

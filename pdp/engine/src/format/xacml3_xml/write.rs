//! What the writers of requests and responses share: elements and values.

use crate::format::xml::write::{push_attribute, push_declaration, push_escaped};
use crate::value::{Arena, Data, Value};

/// An XML document that grows.
pub(super) struct Writer<'o, 'a> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) arena: &'a Arena,
}

impl<'a> Writer<'_, 'a> {
    /// Appends markup that needs no escaping.
    pub(super) fn raw(&mut self, markup: &str) {
        self.out.extend_from_slice(markup.as_bytes());
    }

    /// Appends ` name="value"` to the tag that is open.
    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        push_attribute(self.out, name, value);
    }

    /// Appends an attribute that may be absent.
    pub(super) fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.attribute(name, value);
        }
    }

    /// Appends text.
    pub(super) fn text(&mut self, text: &str) {
        push_escaped(self.out, text);
    }

    /// Ends the tag `<name …` that is open with the type of a value, the value, and the end tag.
    pub(super) fn value(&mut self, name: &str, value: &Value<'a>) {
        if let Data::XPathExpression(expression) = value.data() {
            for (prefix, uri) in expression.namespaces().filter(|(prefix, _)| !prefix.is_empty()) {
                push_declaration(self.out, prefix, uri);
            }
            self.attribute("XPathCategory", expression.category());
        }
        self.attribute("DataType", value.type_uri());
        self.raw(">");
        self.text(value.lexical(self.arena));
        self.raw("</");
        self.raw(name);
        self.raw(">");
    }

    /// An Attribute with its values.
    pub(super) fn attribute_element(
        &mut self,
        id: &str,
        issuer: Option<&str>,
        include_in_result: bool,
        values: impl Iterator<Item = Value<'a>>,
    ) {
        self.raw("<Attribute");
        self.attribute("AttributeId", id);
        self.optional("Issuer", issuer);
        self.attribute("IncludeInResult", if include_in_result { "true" } else { "false" });
        self.raw(">");
        for value in values {
            self.raw("<AttributeValue");
            self.value("AttributeValue", &value);
        }
        self.raw("</Attribute>");
    }
}

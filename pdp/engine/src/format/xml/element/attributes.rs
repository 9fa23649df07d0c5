//! The attributes of an element: which there may be, and what they hold.

use std::borrow::Cow;

use super::{Elements, Stop};
use crate::error::code;
use crate::format::cursor::{nearest, quoted};
use crate::format::xml::scan::{Attribute, Tag};
use crate::format::xml::text;

impl<'i> Elements<'i> {
    /// The attributes of the element that has just begun, by name. Others are refused.
    pub(crate) fn attributes<const N: usize>(
        &mut self,
        tag: &Tag<'i>,
        known: &[&'static str; N],
    ) -> Result<[Option<Attribute<'i>>; N], Stop> {
        let mut found = [None; N];
        for index in 0..self.scanner.attributes().len() {
            let attribute = self.scanner.attributes()[index];
            match known.iter().position(|name| *name == attribute.name) {
                Some(place) => found[place] = Some(attribute),
                None => {
                    // A misspelt attribute stands for the one that was meant: one mistake, one problem.
                    let meant = self.unknown_attribute(tag, &attribute, known)?;
                    let place =
                        meant.and_then(|meant| known.iter().position(|name| *name == meant));
                    if let Some(place) = place {
                        found[place].get_or_insert(attribute);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The attributes of an element that may have others, which are passed over.
    pub(crate) fn open_attributes<const N: usize>(
        &self,
        known: &[&'static str; N],
    ) -> [Option<Attribute<'i>>; N] {
        let mut found = [None; N];
        for attribute in self.scanner.attributes() {
            if let Some(place) = known.iter().position(|name| *name == attribute.name) {
                found[place] = Some(*attribute);
            }
        }
        found
    }

    #[cold]
    fn unknown_attribute(
        &mut self,
        tag: &Tag<'i>,
        attribute: &Attribute<'i>,
        known: &[&'static str],
    ) -> Result<Option<&'static str>, Stop> {
        const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
        let hint = attribute.name.split_once(':');
        if let Some((_, local)) = hint
            && matches!(local, "schemaLocation" | "noNamespaceSchemaLocation")
            && self.scanner.attribute_namespace(attribute) == INSTANCE
        {
            return Ok(None);
        }
        let mut message = format!("`{}` has no attribute {}", tag.local, quoted(attribute.name));
        let mistaken = self.vocabulary.mistaken_attributes;
        let mut meant = None;
        if let Some((_, instead)) = mistaken.iter().find(|(name, _)| *name == attribute.name) {
            message.push_str("; ");
            message.push_str(instead);
        } else if let Some(name) = nearest(attribute.name, known.iter().copied()) {
            message.push_str(&format!("; did you mean `{name}`?"));
            meant = Some(name);
        }
        self.problem(attribute.offset, code::XML_ATTRIBUTE, message)?;
        Ok(meant)
    }

    /// An attribute that must be there.
    pub(crate) fn required(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<Option<Attribute<'i>>, Stop> {
        if attribute.is_none() {
            let message = format!("`{}` needs the attribute `{name}`", tag.local);
            self.problem(tag.offset, code::XML_ATTRIBUTE, message)?;
        }
        Ok(attribute)
    }

    /// An identifier that must be there, blanks collapsed; empty as a stand-in.
    pub(crate) fn required_uri(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<Cow<'i, str>, Stop> {
        Ok(match self.required(tag, name, attribute)? {
            Some(attribute) => attribute.uri(),
            None => Cow::Borrowed(""),
        })
    }

    /// A text that must be there; empty as a stand-in.
    pub(crate) fn required_text(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<Cow<'i, str>, Stop> {
        Ok(match self.required(tag, name, attribute)? {
            Some(attribute) => attribute.value(),
            None => Cow::Borrowed(""),
        })
    }

    /// A boolean that must be there; false as a stand-in.
    pub(crate) fn required_boolean(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<bool, Stop> {
        let Some(attribute) = self.required(tag, name, attribute)? else { return Ok(false) };
        match attribute.uri().as_ref() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => {
                let message =
                    format!("`{name}` is {}; expected true, false, 1 or 0", quoted(other));
                self.problem(attribute.offset, code::VALUE, message)?;
                Ok(false)
            }
        }
    }
}

impl<'i> Attribute<'i> {
    /// Its value, normalised.
    pub(crate) fn value(&self) -> Cow<'i, str> {
        // The scanner has checked the references.
        text::attribute(self.raw).unwrap_or(Cow::Borrowed(self.raw))
    }

    /// Its value as an identifier, number or boolean: blanks collapsed.
    pub(crate) fn uri(&self) -> Cow<'i, str> {
        text::collapse(self.value())
    }
}

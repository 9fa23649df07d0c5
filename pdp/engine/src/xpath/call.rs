//! The bodies of the core library (XPath 1.0 section 4), by the type of their result.

use hashbrown::HashMap;

use super::evaluate::{Focus, Run};
use super::syntax::{Function, ResultKind, Term};
use super::tree::{NodeId, NodeKind};
use super::{Spent, convert, pay, pay_for_text, pay_for_walk};

const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

impl<'s, 'a: 's> Run<'s, 'a> {
    pub(super) fn call_nodes(
        &mut self,
        function: Function,
        arguments: &'s [Term],
        focus: Focus,
    ) -> Result<Vec<NodeId>, Spent> {
        match (function, arguments) {
            (Function::Id, [argument]) => self.id(argument, focus),
            _ => Ok(self.vector()),
        }
    }

    pub(super) fn call_boolean(
        &mut self,
        function: Function,
        arguments: &'s [Term],
        focus: Focus,
    ) -> Result<bool, Spent> {
        match (function, arguments) {
            (Function::True, _) => Ok(true),
            (Function::Boolean, [argument]) => self.boolean(argument, focus),
            (Function::Not, [argument]) => Ok(!self.boolean(argument, focus)?),
            (Function::StartsWith, [text, start]) => {
                let (text, start) = self.two(text, start, focus)?;
                Ok(text.starts_with(start))
            }
            (Function::Contains, [text, part]) => {
                let (text, part) = self.two(text, part, focus)?;
                Ok(memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some())
            }
            (Function::Lang, [language]) => {
                let language = self.string(language, focus)?;
                self.lang(language, focus.node)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn call_number(
        &mut self,
        function: Function,
        arguments: &'s [Term],
        focus: Focus,
    ) -> Result<f64, Spent> {
        match (function, arguments) {
            (Function::Position, _) => Ok(convert::count(focus.place)),
            (Function::Last, _) => Ok(convert::count(focus.size)),
            (Function::Count, [argument]) => {
                let nodes = self.nodes(argument, focus)?;
                let count = convert::count(nodes.len());
                self.done_with(nodes);
                Ok(count)
            }
            (Function::Sum, [argument]) => {
                let nodes = self.nodes(argument, focus)?;
                let mut sum = 0.0;
                for node in &nodes {
                    sum += self.node_number(*node)?;
                }
                self.done_with(nodes);
                Ok(sum)
            }
            (Function::StringLength, arguments) => {
                let text = self.text_or_own(arguments, focus)?;
                pay_for_text(self.spend, text.len())?;
                Ok(convert::count(text.chars().count()))
            }
            (Function::Number, []) => self.node_number(focus.node),
            (Function::Number, [argument]) => self.number(argument, focus),
            (Function::Floor, [argument]) => Ok(self.number(argument, focus)?.floor()),
            (Function::Ceiling, [argument]) => Ok(self.number(argument, focus)?.ceil()),
            (Function::Round, [argument]) => Ok(convert::round(self.number(argument, focus)?)),
            _ => Ok(f64::NAN),
        }
    }

    pub(super) fn call_string(
        &mut self,
        function: Function,
        arguments: &'s [Term],
        focus: Focus,
    ) -> Result<&'s str, Spent> {
        match (function, arguments) {
            (Function::String, arguments) => self.text_or_own(arguments, focus),
            (Function::LocalName, arguments) => {
                let node = self.first_or_own(arguments, focus)?;
                Ok(node.map_or("", |node| self.document.local_name(node)))
            }
            (Function::NamespaceUri, arguments) => {
                let node = self.first_or_own(arguments, focus)?;
                Ok(node.map_or("", |node| self.document.namespace_uri(node)))
            }
            (Function::Name, arguments) => {
                let node = self.first_or_own(arguments, focus)?;
                Ok(node.map_or("", |node| self.document.name(node)))
            }
            (Function::Concat, arguments) => self.concat(arguments, focus),
            (Function::SubstringBefore, [text, part]) => {
                let (text, part) = self.two(text, part, focus)?;
                let found = memchr::memmem::find(text.as_bytes(), part.as_bytes());
                Ok(found.map_or("", |at| &text[..at]))
            }
            (Function::SubstringAfter, [text, part]) => {
                let (text, part) = self.two(text, part, focus)?;
                let found = memchr::memmem::find(text.as_bytes(), part.as_bytes());
                Ok(found.map_or("", |at| &text[at + part.len()..]))
            }
            (Function::Substring, [text, from, rest @ ..]) => {
                let text = self.string(text, focus)?;
                let from = self.number(from, focus)?;
                let length = match rest {
                    [length] => Some(self.number(length, focus)?),
                    _ => None,
                };
                pay_for_text(self.spend, text.len())?;
                Ok(convert::substring(text, from, length))
            }
            (Function::NormalizeSpace, arguments) => {
                let text = self.text_or_own(arguments, focus)?;
                pay_for_text(self.spend, text.len())?;
                Ok(convert::normalize_space(text, self.arena))
            }
            (Function::Translate, [text, from, to]) => {
                let text = self.string(text, focus)?;
                let (from, to) = self.two(from, to, focus)?;
                self.translate(text, from, to)
            }
            _ => Ok(""),
        }
    }

    /// Two texts, and the price of looking for the one in the other.
    fn two(
        &mut self,
        first: &'s Term,
        second: &'s Term,
        focus: Focus,
    ) -> Result<(&'s str, &'s str), Spent> {
        let first = self.string(first, focus)?;
        let second = self.string(second, focus)?;
        pay_for_text(self.spend, first.len().saturating_add(second.len()))?;
        Ok((first, second))
    }

    fn text_or_own(&mut self, arguments: &'s [Term], focus: Focus) -> Result<&'s str, Spent> {
        match arguments {
            [argument, ..] => self.string(argument, focus),
            [] => self.string_value(focus.node),
        }
    }

    fn first_or_own(
        &mut self,
        arguments: &'s [Term],
        focus: Focus,
    ) -> Result<Option<NodeId>, Spent> {
        let [argument, ..] = arguments else { return Ok(Some(focus.node)) };
        let nodes = self.nodes(argument, focus)?;
        let first = nodes.first().copied();
        self.done_with(nodes);
        Ok(first)
    }

    fn concat(&mut self, arguments: &'s [Term], focus: Focus) -> Result<&'s str, Spent> {
        let mut out = bumpalo::collections::String::new_in(self.arena);
        for argument in arguments {
            let text = self.string(argument, focus)?;
            // Growing copies what is there already, about once in all.
            pay_for_text(self.spend, text.len().saturating_mul(3))?;
            out.push_str(text);
        }
        Ok(out.into_bump_str())
    }

    fn translate(&self, text: &'s str, from: &str, to: &str) -> Result<&'s str, Spent> {
        // Each character is looked up, which costs more than a copy.
        pay(self.spend, 1 + text.len() / 8 + from.len() / 8)?;
        let mut to = to.chars();
        let mut table: HashMap<char, Option<char>> = HashMap::new();
        for character in from.chars() {
            let replacement = to.next();
            // The first occurrence counts.
            table.entry(character).or_insert(replacement);
        }
        let mut out = bumpalo::collections::String::with_capacity_in(text.len(), self.arena);
        for character in text.chars() {
            match table.get(&character) {
                None => out.push(character),
                Some(Some(replacement)) => out.push(*replacement),
                Some(None) => {}
            }
        }
        Ok(out.into_bump_str())
    }

    /// Without a document type the only identifiers are those of `xml:id`.
    fn id(&mut self, argument: &'s Term, focus: Focus) -> Result<Vec<NodeId>, Spent> {
        let mut found = self.vector();
        let mut wanted: Vec<&'s str> = Vec::new();
        let blanks = [' ', '\t', '\n', '\r'];
        if argument.kind() == ResultKind::NodeSet {
            let nodes = self.nodes(argument, focus)?;
            for node in &nodes {
                let text = self.string_value(*node)?;
                pay_for_text(self.spend, text.len().saturating_mul(4))?;
                wanted.extend(text.split(blanks));
            }
            self.done_with(nodes);
        } else {
            let text = self.string(argument, focus)?;
            pay_for_text(self.spend, text.len().saturating_mul(4))?;
            wanted.extend(text.split(blanks));
        }
        wanted.retain(|id| !id.is_empty());
        pay_for_walk(self.spend, self.document.len())?;
        wanted.sort_unstable();
        wanted.dedup();
        // Of two elements with one identifier the first has it.
        let mut taken = vec![false; wanted.len()];
        for node in self.document.nodes() {
            if self.document.kind(node) == NodeKind::Attribute
                && self.document.local_name(node) == "id"
                && self.document.namespace_uri(node) == XML_NAMESPACE
            {
                let id = self.string_value(node)?;
                pay_for_text(self.spend, id.len())?;
                let id = convert::normalize_space(id, self.arena);
                if let Ok(at) = wanted.binary_search(&id)
                    && !std::mem::replace(&mut taken[at], true)
                {
                    found.extend(self.document.parent(node));
                }
            }
        }
        self.in_order(&mut found)?;
        Ok(found)
    }

    /// Whether the nearest `xml:lang` is the language or one of its dialects.
    fn lang(&self, language: &str, node: NodeId) -> Result<bool, Spent> {
        let mut next = Some(node);
        while let Some(node) = next {
            let row = self.document.node(node.index);
            let attributes = match self.document.kind(node) {
                NodeKind::Element => self.document.rows(node.index + 1, row.content),
                _ => &[],
            };
            pay_for_walk(self.spend, attributes.len())?;
            let declared = attributes.iter().find(|attribute| {
                attribute.local_name() == "lang"
                    && self.document.namespace_uri_of(attribute) == XML_NAMESPACE
            });
            if let Some(declared) = declared {
                let declared = declared.text.as_bytes();
                let Some((head, rest)) = declared.split_at_checked(language.len()) else {
                    return Ok(false);
                };
                return Ok(head.eq_ignore_ascii_case(language.as_bytes())
                    && matches!(rest.first(), None | Some(b'-')));
            }
            next = self.document.parent(node);
        }
        Ok(false)
    }
}

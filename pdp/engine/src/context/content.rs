//! The Content of categories: parsed when a path first asks for it, once in a request.

use super::{Context, words};
use crate::xpath::{Document, DocumentLimits};

/// The Content of one category.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content<'a> {
    pub(super) category: &'a str,
    pub(super) xml: &'a str,
    /// The document, or why there is none.
    pub(super) document: Option<Result<&'a Document<'a>, &'a str>>,
}

impl<'a> Context<'a> {
    /// The Content of a category; none where the request has none.
    ///
    /// # Errors
    /// It is not well-formed, or beyond a limit.
    pub(crate) fn document(&mut self, category: &str) -> Result<Option<&'a Document<'a>>, &'a str> {
        let arena = self.arena;
        let Some(content) = self.lists.contents.iter_mut().find(|c| c.category == category) else {
            return Ok(None);
        };
        let document = *content.document.get_or_insert_with(|| {
            match Document::parse(content.xml, arena, &DocumentLimits::default()) {
                Ok(document) => Ok(&*arena.alloc(document)),
                Err(error) => {
                    Err(words(arena, format_args!("the Content cannot be read: {error}")))
                }
            }
        });
        document.map(Some)
    }
}

//! Equal short texts of one build are held once: policies repeat each other's identifiers, and a
//! decision then reads the same few cache lines.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// Longer texts are hardly ever repeated.
const LONGEST: usize = 256;

/// The texts of one build.
#[derive(Debug, Default)]
pub(super) struct Texts {
    known: HashSet<Arc<str>, FixedState>,
}

impl Texts {
    /// The shared form of `text`.
    pub(super) fn share(&mut self, text: &str) -> Arc<str> {
        if text.len() > LONGEST {
            return Arc::from(text);
        }
        Arc::clone(self.known.get_or_insert_with(text, |text| Arc::from(text)))
    }

    /// The shared form of a text that is shared already: a long one is not copied.
    pub(super) fn share_arc(&mut self, text: &Arc<str>) -> Arc<str> {
        if text.len() > LONGEST { Arc::clone(text) } else { self.share(text) }
    }
}

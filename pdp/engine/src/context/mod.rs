//! What one request holds, slot by slot, and what a decision on it may use.
//!
//! A reader drives the [`Context`] directly: values go into their slots as they are read, with no
//! tree between. The memory is the caller's [`Scratch`], one per worker, used again and again.

mod aside;
mod content;
mod lookup;
pub mod multiple;
mod scratch;

pub(crate) use content::Content;
pub(crate) use lookup::Lookup;
pub use lookup::Need;
pub use scratch::Scratch;

use crate::function::{PatternCache, Settings};
use crate::model::{
    AttributeHead, ExpectedAttribute, RequestOptions, RequestSink, ReturnedAttribute,
};
use crate::program::Program;
use crate::program::slots::{Fits, SlotId};
use crate::value::{Arena, DataType, Value};
use lookup::SlotState;
use scratch::{Kept, Lists};

/// The instant of a decision, read once by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
}

/// What a decision may spend. A limit that trips ends the decision; it never becomes one.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Evaluation steps: policies, rules, matches, values and expressions visited.
    pub steps: u64,
    /// Policy references followed one after another.
    pub reference_depth: usize,
    /// Policies within each other, references followed.
    pub policy_depth: usize,
    /// Individual decisions that one request may ask for.
    pub decisions: usize,
    /// Calls of `access-permitted` that one decision may make (XACML 3.0 appendix A.3.16).
    pub permitted_calls: usize,
    /// Calls of `access-permitted` within each other.
    pub permitted_depth: usize,
    /// Settings of functions, with their own limits.
    pub settings: Settings,
    /// Use the target index. Off only to compare with plain evaluation.
    pub indexed: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 100_000,
            reference_depth: 64,
            policy_depth: 256,
            decisions: 256,
            permitted_calls: 64,
            permitted_depth: 4,
            settings: Settings::default(),
            indexed: true,
        }
    }
}

/// An attribute that the answer returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Returned<'a> {
    category: &'a str,
    head: AttributeHead<'a>,
    start: u32,
}

/// One request in front of one program.
#[derive(Debug)]
pub struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) arena: &'a Arena,
    pub(crate) limits: &'a Limits,
    pub(crate) now: Instant,
    pub(crate) options: RequestOptions,
    kept: Kept<'a>,
    pub(crate) lists: Lists<'a>,
    home: &'a mut Kept<'static>,
    /// Regular expressions that decisions have computed.
    pub(crate) patterns: &'a mut PatternCache,
    /// The values of the request, once it is read whole.
    sealed: Option<&'a [Value<'a>]>,
    stamp: u32,
    scattered: bool,
    several: Option<&'static str>,
    category: &'a str,
    category_number: Option<u32>,
    head: Option<AttributeHead<'a>>,
    last_round: bool,
    /// Steps that the decision may take, of those that the request may.
    pub(crate) steps: u64,
    /// Steps that it has left over.
    pub(crate) steps_left: u64,
    /// Calls of `access-permitted` so far, in this round.
    pub(crate) permitted_calls: usize,
    /// Those that are under way, each within the one before.
    pub(crate) permitted_depth: usize,
}

impl<'a> Context<'a> {
    /// A context without attributes. `now` is what the clock said when the request came in.
    pub fn new(
        program: &'a Program,
        scratch: &'a mut Scratch,
        now: Instant,
        limits: &'a Limits,
    ) -> Self {
        let (arena, home, patterns) = scratch.begin();
        let mut kept = Kept::take(home);
        kept.stamp = kept.stamp.wrapping_add(1);
        if kept.stamp == 0 {
            // The stamps have gone round: states of old requests would look like this one's.
            kept.slots.clear();
            kept.stamp = 1;
        }
        kept.slots.resize(program.slots.len(), SlotState::default());
        Self {
            program,
            arena,
            limits,
            now,
            options: RequestOptions::default(),
            stamp: kept.stamp,
            kept,
            lists: Lists::new(arena),
            home,
            patterns,
            sealed: None,
            scattered: false,
            several: None,
            category: "",
            category_number: None,
            head: None,
            last_round: false,
            steps: limits.steps,
            steps_left: limits.steps,
            permitted_calls: 0,
            permitted_depth: 0,
        }
    }

    /// The arena of the decision.
    pub fn arena(&self) -> &'a Arena {
        self.arena
    }

    /// What the request asks for beside a decision.
    pub fn request_options(&self) -> &RequestOptions {
        &self.options
    }

    /// Why the request asks for several decisions, where it does: one context takes one of them.
    pub fn several(&self) -> Option<&'static str> {
        self.several
    }

    /// Goes on with what other decisions of the same request have left of its steps.
    pub fn go_on_with(&mut self, steps_left: u64) {
        self.steps = steps_left;
    }

    /// Steps that the decision has left over, for the next one of the same request.
    pub fn steps_left(&self) -> u64 {
        self.steps_left
    }

    /// Whether this is the last round: what is still pending becomes failed.
    pub fn last_round(&mut self) {
        self.last_round = true;
    }

    /// Files a value under its slots.
    #[inline]
    fn keep(&mut self, value: Value<'a>, fits: Fits) {
        let at = u32::try_from(self.kept.values.len()).unwrap_or(u32::MAX);
        self.kept.values.push(value);
        self.kept.fits.push(fits);
        if let Some(slot) = fits.any {
            self.fill(slot, at);
        }
        if let Some(slot) = fits.issued {
            self.fill(slot, at);
        }
    }

    #[inline]
    fn fill(&mut self, slot: SlotId, at: u32) {
        let stamp = self.stamp;
        let state = &mut self.kept.slots[slot as usize];
        if state.add(stamp, at) {
            self.scattered = true;
        }
    }

    /// Ends reading: from here on the values do not move.
    pub(crate) fn seal(&mut self) {
        if self.sealed.is_some() {
            return;
        }
        let values: &'a [Value<'a>] = self.arena.alloc_slice_copy(&self.kept.values);
        self.sealed = Some(values);
        if self.scattered {
            self.gather(values);
        }
    }

    /// The attributes that the answer returns.
    pub(crate) fn returned(&self) -> &'a [ReturnedAttribute<'a>] {
        if self.lists.returned.is_empty() {
            return &[];
        }
        let values: &'a [(DataType, Value<'a>)] =
            self.arena.alloc_slice_copy(&self.lists.returned_values);
        let ends = self.lists.returned.iter().skip(1).map(|next| next.start as usize);
        let ends = ends.chain(std::iter::once(values.len()));
        let attributes: bumpalo::collections::Vec<'a, _> = bumpalo::collections::Vec::from_iter_in(
            self.lists.returned.iter().zip(ends).map(|(returned, end)| ReturnedAttribute {
                category: returned.category,
                id: returned.head.id,
                issuer: returned.head.issuer,
                values: &values[returned.start as usize..end],
            }),
            self.arena,
        );
        attributes.into_bump_slice()
    }
}

impl<'a> RequestSink<'a> for Context<'a> {
    fn arena(&self) -> &'a Arena {
        self.arena
    }

    fn options(&mut self, options: RequestOptions) {
        if options.combined_decision {
            self.several = Some("a combined decision");
        }
        self.options = options;
    }

    fn category(&mut self, category: &'a str, _xml_id: Option<&'a str>) {
        if self.lists.categories.contains(&category) {
            self.several = Some("a category that occurs more than once");
        }
        self.lists.categories.push(category);
        self.category = category;
        self.category_number = self.program.slots.category(category);
    }

    fn content(&mut self, xml: &'a str) {
        self.lists.contents.push(Content { category: self.category, xml, document: None });
    }

    fn attribute(&mut self, head: AttributeHead<'a>) {
        if let Some(why) = multiple::trigger(self.category, head.id) {
            self.several = Some(why);
        }
        if head.include_in_result {
            let start = u32::try_from(self.lists.returned_values.len()).unwrap_or(u32::MAX);
            self.lists.returned.push(Returned { category: self.category, head, start });
        }
        self.head = Some(head);
    }

    #[inline]
    fn value(&mut self, data_type: DataType, value: Value<'a>) {
        let Some(head) = self.head else { return };
        if head.include_in_result {
            self.lists.returned_values.push((data_type, value));
        }
        let Some(category) = self.category_number else { return };
        let fits = self.program.slots.fits(category, head.id, data_type, head.issuer);
        if fits == Fits::default() {
            return;
        }
        self.keep(value, fits);
    }

    fn reference(&mut self, _xml_ids: &[&'a str]) {
        self.several = Some("MultiRequests");
    }

    #[inline]
    fn takes(&self, table: &'static [ExpectedAttribute]) -> bool {
        self.program.slots.takes(table)
    }

    #[inline]
    fn expected(&mut self, place: usize, value: Value<'a>) {
        if let Some(slot) = self.program.slots.at_place(place) {
            self.keep(value, Fits { any: Some(slot), issued: None });
        }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.kept).give_back(self.home);
    }
}

/// A message in the arena.
#[cold]
pub(crate) fn words<'a>(arena: &'a Arena, message: std::fmt::Arguments<'_>) -> &'a str {
    let mut text = bumpalo::collections::String::new_in(arena);
    // Writing into the arena does not fail.
    let _ = std::fmt::Write::write_fmt(&mut text, message);
    text.into_bump_str()
}

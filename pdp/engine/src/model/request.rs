//! Requests: what readers drive, and the plain form that tools keep (XACML 3.0 sections 5.42 to 5.46).

pub use crate::value::OwnedValue;
use crate::value::{Arena, DataType, Value};

/// What a request asks for beside a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestOptions {
    /// Name the policies that were found applicable.
    pub return_policy_ids: bool,
    /// One result for all individual decisions.
    pub combined_decision: bool,
}

/// What stands before the values of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeHead<'a> {
    /// The attribute's identifier.
    pub id: &'a str,
    /// Who vouches for it.
    pub issuer: Option<&'a str>,
    /// Return it with the result.
    pub include_in_result: bool,
}

/// An attribute that a front end hands over with most requests, without issuer and not to be returned.
///
/// A table of them is resolved against a program when that is built, so that a request's values find
/// their way by a number instead of by names.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedAttribute {
    /// The category's identifier.
    pub category: &'static str,
    /// The attribute's identifier.
    pub id: &'static str,
    /// The data type.
    pub data_type: DataType,
}

/// Receives a request part by part, in document order.
///
/// Readers drive it; the context of a decision implements it, straight into its slots, and so does
/// [`OwnedRequest`]. Values arrive parsed and checked: a reader knows the place of a bad one.
///
/// The order of calls: `options`, then for each category `category`, its `content`, and for each
/// attribute `attribute` followed by its `value`s; at the end the `reference`s.
pub trait RequestSink<'a> {
    /// Where a reader may put text that it had to unescape.
    fn arena(&self) -> &'a Arena;

    /// What the request asks for.
    fn options(&mut self, options: RequestOptions);

    /// A category begins; `xml_id` is what references name it by. A category that occurs a second
    /// time asks for several decisions (multiple decision profile, section 2.3).
    fn category(&mut self, category: &'a str, xml_id: Option<&'a str>);

    /// The Content of the category: its one element as XML text, with the namespaces it needs.
    fn content(&mut self, xml: &'a str);

    /// An attribute of the category begins.
    fn attribute(&mut self, head: AttributeHead<'a>);

    /// A value of the attribute.
    fn value(&mut self, data_type: DataType, value: Value<'a>);

    /// One individual decision over the categories with these ids (section 2.2 of the profile).
    fn reference(&mut self, xml_ids: &[&'a str]);

    /// Whether values of these attributes can be given by their place in the table, in
    /// [`RequestSink::expected`]. The table is told by its address.
    fn takes(&self, _table: &'static [ExpectedAttribute]) -> bool {
        false
    }

    /// A value of the attribute at this place of the table that the sink takes; neither `category` nor
    /// `attribute` goes before. Nothing comes of it where the sink takes no table.
    fn expected(&mut self, _place: usize, _value: Value<'a>) {}
}

/// A request that owns its text, for tools that keep one: benchmarks, tests, several decisions.
///
/// A reader fills it through a [`Recorder`]; [`OwnedRequest::replay`] drives a sink with it as a
/// reader would, without parsing anything again.
#[derive(Clone, Debug, Default)]
pub struct OwnedRequest {
    /// What it asks for.
    pub options: RequestOptions,
    /// Its categories, in document order; the same one may occur more than once.
    pub categories: Vec<OwnedCategory>,
    /// The individual decisions it asks for by reference.
    pub references: Vec<Vec<String>>,
}

/// A category of an [`OwnedRequest`].
#[derive(Clone, Debug, Default)]
pub struct OwnedCategory {
    /// Its identifier.
    pub category: String,
    /// What references name it by.
    pub xml_id: Option<String>,
    /// Its Content, as XML text.
    pub content: Option<String>,
    /// Its attributes, in document order.
    pub attributes: Vec<OwnedAttribute>,
}

/// An attribute of an [`OwnedRequest`].
#[derive(Clone, Debug, Default)]
pub struct OwnedAttribute {
    /// Its identifier.
    pub id: String,
    /// Who vouches for it.
    pub issuer: Option<String>,
    /// Return it with the result.
    pub include_in_result: bool,
    /// Its values, each with its type and the text it was written with.
    pub values: Vec<OwnedValue>,
}

impl OwnedRequest {
    /// Drives `sink` with the request, as the reader that it came from did.
    pub fn replay<'a>(&'a self, sink: &mut impl RequestSink<'a>) {
        sink.options(self.options);
        for category in &self.categories {
            sink.category(&category.category, category.xml_id.as_deref());
            if let Some(content) = &category.content {
                sink.content(content);
            }
            for attribute in &category.attributes {
                sink.attribute(AttributeHead {
                    id: &attribute.id,
                    issuer: attribute.issuer.as_deref(),
                    include_in_result: attribute.include_in_result,
                });
                for value in &attribute.values {
                    let value = value.as_value();
                    sink.value(value.data_type(), value);
                }
            }
        }
        let mut ids = Vec::new();
        for reference in &self.references {
            ids.clear();
            ids.extend(reference.iter().map(String::as_str));
            sink.reference(&ids);
        }
    }
}

/// Fills an [`OwnedRequest`].
#[derive(Debug)]
pub struct Recorder<'a> {
    arena: &'a Arena,
    request: OwnedRequest,
}

impl<'a> Recorder<'a> {
    /// A recorder of an empty request; the arena is needed while it is filled only.
    pub fn new(arena: &'a Arena) -> Self {
        Self { arena, request: OwnedRequest::default() }
    }

    /// What was recorded.
    pub fn finish(self) -> OwnedRequest {
        self.request
    }
}

impl<'a> RequestSink<'a> for Recorder<'a> {
    fn arena(&self) -> &'a Arena {
        self.arena
    }

    fn options(&mut self, options: RequestOptions) {
        self.request.options = options;
    }

    fn category(&mut self, category: &'a str, xml_id: Option<&'a str>) {
        self.request.categories.push(OwnedCategory {
            category: category.to_owned(),
            xml_id: xml_id.map(str::to_owned),
            ..OwnedCategory::default()
        });
    }

    fn content(&mut self, xml: &'a str) {
        if let Some(category) = self.request.categories.last_mut() {
            category.content = Some(xml.to_owned());
        }
    }

    fn attribute(&mut self, head: AttributeHead<'a>) {
        if let Some(category) = self.request.categories.last_mut() {
            category.attributes.push(OwnedAttribute {
                id: head.id.to_owned(),
                issuer: head.issuer.map(str::to_owned),
                include_in_result: head.include_in_result,
                values: Vec::new(),
            });
        }
    }

    fn value(&mut self, _data_type: DataType, value: Value<'a>) {
        let attribute = self.request.categories.last_mut().and_then(|c| c.attributes.last_mut());
        if let Some(attribute) = attribute {
            attribute.values.push(OwnedValue::from(&value));
        }
    }

    fn reference(&mut self, xml_ids: &[&'a str]) {
        self.request.references.push(xml_ids.iter().map(|id| (*id).to_owned()).collect());
    }
}

//! One request that asks for several decisions.

use pdp_engine::context::multiple::{Flat, Hierarchy, Individual, TooMany, expand};
use pdp_engine::function::Budget;
use pdp_engine::ids::attribute::{
    CONTENT_SELECTOR, MULTIPLE_CONTENT_SELECTOR, MULTIPLE_CONTENT_SELECTOR_SHORT, RESOURCE_ID,
    SCOPE,
};
use pdp_engine::model::{
    OwnedAttribute, OwnedCategory, OwnedRequest, OwnedValue, RequestOptions, StatusCode,
};
use pdp_engine::value::Data;

use crate::support::RESOURCE;

const SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";
const RECORDS: &str = "<r><a n='1'/><a n='2'/><b/><a n='3'/></r>";
const LIMIT: usize = 10;
const STEPS: u64 = 10_000;

fn attribute(id: &str, value: OwnedValue) -> OwnedAttribute {
    OwnedAttribute { id: id.to_owned(), issuer: None, include_in_result: true, values: vec![value] }
}

fn text(id: &str, text: &str) -> OwnedAttribute {
    attribute(id, OwnedValue::string(text.into()))
}

fn selector(id: &str, path: &str) -> OwnedAttribute {
    attribute(id, OwnedValue::xpath(path, RESOURCE, []).unwrap())
}

fn category(id: &str, attributes: Vec<OwnedAttribute>) -> OwnedCategory {
    OwnedCategory { category: id.to_owned(), attributes, ..OwnedCategory::default() }
}

fn request(categories: Vec<OwnedCategory>) -> OwnedRequest {
    let options = RequestOptions { combined_decision: true, return_policy_ids: true };
    OwnedRequest { options, categories, references: Vec::new() }
}

/// A request about the nodes of a Content.
fn nodes(id: &str, path: &str) -> OwnedRequest {
    let resource = category(RESOURCE, vec![text("other", "x"), selector(id, path)]);
    request(vec![OwnedCategory { content: Some(RECORDS.to_owned()), ..resource }])
}

fn expanded(request: &OwnedRequest) -> Vec<Individual> {
    expand(request, &Flat, LIMIT, &Budget::new(STEPS)).unwrap()
}

/// Every value of the attribute with this id, in all individual requests.
fn values(individual: &[Individual], id: &str) -> Vec<String> {
    individual
        .iter()
        .flat_map(|one| &one.as_ref().unwrap().categories)
        .flat_map(|category| &category.attributes)
        .filter(|attribute| attribute.id == id)
        .flat_map(|attribute| &attribute.values)
        .map(|value| value.as_value().written_text().unwrap().to_owned())
        .collect()
}

fn why(individual: &[Individual]) -> (StatusCode, String) {
    let [Err(unmade)] = individual else { panic!("one that cannot be made: {individual:?}") };
    (unmade.code, unmade.message.clone())
}

#[test]
fn a_content_selector_asks_about_each_node() {
    for id in [MULTIPLE_CONTENT_SELECTOR, MULTIPLE_CONTENT_SELECTOR_SHORT] {
        let individual = expanded(&nodes(id, "/r/a"));
        let paths = values(&individual, CONTENT_SELECTOR);
        assert_eq!(paths, ["/*[1]/*[1]", "/*[1]/*[2]", "/*[1]/*[4]"]);
        assert!(values(&individual, id).is_empty(), "the trigger is gone");
        let one = individual[0].as_ref().unwrap();
        assert!(one.options.return_policy_ids && !one.options.combined_decision);
        let attribute = &one.categories[0].attributes[1];
        assert!(attribute.include_in_result, "it is kept");
        let Data::XPathExpression(path) = attribute.values[0].as_value().data() else {
            panic!("of its type")
        };
        assert_eq!(path.category(), RESOURCE);
    }
}

#[test]
fn a_content_selector_that_selects_nothing_asks_for_nothing() {
    let (code, message) = why(&expanded(&nodes(MULTIPLE_CONTENT_SELECTOR, "//nothing")));
    assert_eq!(code, StatusCode::ProcessingError);
    assert!(message.contains("no node"), "{message}");
    // Beside another set it adds no result.
    let mut two = nodes(MULTIPLE_CONTENT_SELECTOR, "/r/b");
    two.categories.push(nodes(MULTIPLE_CONTENT_SELECTOR, "//nothing").categories.remove(0));
    assert_eq!(values(&expanded(&two), CONTENT_SELECTOR), ["/*[1]/*[3]"]);
}

#[test]
fn a_content_selector_that_cannot_be_used_is_indeterminate() {
    for (path, part) in [("/r/a[", "not an XPath"), ("count(//a)", "not nodes")] {
        let (code, message) = why(&expanded(&nodes(MULTIPLE_CONTENT_SELECTOR, path)));
        assert_eq!(code, StatusCode::SyntaxError);
        assert!(message.contains(part), "{path}: {message}");
    }
    let mut broken = nodes(MULTIPLE_CONTENT_SELECTOR, "/r");
    broken.categories[0].content = Some("<r>".to_owned());
    assert!(why(&expanded(&broken)).1.contains("Content cannot be read"));
    let mut elsewhere = nodes(MULTIPLE_CONTENT_SELECTOR, "/r");
    elsewhere.categories[0].category = SUBJECT.to_owned();
    assert!(why(&expanded(&elsewhere)).1.contains("category"));
    let string = request(vec![category(RESOURCE, vec![text(MULTIPLE_CONTENT_SELECTOR, "/r")])]);
    assert!(why(&expanded(&string)).1.contains("xpathExpression"));
}

#[test]
fn limits_name_their_values() {
    let request = nodes(MULTIPLE_CONTENT_SELECTOR, "//*");
    let few = expand(&request, &Flat, 4, &Budget::new(STEPS)).unwrap_err();
    assert_eq!(few, TooMany::Decisions(4));
    assert!(few.to_string().contains("limit of 4"), "{few}");
    let short = expand(&request, &Flat, LIMIT, &Budget::new(1)).unwrap_err();
    assert_eq!(short, TooMany::Steps(1));
    let category = || category(SUBJECT, Vec::new());
    let many = self::request((0..5).map(|_| category()).collect());
    let many = expand(&many, &Flat, 4, &Budget::new(STEPS)).unwrap_err();
    assert_eq!(many, TooMany::Decisions(4));
}

#[test]
fn repeated_categories_combine_and_references_come_first() {
    let named = |id: &str, xml_id: &str| OwnedCategory {
        xml_id: Some(xml_id.to_owned()),
        ..category(id, vec![text("name", xml_id)])
    };
    let mut several = request(vec![
        named(SUBJECT, "s1"),
        named(SUBJECT, "s2"),
        named(RESOURCE, "r1"),
        named(RESOURCE, "r2"),
    ]);
    let names = values(&expanded(&several), "name");
    assert_eq!(names, ["s1", "r1", "s1", "r2", "s2", "r1", "s2", "r2"]);
    several.references = vec![
        vec!["s1".to_owned(), "r2".to_owned()],
        vec!["s1".to_owned(), "s2".to_owned(), "r1".to_owned()],
    ];
    let names = values(&expanded(&several), "name");
    assert_eq!(names, ["s1", "r2", "s1", "r1", "s2", "r1"]);
    several.references = vec![vec!["nobody".to_owned()]];
    let (code, message) = why(&expanded(&several));
    assert_eq!(code, StatusCode::SyntaxError);
    assert!(message.contains("nobody"), "{message}");
}

struct Tree;

impl Hierarchy for Tree {
    fn children(&self, resource: &str) -> Vec<String> {
        match resource {
            "top" => vec!["left".to_owned(), "right".to_owned()],
            "left" => vec!["leaf".to_owned(), "top".to_owned()],
            _ => Vec::new(),
        }
    }
}

#[test]
fn a_scope_takes_in_what_is_below() {
    let scoped = |scope: &str| {
        request(vec![category(RESOURCE, vec![text(RESOURCE_ID, "top"), text(SCOPE, scope)])])
    };
    for (scope, resources) in [
        ("Immediate", &["top"][..]),
        ("Children", &["top", "left", "right"]),
        ("Descendants", &["top", "left", "right", "leaf"]),
    ] {
        let individual = expand(&scoped(scope), &Tree, LIMIT, &Budget::new(STEPS)).unwrap();
        assert_eq!(values(&individual, RESOURCE_ID), resources, "{scope}");
        assert!(values(&individual, SCOPE).is_empty(), "{scope}");
    }
    assert_eq!(values(&expanded(&scoped("Children")), RESOURCE_ID), ["top"], "without a tree");
    assert_eq!(why(&expanded(&scoped("All"))).0, StatusCode::SyntaxError);
}

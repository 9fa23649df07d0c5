//! Values given by their place in a table decide as values given by name.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::{Context, Limits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::{AttributeName, Catalogue, RequestOnly, Supplier};
use pdp_engine::model::{AttributeHead, ExpectedAttribute, RequestOptions, RequestSink};
use pdp_engine::program::{Program, Root};
use pdp_engine::value::{DataType, Value};
use proptest::prelude::*;

use crate::support::{
    Attribute, Decided, NOW, RESOURCE, SUBJECT, SUPPLIED, Suppliers, attributes, cases,
    linked_policies, read, root, suppliers,
};

const fn text(category: &'static str, id: &'static str) -> ExpectedAttribute {
    ExpectedAttribute { category, id, data_type: DataType::String }
}

static TABLE: [ExpectedAttribute; 6] = [
    text(RESOURCE, "a0"),
    text(RESOURCE, "a1"),
    text(SUBJECT, "a0"),
    text(SUPPLIED, "a2"),
    ExpectedAttribute { category: RESOURCE, id: "a2", data_type: DataType::Integer },
    text("urn:test:category:unused", "a0"),
];
/// The same words at another address.
static OTHER: [ExpectedAttribute; 1] = [text(RESOURCE, "a0")];

struct Expecting<'s>(&'s dyn Catalogue);

impl Catalogue for Expecting<'_> {
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String> {
        self.0.supplier(name)
    }

    fn expected(&self) -> &'static [ExpectedAttribute] {
        &TABLE
    }
}

/// As `read` does it, but for what stands in the table.
fn read_by_place<'a>(attributes: &'a [Attribute], sink: &mut Context<'a>) {
    sink.options(RequestOptions { return_policy_ids: true, combined_decision: false });
    let mut categories: Vec<&str> = attributes.iter().map(|a| a.category).collect();
    categories.sort_unstable();
    categories.dedup();
    for category in categories {
        sink.category(category, None);
        for given in attributes.iter().filter(|a| a.category == category) {
            let value = Value::parse(given.data_type, &given.text, sink.arena()).unwrap();
            let place = TABLE.iter().position(|one| {
                (one.category, one.id, one.data_type) == (category, &*given.id, given.data_type)
            });
            match place.filter(|_| given.issuer.is_none()) {
                Some(place) => sink.expected(place, value),
                None => {
                    let (id, issuer) = (&*given.id, given.issuer);
                    sink.attribute(AttributeHead { id, issuer, include_in_result: false });
                    sink.value(given.data_type, value);
                }
            }
        }
    }
}

fn decide(program: &Program, given: &[Attribute], finder: &Suppliers, by_place: bool) -> Decided {
    let (mut scratch, limits) = (Scratch::new(), Limits::default());
    let mut context = Context::new(program, &mut scratch, NOW, &limits);
    assert_eq!(context.takes(&TABLE), by_place);
    if by_place {
        read_by_place(given, &mut context);
    } else {
        read(given, &mut context);
    }
    match eval::decide(&mut context, finder) {
        Outcome::Done(answer) => Decided::of(&answer),
        Outcome::Pending => unreachable!("every supplier answers at once"),
    }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn a_request_by_place_is_the_request_by_name(
        root in root(),
        policies in linked_policies(8),
        request in attributes(),
        suppliers in suppliers(),
        before in 0..8usize,
    ) {
        let build = |mut build: Build<'_>, from: usize, to: usize| {
            for policy in policies.iter().skip(from).take(to) {
                let _ = build.add(policy, "test");
            }
            build.finish().0
        };
        let new = |catalogue| Build::new(Root::all(root), catalogue, CompileLimits::default());
        let plain = build(new(&suppliers), 0, policies.len());
        // The table comes when some policies are there already.
        let first = build(new(&suppliers), 0, before);
        let expecting = Expecting(&suppliers);
        let both = Build::from(&first, &expecting, CompileLimits::default());
        let expecting = build(both, before, policies.len());
        prop_assert_eq!(
            decide(&expecting, &request, &suppliers, true),
            decide(&plain, &request, &suppliers, false)
        );
    }
}

#[test]
fn a_table_is_known_by_its_address() {
    let limits = Limits::default();
    let program = |catalogue: &dyn Catalogue| {
        let root = Root::all(Algorithm::DenyOverrides);
        Build::new(root, catalogue, CompileLimits::default()).finish().0
    };
    for (program, takes) in [
        (program(&Expecting(&RequestOnly)), [true, false]),
        (program(&RequestOnly), [false, false]),
    ] {
        let mut scratch = Scratch::new();
        let context = Context::new(&program, &mut scratch, NOW, &limits);
        assert_eq!([context.takes(&TABLE), context.takes(&OTHER)], takes);
        assert!(!context.takes(&[]), "no table is taken for one");
    }
}

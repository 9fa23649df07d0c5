//! What the tests share: requests from a few words, decisions as plain data, random policies.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::{Context, Instant, Limits, Scratch};
use pdp_engine::error::{Diagnostic, Position};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::{AttributeName, Catalogue, Finder, Found, Supplier};
use pdp_engine::model::{
    AllOf, Answer, AnyOf, Apply, Assignment, AttributeHead, Child, Designator, Effect, Expression,
    Literal, Match, MatchBag, Notice, NoticeKind, Policy, PolicyKind, PolicyReference,
    RequestOptions, RequestSink, Rule, Target,
};
use pdp_engine::program::{Program, Root};
use pdp_engine::value::{Arena, DataType, Value};
use proptest::prelude::*;

pub(crate) const RESOURCE: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";
/// Attributes of this category come from a supplier.
pub(crate) const SUPPLIED: &str = "urn:test:category:supplied";
pub(crate) const SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";
pub(crate) const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// An attribute of a request: category, identifier, issuer, type, text.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) category: &'static str,
    pub(crate) id: String,
    pub(crate) issuer: Option<&'static str>,
    pub(crate) data_type: DataType,
    pub(crate) text: String,
}

impl Attribute {
    pub(crate) fn resource(id: &str, text: &str) -> Self {
        Self {
            category: RESOURCE,
            id: id.to_owned(),
            issuer: None,
            data_type: DataType::String,
            text: text.to_owned(),
        }
    }
}

/// Reads attributes into a sink, a category at a time as a reader would.
pub(crate) fn read<'a>(attributes: &'a [Attribute], sink: &mut impl RequestSink<'a>) {
    sink.options(RequestOptions { return_policy_ids: true, combined_decision: false });
    let mut categories: Vec<&str> = attributes.iter().map(|a| a.category).collect();
    categories.sort_unstable();
    categories.dedup();
    let arena: &'a Arena = sink.arena();
    for category in categories {
        sink.category(category, None);
        for attribute in attributes.iter().filter(|a| a.category == category) {
            sink.attribute(AttributeHead {
                id: &attribute.id,
                issuer: attribute.issuer,
                include_in_result: false,
            });
            let value = Value::parse(attribute.data_type, &attribute.text, arena).unwrap();
            sink.value(attribute.data_type, value);
        }
    }
}

/// An answer as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(crate) decision: &'static str,
    pub(crate) code: String,
    pub(crate) message: Option<String>,
    /// The attribute that the status names: category, identifier, type, issuer.
    pub(crate) missing: Option<String>,
    pub(crate) notices: Vec<String>,
    pub(crate) policies: Vec<String>,
}

impl Decided {
    pub(crate) fn of(answer: &Answer<'_>) -> Self {
        let arena = Arena::new();
        let notices = answer.notices.iter().map(|notice| {
            let values: Vec<&str> =
                notice.assignments.iter().map(|a| a.value.lexical(&arena)).collect();
            format!("{}({})", notice.id, values.join(","))
        });
        Self {
            decision: answer.decision.name(),
            code: format!("{:?}", answer.status.code),
            message: answer.status.message.map(str::to_owned),
            missing: answer.status.missing.map(|missing| {
                let issuer = missing.issuer.unwrap_or_default();
                format!("{} {} {} {issuer}", missing.category, missing.id, missing.data_type)
            }),
            notices: notices.collect(),
            policies: answer.policies.iter().map(|p| format!("{} {}", p.id, p.version)).collect(),
        }
    }

    /// What two ways of evaluation must agree on.
    pub(crate) fn comparable(mut self) -> Self {
        self.message = None;
        self.missing = None;
        self
    }
}

/// Supplies attributes of the category [`SUPPLIED`]: `present` ones have their identifier as
/// value, `failing` ones fail, the others are empty. Those in `late` are pending in the first round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suppliers {
    pub(crate) present: Vec<String>,
    pub(crate) failing: Vec<String>,
    pub(crate) late: Vec<String>,
}

impl Catalogue for Suppliers {
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String> {
        Ok((&*name.category == SUPPLIED).then(|| Supplier {
            name: "test-supplier",
            question: 0,
            number: 0,
            text: Some(name.id.as_ref().into()),
            inputs: vec![AttributeName {
                category: RESOURCE.into(),
                id: "a0".into(),
                data_type: DataType::String,
                issuer: None,
            }],
        }))
    }
}

impl Suppliers {
    pub(crate) fn answer<'a>(&self, id: &str, arena: &'a Arena) -> Found<'a> {
        if self.failing.iter().any(|known| known == id) {
            Found::Failed("it is down")
        } else if self.present.iter().any(|known| known == id) {
            Found::Values(arena.alloc_slice_copy(&[Value::string(arena.alloc_str(id))]))
        } else {
            Found::Empty
        }
    }
}

impl Finder for Suppliers {
    fn find<'a>(&self, supplier: &Supplier, _: &[&[Value<'a>]], arena: &'a Arena) -> Found<'a> {
        let id = supplier.text.as_deref().unwrap();
        if self.late.iter().any(|late| late == id) {
            return Found::Pending;
        }
        self.answer(id, arena)
    }
}

pub(crate) fn compile(
    combining: Algorithm,
    policies: &[Policy],
    catalogue: &dyn Catalogue,
) -> (Program, Vec<Diagnostic>) {
    let mut build = Build::new(Root::all(combining), catalogue, CompileLimits::default());
    let mut refused = Vec::new();
    for policy in policies {
        refused.extend(build.add(policy, "test").err().into_iter().flatten());
    }
    let (program, unlinked) = build.finish();
    refused.extend(unlinked);
    (program, refused)
}

pub(crate) const NOW: Instant = Instant { seconds: 1_700_000_000, nanos: 0 };

/// Takes a decision; pending attributes are provided round by round, `per_round` at a time.
pub(crate) fn decide_in_rounds(
    program: &Program,
    attributes: &[Attribute],
    suppliers: &Suppliers,
    limits: &Limits,
    per_round: usize,
) -> (Decided, usize) {
    let mut scratch = Scratch::new();
    let mut context = Context::new(program, &mut scratch, NOW, limits);
    read(attributes, &mut context);
    for round in 1.. {
        match eval::decide(&mut context, suppliers) {
            Outcome::Done(answer) => return (Decided::of(&answer), round),
            Outcome::Pending => {
                assert!(round < 1_000, "the decision never ends");
                let needs: Vec<_> = context.needs().iter().take(per_round).copied().collect();
                assert!(!needs.is_empty(), "a pending decision needs something");
                for need in needs {
                    let id = need.supplier.text.as_deref().unwrap();
                    let found = suppliers.answer(id, context.arena());
                    context.provide(&need, found);
                }
            }
        }
    }
    unreachable!()
}

pub(crate) fn decide(program: &Program, attributes: &[Attribute], limits: &Limits) -> Decided {
    decide_in_rounds(program, attributes, &Suppliers::default(), limits, usize::MAX).0
}

// ---- models in a few words -------------------------------------------------------------------

const AT: Position = Position::new(1, 1);

pub(crate) fn literal(text: &str) -> Literal {
    Literal {
        data_type: STRING.into(),
        text: text.into(),
        xpath_category: None,
        namespaces: Vec::new(),
        position: AT,
    }
}

pub(crate) fn designator(category: &str, id: &str, must_be_present: bool) -> Designator {
    Designator {
        category: category.to_owned().into(),
        attribute_id: id.to_owned().into(),
        data_type: STRING.into(),
        issuer: None,
        must_be_present,
        position: AT,
    }
}

pub(crate) fn equals(id: &str, text: &str) -> Match {
    Match {
        function: "urn:oasis:names:tc:xacml:1.0:function:string-equal".into(),
        literal: literal(text),
        bag: MatchBag::Designator(designator(RESOURCE, id, false)),
        position: AT,
    }
}

pub(crate) fn target(any_of: Vec<Vec<Vec<Match>>>) -> Target {
    let all = |matches| AllOf { matches, position: AT };
    let any = |alternatives: Vec<Vec<Match>>| AnyOf {
        all_of: alternatives.into_iter().map(all).collect(),
        position: AT,
    };
    Target { any_of: any_of.into_iter().map(any).collect(), position: AT }
}

pub(crate) fn apply(function: &str, arguments: Vec<Expression>) -> Expression {
    let family =
        if function == "any-of" || function.ends_with("ignore-case") { "3.0" } else { "1.0" };
    let function = format!("urn:oasis:names:tc:xacml:{family}:function:{function}");
    Expression::Apply(Apply { function: function.into(), arguments, position: AT })
}

pub(crate) fn rule(
    id: &str,
    effect: Effect,
    target: Option<Target>,
    condition: Option<Expression>,
) -> Rule {
    Rule {
        id: id.to_owned(),
        effect,
        description: None,
        target,
        condition,
        notices: Vec::new(),
        position: AT,
    }
}

pub(crate) fn obligation(id: &str, effect: Effect, value: Expression) -> Notice {
    Notice {
        kind: NoticeKind::Obligation,
        id: id.to_owned().into(),
        effect,
        assignments: vec![Assignment {
            attribute_id: "value".into(),
            category: None,
            issuer: None,
            expression: value,
            position: AT,
        }],
        position: AT,
    }
}

pub(crate) fn policy(
    kind: PolicyKind,
    id: &str,
    combining: &str,
    target: Target,
    children: Vec<Child>,
) -> Policy {
    let part = match kind {
        PolicyKind::Policy => "rule",
        PolicyKind::PolicySet => "policy",
    };
    let (version, combining) = match combining.split_once(' ') {
        Some((version, combining)) => (version, combining),
        None if ["first-applicable", "only-one-applicable"].contains(&combining) => {
            ("1.0", combining)
        }
        None => ("3.0", combining),
    };
    let authority =
        if combining == "combined-permit-overrides" { "com:att" } else { "oasis:names:tc" };
    Policy {
        kind,
        id: id.to_owned(),
        version: "1.0".parse().unwrap(),
        description: None,
        issuer: None,
        xpath_version: None,
        target,
        combining: format!(
            "urn:{authority}:xacml:{version}:{part}-combining-algorithm:{combining}"
        )
        .into(),
        children,
        variables: Vec::new(),
        notices: Vec::new(),
        position: AT,
        combining_position: AT,
    }
}

// ---- random policies and requests ------------------------------------------------------------

fn id() -> impl Strategy<Value = String> {
    (0..4u8).prop_map(|n| format!("a{n}"))
}

fn text() -> impl Strategy<Value = String> {
    (0..4u8).prop_map(|n| format!("v{n}"))
}

fn effect() -> impl Strategy<Value = Effect> {
    prop_oneof![Just(Effect::Permit), Just(Effect::Deny)]
}

/// Data types that random policies ask for, each with texts of which some are equal.
const TYPES: &[(DataType, &[&str])] = &[
    (DataType::String, &["v0", "v1", "v2", "v3"]),
    (DataType::Integer, &["7", "07", "+7", "8"]),
    (DataType::Double, &["0", "-0", "NaN", "1.5", "15E-1"]),
    (DataType::AnyUri, &["v0", "v1"]),
    (DataType::Boolean, &["true", "1", "false"]),
    (DataType::Time, &["09:00:00Z", "10:00:00+01:00", "09:00:00"]),
    (DataType::HexBinary, &["0f", "0F", "00"]),
    (DataType::X500Name, &["cn=A,o=B", "CN=a, O=b", "o=B"]),
    (DataType::Rfc822Name, &["a@b.c", "a@B.c", "A@b.c"]),
];

/// A data type and one of its texts; strings are commonest.
fn typed() -> impl Strategy<Value = (DataType, &'static str)> {
    let any = prop::sample::select(TYPES)
        .prop_flat_map(|(data_type, texts)| (Just(data_type), prop::sample::select(texts)));
    let string = prop::sample::select(TYPES[0].1).prop_map(|text| (DataType::String, text));
    prop_oneof![2 => string, 1 => any]
}

/// The attributes of one type.
fn bag_of(data_type: DataType) -> impl Strategy<Value = Designator> {
    let supplied = u32::from(data_type == DataType::String);
    let from = prop_oneof![7 => Just(RESOURCE), 2 => Just(SUBJECT), supplied => Just(SUPPLIED)];
    let issuer = prop_oneof![8 => Just(None), 1 => Just(Some("i1".to_owned()))];
    (from, id(), prop::bool::weighted(0.2), issuer).prop_map(move |(category, id, must, issuer)| {
        let data_type = data_type.uri().to_owned();
        Designator { issuer, data_type: data_type.into(), ..designator(category, &id, must) }
    })
}

fn bag() -> impl Strategy<Value = Designator> {
    bag_of(DataType::String)
}

fn literal_of(data_type: DataType, text: &str) -> Literal {
    Literal { data_type: data_type.uri().into(), ..literal(text) }
}

/// A function of a literal and a value of one type, for a match.
fn test_of(data_type: DataType) -> impl Strategy<Value = String> {
    let name = data_type.short_name();
    let mut also = vec![format!("urn:oasis:names:tc:xacml:1.0:function:{name}-equal")];
    if matches!(data_type, DataType::String | DataType::Integer | DataType::Double) {
        also.push(format!("urn:oasis:names:tc:xacml:1.0:function:{name}-less-than"));
    }
    if data_type == DataType::String {
        also.push("urn:oasis:names:tc:xacml:3.0:function:string-equal-ignore-case".to_owned());
        also.push("urn:oasis:names:tc:xacml:3.0:function:string-starts-with".to_owned());
        also.push("urn:oasis:names:tc:xacml:1.0:function:string-regexp-match".to_owned());
    }
    let equal = also[0].clone();
    prop_oneof![3 => Just(equal), 1 => prop::sample::select(also)]
}

fn a_match() -> impl Strategy<Value = Match> {
    typed()
        .prop_flat_map(|(data_type, text)| {
            (Just((data_type, text)), test_of(data_type), bag_of(data_type))
        })
        .prop_map(|((data_type, text), function, bag)| Match {
            function: function.into(),
            literal: literal_of(data_type, text),
            bag: MatchBag::Designator(bag),
            position: AT,
        })
}

fn a_target() -> impl Strategy<Value = Target> {
    let all_of = prop::collection::vec(a_match(), 1..3);
    let any_of = prop::collection::vec(all_of, 1..3);
    prop::collection::vec(any_of, 0..3).prop_map(target)
}

fn truth() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        (text(), bag()).prop_map(|(text, bag)| apply(
            "string-is-in",
            vec![Expression::Literal(literal(&text)), Expression::Designator(bag)]
        )),
        (text(), bag()).prop_map(|(text, bag)| apply(
            "string-equal",
            vec![
                Expression::Literal(literal(&text)),
                apply("string-one-and-only", vec![Expression::Designator(bag)])
            ]
        )),
    ];
    let typed_leaf = typed()
        .prop_flat_map(|(data_type, text)| (Just((data_type, text)), bag_of(data_type)))
        .prop_map(|((data_type, text), bag)| {
            let equal =
                format!("urn:oasis:names:tc:xacml:1.0:function:{}-equal", data_type.short_name());
            let arguments = vec![
                Expression::Function { id: equal.into(), position: AT },
                Expression::Literal(literal_of(data_type, text)),
                Expression::Designator(bag),
            ];
            apply("any-of", arguments)
        });
    // Most texts are no numbers, so that this errs.
    let erring = bag().prop_map(|bag| {
        let one = apply("string-one-and-only", vec![Expression::Designator(bag)]);
        let Expression::Apply(mut parsed) = apply("any-of", vec![one]) else { unreachable!() };
        parsed.function = "urn:oasis:names:tc:xacml:3.0:function:integer-from-string".into();
        let seven = Expression::Literal(literal_of(DataType::Integer, "7"));
        apply("integer-less-than", vec![seven, Expression::Apply(parsed)])
    });
    let leaf = prop_oneof![4 => leaf, 2 => typed_leaf, 1 => erring];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let many = prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (prop_oneof![Just("and"), Just("or")], many).prop_map(|(f, args)| apply(f, args)),
            inner.clone().prop_map(|inner| apply("not", vec![inner])),
            (0..3u8, prop::collection::vec(inner, 1..4)).prop_map(|(wanted, mut truths)| {
                let wanted = literal_of(DataType::Integer, &wanted.to_string());
                truths.insert(0, Expression::Literal(wanted));
                apply("n-of", truths)
            }),
        ]
    })
}

fn notices() -> impl Strategy<Value = Vec<Notice>> {
    let value = prop_oneof![
        3 => text().prop_map(|text| Expression::Literal(literal(&text))),
        1 => bag().prop_map(Expression::Designator),
    ];
    let one = ((0..3u8).prop_map(|n| format!("o{n}")), effect(), value)
        .prop_map(|(id, effect, value)| obligation(&id, effect, value));
    prop::collection::vec(one, 0..2)
}

fn rules() -> impl Strategy<Value = Vec<Child>> {
    let one = (effect(), prop::option::of(a_target()), prop::option::of(truth()), notices());
    prop::collection::vec(one, 0..12).prop_map(|rules| {
        rules
            .into_iter()
            .enumerate()
            .map(|(at, (effect, target, condition, notices))| {
                Child::Rule(Rule { notices, ..rule(&format!("r{at}"), effect, target, condition) })
            })
            .collect()
    })
}

fn algorithm(also: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    let common = [
        "deny-overrides",
        "permit-overrides",
        "deny-unless-permit",
        "permit-unless-deny",
        "first-applicable",
        "1.0 deny-overrides",
        "1.0 permit-overrides",
        "1.1 ordered-deny-overrides",
        "ordered-permit-overrides",
    ];
    prop::sample::select([&common[..], also].concat())
}

fn leaf_policy() -> impl Strategy<Value = Policy> {
    (algorithm(&[]), a_target(), rules(), notices()).prop_map(
        |(combining, target, rules, notices)| Policy {
            notices,
            ..policy(PolicyKind::Policy, "p", combining, target, rules)
        },
    )
}

/// Policies and policy sets, nested up to three deep, with identifiers of their own.
pub(crate) fn a_policy() -> impl Strategy<Value = Policy> {
    leaf_policy()
        .prop_recursive(2, 24, 10, |inner| {
            let algorithm = algorithm(&[
                "only-one-applicable",
                "on-permit-apply-second",
                "combined-permit-overrides",
            ]);
            (algorithm, a_target(), prop::collection::vec(inner, 0..10), notices()).prop_map(
                |(combining, target, children, notices)| {
                    let children =
                        children.into_iter().map(|child| Child::Policy(Box::new(child))).collect();
                    Policy {
                        notices,
                        ..policy(PolicyKind::PolicySet, "s", combining, target, children)
                    }
                },
            )
        })
        .prop_map(|mut policy| {
            rename(&mut policy, "p", &mut 0);
            policy
        })
}

fn rename(policy: &mut Policy, prefix: &str, next: &mut usize) {
    policy.id = format!("{prefix}{next}");
    *next += 1;
    for child in &mut policy.children {
        if let Child::Policy(nested) = child {
            rename(nested, prefix, next);
        }
    }
}

/// A store of policies, each with an identifier of its own.
pub(crate) fn policies(most: usize) -> impl Strategy<Value = Vec<Policy>> {
    prop::collection::vec(a_policy(), 0..most).prop_map(|mut policies| {
        for (at, policy) in policies.iter_mut().enumerate() {
            rename(policy, &format!("{at}-"), &mut 0);
        }
        policies
    })
}

pub(crate) fn attributes() -> impl Strategy<Value = Vec<Attribute>> {
    let issuer = prop_oneof![3 => Just(None), 1 => Just(Some("i1")), 1 => Just(Some("i2"))];
    let category = prop_oneof![3 => Just(RESOURCE), 1 => Just(SUBJECT)];
    let one = (category, id(), typed(), issuer);
    prop::collection::vec(one, 0..9).prop_map(|attributes| {
        attributes
            .into_iter()
            .map(|(category, id, (data_type, text), issuer)| Attribute {
                category,
                id,
                issuer,
                data_type,
                text: text.to_owned(),
            })
            .collect()
    })
}

/// Policies of which some refer to others before them, by identifier and pattern of versions.
pub(crate) fn linked_policies(most: usize) -> impl Strategy<Value = Vec<Policy>> {
    let links = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..most);
    (policies(most), links).prop_map(|(mut policies, links)| {
        for (from, (to, any_version)) in (1..policies.len()).zip(links) {
            let target = &policies[to.index(from)];
            let version = if any_version { "1.+" } else { "1.0" };
            let reference = PolicyReference {
                kind: target.kind,
                id: target.id.clone(),
                version: Some(version.parse().unwrap()),
                earliest: None,
                latest: None,
                late: false,
                position: AT,
            };
            if policies[from].kind == PolicyKind::PolicySet {
                policies[from].children.push(Child::Reference(reference));
            }
        }
        policies
    })
}

/// So many random cases; more where `PROPERTY_CASES` asks for them.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("PROPERTY_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(wanted.unwrap_or(usual))
}

pub(crate) fn root() -> impl Strategy<Value = Algorithm> {
    prop::sample::select(vec![
        Algorithm::DenyOverrides,
        Algorithm::PermitOverrides,
        Algorithm::FirstApplicable,
        Algorithm::OnlyOneApplicable,
        Algorithm::DenyUnlessPermit,
        Algorithm::CombinedPermitOverrides,
    ])
}

pub(crate) fn suppliers() -> impl Strategy<Value = Suppliers> {
    prop::collection::vec(0..3u8, 4).prop_map(|states| {
        let mut suppliers = Suppliers::default();
        for (at, state) in states.iter().enumerate() {
            match state {
                0 => suppliers.present.push(format!("a{at}")),
                1 => suppliers.failing.push(format!("a{at}")),
                _ => {}
            }
        }
        suppliers
    })
}

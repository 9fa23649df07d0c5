//! Policy types: what is inherited, what a policy must keep to, and which types are known.

use pdp_onap::tosca::ServiceTemplate;
use pdp_onap::translate::translate_with;
use pdp_onap::types::Types;
use pdp_onap::{APPLICATIONS, Application};

use crate::support::yaml;

/// The standard types and those of a document.
fn types(text: &str) -> (Types, Vec<String>) {
    let mut types = Types::standard().clone();
    let problems = types.add(&yaml(text));
    let shown = problems.iter().map(|it| format!("{}: {it} [{}]", it.position, it.code));
    (types, shown.collect())
}

const OWN: &str = "
policy_types:
  acme.Base:
    derived_from: onap.policies.Match
    version: 1.0.0
    properties:
      region: {type: string, required: true, metadata: {matchable: true}, constraints: [{valid_values: [north, south]}]}
      limit: {type: integer, constraints: [{in_range: [1, 10]}]}
  acme.Leaf:
    derived_from: acme.Base
    version: 2.0.0
    properties:
      limit: {type: integer, constraints: [{greater_or_equal: 5}]}
      when: {type: timestamp}
      share: {type: float, constraints: [{less_than: 1}, {greater_than: 0}]}
      on: {type: boolean, default: true, required: true}
      tags: {type: list, entry_schema: {type: string, constraints: [{pattern: '[a-z]+'}]}, constraints: [{max_length: 2}]}
      sizes: {type: map, entry_schema: {type: integer}}
      site: {type: acme.Site}
data_types:
  acme.Place:
    derived_from: tosca.datatypes.Root
    properties:
      city: {type: string, required: true, constraints: [{min_length: 2}]}
  acme.Site:
    derived_from: acme.Place
    properties:
      rack: {type: acme.Rack}
      mystery: {type: acme.Unknown}
  acme.Rack:
    derived_from: string
    constraints: [{length: 3}]
";

/// What is said of a policy of `acme.Leaf`, places left out.
fn said(properties: &str) -> Vec<String> {
    let (types, problems) = types(OWN);
    assert_eq!(problems, [""; 0]);
    let text = format!(
        "policies: [p: {{type: acme.Leaf, type_version: 2.0.0, properties: {properties}}}]"
    );
    let template = yaml(&text);
    let found = match translate_with(&template.policies[0], &types) {
        Ok(translated) => {
            assert_eq!(translated.application, Application::Match);
            translated.warnings
        }
        Err(problems) => problems,
    };
    found.iter().map(|it| format!("{}: {}: {}", it.severity, it.path, it.message)).collect()
}

#[test]
fn a_policy_that_keeps_to_its_type_is_taken() {
    let full = "{region: north, limit: '7', when: 2025-06-01T08:00:00Z, share: 0.5, 'on': 'False', tags: [a], sizes: {s: 1}, site: {city: Ulm, rack: r12, mystery: [1]}}";
    assert_eq!(said(full), [""; 0]);
    assert_eq!(said("{region: south}"), [""; 0]);
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    assert_eq!(
        said(
            "{region: east, limit: 4, when: soon, share: 1, 'on': maybe, tags: [a, B, c], sizes: {s: x}, site: {city: U, rack: r1}, regoin: north}"
        ),
        [
            "error: properties.region: expected one of north, south, found the text `east`",
            "error: properties.limit: expected 5 or more, found the integer `4`",
            "error: properties.when: expected a date and time such as 2025-06-01T08:00:00Z, found the text `soon`",
            "error: properties.share: expected less than 1, found the integer `1`",
            "error: properties.on: expected true or false, found the text `maybe`",
            "error: properties.tags[1]: expected text that matches `[a-z]+`, found the text `B`",
            "error: properties.tags: expected a length of 2 or less, found a list",
            "error: properties.sizes.s: expected an integer, found the text `x`",
            "error: properties.site.city: expected a length of 2 or more, found the text `U`",
            "error: properties.site.rack: expected a length of 3, found the text `r1`",
            "warning: properties.regoin: the type has no property of this name; it is ignored, did you mean `region`?",
        ]
    );
    assert_eq!(
        said("{tags: a, site: Ulm}"),
        [
            "error: properties.region: is missing: expected text",
            "error: properties.tags: expected a list of string, found the text `a`",
            "error: properties.site: expected a map as `acme.Site` has it, found the text `Ulm`",
        ]
    );
    assert_eq!(
        said("{region: north, site: {}}"),
        ["error: properties.site.city: is missing: expected text"]
    );
}

#[test]
fn types_that_onap_ships_are_not_enforced_but_told() {
    let text = "policies: [n: {type: onap.policies.Naming, type_version: 1.0.0, properties: {policy-instance-name: x, naming-models: none}}]";
    let translated =
        translate_with(&yaml(text).policies[0], Types::standard()).expect("ONAP takes it");
    let warning = &translated.warnings[0].to_string();
    assert!(warning.contains("properties.naming-models: expected a list"), "{warning}");
}

#[test]
fn derived_types_are_translated_as_their_ancestor_and_keep_to_their_own() {
    let (types, problems) = types(
        "
policy_types:
  acme.MinMax:
    derived_from: onap.policies.controlloop.guard.common.MinMax
    version: 3.0.0
    properties: {owner: {type: string, required: true}}
  acme.Metrics: {derived_from: onap.policies.Monitoring, version: 1.0.0, properties: {a: {type: string}}}
  acme.Plan: {derived_from: onap.policies.optimization.Resource, version: 1.0.0}
  acme.Alone: {derived_from: tosca.policies.Root, version: 1.0.0, properties: {a: {type: string, metadata: {matchable: 'TRUE'}}}}
  acme.Nothing: {derived_from: tosca.policies.Root, version: 1.0.0, properties: {a: {type: string}}}
  acme.Loop: {derived_from: acme.Loop, version: 1.0.0}
",
    );
    assert_eq!(problems, [""; 0]);
    let translate = |name: &str, version: &str, properties: &str| {
        let text = format!(
            "policies: [p: {{type: {name}, type_version: {version}, properties: {properties}}}]"
        );
        translate_with(&yaml(&text).policies[0], &types)
            .map(|it| (it.application, it.warnings.len()))
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<String>())
    };
    let guard = "{target: x, max: 3, owner: me}";
    assert_eq!(translate("acme.MinMax", "3.0.0", guard), Ok((Application::Guard, 0)));
    let missing = translate("acme.MinMax", "3.0.0", "{target: x, max: 3}").expect_err("no owner");
    assert!(missing.contains("properties.owner: is missing"), "{missing}");
    assert_eq!(translate("acme.Metrics", "1.0.0", "{a: x}"), Ok((Application::Monitoring, 0)));
    let plan = "{scope: [], geography: [], identity: i, services: [], resources: []}";
    assert_eq!(translate("acme.Plan", "1.0.0", plan), Ok((Application::Optimization, 0)));
    assert_eq!(translate("acme.Alone", "1.0.0", "{a: x}"), Ok((Application::Match, 0)));
    for (name, version) in
        [("acme.Nothing", "1.0.0"), ("acme.Loop", "1.0.0"), ("acme.MinMax", "1.0.0")]
    {
        let refused = translate(name, version, "{}").expect_err("not supported");
        assert!(refused.contains("is not a supported policy type"), "{name}: {refused}");
    }
}

#[test]
fn match_needs_the_definition() {
    let text =
        "policies: [p: {type: onap.policies.match.Mine, type_version: 1.0.0, properties: {a: x}}]";
    let refused = translate_with(&yaml(text).policies[0], Types::standard()).expect_err("unknown");
    let said = refused[0].to_string();
    assert!(said.contains("Cannot retrieve Policy Type definition for policy p"), "{said}");
}

#[test]
fn what_cannot_be_read_as_a_type_is_said_at_its_place() {
    let (known, problems) = types(
        "
policy_types:
  a: 5
  b: {version: 1.0.0, properties: {p: {required: true}, q: {type: list, entry_schema: {}}, r: {type: string, constraints: [{odd: 1}]}}}
data_types: x
",
    );
    assert_eq!(
        problems,
        [
            "5:13: data_types: expected a map of types, found the text `x` [type-structure]",
            "3:6: policy_types.a: expected a map, found the integer `5` [type-structure]",
            "4:39: policy_types.b.properties.p: has no `type`: expected string, integer, float, boolean, timestamp, list, map or the name of a data type [type-structure]",
            "4:87: policy_types.b.properties.q.entry_schema: has no `type`: expected string, integer, float, boolean, timestamp, list, map or the name of a data type [type-structure]",
            "4:125: policy_types.b.properties.r.constraints.odd: is no constraint; there are equal, greater_than, greater_or_equal, less_than, less_or_equal, in_range, valid_values, length, min_length, max_length, pattern [type-structure]",
        ]
    );
    assert!(known.find("b", "1.0.0").is_some());
}

#[test]
fn a_type_is_defined_once_and_replaces_one_of_the_standard() {
    let one = "policy_types: {t: {version: 1.0.0, properties: {p: {type: string}}}}";
    let (mut known, _) = types(one);
    assert!(known.add(&yaml(one)).is_empty());
    let other = known.add(&yaml(&one.replace("string", "integer")));
    assert_eq!(other.len(), 1);
    assert_eq!(other[0].code, "conflicting-type");

    let naming = include_str!("../../../../policies/types/naming.yaml")
        .replace("# How instances are named.", "# In words of one's own.")
        .replace("policy.data.naming-property", "acme.Property");
    let others = [
        ("tosca.policies.Root", "onap.policies.Match", "derived from"),
        ("policy-instance-name", "name", "no property `name`"),
        (
            "max:\n        type: string",
            "max:\n        type: integer",
            "sequence.max` is string, not",
        ),
        ("metadata:\n          matchable: true", "", "is string, matchable, not string"),
        ("      max:\n        type: string\n", "", "increment-sequence.max` is missing"),
    ];
    for (what, other, says) in others {
        let problems = known.add(&yaml(&naming.replace(what, other)));
        assert_eq!(problems.len(), 1, "{what}");
        assert!(problems[0].message.contains(says), "{says}: {}", problems[0]);
        assert_eq!(problems[0].code, "conflicting-type");
    }
    let problems = known.add(&yaml(&naming));
    assert!(problems.is_empty(), "{problems:?}");
    let own = known.find("onap.policies.Naming", "1.0.0").expect("it is there");
    assert!(!own.standard);
    assert!(known.remove("onap.policies.Naming", "1.0.0").is_some());
    assert!(known.find("onap.policies.Naming", "1.0.0").expect("the standard's").standard);
    assert!(known.remove("t", "1.0.0").is_some() && known.find("t", "1.0.0").is_none());
}

#[test]
fn the_types_of_every_application_are_known_from_the_start() {
    let standard = Types::standard();
    assert!(standard.iter().all(|it| it.standard));
    assert_eq!(standard.versions("onap.policies.monitoring.tcagen2").count(), 2);
    for row in APPLICATIONS {
        let known = standard.iter().any(|it| {
            pdp_onap::tosca::catalogue::find(&it.name, &it.version)
                .is_some_and(|found| found.application == row.application)
        });
        assert!(known || row.application == Application::Match, "{}", row.name);
    }
    let matchables = |name: &str| standard.matchable(name, "1.0.0").len();
    assert_eq!(matchables("onap.policies.optimization.resource.HpaPolicy"), 4);
    assert_eq!(matchables("onap.policies.optimization.service.QueryPolicy"), 3);
    assert_eq!(matchables("onap.policies.Match"), 0);
}

#[test]
fn the_api_s_lists_of_types_are_read_too() {
    let text = r#"{"policy_types": [{"t": {"version": "1.0.0"}}, {"u:2.0.0": {}}]}"#;
    let template: ServiceTemplate = yaml(text);
    let mut known = Types::default();
    assert!(known.add(&template).is_empty());
    assert!(known.find("t", "1.0.0").is_some() && known.find("u", "2.0.0").is_some());
}

/// What is wrong with documents of types, each problem after the number of its document.
fn collected(documents: &[&str]) -> (Types, Vec<String>) {
    let templates: Vec<ServiceTemplate> = documents.iter().map(|text| yaml(text)).collect();
    let found = Types::collect(&templates, |_, _| None);
    let shown = found.problems.iter().map(|(at, it)| format!("{at}:{}: {it}", it.position));
    (found.types, shown.collect())
}

#[test]
fn types_that_do_not_fit_together_are_left_out() {
    let (known, problems) = collected(&[
        "
policy_types:
  acme.Orphan: {version: 1.0.0, derived_from: onap.policies.Mach}
  acme.Child: {version: 1.0.0, derived_from: acme.Orphan}
  acme.One: {version: 1.0.0, derived_from: acme.Two}
  acme.Two: {version: 1.0.0, derived_from: acme.One}
  acme.Self: {version: 1.0.0, derived_from: acme.Self}
  acme.Odd: {version: one, derived_from: tosca.policies.Root}
  acme/Slash: {version: 1.0.0, derived_from: tosca.policies.Root}
  acme.Newer: {version: 2.0.0, derived_from: onap.policies.Match, name: acme.Newest}
",
        "
policy_types:
  acme.Good: {version: 1.0.0, derived_from: acme.Elsewhere, properties: {p: {type: strng}, q: {type: list, entry_schema: acme.Data}}}
  acme.Bad: {version: 1.0.0, properties: {p: {type: integer, constraints: [{in_range: [1]}, {greater_then: 1}, 7]}}}
  acme.Uses: {version: 1.0.0, properties: {p: {type: acme.Broken}}}
data_types:
  acme.Data: {derived_from: acme.Nowhere, properties: {p: {type: acme.Data}}}
  acme.Broken: {derived_from: acme.Broken}
",
        "
policy_types:
  acme.Elsewhere: {version: 1.0.0, derived_from: onap.policies.Match}
  acme.Elsewhere:2.0.0: {derived_from: acme.Elsewhere}
",
    ]);
    let expected = [
        "0:8:23: policy_types.acme.Odd.version: `one` is not a version: numbers with dots between, such as 1.0.0",
        "0:9:3: policy_types.acme/Slash: the name holds `/`: allowed are the letters A to Z and a to z, digits, `.`, `-` and `_`",
        "0:10:73: policy_types.acme.Newer.name: differs from the key `acme.Newer`: leave it out",
        "1:4:77: policy_types.acme.Bad.properties.p.constraints.in_range: expected a list of two numbers, of which one may be UNBOUNDED, found a list",
        "1:4:94: policy_types.acme.Bad.properties.p.constraints.greater_then: is no constraint, did you mean `greater_than`?",
        "1:4:112: policy_types.acme.Bad.properties.p.constraints: expected a list of constraints such as `greater_than: 0`, found the integer `7`",
        "0:5:44: policy_types.acme.One.derived_from: it is derived from itself: acme.One from acme.Two from acme.One",
        "0:3:47: policy_types.acme.Orphan.derived_from: `onap.policies.Mach`, from which it is derived, is not known or was refused, did you mean `onap.policies.Match`?",
        "0:7:45: policy_types.acme.Self.derived_from: it is derived from itself: acme.Self from acme.Self",
        "0:6:44: policy_types.acme.Two.derived_from: it is derived from itself: acme.Two from acme.One from acme.Two",
        "1:8:3: data_types.acme.Broken.derived_from: it is derived from itself",
        "0:4:46: policy_types.acme.Child.derived_from: `acme.Orphan`, from which it is derived, is not known or was refused",
        "1:3:84: policy_types.acme.Good.properties.p.type: there is no data type `strng`, did you mean `string`?",
        "1:7:3: data_types.acme.Data.derived_from: there is no data type `acme.Nowhere`",
    ];
    for line in expected {
        assert!(problems.iter().any(|one| one.contains(line)), "{line}: {problems:#?}");
    }
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    let own: Vec<String> = known
        .iter()
        .filter(|one| !one.standard)
        .map(|one| format!("{}:{}", one.name, one.version))
        .collect();
    assert_eq!(own, ["acme.Elsewhere:1.0.0", "acme.Elsewhere:2.0.0", "acme.Good:1.0.0"]);
}

#[test]
fn an_earlier_state_of_a_type_goes_on_in_place_of_a_broken_one() {
    let good = "policy_types: {t: {version: 1.0.0, derived_from: onap.policies.Match}}";
    let before = Types::collect(&[yaml(good)], |_, _| None);
    assert_eq!(before.problems.len(), 0);
    let broken = yaml(
        "policy_types: {t: {version: 1.0.0, derived_from: nobody}, u: {version: 1.0.0, derived_from: t}}",
    );
    let after = Types::collect(&[broken], |at, (name, version)| {
        assert_eq!(at, 0);
        before.types.find(name, version).cloned()
    });
    assert_eq!(after.problems.len(), 1, "{:?}", after.problems);
    let kept = after.types.find("t", "1.0.0").expect("it goes on");
    assert_eq!(kept.derived_from.as_deref(), Some("onap.policies.Match"));
    assert!(after.types.find("u", "1.0.0").is_some());
    assert_eq!(after.origins.len(), 2);
}

//! Explanations as people and tools read them, word for word.

use serde_json::Value;

use crate::support::{Finished, Folder, MIN_MAX, guard_request, run_with_input};

const AGES: &str = r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="ages" Version="1.0"
    RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides">
  <Target/>
  <Rule RuleId="grown-up" Effect="Permit">
    <Condition>
      <Apply FunctionId="urn:oasis:names:tc:xacml:1.0:function:integer-greater-than-or-equal">
        <Apply FunctionId="urn:oasis:names:tc:xacml:1.0:function:integer-add">
          <Apply FunctionId="urn:oasis:names:tc:xacml:1.0:function:integer-one-and-only">
            <AttributeDesignator Category="urn:oasis:names:tc:xacml:1.0:subject-category:access-subject"
                AttributeId="urn:example:age" DataType="http://www.w3.org/2001/XMLSchema#integer"
                MustBePresent="true"/>
          </Apply>
          <AttributeValue DataType="http://www.w3.org/2001/XMLSchema#integer">1</AttributeValue>
        </Apply>
        <AttributeValue DataType="http://www.w3.org/2001/XMLSchema#integer">18</AttributeValue>
      </Apply>
    </Condition>
  </Rule>
</Policy>
"#;

fn ages(request: &str, explain: &str) -> String {
    let folder = Folder::new(&[("ages.xml", AGES)]);
    explained(&folder, "ages.xml", request, explain)
}

/// What stands below the answer, for tools with it; the folder's name differs from run to run.
fn explained(folder: &Folder, policy: &str, request: &str, explain: &str) -> String {
    let policies = format!("{}/{policy}", folder.text());
    let arguments = ["decide", "--policies", &policies, "--request", "-", explain];
    let Finished { code, out, err } = run_with_input(&arguments, request, &[]);
    assert_eq!(code, 0, "{err}");
    let explanation = match explain {
        "--explain=json" => &*out,
        _ => out.split_once('\n').expect("the answer stands on a line of its own").1,
    };
    explanation.replace(&format!("{}/", folder.text()), "")
}

fn subject(attribute: &str, value: &str) -> String {
    format!(r#"{{"Attribute": [{{"AttributeId": "urn:example:{attribute}", "Value": {value}}}]}}"#)
}

fn request(subjects: &[String]) -> String {
    format!(r#"{{"Request": {{"AccessSubject": [{}]}}}}"#, subjects.join(","))
}

#[test]
fn what_decided_and_what_was_compared_is_told() {
    assert_eq!(
        ages(&request(&[subject("age", "17")]), "--explain"),
        "\
Permit: rule `grown-up` of policy `ages` (ages.xml:4:3)
asked: subject age (17)
1 policy could apply; 0 cannot match this request
  policy ages 1.0 => Permit  (ages.xml:1:1)
    - combined by deny-overrides
    rule grown-up => Permit  (ages.xml:4:3)
      - integer-add(subject age (17), 1) (18) >= 18: yes
      - its condition holds, so it permits
"
    );
}

#[test]
fn an_attribute_that_is_missing_is_named_where_it_is_missed() {
    assert_eq!(
        ages(&request(&[subject("name", "\"mira\"")]), "--explain"),
        "\
Indeterminate: rule `grown-up` could not be decided (ages.xml:4:3): attribute `urn:example:age` is missing
asked: the request holds no attribute that a policy asks for
1 policy could apply; 0 cannot match this request
  policy ages 1.0 => Indeterminate (could have been Permit)  (ages.xml:1:1)
    - combined by deny-overrides
    rule grown-up => Indeterminate (could have been Permit)  (ages.xml:4:3)
      - integer-add(subject age (absent), 1): cannot be told
      - its condition cannot be evaluated
      - the request lacks the attribute urn:example:age
"
    );
}

#[test]
fn several_decisions_are_explained_one_after_another() {
    let both = request(&[subject("age", "30"), subject("age", "3")]);
    let text = ages(&both, "--explain");
    let (first, second) = text.split_once("decision 2 of 2\n").expect("there are two");
    assert!(first.starts_with("decision 1 of 2\nPermit: rule `grown-up`"), "{text}");
    assert!(first.contains("asked: subject age (30)"), "{text}");
    assert!(second.starts_with("NotApplicable: no policy applies\n"), "{text}");
    assert!(second.contains("integer-add(subject age (3), 1) (4) >= 18: no"), "{text}");
    let json: Value = serde_json::from_str(&ages(&both, "--explain=json")).expect("it is JSON");
    let decisions: Vec<&Value> =
        json["decisions"].as_array().into_iter().flatten().map(|one| &one["decision"]).collect();
    assert_eq!(decisions, ["Permit", "NotApplicable"], "{json:#}");
}

#[test]
fn tools_get_the_same_as_a_tree() {
    let text = ages(&request(&[subject("age", "17")]), "--explain=json");
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(json["decision"], "Permit");
    assert_eq!(json["decidedBy"], serde_json::json!(["ages", "grown-up"]));
    assert_eq!(json["because"], "rule `grown-up` of policy `ages` (ages.xml:4:3)");
    let rule = &json["steps"][0]["children"][0];
    assert_eq!(
        (&rule["id"], &rule["line"], &rule["column"]),
        (&"grown-up".into(), &4.into(), &3.into())
    );
    let compared = &rule["compared"][0];
    assert_eq!(compared["function"], "integer-greater-than-or-equal", "{json:#}");
    assert_eq!(compared["arguments"][0]["values"], serde_json::json!(["18"]), "{json:#}");
    assert_eq!(compared["holds"], true);
}

#[test]
fn a_policy_that_decides_by_its_algorithm_says_so() {
    let folder = Folder::new(&[("minmax.yaml", MIN_MAX)]);
    let text = explained(&folder, "minmax.yaml", &guard_request("Grow", "vnf-1", 4), "--explain");
    assert_eq!(
        text,
        "\
Deny: no rule of policy `test.guard.minmax` says so, its algorithm deny-unless-permit does (minmax.yaml:3:5)
asked: resource actor-id (\"SO\"), resource operation-id (\"Grow\"), resource target-id (\"vnf-1\"), resource clname-id (\"loop-1\"), resource vf-count (4)
1 policy could apply; 0 cannot match this request
  policy test.guard.minmax 1.0.0 => Deny  (minmax.yaml:3:5)
    - \"SO\" = resource actor-id (\"SO\"): yes
    - \"Grow\" = resource operation-id (\"Grow\"): yes
    - \"vnf-1\" = resource target-id (\"vnf-1\"): yes
    - \"loop-1\" = resource clname-id (\"loop-1\"): yes
    - its target matches the request
    - combined by deny-unless-permit
    rule test.guard.minmax:minrule => NotApplicable  (minmax.yaml:7:80)
      - \"vnf-1\" = resource target-id (\"vnf-1\"): yes
      - 1 > resource vf-count (4): no
      - its target does not match the request
    rule test.guard.minmax:maxrule => NotApplicable  (minmax.yaml:7:88)
      - \"vnf-1\" = resource target-id (\"vnf-1\"): yes
      - 3 > resource vf-count (4): no
      - its target does not match the request
"
    );
}

#[test]
fn where_the_answer_reads_otherwise_than_the_decision_it_is_said() {
    let folder = Folder::new(&[("minmax.yaml", MIN_MAX)]);
    let text = explained(&folder, "minmax.yaml", &guard_request("Shrink", "vnf-1", 4), "--explain");
    assert!(text.starts_with("NotApplicable: no policy applies\n"), "{text}");
    assert!(text.contains("- \"Grow\" = resource operation-id (\"Shrink\"): no\n"), "{text}");
    assert!(text.ends_with("the answer is Permit, as in ONAP\n"), "{text}");
}

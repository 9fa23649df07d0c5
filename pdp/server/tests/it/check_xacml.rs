//! `pdp check` on XACML files: every mistake of a file in one run, each at its place.

use crate::support::{Folder, run};

/// Policies are written with marks: `¤code¤` stands where a problem of this code is told.
fn marked(text: &str) -> (String, Vec<String>) {
    let mut clean = String::new();
    let mut expected = Vec::new();
    for (number, part) in text.split('¤').enumerate() {
        if number % 2 == 0 {
            clean.push_str(part);
            continue;
        }
        let line = clean.matches('\n').count() + 1;
        let column = clean.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        expected.push(format!("{line}:{column} {part}"));
    }
    expected.sort();
    (clean, expected)
}

/// Identifiers are written in short: see the list.
fn spelled_out(text: &str) -> String {
    const SHORT: [(&str, &str); 8] = [
        ("\"f1:", "\"urn:oasis:names:tc:xacml:1.0:function:"),
        ("\"f3:", "\"urn:oasis:names:tc:xacml:3.0:function:"),
        ("\"xs:", "\"http://www.w3.org/2001/XMLSchema#"),
        ("\"ra:", "\"urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:"),
        ("\"ra1:", "\"urn:oasis:names:tc:xacml:1.0:rule-combining-algorithm:"),
        ("\"pa:", "\"urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:"),
        ("\"res\"", "\"urn:oasis:names:tc:xacml:3.0:attribute-category:resource\""),
        ("NS", "xmlns=\"urn:oasis:names:tc:xacml:3.0:core:schema:wd-17\""),
    ];
    SHORT.iter().fold(text.to_owned(), |text, (short, long)| text.replace(short, long))
}

/// The problems that one run tells of a file, as `line:column code`, with the whole output.
fn told(file: &str) -> (Vec<String>, String) {
    let folder = Folder::new(&[("policy.xml", file)]);
    let ended = run(&["check", &folder.text()]);
    let mut found: Vec<String> = ended
        .out
        .lines()
        .filter_map(|line| {
            let (_, rest) = line.split_once("policy.xml:")?;
            let mut parts = rest.splitn(3, ':');
            let (line, column) = (parts.next()?, parts.next()?);
            let code = rest.rsplit('[').next()?.trim_end_matches(']');
            Some(format!("{line}:{column} {code}"))
        })
        .collect();
    found.sort();
    (found, ended.out)
}

#[track_caller]
fn check(text: &str) -> String {
    let (clean, expected) = marked(&spelled_out(text));
    let (found, out) = told(&clean);
    assert_eq!(found, expected, "\n{out}\n{clean}");
    out
}

#[test]
fn five_different_mistakes_are_told_in_one_run() {
    let out = check(
        r#"<Policy NS PolicyId="p" Version="1.0" ¤unknown-algorithm¤RuleCombiningAlgId="ra:deny-override">
  <Target/>
  <Rule RuleId="r" Effect="Permit">
    <Condition>
      <Apply FunctionId="f1:and">
        ¤unknown-function¤<Apply FunctionId="f1:string-equals">
          ¤bad-literal¤<AttributeValue DataType="xs:integer">ten</AttributeValue>
          ¤unknown-type¤<AttributeValue DataType="xs:strin">x</AttributeValue>
        </Apply>
        ¤argument-count¤<Apply FunctionId="f1:string-equal">
          <AttributeValue DataType="xs:string">x</AttributeValue>
        </Apply>
        ¤unknown-variable¤<VariableReference VariableId="lat"/>
      </Apply>
    </Condition>
  </Rule>
</Policy>"#,
    );
    for hint in ["deny-overrides`?", "string-equal`?", "#string`?"] {
        assert!(out.contains(hint), "{hint}: {out}");
    }
}

#[test]
fn what_the_reader_and_what_the_compiler_find_is_told_together() {
    check(
        r#"<Policy NS PolicyId="p" ¤value¤Version="1.x" RuleCombiningAlgId="ra:deny-overrides">
  <Target>
    <AnyOf><AllOf>
      <Match MatchId="f1:string-equal">
        <AttributeValue DataType="xs:string">x</AttributeValue>
        ¤xml-attribute¤<AttributeDesignator Category="res" AttributeId="a" DataType="xs:string"/>
      </Match>
      <Match MatchId="f1:string-equal">
        ¤argument-type¤<AttributeValue DataType="xs:integer">1</AttributeValue>
        <AttributeDesignator Category="res" AttributeId="a" DataType="xs:string" MustBePresent="false"/>
      </Match>
    </AllOf></AnyOf>
  </Target>
  ¤unused-variable¤<VariableDefinition VariableId="v"><VariableReference VariableId="w"/></VariableDefinition>
  <VariableDefinition VariableId="w">¤variable-cycle¤<VariableReference VariableId="w"/></VariableDefinition>
  <Rule RuleId="r" ¤value¤Effect="Allow">
    <Condition>
      <Apply FunctionId="f1:not">
        ¤xml-attribute¤<Apply>
          ¤bad-literal¤<AttributeValue DataType="xs:boolean">yes</AttributeValue>
        </Apply>
      </Apply>
    </Condition>
  </Rule>
  <Rule RuleId="q" Effect="Deny">
    <Condition>
      <Apply FunctionId="f1:string-regexp-match">
        ¤bad-pattern¤<AttributeValue DataType="xs:string">[a-</AttributeValue>
        <AttributeValue DataType="xs:string">a</AttributeValue>
      </Apply>
    </Condition>
  </Rule>
  ¤duplicate-rule¤<Rule RuleId="q" Effect="Deny"/>
</Policy>"#,
    );
}

#[test]
fn references_are_told_beside_other_mistakes() {
    check(
        r#"<PolicySet NS PolicySetId="s" Version="1.0" PolicyCombiningAlgId="pa:deny-overrides">
  <Target/>
  ¤reference-unknown¤<PolicyIdReference>nobody</PolicyIdReference>
  ¤reference-cycle¤<PolicySetIdReference>s</PolicySetIdReference>
  ¤reference-unknown¤<PolicySetIdReference Version="2.*">s</PolicySetIdReference>
  <Policy PolicyId="p" Version="1.0" RuleCombiningAlgId="ra:deny-overrides">
    <Target/>
    <Rule RuleId="r" Effect="Permit">
      <Condition>
        ¤condition-type¤<AttributeValue DataType="xs:integer">1</AttributeValue>
      </Condition>
    </Rule>
  </Policy>
</PolicySet>"#,
    );
    // Good but for its references: all of them are told, not the first alone.
    check(
        r#"<PolicySet NS PolicySetId="s" Version="1.0" PolicyCombiningAlgId="pa:deny-overrides">
  <Target/>
  ¤reference-unknown¤<PolicyIdReference>nobody</PolicyIdReference>
  ¤reference-cycle¤<PolicySetIdReference>s</PolicySetIdReference>
  ¤reference-unknown¤<PolicySetIdReference>no-set</PolicySetIdReference>
</PolicySet>"#,
    );
}

#[test]
fn an_element_that_has_no_place_is_one_mistake() {
    check(
        r#"<Policy NS PolicyId="p" Version="1.0" RuleCombiningAlgId="ra:deny-overrides">
  <Target/>
  <Rule RuleId="r" Effect="Permit">
    <Condition>
      <Apply FunctionId="f1:string-equal">
        ¤xml-element¤<AttributeValu DataType="xs:string">x</AttributeValu>
        ¤argument-type¤<AttributeDesignator Category="res" AttributeId="a" DataType="xs:string" MustBePresent="false"/>
      </Apply>
    </Condition>
    <ObligationExpressions>
      <ObligationExpression ObligationId="o" FulfillOn="Permit">
        ¤xml-element¤<AttributeAssignmentExpression AttributeId="a"/>
        <AttributeAssignmentExpression AttributeId="b">
          ¤unknown-function¤<Apply FunctionId="f1:nothing-like-it"/>
        </AttributeAssignmentExpression>
      </ObligationExpression>
    </ObligationExpressions>
  </Rule>
</Policy>"#,
    );
}

#[test]
fn warnings_are_told_in_nested_policies_too() {
    check(
        r#"<PolicySet NS PolicySetId="s" Version="1.0" PolicyCombiningAlgId="pa:deny-overrides">
  <Target/>
  <Policy PolicyId="p" Version="1.0" RuleCombiningAlgId="ra1:first-applicable">
    <Target/>
    ¤unused-variable¤<VariableDefinition VariableId="v"><AttributeValue DataType="xs:integer">1</AttributeValue></VariableDefinition>
    <Rule RuleId="all" Effect="Permit">
      <ObligationExpressions>
        ¤never-returned¤<ObligationExpression ObligationId="o" FulfillOn="Deny"/>
      </ObligationExpressions>
    </Rule>
    ¤unreachable¤<Rule RuleId="late" Effect="Deny"/>
  </Policy>
  <Policy PolicyId="q" Version="1.0" ¤deprecated¤RuleCombiningAlgId="ra1:deny-overrides">
    <Target/>
    <Rule RuleId="r" Effect="Permit">
      <Condition>¤condition-constant¤<AttributeValue DataType="xs:boolean">1</AttributeValue></Condition>
    </Rule>
  </Policy>
</PolicySet>"#,
    );
}

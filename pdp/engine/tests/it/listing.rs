//! What a policy says is in its listing: however it was written it prints the same, and whatever it
//! says is changed changes it.

use pdp_engine::combine::Algorithm;
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml::policy::read;
use pdp_engine::model::{
    Child, Effect, Expression, MatchBag, NoticeKind, Policy, PolicyKind, Rule,
};
use pdp_engine::program::listing::listing;

use crate::support::compile;
use crate::xacml::document;

/// Something of everything.
const SET: &str = r#"<PolicySet PolicySetId="s" Version="1.2" PolicyCombiningAlgId="pa:deny-overrides">
  <Target><AnyOf><AllOf>
    <Match MatchId="f1:string-equal"><AttributeValue DataType="xs:string">x</AttributeValue>
      <AttributeDesignator Category="c:resource" AttributeId="a" DataType="xs:string" Issuer="i" MustBePresent="false"/></Match>
    <Match MatchId="f1:string-regexp-match"><AttributeValue DataType="xs:string">^x</AttributeValue>
      <AttributeSelector Category="c:resource" Path="//a" ContextSelectorId="n" DataType="xs:string" MustBePresent="false"/></Match>
  </AllOf></AnyOf></Target>
  <Policy PolicyId="p" Version="1" RuleCombiningAlgId="ra1:first-applicable">
    <Target/>
    <VariableDefinition VariableId="v"><Apply FunctionId="f1:integer-add"><AttributeValue DataType="xs:integer">1</AttributeValue><Apply FunctionId="f1:integer-one-and-only"><AttributeDesignator Category="c:subject" AttributeId="n" DataType="xs:integer" MustBePresent="true"/></Apply></Apply></VariableDefinition>
    <Rule RuleId="r" Effect="Permit">
      <Condition><Apply FunctionId="f1:integer-less-than"><VariableReference VariableId="v"/><AttributeValue DataType="xs:integer">9</AttributeValue></Apply></Condition>
    </Rule>
    <Rule RuleId="q" Effect="Deny"/>
  </Policy>
  <PolicyIdReference Version="1.*" EarliestVersion="1.1" LatestVersion="1.9">other</PolicyIdReference>
  <ObligationExpressions><ObligationExpression ObligationId="o" FulfillOn="Permit">
    <AttributeAssignmentExpression AttributeId="b" Category="c:env" Issuer="j"><AttributeValue DataType="xs:string">t</AttributeValue></AttributeAssignmentExpression>
  </ObligationExpression></ObligationExpressions>
</PolicySet>"#;

const OTHER: &str = r#"<Policy PolicyId="other" Version="1.5" RuleCombiningAlgId="ra:deny-overrides"><Target/></Policy>"#;

fn model(text: &str) -> Policy {
    read(document(text).as_bytes(), &ReadLimits::POLICY).unwrap_or_else(|found| panic!("{found:?}"))
}

fn printed(policy: &Policy) -> String {
    // Whatever the reference is changed to is there as well.
    let others = ["1.5", "1.0", "2.0"]
        .map(|version| Policy { version: version.parse().unwrap(), ..model(OTHER) });
    let sets = others.clone().map(|other| Policy { kind: PolicyKind::PolicySet, ..other });
    let renamed = others.clone().map(|other| Policy { id: "changed".into(), ..other });
    let mut sets: Vec<Policy> = sets.to_vec();
    for set in &mut sets {
        set.combining = set.combining.replace("rule-combining", "policy-combining").into();
    }
    let all = [std::slice::from_ref(policy), &others, &sets, &renamed].concat();
    let (program, refused) = compile(Algorithm::DenyOverrides, &all, &RequestOnly);
    assert!(refused.is_empty(), "{refused:?}");
    listing(&program)
}

#[test]
fn however_it_is_written_it_prints_the_same() {
    let plain = printed(&model(SET));
    let collapsed = SET.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let commented = SET.replace("<Rule ", "<!----><!-- a rule --><?note it?><Rule ");
    let escaped = SET.replace(">x</AttributeValue>", "><![CDATA[x]]></AttributeValue>");
    let spelled = SET.replace("MustBePresent=\"true\"", "MustBePresent=\" 1\n\"");
    for text in [collapsed, commented, escaped, spelled] {
        assert_eq!(printed(&model(&text)), plain, "{text}");
    }
    let prefixed = document(SET)
        .replace("</", "</z:")
        .replace('<', "<z:")
        .replace("<z:/z:", "</z:")
        .replace("xmlns=", "xmlns:z=");
    let prefixed = read(prefixed.as_bytes(), &ReadLimits::POLICY).unwrap();
    assert_eq!(printed(&prefixed), plain);
}

fn nested(policy: &mut Policy) -> &mut Policy {
    match &mut policy.children[0] {
        Child::Policy(nested) => nested,
        other => panic!("{other:?}"),
    }
}

fn first_rule(policy: &mut Policy) -> &mut Rule {
    match &mut nested(policy).children[0] {
        Child::Rule(rule) => rule,
        other => panic!("{other:?}"),
    }
}

/// A change of one thing that a policy says.
type Change = fn(&mut Policy);

macro_rules! designator {
    ($policy:ident) => {
        match &mut $policy.target.any_of[0].all_of[0].matches[0].bag {
            MatchBag::Designator(designator) => designator,
            other => panic!("{other:?}"),
        }
    };
}

macro_rules! selector {
    ($policy:ident) => {
        match &mut $policy.target.any_of[0].all_of[0].matches[1].bag {
            MatchBag::Selector(selector) => selector,
            other => panic!("{other:?}"),
        }
    };
}

macro_rules! reference {
    ($policy:ident) => {
        match &mut $policy.children[1] {
            Child::Reference(reference) => reference,
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn whatever_is_changed_changes_the_listing() {
    let changes: &[(&str, Change)] = &[
        ("id", |p| p.id = "changed".into()),
        ("version", |p| p.version = "1.3".parse().unwrap()),
        ("combining", |p| p.combining = p.combining.replace("deny", "permit").into()),
        ("target", |p| p.target.any_of.clear()),
        ("any of", |p| p.target.any_of.push(p.target.any_of[0].clone())),
        ("all of", |p| {
            let again = p.target.any_of[0].all_of[0].clone();
            p.target.any_of[0].all_of.push(again);
        }),
        ("match", |p| drop(p.target.any_of[0].all_of[0].matches.pop())),
        ("match function", |p| {
            p.target.any_of[0].all_of[0].matches[0].function =
                "urn:oasis:names:tc:xacml:1.0:function:string-less-than".into();
        }),
        ("match literal", |p| p.target.any_of[0].all_of[0].matches[0].literal.text = "y".into()),
        ("pattern", |p| p.target.any_of[0].all_of[0].matches[1].literal.text = "^y".into()),
        ("designator category", |p| designator!(p).category = "urn:changed".into()),
        ("designator id", |p| designator!(p).attribute_id = "changed".into()),
        ("designator issuer", |p| designator!(p).issuer = None),
        ("designator must be present", |p| designator!(p).must_be_present = true),
        ("selector category", |p| selector!(p).category = "urn:changed".into()),
        ("selector path", |p| selector!(p).path = "//b".into()),
        ("selector context", |p| selector!(p).context_selector_id = None),
        ("selector must be present", |p| selector!(p).must_be_present = true),
        ("reference kind", |p| reference!(p).kind = PolicyKind::PolicySet),
        ("reference id", |p| reference!(p).id = "changed".into()),
        ("reference version", |p| reference!(p).version = None),
        ("reference earliest", |p| reference!(p).earliest = None),
        ("reference latest", |p| reference!(p).latest = None),
        ("order of children", |p| p.children.swap(0, 1)),
        ("nested id", |p| nested(p).id = "changed".into()),
        ("nested combining", |p| {
            nested(p).combining =
                "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides".into();
        }),
        ("order of rules", |p| nested(p).children.swap(0, 1)),
        ("rule id", |p| first_rule(p).id = "changed".into()),
        ("rule effect", |p| first_rule(p).effect = Effect::Deny),
        ("rule target", |p| first_rule(p).target = Some(p_target())),
        ("condition", |p| first_rule(p).condition = None),
        ("function", |p| match first_rule(p).condition.as_mut() {
            Some(Expression::Apply(apply)) => {
                apply.function = "urn:oasis:names:tc:xacml:1.0:function:integer-equal".into();
            }
            other => panic!("{other:?}"),
        }),
        ("arguments", |p| match first_rule(p).condition.as_mut() {
            Some(Expression::Apply(apply)) => apply.arguments.swap(0, 1),
            other => panic!("{other:?}"),
        }),
        ("variable", |p| match &mut nested(p).variables[0].expression {
            Expression::Apply(apply) => {
                apply.function = "urn:oasis:names:tc:xacml:1.0:function:integer-subtract".into();
            }
            other => panic!("{other:?}"),
        }),
        ("obligation kind", |p| p.notices[0].kind = NoticeKind::Advice),
        ("obligation id", |p| p.notices[0].id = "changed".into()),
        ("obligation effect", |p| p.notices[0].effect = Effect::Deny),
        ("obligation", |p| p.notices.clear()),
        ("assignment id", |p| p.notices[0].assignments[0].attribute_id = "changed".into()),
        ("assignment category", |p| p.notices[0].assignments[0].category = None),
        ("assignment issuer", |p| p.notices[0].assignments[0].issuer = None),
        ("assignment value", |p| match &mut p.notices[0].assignments[0].expression {
            Expression::Literal(literal) => literal.text = "changed".into(),
            other => panic!("{other:?}"),
        }),
        ("value's type", |p| match &mut p.notices[0].assignments[0].expression {
            Expression::Literal(literal) => {
                literal.data_type = "http://www.w3.org/2001/XMLSchema#anyURI".into();
            }
            other => panic!("{other:?}"),
        }),
    ];
    let plain = printed(&model(SET));
    for (name, change) in changes {
        let mut changed = model(SET);
        change(&mut changed);
        assert_ne!(printed(&changed), plain, "{name}");
    }
}

/// A target that differs from none.
fn p_target() -> pdp_engine::model::Target {
    model(SET).target
}

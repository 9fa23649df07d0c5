//! The XACML 3.0 policy reader: what it reads, what it refuses, and where.

use pdp_engine::error::Position;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml::policy::read;
use pdp_engine::model::{Child, Effect, Expression, MatchBag, Policy, PolicyKind};

const NAMESPACE: &str = "urn:oasis:names:tc:xacml:3.0:core:schema:wd-17";

/// A policy with `body` from line 2 on.
fn policy(body: &str) -> String {
    format!(
        "<Policy xmlns=\"{NAMESPACE}\" PolicyId=\"p\" Version=\"1.0\" RuleCombiningAlgId=\"alg\">\n{body}</Policy>"
    )
}

/// A policy with an empty target and one rule with `body` from line 2 on.
fn rule(body: &str) -> String {
    policy(&format!("<Target/><Rule RuleId=\"r\" Effect=\"Permit\">\n{body}</Rule>"))
}

/// A rule whose condition is `body`, from line 3 on.
fn condition(body: &str) -> String {
    rule(&format!("<Condition>\n{body}</Condition>"))
}

fn problems(document: impl AsRef<[u8]>) -> String {
    match read(document.as_ref(), &ReadLimits::POLICY) {
        Ok(_) => "none".to_owned(),
        Err(problems) => {
            let lines = problems.iter().map(|problem| format!("{problem} [{}]", problem.code));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

#[track_caller]
fn check(document: impl AsRef<[u8]>, expected: &str) {
    let found = problems(document);
    assert_eq!(found, expected, "\nfound:\n{found}\nexpected:\n{expected}");
}

#[track_caller]
fn good(document: &str) -> Policy {
    match read(document.as_bytes(), &ReadLimits::POLICY) {
        Ok(policy) => policy,
        Err(problems) => panic!("{problems:#?}\nin {document}"),
    }
}

/// The text of the one literal of a condition.
#[track_caller]
fn literal(value: &str) -> String {
    let policy = good(&condition(value));
    match &policy.children[..] {
        [Child::Rule(rule)] => match &rule.condition {
            Some(Expression::Literal(literal)) => literal.text.to_string(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_whole_policy_set_is_read() {
    let document = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- fleet rules -->
<x:PolicySet xmlns:x="{NAMESPACE}" xmlns:car="urn:example:car" PolicySetId="fleet"
    Version="2.10" PolicyCombiningAlgId="first" MaxDelegationDepth="3">
  <x:Description>Who may drive <![CDATA[<what>]]></x:Description>
  <x:PolicySetDefaults><x:XPathVersion>http://www.w3.org/TR/1999/REC-xpath-19991116</x:XPathVersion></x:PolicySetDefaults>
  <x:Target>
    <x:AnyOf>
      <x:AllOf>
        <x:Match MatchId="eq">
          <x:AttributeValue DataType="string">van</x:AttributeValue>
          <x:AttributeDesignator Category="res" AttributeId="kind" DataType="string" MustBePresent="1" Issuer="depot"/>
        </x:Match>
        <x:Match MatchId="eq">
          <x:AttributeValue DataType="string">red</x:AttributeValue>
          <x:AttributeSelector Category="res" Path="//car:colour/text()" DataType="string" MustBePresent="false"/>
        </x:Match>
      </x:AllOf>
    </x:AnyOf>
  </x:Target>
  <x:PolicyIdReference Version="1.*" EarliestVersion="1.2" LatestVersion="1.+">
    drivers
  </x:PolicyIdReference>
  <x:CombinerParameters><x:CombinerParameter ParameterName="n"><x:AttributeValue DataType="integer">1</x:AttributeValue></x:CombinerParameter></x:CombinerParameters>
  <x:Policy PolicyId="night" Version="1" RuleCombiningAlgId="deny">
    <x:Target/>
    <x:VariableDefinition VariableId="late"><x:Apply FunctionId="f"><x:Description>hm</x:Description><x:Function FunctionId="g"/><x:VariableReference VariableId="hour"/></x:Apply></x:VariableDefinition>
    <x:Rule RuleId="r" Effect="Deny"><x:Condition><x:VariableReference VariableId="late"/></x:Condition></x:Rule>
  </x:Policy>
  <x:ObligationExpressions>
    <x:ObligationExpression ObligationId="log" FulfillOn="Permit">
      <x:AttributeAssignmentExpression AttributeId="who" Category="c" Issuer="i"><x:AttributeValue DataType="string">a</x:AttributeValue></x:AttributeAssignmentExpression>
    </x:ObligationExpression>
  </x:ObligationExpressions>
  <x:AdviceExpressions><x:AdviceExpression AdviceId="tell" AppliesTo="Deny"/></x:AdviceExpressions>
</x:PolicySet>
"#
    );
    let policy = good(&document);
    assert_eq!(policy.kind, PolicyKind::PolicySet);
    assert_eq!((policy.id.as_str(), policy.version.to_string().as_str()), ("fleet", "2.10"));
    assert_eq!(policy.position, Position::new(3, 1));
    assert_eq!(policy.combining_position, Position::new(4, 20));
    assert_eq!(policy.description.as_deref(), Some("Who may drive <what>"));
    let matches = &policy.target.any_of[0].all_of[0].matches;
    assert_eq!(&*matches[0].literal.text, "van");
    let MatchBag::Designator(designator) = &matches[0].bag else { panic!("{matches:?}") };
    assert!(designator.must_be_present);
    assert_eq!(designator.issuer.as_deref(), Some("depot"));
    let MatchBag::Selector(selector) = &matches[1].bag else { panic!("{matches:?}") };
    let namespaces: Vec<_> =
        selector.namespaces.iter().map(|(prefix, _)| prefix.as_str()).collect();
    assert_eq!(namespaces, ["x", "car"]);
    let [Child::Reference(reference), Child::Policy(nested)] = &policy.children[..] else {
        panic!("{:?}", policy.children)
    };
    assert_eq!(reference.id, "drivers");
    assert_eq!(reference.latest.as_ref().unwrap().to_string(), "1.+");
    assert_eq!(nested.variables[0].id, "late");
    assert_eq!(policy.notices.len(), 2);
    assert_eq!(policy.notices[1].effect, Effect::Deny);
}

#[test]
fn values_keep_their_text() {
    let string =
        |text: &str| format!("<AttributeValue DataType=\"string\">{text}</AttributeValue>");
    let cases = [
        ("  kept \n too ", "  kept \n too "),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a&#13;&#xA;b", "a\r\nb"),
        ("&lt;&amp;&gt;&quot;&apos;", "<&>\"'"),
        ("one<!-- two -->three<?pi four?>", "onethree"),
        ("<![CDATA[<a> & ]]>b<![CDATA[]]>", "<a> & b"),
        ("]]&gt;", "]]>"),
        ("", ""),
        ("é😀", "é😀"),
        (
            "x<b>y</b> &amp; <!-- z --><c/><!-- end -->",
            "x<b>y</b> &amp; <!-- z --><c/><!-- end -->",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(literal(&string(text)), expected, "{text}");
    }
    assert_eq!(literal("<AttributeValue DataType=\"string\"/>"), "");
}

#[test]
fn attribute_values_are_normalised() {
    let document = condition(
        "<AttributeDesignator Category=' a\n b ' AttributeId=\"x&#x26;y\" DataType='t' MustBePresent=' true ' Issuer=' i\tj '/>",
    );
    let policy = good(&document);
    let Child::Rule(rule) = &policy.children[0] else { panic!() };
    let Some(Expression::Designator(designator)) = &rule.condition else { panic!() };
    assert_eq!(designator.category, "a b");
    assert_eq!(designator.attribute_id, "x&y");
    assert_eq!(designator.issuer.as_deref(), Some(" i j "));
    assert!(designator.must_be_present);
}

#[test]
fn what_stands_on_an_attribute_value_is_passed_over() {
    let value = "<AttributeValue xmlns:z='urn:z' DataType='urn:oasis:names:tc:xacml:3.0:data-type:xpathExpression' XPathCategory='cat' z:more='1' other='2'>//z:a</AttributeValue>";
    let policy = good(&condition(value));
    let Child::Rule(rule) = &policy.children[0] else { panic!() };
    let Some(Expression::Literal(literal)) = &rule.condition else { panic!() };
    assert_eq!(literal.xpath_category.as_deref(), Some("cat"));
    assert_eq!(literal.namespaces, [("z".to_owned(), "urn:z".to_owned())]);
    assert_eq!(literal.position, Position::new(4, 1));
}

#[test]
fn several_mistakes_are_reported_at_once() {
    check(
        policy(
            r#"<Target><AnyOf/></Target>
<Rule RuleID="r" Effect="Allow"/>
<Rule RuleId="s" Effect="Deny"><Condtion/></Rule>
<Rule RuleId="t" Effect="Deny"><Condition>
  <AttributeDesignator Category="c" AttributeId="a" DataType="d" MustBePresent="yes" SubjectCategory="s"/>
</Condition></Rule>
"#,
        ),
        "\
2:9: `AnyOf` needs at least one `AllOf` [xml-element]
3:7: `Rule` has no attribute `RuleID`; did you mean `RuleId`? [xml-attribute]
3:18: `Effect` is `Allow`; expected Permit or Deny [value]
4:32: XACML 3.0 has no element `Condtion`; did you mean `Condition`? [xml-element]
6:66: `MustBePresent` is `yes`; expected true, false, 1 or 0 [value]
6:86: `AttributeDesignator` has no attribute `SubjectCategory`; it is of XACML 2.0: 3.0 names the category in `Category` [xml-attribute]",
    );
}

#[test]
fn one_mistake_is_one_problem() {
    check(
        policy("<Taget/><Rule RuleId='r' Efect='Allow'/>"),
        "2:1: XACML 3.0 has no element `Taget`; did you mean `Target`? [xml-element]
2:26: `Rule` has no attribute `Efect`; did you mean `Effect`? [xml-attribute]
2:26: `Effect` is `Allow`; expected Permit or Deny [value]",
    );
}

#[test]
fn order_and_number_of_children() {
    check(
        policy("<Rule RuleId='r' Effect='Deny'/>\n<Target/>"),
        "3:1: `Target` must stand before `Rule` in `Policy` [xml-element]",
    );
    check(
        policy("<Target/><Target/>"),
        "2:10: `Policy` takes one `Target`; this is a second one [xml-element]",
    );
    check(
        policy("<Target/><Rule RuleId='r' Effect='Deny'/><Target/>"),
        "2:42: `Policy` takes one `Target`; this is a second one [xml-element]",
    );
    check(policy(""), "1:1: `Policy` needs a `Target` [xml-element]");
    check(
        policy("<Target/>\n<PolicyIdReference>x</PolicyIdReference>"),
        "3:1: `PolicyIdReference` has no place in `Policy` [xml-element]",
    );
    check(
        rule("<Condition/>"),
        "3:1: `Condition` needs one of `Apply`, `AttributeDesignator`, `AttributeSelector`, `AttributeValue`, `Function` or `VariableReference` [xml-element]",
    );
    check(
        condition("<Function FunctionId='f'/><Function FunctionId='g'/>"),
        "4:27: `Condition` takes one of `Apply`, `AttributeDesignator`, `AttributeSelector`, `AttributeValue`, `Function` or `VariableReference`; this is a second one [xml-element]",
    );
    check(
        policy(
            "<Target><AnyOf><AllOf><Match MatchId='m'>\n<AttributeDesignator Category='c' AttributeId='a' DataType='d' MustBePresent='0'/></Match></AllOf></AnyOf></Target>",
        ),
        "2:23: `Match` needs an `AttributeValue` [xml-element]",
    );
    check(
        condition("<Function FunctionId='f'><Description/></Function>"),
        "4:26: `Function` holds no elements, and no `Description` [xml-element]",
    );
    check(policy("<Target/> loose "), "2:11: `Policy` holds elements, not text [xml-text]");
    check(policy("<Target/>&#65;"), "2:10: `Policy` holds elements, not text [xml-text]");
    check(
        policy("<Description><b/></Description><Target/>"),
        "2:14: `Description` holds text, not elements [xml-element]",
    );
}

#[test]
fn roots_and_namespaces() {
    check(
        "<Policy/>",
        &format!(
            "1:1: `Policy` is in no namespace; XACML 3.0 documents declare xmlns=\"{NAMESPACE}\" [xml-namespace]"
        ),
    );
    check(
        format!("<Rule xmlns='{NAMESPACE}'/>"),
        "1:1: the root element is `Rule`; expected `Policy` or `PolicySet` [xml-element]",
    );
    check(
        "<Policy xmlns='urn:oasis:names:tc:xacml:2.0:policy:schema:os'/>",
        &format!(
            "1:1: `Policy` is in the namespace of XACML 2.0 policies, which are not read; expected {NAMESPACE} [xml-namespace]"
        ),
    );
    check(
        policy("<Target/><o:Rule xmlns:o='urn:other'/>"),
        &format!(
            "2:10: `o:Rule` is in the namespace `urn:other`; expected {NAMESPACE} [xml-namespace]"
        ),
    );
    check(policy("<Target/><o:Rule/>"), "2:10: the prefix `o` is not declared [xml-namespace]");
    good(&format!(
        "<Policy xmlns='{NAMESPACE}' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='a b' PolicyId='p' Version='1' RuleCombiningAlgId='a'><Target/></Policy>"
    ));
}

#[test]
fn values_of_attributes() {
    let head =
        |attributes: &str| format!("<Policy xmlns='{NAMESPACE}' {attributes}><Target/></Policy>");
    check(
        head("PolicyId='p' Version='1.x' RuleCombiningAlgId='a' MaxDelegationDepth='few'"),
        "1:77: `1.x` is not a version: numbers with dots between, such as 1.0.0 [value]
1:114: `MaxDelegationDepth` is `few`; expected an integer [value]",
    );
    check(
        format!("<PolicySet xmlns='{NAMESPACE}' PolicySetId='p' Version='1' PolicyCombiningAlgId='a'><Target/>\n<PolicyIdReference Version='1.+.2'>x</PolicyIdReference>\n<PolicySetIdReference/></PolicySet>"),
        "2:20: `1.+.2` is not a version pattern: numbers or `*` with dots between, `+` at the end, such as 1.*.3 or 1.+ [value]
3:1: `PolicySetIdReference` needs the identifier of a policy as its text [value]",
    );
}

#[test]
fn documents_that_are_not_well_formed() {
    for (document, expected) in [
        ("", "1:1: the document is empty [xml-syntax]"),
        ("  \n ", "2:2: the document is empty [xml-syntax]"),
        ("hello", "1:1: text may not stand outside the root element [xml-syntax]"),
        ("<a><b></a>", "1:7: `</b>` was expected here, not `</a>` [xml-syntax]"),
        (
            "<a>\n<b",
            "2:3: `<` may not stand in a tag: `>` is missing, or `&lt;` is meant [xml-syntax]",
        ),
        ("<a b='1", "1:1: the tag does not end: a quote is missing [xml-syntax]"),
        ("<a b=1/>", "1:4: the attribute `b` needs `=` and a value in quotes [xml-syntax]"),
        ("<a b/>", "1:4: the attribute `b` needs `=` and a value in quotes [xml-syntax]"),
        ("<a b='1'c='2'/>", "1:9: a blank must stand between attributes [xml-syntax]"),
        ("<a b='1' b='2'/>", "1:10: the attribute `b` occurs twice [xml-syntax]"),
        (
            "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
            "1:36: the attribute `q:b` occurs twice [xml-syntax]",
        ),
        (
            "<a b='<'/>",
            "1:7: `<` may not stand in a tag: `>` is missing, or `&lt;` is meant [xml-syntax]",
        ),
        (
            "<a b='x &nbsp; y'/>",
            "1:9: the entity `&nbsp;` is not defined; XML itself defines amp, lt, gt, apos and quot [xml-syntax]",
        ),
        ("<a b='&'/>", "1:7: `&` starts a reference that `;` does not end [xml-syntax]"),
        ("<1a/>", "1:1: `1a` is not the name of an element [xml-syntax]"),
        ("<a:b:c/>", "1:1: `a:b:c` is not the name of an element [xml-syntax]"),
        ("<a \u{1}/>", "1:4: the character U+0001 is not allowed in XML [xml-syntax]"),
        ("<a>\u{FFFF}</a>", "1:4: the character U+FFFF is not allowed in XML [xml-syntax]"),
        ("<?xml version='1.1'?><a/>", "1:1: XML version `1.1` is not read; 1.0 is [xml-syntax]"),
        (
            "<?xml version='1.0' encoding='latin1'?><a/>",
            "1:1: the encoding `latin1` is not read; save the document as UTF-8 [xml-encoding]",
        ),
        (
            " <?xml version='1.0'?><a/>",
            "1:2: the XML declaration must stand at the very start of the document [xml-syntax]",
        ),
        (
            "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
            "1:1: a document type declaration is not read; remove `<!DOCTYPE …>` [xml-dtd]",
        ),
        (
            "<!DOCTYPE a [",
            "1:1: a document type declaration is not read; remove `<!DOCTYPE …>` [xml-dtd]",
        ),
        ("<!-- a -- b --><a/>", "1:8: `--` may not stand in a comment [xml-syntax]"),
        ("<!-- a", "1:1: the comment does not end [xml-syntax]"),
        ("<!what><a/>", "1:1: `<!` starts nothing known [xml-syntax]"),
        ("<?XML a?><a/>", "1:1: `XML` is no target of a processing instruction [xml-syntax]"),
        ("<a xmlns:p=''/>", "1:4: a prefix cannot be declared away [xml-namespace]"),
        ("<a xmlns:xmlns='u'/>", "1:4: `xmlns` cannot be declared [xml-namespace]"),
        ("<a xmlns:xml='u'/>", "1:4: `xml` has a fixed namespace [xml-namespace]"),
    ] {
        if document.starts_with("<a") || document.starts_with("<1") {
            // Elements are tried within a value, where any may stand.
            let value = format!("<AttributeValue DataType='s'>\n{document}");
            let (line, rest) = expected.split_once(':').unwrap();
            let line = line.parse::<u32>().unwrap() + 4;
            check(condition(&value), &format!("{line}:{rest}"));
        } else {
            check(document, expected);
        }
    }
    check(
        policy("<Target/>\n</Polcy>"),
        "3:1: `</Policy>` was expected here, not `</Polcy>` [xml-syntax]",
    );
    check(
        condition("<AttributeValue DataType='s'>a ]]> b</AttributeValue>"),
        "4:32: `]]>` may not stand in text; write `]]&gt;` [xml-syntax]",
    );
    check(
        condition("<AttributeValue DataType='s'>a & b</AttributeValue>"),
        "4:32: `&` starts a reference that `;` does not end; write `&amp;` for the character [xml-syntax]",
    );
    check(
        condition("<AttributeValue DataType='s'>&#0;</AttributeValue>"),
        "4:30: `&#0;` is not a character that XML allows [xml-syntax]",
    );
    let good = policy("<Target/>");
    check(
        format!("{good}<a/>"),
        "2:19: a document has one root element; this is a second one [xml-syntax]",
    );
    check(format!("{good}&#32;"), "2:19: text may not stand outside the root element [xml-syntax]");
    check(&good[..good.len() - 9], "2:10: the document ends before `</Policy>` [xml-syntax]");
    // What was found before the document broke off is told as well.
    check(
        policy("<Target/><Rule RuleId='r' Effect='No'/>\n<oops"),
        "2:27: `Effect` is `No`; expected Permit or Deny [value]
3:6: `<` may not stand in a tag: `>` is missing, or `&lt;` is meant [xml-syntax]",
    );
}

#[test]
fn encodings() {
    let document = policy("<Description>Tür</Description><Target/>");
    let description = |bytes: &[u8]| read(bytes, &ReadLimits::POLICY).unwrap().description;
    let expected = Some("Tür".to_owned());
    assert_eq!(description(format!("\u{FEFF}{document}").as_bytes()), expected);
    let units: Vec<u16> = document.encode_utf16().collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    assert_eq!(description(&big), expected);
    assert_eq!(description(&little), expected);
    assert_eq!(description(&[&[0xFE, 0xFF], &big[..]].concat()), expected);
    assert_eq!(description(&[&[0xFF, 0xFE], &little[..]].concat()), expected);
    check(
        [&[0xFF, 0xFE], &little[..little.len() - 1]].concat(),
        "2:48: the document ends within a UTF-16 character [xml-encoding]",
    );
    check(
        b"<a>\n\xFC</a>",
        "2:1: byte 0xFC is not UTF-8; save the document as UTF-8 [xml-encoding]",
    );
    check(
        b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<a>\xFC</a>",
        "2:4: byte 0xFC is not UTF-8; the document declares `ISO-8859-1`; save the document as UTF-8 [xml-encoding]",
    );
    check(
        b"\xFF\xFE\0\0<\0\0\0",
        "1:1: the encoding UTF-32 is not read; save the document as UTF-8 [xml-encoding]",
    );
    check(
        format!("\u{FEFF}\u{FEFF}{document}"),
        "1:1: text may not stand outside the root element [xml-syntax]",
    );
}

#[test]
fn limits_name_themselves() {
    let small =
        ReadLimits { bytes: 400, depth: 6, attribute: 20, text: 10, nodes: 20, problems: 2 };
    let refused = |document: &str| {
        let problems = read(document.as_bytes(), &small).unwrap_err();
        problems.iter().map(|p| format!("{p} [{}]", p.code)).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        refused(&" ".repeat(401)),
        "1:1: the document has 401 bytes; the limit `bytes` is 400 [limit]"
    );
    // The namespace of the schema is longer than the limit on attributes.
    assert_eq!(
        refused(&policy("<Target/>")),
        "1:9: the value of `xmlns` has 46 bytes; the limit `attribute` is 20 [limit]"
    );
    let wider = ReadLimits { attribute: 50, ..small };
    let wide = |document: &str, limits: ReadLimits| {
        let problems = read(document.as_bytes(), &limits).unwrap_err();
        problems.iter().map(|p| format!("{p} [{}]", p.code)).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        wide(&policy("<Description>longer than ten</Description><Target/>"), wider),
        "2:1: the text of `Description` has 15 bytes; the limit `text` is 10 [limit]"
    );
    assert_eq!(
        wide(&policy("<Target/><x><x><x><x><x><x/></x></x></x></x></x>"), wider),
        "2:10: XACML 3.0 has no element `x` [xml-element]
2:25: elements within each other go deeper than the limit `depth`, 6 [limit]"
    );
    assert_eq!(
        wide(&policy(&"<Rule RuleId='a' Effect='Deny'/>".repeat(7)), wider),
        "2:161: more elements and attributes than the limit `nodes`, 20 [limit]"
    );
}

#[test]
fn nesting_ends_at_the_limit_and_not_on_the_stack() {
    let deep = |levels: usize| {
        format!(
            "{}{}{}",
            "<Apply FunctionId='f'>".repeat(levels),
            "<AttributeValue DataType='s'/>",
            "</Apply>".repeat(levels)
        )
    };
    let limits = ReadLimits { depth: usize::MAX, ..ReadLimits::POLICY };
    assert!(read(condition(&deep(250)).as_bytes(), &limits).is_ok());
    let problems = read(condition(&deep(100_000)).as_bytes(), &limits).unwrap_err();
    assert_eq!(
        problems[0].message,
        "elements within each other go deeper than the limit `depth`, 256"
    );
    let set = "<PolicySet PolicySetId='s' Version='1' PolicyCombiningAlgId='a'><Target/>";
    let root = set.replacen(' ', &format!(" xmlns='{NAMESPACE}' "), 1);
    let nested = format!("{root}{}{}", set.repeat(254), "</PolicySet>".repeat(255));
    assert!(read(nested.as_bytes(), &limits).is_ok());
}

//! XPath over Content: what paths select, what functions compute, what is refused, what it costs.

use std::cell::Cell;
use std::fmt::Write as _;

use pdp_engine::value::Arena;
use pdp_engine::xpath::{
    Document, DocumentLimits, Expression, MAX_LENGTH, MAX_NESTING, NodeId, NodeKind, ResultKind,
    SelectError, Spent, XValue,
};
use proptest::prelude::*;

const NAMESPACES: &[(&str, &str)] =
    &[("", "urn:ignored"), ("w", "urn:ward"), ("d", "urn:drug"), ("none", "")];

/// A ward with two beds: default and prefixed namespaces, every kind of node.
const WARD: &str = r#"
<!--top--><ward xmlns="urn:ward" xmlns:d="urn:drug" floor="3">
<bed nr="1" xml:lang="en"><name>Ada</name><d:dose d:unit="mg">12</d:dose></bed><?rota night shift?>
<bed nr="2" xml:lang="de-AT"><name>Bo<!--nick-->b</name><d:dose d:unit="g">0.5</d:dose><d:dose>7</d:dose></bed>
</ward>
"#;

/// Without namespaces and white space: places are easy to count. Elements are shown with their `i`.
const TREE: &str = "<r><a i='1'><b i='1'>x</b><c/></a><a i='2'><b i='2'>y</b><b i='3'>z</b></a>\
                    <e><a i='3'/></e></r>";

fn endless(_: u64) -> bool {
    true
}

fn compile(path: &str) -> Expression {
    match Expression::compile(path, NAMESPACES) {
        Ok(expression) => expression,
        Err(error) => panic!("{path}: {error}"),
    }
}

fn show_node(document: &Document<'_>, node: NodeId, arena: &Arena) -> String {
    let name = document.name(node);
    let text = document.string_value(node, &endless, arena).unwrap();
    match document.kind(node) {
        NodeKind::Document => "/".to_owned(),
        NodeKind::Element => {
            let own = |other: &NodeId| {
                document.parent(*other) == Some(node)
                    && document.kind(*other) == NodeKind::Attribute
                    && document.name(*other) == "i"
            };
            let number = document.nodes().find(own);
            let number = number.map(|node| document.string_value(node, &endless, arena).unwrap());
            format!("{name}{}", number.unwrap_or_default())
        }
        NodeKind::Attribute => format!("@{name}={text}"),
        NodeKind::Namespace => format!("xmlns:{name}={text}"),
        NodeKind::Text => format!("{text:?}"),
        NodeKind::Comment => format!("<!--{text}-->"),
        NodeKind::ProcessingInstruction => format!("<?{name} {text}?>"),
    }
}

/// What `path` evaluates to, as text. Strings stand in quotes.
fn evaluate_at(xml: &str, context: &str, path: &str) -> String {
    let arena = Arena::new();
    let document = Document::parse(xml, &arena, &DocumentLimits::default()).unwrap();
    let context = compile(context)
        .select_nodes(&document, document.root(), &endless, &arena)
        .unwrap()
        .to_vec();
    let [context] = context[..] else { panic!("{} context nodes", context.len()) };
    let expression = compile(path);
    match expression.evaluate(&document, context, &endless, &arena).unwrap() {
        XValue::NodeSet(nodes) => {
            let nodes = nodes.iter().map(|node| show_node(&document, *node, &arena));
            nodes.collect::<Vec<_>>().join(" ")
        }
        XValue::String(text) => format!("'{text}'"),
        XValue::Number(number) => number.to_string(),
        XValue::Boolean(boolean) => boolean.to_string(),
    }
}

#[track_caller]
fn check_all(xml: &str, cases: &[(&str, &str)]) {
    for (path, expected) in cases {
        assert_eq!(evaluate_at(xml, "/", path), *expected, "{path}");
    }
}

#[test]
fn paths_select_nodes_in_document_order() {
    check_all(
        TREE,
        &[
            ("/", "/"),
            ("/r", "r"),
            ("r", "r"),
            ("r/a", "a1 a2"),
            ("//a", "a1 a2 a3"),
            ("/r//b", "b1 b2 b3"),
            ("//a//b", "b1 b2 b3"),
            ("//*", "r a1 b1 c a2 b2 b3 e a3"),
            ("//b/text()", "\"x\" \"y\" \"z\""),
            ("//a/@i", "@i=1 @i=2 @i=3"),
            ("//@*", "@i=1 @i=1 @i=2 @i=2 @i=3 @i=3"),
            ("//b/..", "a1 a2"),
            ("//b/../..", "r"),
            ("//c/.", "c"),
            ("//c | //a | //c", "a1 c a2 a3"),
            ("//b[2] | /r | //b[1]/@i", "r @i=1 @i=2 b3"),
            ("r/x", ""),
            ("/a", ""),
            ("//a[b]", "a1 a2"),
            ("//a[not(*)]", "a3"),
            ("//*[@i='2']/b", "b2 b3"),
            ("(//a)[2]/b", "b2 b3"),
            ("id('x') | //e", "e"),
            ("/r/a/b/ancestor::*", "r a1 a2"),
            ("/descendant-or-self::node()/child::a", "a1 a2 a3"),
        ],
    );
}

#[test]
fn axes() {
    let at_b2 = [
        ("self::node()", "b2"),
        ("self::b", "b2"),
        ("self::a", ""),
        ("child::node()", "\"y\""),
        ("parent::*", "a2"),
        ("parent::b", ""),
        ("ancestor::*", "r a2"),
        ("ancestor::node()", "/ r a2"),
        ("ancestor-or-self::*", "r a2 b2"),
        ("descendant::node()", "\"y\""),
        ("descendant-or-self::node()", "b2 \"y\""),
        ("following-sibling::*", "b3"),
        ("preceding-sibling::*", ""),
        ("following::*", "b3 e a3"),
        ("following::node()", "b3 \"z\" e a3"),
        ("preceding::*", "a1 b1 c"),
        ("preceding::text()", "\"x\""),
        ("attribute::*", "@i=2"),
        ("attribute::j", ""),
        ("namespace::*", "xmlns:xml=http://www.w3.org/XML/1998/namespace"),
        ("/r/e", "e"),
    ];
    for (path, expected) in at_b2 {
        assert_eq!(evaluate_at(TREE, "//b[@i=2]", path), expected, "{path}");
    }
    // From an attribute: its element's content follows it.
    let at_attribute = [
        ("..", "a1"),
        (".", "@i=1"),
        ("self::*", ""),
        ("self::node()", "@i=1"),
        ("child::node() | descendant::node()", ""),
        ("descendant-or-self::node()", "@i=1"),
        ("ancestor::*", "r a1"),
        ("ancestor-or-self::node()", "/ r a1 @i=1"),
        ("following-sibling::node() | preceding-sibling::node()", ""),
        ("following::*", "b1 c a2 b2 b3 e a3"),
        ("preceding::node()", ""),
        ("attribute::node() | namespace::node()", ""),
    ];
    for (path, expected) in at_attribute {
        assert_eq!(evaluate_at(TREE, "/r/a[1]/@i", path), expected, "{path}");
    }
    let at_namespace = [
        (".", "xmlns:d=urn:drug"),
        ("..", "ward"),
        ("name()", "'d'"),
        ("local-name()", "'d'"),
        ("namespace-uri()", "''"),
        ("string()", "'urn:drug'"),
        ("following::w:name", "name name"),
        ("preceding::node()", "<!--top-->"),
        ("ancestor::node()", "/ ward"),
        ("*|@*|namespace::*", ""),
        ("self::node()", "xmlns:d=urn:drug"),
        ("count(../namespace::node() | .)", "3"),
    ];
    for (path, expected) in at_namespace {
        assert_eq!(evaluate_at(WARD, "/w:ward/namespace::d", path), expected, "{path}");
    }
    assert_eq!(evaluate_at(TREE, "/", "following::node() | preceding::node() | .."), "");
}

#[test]
fn predicates_count_along_the_axis() {
    check_all(
        TREE,
        &[
            ("//b[1]", "b1 b2"),
            ("(//b)[1]", "b1"),
            ("//b[last()]", "b1 b3"),
            ("//b[position() = last()]", "b1 b3"),
            ("//b[position() > 1]", "b3"),
            ("//b[2.0]", "b3"),
            ("//b[1.5] | //b[0] | //b[-1] | //b['' + 1]", ""),
            ("//b[3 - 2]", "b1 b2"),
            ("//b['x']", "b1 b2 b3"),
            ("//b['']", ""),
            ("//b[true()][2]", "b3"),
            ("//b[2][1]", "b3"),
            ("//b[text()='z'][1]", "b3"),
            ("//a3[1]", ""),
            ("//c/preceding-sibling::*[1]", "b1"),
            ("//b[@i=3]/ancestor::*[1]", "a2"),
            ("//b[@i=3]/ancestor::*[2]", "r"),
            ("//b[@i=3]/ancestor-or-self::node()[last()]", "/"),
            ("//e/preceding::*[1]", "b3"),
            ("//e/preceding::*[last()]", "a1"),
            ("(//e/preceding::*)[1]", "a1"),
            ("//b[@i=1]/following::*[2]", "a2"),
            ("//a[b[2]]", "a2"),
            ("//a[count(b) = 2 and position() = 2]", "a2"),
            ("//*[position() = 2 or self::e]", "c a2 b3 e"),
            ("//a[.//b = 'y']", "a2"),
            ("r/a[position() mod 2 = 1]", "a1"),
        ],
    );
}

#[test]
fn names_are_expanded_by_the_expression_not_the_content() {
    check_all(
        WARD,
        &[
            ("/ward", ""),
            ("/w:ward/w:bed[1]/w:name/text()", "\"Ada\""),
            ("//d:dose", "d:dose d:dose d:dose"),
            ("//d:*", "d:dose d:dose d:dose"),
            ("//w:*", "ward bed name bed name"),
            ("//@d:unit", "@d:unit=mg @d:unit=g"),
            ("//@unit", ""),
            ("//@nr", "@nr=1 @nr=2"),
            ("//@w:nr", ""),
            ("//@xml:lang", "@xml:lang=en @xml:lang=de-AT"),
            ("//@xml:*[. = 'en']", "@xml:lang=en"),
            (
                "/*/namespace::*",
                "xmlns:xml=http://www.w3.org/XML/1998/namespace xmlns:=urn:ward xmlns:d=urn:drug",
            ),
            ("/*/namespace::d", "xmlns:d=urn:drug"),
            ("/*/namespace::w:d | /*/namespace::text() | //namespace::w", ""),
            ("count(//namespace::*)", "24"),
            ("/comment()", "<!--top-->"),
            ("//comment()", "<!--top--> <!--nick-->"),
            ("//processing-instruction()", "<?rota night shift?>"),
            ("//processing-instruction('rota')", "<?rota night shift?>"),
            ("//processing-instruction('other')", ""),
            ("//w:name[2] | //w:name[. = 'Bob']/text()", "\"Bo\" \"b\""),
            ("name(//d:dose)", "'d:dose'"),
            ("local-name(//d:dose)", "'dose'"),
            ("namespace-uri(//d:dose)", "'urn:drug'"),
            ("name(//@d:unit)", "'d:unit'"),
            ("namespace-uri(//@nr)", "''"),
            ("name(//comment())", "''"),
            ("name(//processing-instruction())", "'rota'"),
            ("name()", "''"),
        ],
    );
    let hidden = "<p:a xmlns:p='urn:1' xmlns='urn:2'><b xmlns=''><p:c xmlns:p='urn:3'/></b></p:a>";
    check_all(
        hidden,
        &[
            ("namespace-uri(/*)", "'urn:1'"),
            ("namespace-uri(//b)", "''"),
            ("namespace-uri(//*[local-name() = 'c'])", "'urn:3'"),
            ("count(//b/namespace::*)", "2"),
            ("string(//*[local-name() = 'c']/namespace::p)", "'urn:3'"),
            ("/*/namespace::*[. = 'urn:2']", "xmlns:=urn:2"),
        ],
    );
}

#[test]
fn core_library() {
    check_all(
        WARD,
        &[
            ("last()", "1"),
            ("position()", "1"),
            ("count(//w:bed)", "2"),
            ("count(/none)", "0"),
            ("string(/w:ward/@floor)", "'3'"),
            ("string(/none)", "''"),
            ("string(//w:bed[2])", "'Bob0.57'"),
            ("string(1 div 0)", "'Infinity'"),
            ("string(-1 div 0)", "'-Infinity'"),
            ("string(0 div 0)", "'NaN'"),
            ("string(-0)", "'0'"),
            ("string(1000000)", "'1000000'"),
            ("string(0.1 + 0.2)", "'0.30000000000000004'"),
            ("string(-2.50)", "'-2.5'"),
            ("string(true())", "'true'"),
            ("concat('a', 1, true(), //w:name)", "'a1trueAda'"),
            ("starts-with('ward', 'wa')", "true"),
            ("starts-with('ward', '')", "true"),
            ("starts-with('w', 'wa')", "false"),
            ("contains('ward', 'ar')", "true"),
            ("contains('ward', '')", "true"),
            ("contains('', 'a')", "false"),
            ("substring-before('1999/04/01', '/')", "'1999'"),
            ("substring-before('a', 'b')", "''"),
            ("substring-after('1999/04/01', '/')", "'04/01'"),
            ("substring-after('a', '')", "'a'"),
            ("substring-after('a', 'b')", "''"),
            ("substring('12345', 2, 3)", "'234'"),
            ("substring('12345', 2)", "'2345'"),
            ("substring('12345', 1.5, 2.6)", "'234'"),
            ("substring('12345', 0, 3)", "'12'"),
            ("substring('12345', 0 div 0, 3)", "''"),
            ("substring('12345', 1, 0 div 0)", "''"),
            ("substring('12345', -42, 1 div 0)", "'12345'"),
            ("substring('12345', -1 div 0, 1 div 0)", "''"),
            ("substring('äöü😀x', 3, 2)", "'ü😀'"),
            ("string-length('äö😀')", "3"),
            ("string-length()", "15"),
            ("normalize-space(' a \n b\t')", "'a b'"),
            ("normalize-space('a b')", "'a b'"),
            ("normalize-space('  ')", "''"),
            ("normalize-space()", "'Ada12 Bob0.57'"),
            ("translate('bar', 'abc', 'ABC')", "'BAr'"),
            ("translate('--aaa--', 'abc-', 'ABC')", "'AAA'"),
            ("translate('aa', 'aa', 'xy')", "'xx'"),
            ("translate('straße', 'ß', '😀')", "'stra😀e'"),
            ("boolean(0)", "false"),
            ("boolean(0 div 0)", "false"),
            ("boolean(-1)", "true"),
            ("boolean('')", "false"),
            ("boolean('false')", "true"),
            ("boolean(/none)", "false"),
            ("not(//w:bed)", "false"),
            ("number('12.5')", "12.5"),
            ("number('1e3')", "NaN"),
            ("number('+1')", "NaN"),
            ("number(true())", "1"),
            ("number(//d:dose)", "12"),
            ("number()", "NaN"),
            ("sum(//d:dose)", "19.5"),
            ("sum(//w:name)", "NaN"),
            ("sum(/none)", "0"),
            ("floor(-2.5)", "-3"),
            ("ceiling(-2.5)", "-2"),
            ("round(2.5)", "3"),
            ("round(-2.5)", "-2"),
            ("1 div round(-0.2)", "-inf"),
            ("count(//w:name[lang('en')])", "1"),
            ("count(//w:name[lang('DE')])", "1"),
            ("count(//w:name[lang('de-A')])", "0"),
            ("count(//@nr[lang('de')])", "1"),
            ("count(//w:ward[lang('en')])", "0"),
        ],
    );
    let ids =
        "<r><a xml:id='one'/><b xml:id=' two ' id='three'/><c xml:id='one'>two  one\n</c></r>";
    check_all(
        ids,
        &[
            ("id('two one')", "a b"),
            ("id('three')", ""),
            ("id(//c)", "a b"),
            ("id('')", ""),
            ("name(id('two'))", "'b'"),
            ("id('one')/following-sibling::*[1]", "b"),
        ],
    );
}

#[test]
fn operators() {
    check_all(
        "<r><n>1</n><n>2</n><m>2</m><m>3</m><t>x</t><u/></r>",
        &[
            ("1 + 2 * 3 - 4 div 2", "5"),
            ("2 * 3 + 4", "10"),
            ("8 - 3 - 2", "3"),
            ("8 div 2 div 2", "2"),
            ("5 mod 2", "1"),
            ("5 mod -2", "1"),
            ("-5 mod 2", "-1"),
            ("1.5 mod 0.5", "0"),
            ("1 mod 0", "NaN"),
            ("- - 1", "1"),
            ("--'3'", "3"),
            ("-//n", "-1"),
            ("-(1 + 1)", "-2"),
            ("'1' + '2'", "3"),
            ("'a' + 1", "NaN"),
            ("true() + true()", "2"),
            ("//n[1]-1", "0"),
            ("//n-1", ""),
            ("//n -1", "0"),
            ("1 = 1.0", "true"),
            ("'1' = '1.0'", "false"),
            ("'1' = 1.0", "true"),
            ("'a' = true()", "true"),
            ("1 != 2", "true"),
            ("0 div 0 = 0 div 0", "false"),
            ("'a' < 'b'", "false"),
            ("'1' < '2'", "true"),
            ("true() > false()", "true"),
            ("3 > 2 > 1", "false"),
            ("1 < 2 = true()", "true"),
            ("1 = 1 = 1", "true"),
            ("//n = //m", "true"),
            ("//n != //m", "true"),
            ("//n != //n", "true"),
            ("//t != //t", "false"),
            ("//n[1] = //m", "false"),
            ("//n < //m", "true"),
            ("//m < //n", "false"),
            ("//m <= //n", "true"),
            ("//n >= //m", "true"),
            ("//t < //n or //t >= //n", "false"),
            ("//n = 2", "true"),
            ("2 = //n", "true"),
            ("3 > //n", "true"),
            ("3 < //m", "false"),
            ("//m > '2'", "true"),
            ("//t = 'x'", "true"),
            ("'y' != //t", "true"),
            ("//u = ''", "true"),
            ("/none = ''", "false"),
            ("/none != ''", "false"),
            ("/none = false()", "true"),
            ("//u = true()", "true"),
            ("/none < true()", "true"),
            ("1 or 0 div 0", "true"),
            ("0 or ''", "false"),
            ("1 and //n", "true"),
            ("1 and /none", "false"),
            ("1 = 2 or 2 = 2 and 3 = 3", "true"),
            ("/r/n|/r/m", "n n m m"),
        ],
    );
    check_all(
        "<and><or/><div>6</div><mod>4</mod><text/></and>",
        &[
            ("and/or", "or"),
            ("/and/div div /and/mod", "1.5"),
            ("and/div mod and/mod", "2"),
            ("* and *", "true"),
            ("*/*[1]", "or"),
            ("count(*/*) * 2", "8"),
            ("and/text", "text"),
            ("/ = 64", "true"),
        ],
    );
}

#[test]
fn text_is_joined_and_white_space_is_kept() {
    let xml = "\u{FEFF}<?xml version='1.0'?>\n\n<a t=' x&#10;\t&lt;y '> 1 &amp; <![CDATA[<2>]]>&#x33;\r\n<b/>\r<!-- c\r\n --></a>\n";
    check_all(
        xml,
        &[
            ("count(/node())", "1"),
            ("count(/a/node())", "4"),
            ("string(/a/text()[1])", "' 1 & <2>3\n'"),
            ("string(/a/text()[2])", "'\n'"),
            ("string(//comment())", "' c\n '"),
            ("string(/a/@t)", "' x\n <y '"),
            ("count(//text())", "2"),
        ],
    );
    check_all("<a><![CDATA[]]></a>", &[("count(//text())", "0"), ("string(/)", "''")]);
    check_all("<a>b<!---->c</a>", &[("//text()", "\"b\" \"c\""), ("//comment()", "<!---->")]);
}

#[test]
fn wrong_expressions_are_refused_with_their_place() {
    for (path, offset, message) in [
        ("", 0, "the expression ends where a step is expected"),
        ("//md:record", 2, "the prefix `md` is not declared"),
        ("//none:x", 2, "the prefix `none` is not declared"),
        ("//md:*", 2, "the prefix `md` is not declared"),
        ("//w:record[?]", 11, "`?` is not expected"),
        ("/a/", 3, "the expression ends where a step is expected"),
        ("//", 2, "the expression ends where a step is expected"),
        ("a//", 3, "the expression ends where a step is expected"),
        ("a[", 2, "the expression ends"),
        ("a[1", 3, "expected `]`"),
        ("a]", 1, "expected an operator or the end"),
        ("(a", 2, "expected `)`"),
        ("a b", 2, "an operator is expected before `b`"),
        ("a or", 4, "the expression ends"),
        (".[1]", 1, "write `self::node()[…]`"),
        ("..[1]", 2, "write `self::node()[…]`"),
        ("$x", 0, "there are no variables"),
        ("'abc", 0, "a quote is missing"),
        ("doc('x')", 0, "there is no function `doc`"),
        ("w:count(a)", 0, "there is no function `w:count`"),
        ("current-time()", 0, "there is no function `current-time`"),
        ("a/count(b)", 2, "expected a step"),
        ("count()", 0, "`count` takes one argument"),
        ("count(a, b)", 0, "`count` takes one argument"),
        ("true(1)", 0, "`true` takes no argument"),
        ("string(a, b)", 0, "`string` takes one argument at most"),
        ("concat('a')", 0, "`concat` takes 2 arguments or more"),
        ("substring('a')", 0, "`substring` takes 2 to 3 arguments"),
        ("translate('a', 'b')", 0, "`translate` takes 3 arguments"),
        ("count('a')", 6, "`count` takes nodes, not a string"),
        ("sum(1)", 4, "`sum` takes nodes, not a number"),
        ("name(true())", 5, "`name` takes nodes, not a boolean"),
        ("'a'/b", 0, "steps start from nodes, not a string"),
        ("'a'[1]", 0, "predicates filter nodes, not a string"),
        ("a | 1", 4, "`|` joins nodes, not a number"),
        ("(1 + 1) | a", 0, "`|` joins nodes, not a number"),
        ("child:a", 0, "the prefix `child` is not declared"),
        ("kid::a", 0, "`kid` is not an axis"),
        ("a:::b", 3, "`:` is not expected"),
        ("text(1)", 5, "expected `)`"),
        ("node('x')", 5, "expected `)`"),
        ("@", 1, "the expression ends"),
        ("@@a", 1, "expected a step"),
        ("a,b", 1, "expected an operator"),
        ("count(a,)", 8, "expected a step"),
        ("1 = = 2", 4, "expected a step"),
        ("é/ü[", 6, "the expression ends"),
        ("a!b", 1, "`!` is not expected"),
    ] {
        match Expression::compile(path, NAMESPACES) {
            Ok(_) => panic!("{path} compiles"),
            Err(error) => {
                assert_eq!(error.offset, offset, "{path}: {error}");
                assert!(error.message.contains(message), "{path}: {error}");
            }
        }
    }
    let error = Expression::compile("é/ü[", NAMESPACES).unwrap_err();
    assert_eq!(error.to_string(), "the expression ends where a step is expected (at character 5)");
}

#[test]
fn the_kind_of_the_result_is_known_before_there_is_a_document() {
    for (path, kind) in [
        ("//a", ResultKind::NodeSet),
        ("(//a)[1]", ResultKind::NodeSet),
        ("id('a')", ResultKind::NodeSet),
        ("a | b", ResultKind::NodeSet),
        ("name()", ResultKind::String),
        ("'a'", ResultKind::String),
        ("1 + 1", ResultKind::Number),
        ("--a", ResultKind::Number),
        ("a = b", ResultKind::Boolean),
        ("a or b", ResultKind::Boolean),
    ] {
        assert_eq!(compile(path).kind(), kind, "{path}");
    }
    let arena = Arena::new();
    let document = Document::parse("<a/>", &arena, &DocumentLimits::default()).unwrap();
    let count = compile("count(a)").select_nodes(&document, document.root(), &endless, &arena);
    assert_eq!(count, Err(SelectError::NoNodes(ResultKind::Number)));
    assert_eq!(count.unwrap_err().to_string(), "the XPath expression gives a number, not nodes");
}

#[test]
fn documents_that_are_not_well_formed_are_refused() {
    let arena = Arena::new();
    for (xml, expected) in [
        ("", "xml-syntax 1:1"),
        ("  ", "xml-syntax 1:3"),
        ("text", "xml-syntax 1:1"),
        ("<a/>text", "xml-syntax 1:5"),
        ("<a/><b/>", "xml-syntax 1:5"),
        ("<a>", "xml-syntax 1:4"),
        ("<a></b>", "xml-syntax 1:4"),
        ("</a>", "xml-syntax 1:1"),
        ("<a>\n<b></a>", "xml-syntax 2:4"),
        ("<1/>", "xml-syntax 1:1"),
        ("<a:b:c/>", "xml-syntax 1:1"),
        ("<a b/>", "xml-syntax 1:4"),
        ("<a b=c/>", "xml-syntax 1:4"),
        ("<a b='c'd='e'/>", "xml-syntax 1:9"),
        ("<a b='<'/>", "xml-syntax 1:7"),
        ("<a b='&x;'/>", "xml-syntax 1:7"),
        ("<a b='1' b='2'/>", "xml-syntax 1:1"),
        ("<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>", "xml-syntax 1:1"),
        ("<a xmlns:p='u' xmlns:p='v'/>", "xml-syntax 1:16"),
        ("<a>&undefined;</a>", "xml-syntax 1:4"),
        ("<a>&#0;</a>", "xml-syntax 1:4"),
        ("<a>& b</a>", "xml-syntax 1:4"),
        ("<a>]]></a>", "xml-syntax 1:4"),
        ("<a>\u{1}</a>", "xml-syntax 1:4"),
        ("<a>\u{FFFF}</a>", "xml-syntax 1:4"),
        ("<a><!-- -- --></a>", "xml-syntax 1:9"),
        ("<a><!-- --->\n</a>", "xml-syntax 1:9"),
        ("<a><!--->\n</a>", "xml-syntax 1:4"),
        ("<a><?xml version='1.0'?></a>", "xml-syntax 1:4"),
        ("<a><![CDATA[</a>", "xml-syntax 1:4"),
        ("&lt;a/>", "xml-syntax 1:1"),
        ("<p:a/>", "xml-namespace 1:1"),
        ("<a p:b=''/>", "xml-namespace 1:1"),
        ("<a xmlns:p=''/>", "xml-namespace 1:4"),
        ("<a xmlns:xml='urn:x'/>", "xml-namespace 1:4"),
        ("<a xmlns:xmlns='urn:x'/>", "xml-namespace 1:4"),
        ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", "xml-namespace 1:4"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "xml-dtd 1:1"),
        ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "xml-dtd 1:1"),
    ] {
        match Document::parse(xml, &arena, &DocumentLimits::default()) {
            Ok(_) => panic!("{xml} is read"),
            Err(error) => {
                assert_eq!(format!("{} {}", error.code, error.place), expected, "{xml}: {error}");
            }
        }
    }
}

#[test]
fn content_beyond_a_limit_is_refused_with_limit_value_and_place() {
    let arena = Arena::new();
    let limits = DocumentLimits { bytes: 4000, depth: 8, nodes: 20 };
    let check = |xml: &str, expected: &str| {
        match Document::parse(arena.alloc_str(xml), &arena, &limits) {
            Ok(_) => panic!("{xml} is read"),
            Err(error) => assert_eq!(error.to_string(), expected),
        };
    };
    check(
        &format!("<a>{}</a>", " ".repeat(4000)),
        "1:1: the Content has 4007 bytes; the limit `bytes` is 4000",
    );
    check(
        &format!("{}{}", "<a>".repeat(9), "</a>".repeat(9)),
        "1:25: elements within each other go deeper than the limit `depth`, 8",
    );
    check(
        &format!("<r>\n{}</r>", "<a/>".repeat(20)),
        "2:73: more nodes than the limit `nodes`, 20",
    );
    let attributes = (0..20).fold(String::new(), |mut text, at| {
        let _ = write!(text, " a{at}=''");
        text
    });
    check(&format!("<r{attributes}/>"), "1:127: more nodes than the limit `nodes`, 20");
    let declarations = (0..20).fold(String::new(), |mut text, at| {
        let _ = write!(text, " xmlns:p{at}='u'");
        text
    });
    check(&format!("<r{declarations}/>"), "1:260: more nodes than the limit `nodes`, 20");
    let long = "n".repeat(1001);
    for (xml, place) in [
        (format!("<{long}/>"), "1:1"),
        (format!("<r {long}=''/>"), "1:4"),
        (format!("<r xmlns='{long}'/>"), "1:4"),
    ] {
        check(&xml, &format!("{place}: a name or namespace has 1001 bytes; the limit is 1000"));
    }
    let most = format!("<r>{}</r>", "<a/>".repeat(19));
    assert_eq!(Document::parse(&most, &arena, &limits).unwrap().len(), 21);

    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let error = Document::parse(&deep, &arena, &DocumentLimits::default()).unwrap_err();
    assert!(error.message.contains("the limit `depth`, 128"), "{error}");
    let deepest = DocumentLimits { depth: usize::MAX, ..DocumentLimits::default() };
    let document = Document::parse(&deep, &arena, &deepest).unwrap();
    let innermost = compile("//a[not(a)]/ancestor::*");
    let nodes = innermost.select_nodes(&document, document.root(), &endless, &arena).unwrap();
    assert_eq!(nodes.len(), 99_999);

    let scopes = (0..200).fold(String::from("<r"), |mut text, at| {
        let _ = write!(text, " xmlns:p{at}='urn:{at}'");
        text
    });
    let scopes = format!("{scopes}/>");
    let error = Document::parse(&scopes, &arena, &DocumentLimits::default()).unwrap_err();
    assert!(error.message.ends_with("in scope than the limit, 128"), "{error}");
}

#[test]
fn expressions_that_nest_too_deep_or_are_too_long_are_refused() {
    for (open, inner, close) in [
        ("(", "a", ")"),
        ("a[", "1", "]"),
        ("not(", "a", ")"),
        ("count(a | (", "b", "))"),
        ("a[1 or 2 and 3 = 4 < 5 + 6 * -(", "7", ")]"),
    ] {
        let nested = |times: usize| format!("{}{inner}{}", open.repeat(times), close.repeat(times));
        let refused = Expression::compile(&nested(1000), NAMESPACES).unwrap_err();
        assert!(refused.message.contains(&format!("the limit, {MAX_NESTING}")), "{refused}");
        assert!(Expression::compile(&"(".repeat(MAX_LENGTH), NAMESPACES).is_err());
    }
    let deepest = format!("{}a{}", "a[1 or 2 and 3 = 4 < 5 + 6 * ".repeat(32), "]".repeat(32));
    evaluate_at("<a/>", "/", &deepest);
    // What does not nest may be long.
    let long = format!("1{}", " + 1".repeat(10_000));
    assert_eq!(evaluate_at("<a/>", "/", &long), "10001");
    let long = format!("{}1", "-".repeat(50_001));
    assert_eq!(evaluate_at("<a/>", "/", &long), "-1");
    let long = format!("a{}", "[a or 1]".repeat(5_000));
    assert_eq!(evaluate_at("<a/>", "/", &long), "a");
    let long = format!("a{}", "/.".repeat(30_000));
    assert_eq!(evaluate_at("<a/>", "/", &long), "a");
    let error = Expression::compile(&" ".repeat(MAX_LENGTH + 1), NAMESPACES).unwrap_err();
    assert_eq!(
        error.message,
        format!("the expression has {} bytes; the limit is {MAX_LENGTH}", MAX_LENGTH + 1)
    );
}

/// Steps that `path` takes, up to a limit; the error where they go beyond it.
fn steps(xml: &str, path: &str, limit: u64) -> Result<u64, Spent> {
    let arena = Arena::new();
    let document = Document::parse(xml, &arena, &DocumentLimits::default()).unwrap();
    let left = Cell::new(limit);
    let spend = |steps: u64| {
        let rest = left.get().checked_sub(steps);
        left.set(rest.unwrap_or(0));
        rest.is_some()
    };
    let own = Arena::new();
    let result = compile(path).evaluate(&document, document.root(), &spend, &own);
    // What an evaluation allocates is bounded by what it pays.
    let (allocated, paid) = (own.allocated_bytes(), limit - left.get());
    assert!(allocated as u64 <= 4096 + 512 * paid, "{path}: {allocated} bytes for {paid} steps");
    result.map(|_| limit - left.get())
}

fn flat(elements: usize) -> String {
    format!("<r>{}</r>", "<a><b>some text of a few words</b></a>".repeat(elements))
}

#[test]
fn every_expression_stops_at_its_budget() {
    const LIMIT: u64 = 100_000;
    let wide = flat(5_000);
    let long_text = format!("<r>{}</r>", "0123456789".repeat(100_000));
    for (xml, path) in [
        (&wide, "//*[count(//*[count(//*)>0])>0]"),
        (&wide, "//a[//a[//b = //a]]"),
        (&wide, "//*[following::*[preceding::*]]"),
        (&wide, "//*[position() > count(//*)]"),
        (&wide, "//b[../following-sibling::*[last()]]"),
        (&wide, "//*/following-sibling::*[1]"),
        (&wide, "//*[.//text()[. = //b]]"),
        (&wide, "//*[string-length(/) > 1]"),
        (&wide, "//*[translate(/, 'some', 'tome')]"),
        (&wide, "//*[id(/)]"),
        (&wide, "//*[lang('en') or namespace::*[//namespace::*]]"),
        (&wide, "//*[sum(//*) = sum(//*)]"),
        (&long_text, "concat(/, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /, /)"),
        (&long_text, "translate(translate(/, /, 'a'), /, /)"),
        (&long_text, "normalize-space(concat(/, normalize-space(concat(/, /, ' '))))"),
    ] {
        let long = match path.starts_with("concat")
            || path.starts_with("trans")
            || path.starts_with("norm")
        {
            // Ten times over, so that a hundred megabytes would be built.
            true => format!("string-length(concat({}''))", format!("{path}, ").repeat(10)),
            false => path.to_owned(),
        };
        assert_eq!(steps(xml, &long, LIMIT), Err(Spent), "{path}");
    }
}

#[test]
fn common_paths_cost_what_the_document_holds() {
    let wide = flat(10_000); // 30,000 nodes
    for path in [
        "//b",
        "/r/a/b/text()",
        "//a//text()",
        "//r//*//b",
        "//b/ancestor::*",
        "//b/ancestor-or-self::node()",
        "//*/following::*",
        "//*/preceding::*",
        "//*/following-sibling::*",
        "//*/preceding-sibling::*",
        "//*/..",
        "//*/namespace::*",
        "//b | //a",
        "/r/a[7777]/b",
        "count(//b)",
    ] {
        let paid = steps(&wide, path, u64::MAX).unwrap();
        assert!(paid < 60_000, "{path} takes {paid} steps");
    }
    // Comparing two large sets is not a matter of pairs.
    let paid = steps(&wide, "//b = //c or //b != //b or //b < //a", u64::MAX).unwrap();
    assert!(paid < 200_000, "{paid}");
}

#[test]
fn a_spent_budget_has_no_result() {
    let wide = flat(10);
    let whole = steps(&wide, "count(//b[. = //a])", u64::MAX).unwrap();
    for limit in 0..whole {
        assert_eq!(steps(&wide, "count(//b[. = //a])", limit), Err(Spent));
    }
    assert_eq!(steps(&wide, "count(//b[. = //a])", whole), Ok(whole));
}

#[test]
fn nodes_relate_by_identity_and_place() {
    let arena = Arena::new();
    let document = Document::parse(TREE, &arena, &DocumentLimits::default()).unwrap();
    let select = |path: &str| {
        compile(path).select_nodes(&document, document.root(), &endless, &arena).unwrap()
    };
    for (first, second, shares, covers) in [
        ("//a", "//a[2]", true, true),
        ("//a[2]", "//a", true, true),
        ("//a[1]", "//a[2]", false, false),
        ("//a[2]", "//b", false, true),
        ("//b", "//a[2]", false, false),
        ("//b", "//a[2] | //b[1]/text()", false, true),
        ("//a[1]", "//a[1]/@i", false, true),
        ("//a[1]/@i", "//a[1]/b", false, false),
        ("//a[1]/@i", "//a[1]/@i", true, true),
        ("/r/namespace::*", "/r/namespace::*", true, true),
        ("/r/namespace::*", "//a", false, false),
        ("/r", "//a/namespace::*", false, true),
        ("//c | //e", "//b", false, false),
        ("//a[1] | //e", "//b[2]", false, false),
        ("//e | //r", "//b[2]", false, true),
        ("//none", "//a", false, false),
        ("//a", "//none", false, false),
        ("/", "//c", false, true),
    ] {
        let (left, right) = (select(first), select(second));
        assert_eq!(document.share_a_node(left, right), shares, "{first} and {second}");
        assert_eq!(document.covers_a_node(left, right), covers, "{first} over {second}");
        let plain = left.iter().any(|upper| {
            right.iter().any(|node| upper == node || document.is_ancestor(*upper, *node))
        });
        assert_eq!(plain, covers, "{first} over {second}");
    }
}

#[test]
fn a_path_by_positions_leads_to_its_node() {
    let arena = Arena::new();
    let document = Document::parse(WARD, &arena, &DocumentLimits::default()).unwrap();
    let only = |path: &str| {
        let nodes = compile(path).select_nodes(&document, document.root(), &endless, &arena);
        document.path_of(nodes.unwrap()[0])
    };
    assert_eq!(only("/"), "/");
    assert_eq!(only("/w:ward"), "/*[1]");
    assert_eq!(only("//w:bed[2]/d:dose[2]"), "/*[1]/*[2]/*[3]");
    assert_eq!(only("//w:bed[2]/@xml:lang"), "/*[1]/*[2]/@*[2]");
    assert_eq!(only("//w:name[. = 'Bob']/text()[2]"), "/*[1]/*[2]/*[1]/text()[2]");
    assert_eq!(only("/w:ward/namespace::d"), "/*[1]/namespace::*[3]");
    assert_eq!(only("/comment()"), "/comment()[1]");
    assert_eq!(only("//processing-instruction()"), "/*[1]/processing-instruction()[1]");
}

#[test]
fn expressions_are_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    shared(&compile("//a"));
}

/// Documents of a few names, so that paths hit something.
fn documents() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("<a/>".to_owned()),
        Just("<w:b xmlns:w='urn:ward'/>".to_owned()),
        Just("text".to_owned()),
        Just("<!--c-->".to_owned()),
        Just("<?p q?>".to_owned()),
        Just("12".to_owned()),
    ];
    let tree = leaf.prop_recursive(5, 40, 5, |inner| {
        let name = prop_oneof![Just("a"), Just("b"), Just("c")];
        let start =
            prop_oneof![Just(""), Just(" i='1'"), Just(" xmlns='urn:ward' i='2' xml:lang='en'")];
        (name, start, prop::collection::vec(inner, 0..5)).prop_map(|(name, start, children)| {
            format!("<{name}{start}>{}</{name}>", children.concat())
        })
    });
    prop::collection::vec(tree, 0..5).prop_map(|children| format!("<r>{}</r>", children.concat()))
}

/// Steps with separators between them, which begin at the context node.
fn relative_paths() -> impl Strategy<Value = String> {
    let axis = prop::sample::select(vec![
        "",
        "",
        "@",
        "ancestor::",
        "ancestor-or-self::",
        "attribute::",
        "child::",
        "descendant::",
        "descendant-or-self::",
        "following::",
        "following-sibling::",
        "namespace::",
        "parent::",
        "preceding::",
        "preceding-sibling::",
        "self::",
    ]);
    let test = prop::sample::select(vec![
        "*",
        "a",
        "b",
        "w:b",
        "w:*",
        "i",
        "node()",
        "text()",
        "comment()",
        "processing-instruction()",
    ]);
    let step = (axis, test).prop_map(|(axis, test)| format!("{axis}{test}"));
    let separator = prop::sample::select(vec!["/", "//"]);
    let steps = prop::collection::vec((step, separator), 1..4);
    steps.prop_map(|steps| {
        let mut path = String::new();
        for (index, (step, separator)) in steps.into_iter().enumerate() {
            if index > 0 {
                path.push_str(separator);
            }
            path.push_str(&step);
        }
        path
    })
}

/// Expressions that mostly compile.
fn expressions() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["", "/", "//"]);
    let path = (start, relative_paths()).prop_map(|(start, steps)| format!("{start}{steps}"));
    let leaf = prop_oneof![
        6 => path,
        1 => prop::sample::select(vec!["1", "2", "'a'", "''", "0.5", "last()", "position()", "/", ".", ".."])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let operator = prop::sample::select(vec![
            "+", "-", "*", "div", "mod", "=", "!=", "<", "<=", ">", ">=", "and", "or", "|",
        ]);
        let function = prop::sample::select(vec![
            "count",
            "string",
            "not",
            "boolean",
            "number",
            "sum",
            "name",
            "local-name",
            "normalize-space",
            "string-length",
            "id",
            "lang",
            "round",
            "floor",
            "ceiling",
        ]);
        prop_oneof![
            4 => two.clone().prop_map(|(path, condition)| format!("{path}[{condition}]")),
            2 => two.clone().prop_map(|(path, condition)| format!("({path})[{condition}]")),
            2 => two.prop_map(|(path, condition)| format!("{path}[{condition}]/..")),
            2 => (inner.clone(), operator, inner.clone())
                .prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
            2 => (function, inner).prop_map(|(function, inner)| format!("{function}({inner})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_too_strange(path in ".{0,60}", xml in ".{0,60}", inner in "[ -~]{0,40}") {
        let arena = Arena::new();
        let limits = DocumentLimits::default();
        let _ = Document::parse(&xml, &arena, &limits);
        let _ = Document::parse(arena.alloc_str(&format!("<a {inner}/>")), &arena, &limits);
        let _ = Document::parse(arena.alloc_str(&format!("<a>{inner}</a>")), &arena, &limits);
        let _ = Expression::compile(&path, NAMESPACES);
    }

    #[test]
    fn tokens_in_any_order_do_no_harm(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "w:b", "*", "/", "//", ".", "..", "@", "[", "]", "(", ")", "1", "'x'", "|", "-", "+",
            "=", "<", "and", "or", "::", "self::", "text()", "count(", "position()", ",", " ", "!=",
        ]), 0..12)
    ) {
        let arena = Arena::new();
        let document = Document::parse(TREE, &arena, &DocumentLimits::default()).unwrap();
        if let Ok(expression) = Expression::compile(&pieces.concat(), NAMESPACES) {
            for node in document.nodes() {
                prop_assert!(expression.evaluate(&document, node, &endless, &arena).is_ok());
            }
        }
    }

    #[test]
    fn node_sets_are_in_document_order_without_duplicates(
        xml in documents(), path in expressions(), from in any::<prop::sample::Index>()
    ) {
        let arena = Arena::new();
        let document = Document::parse(&xml, &arena, &DocumentLimits::default()).unwrap();
        let Ok(expression) = Expression::compile(&path, NAMESPACES) else { return Ok(()) };
        let context = document.nodes().nth(from.index(document.len())).unwrap();
        let left = Cell::new(100_000_u64);
        let spend = |steps: u64| {
            left.set(left.get().saturating_sub(steps));
            left.get() > 0
        };
        if let Ok(XValue::NodeSet(nodes)) = expression.evaluate(&document, context, &spend, &arena) {
            prop_assert!(nodes.is_sorted_by(|a, b| a < b), "{path}: {nodes:?}");
        }
    }

    /// What is done for many context nodes at once is what would be done for each by itself.
    #[test]
    fn a_step_is_the_union_over_its_context_nodes(
        xml in documents(), path in expressions(), step in relative_paths(), condition in expressions()
    ) {
        let arena = Arena::new();
        let document = Document::parse(&xml, &arena, &DocumentLimits::default()).unwrap();
        // Only a relative path may follow `/`: of a union the first part alone would be joined.
        let step = format!("{step}[{condition}]");
        let joined = format!("({path})/{step}");
        let (Ok(path), Ok(step), Ok(joined)) = (
            Expression::compile(&path, NAMESPACES),
            Expression::compile(&step, NAMESPACES),
            Expression::compile(&joined, NAMESPACES),
        ) else { return Ok(()) };
        if [&path, &step, &joined].iter().any(|path| path.kind() != ResultKind::NodeSet) {
            return Ok(());
        }
        let select = |path: &Expression, context| {
            path.select_nodes(&document, context, &endless, &arena).unwrap()
        };
        let mut each = Vec::new();
        for node in select(&path, document.root()) {
            each.extend_from_slice(select(&step, *node));
        }
        each.sort_unstable();
        each.dedup();
        prop_assert_eq!(select(&joined, document.root()), &each[..]);
    }

    #[test]
    fn the_path_of_a_node_selects_just_this_node(xml in documents()) {
        let arena = Arena::new();
        let document = Document::parse(&xml, &arena, &DocumentLimits::default()).unwrap();
        let all = compile("//node() | //@* | //namespace::* | /");
        for node in all.select_nodes(&document, document.root(), &endless, &arena).unwrap() {
            let path = document.path_of(*node);
            let expression = Expression::compile::<&str, &str>(&path, &[]).unwrap();
            let found = expression.select_nodes(&document, document.root(), &endless, &arena);
            prop_assert_eq!(found.unwrap(), &[*node][..], "{}", path);
        }
    }
}

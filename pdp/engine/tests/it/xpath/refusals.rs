//! Which expressions and documents are refused, and with which words.

use std::fmt::Write as _;

use pdp_engine::value::Arena;
use pdp_engine::xpath::{
    Document, DocumentLimits, Expression, MAX_LENGTH, MAX_NESTING, ResultKind, SelectError,
};

use super::{NAMESPACES, compile, endless, evaluate_at};

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

//! Which nodes paths select, and in which order.

use pdp_engine::value::Arena;
use pdp_engine::xpath::{Document, DocumentLimits};

use super::{TREE, WARD, check_all, compile, endless, evaluate_at};

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

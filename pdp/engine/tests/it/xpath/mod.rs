//! XPath over Content.

mod any;
mod budget;
mod paths;
mod refusals;
mod values;

use pdp_engine::value::Arena;
use pdp_engine::xpath::{Document, DocumentLimits, Expression, NodeId, NodeKind, XValue};

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

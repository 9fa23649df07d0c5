//! What holds for every expression and document.

use std::cell::Cell;

use pdp_engine::value::Arena;
use pdp_engine::xpath::{Document, DocumentLimits, Expression, ResultKind, XValue};
use proptest::prelude::*;

use super::{NAMESPACES, TREE, compile, endless};

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

//! The small languages inside policies: values, regular expressions, XPath.

use std::cell::Cell;

use pdp_engine::function::Pattern;
use pdp_engine::value::{Arena, DataType, Value};
use pdp_engine::xpath::{Document, DocumentLimits, Expression};

use crate::two;

/// The first byte chooses the type, the rest is the text. A value that was read is written, and what
/// was written is read as the same value.
pub fn value(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let arena = Arena::new();
    let data_type = DataType::ALL[usize::from(*first) % DataType::ALL.len()];
    let Ok(value) = Value::parse(data_type, text, &arena) else { return };
    let canonical = value.canonical(&arena);
    let again = Value::parse(data_type, canonical, &arena)
        .unwrap_or_else(|error| panic!("{data_type:?} {text:?} is written {canonical:?}: {error}"));
    assert_eq!(again.canonical(&arena), canonical, "{data_type:?} {text:?}");
}

/// Pattern, zero byte, text.
pub fn pattern(data: &[u8]) {
    let Some((pattern, text)) = two(data) else { return };
    let (Ok(pattern), Ok(text)) = (std::str::from_utf8(pattern), std::str::from_utf8(text)) else {
        return;
    };
    for built in [Pattern::new(pattern), Pattern::computed(pattern)] {
        if let Ok(built) = built {
            let _ = built.try_match(text);
        }
    }
}

/// Path, zero byte, Content. The budget is what one decision has.
pub fn xpath(data: &[u8]) {
    let Some((path, xml)) = two(data) else { return };
    let (Ok(path), Ok(xml)) = (std::str::from_utf8(path), std::str::from_utf8(xml)) else { return };
    let namespaces = [("a", "urn:a"), ("b", "urn:b")];
    let Ok(expression) = Expression::compile(path, &namespaces) else { return };
    let arena = Arena::new();
    let Ok(document) = Document::parse(xml, &arena, &DocumentLimits::default()) else { return };
    let left = Cell::new(100_000_u64);
    let spend = |steps: u64| match left.get().checked_sub(steps) {
        Some(rest) => {
            left.set(rest);
            true
        }
        None => false,
    };
    let _ = expression.evaluate(&document, document.root(), &spend, &arena);
}

//! The reference page of the functions, made from the rows.

use std::fmt::Write as _;

use super::{Code, HigherOrder, Row, Type, families};

/// The types of a function in one line, such as `(integer, boolean...) -> boolean`.
pub fn signature(row: &Row) -> String {
    if let Code::HigherOrder(function) = row.code {
        let takes = match function {
            HigherOrder::AnyOf | HigherOrder::AllOf | HigherOrder::Map => {
                "function, values and exactly one bag in any order"
            }
            HigherOrder::AnyOfAny => "function, one or more values or bags",
            HigherOrder::AllOfAny | HigherOrder::AnyOfAll | HigherOrder::AllOfAll => {
                "function, bag, bag"
            }
        };
        let gives = if function == HigherOrder::Map { "bag of what it returns" } else { "boolean" };
        return format!("({takes}) -> {gives}");
    }
    let mut takes: Vec<String> = row.signature.parameters.iter().copied().map(named).collect();
    if let Some((rest, least)) = row.signature.rest {
        takes.extend((0..least).map(|_| named(rest)));
        takes.push(format!("{}...", named(rest)));
    }
    format!("({}) -> {}", takes.join(", "), named(row.signature.result))
}

fn named(of: Type) -> String {
    let name = of.data_type.short_name();
    if of.bag { format!("bag of {name}") } else { name.to_owned() }
}

/// The page, as Markdown: every function, by family, with its examples.
pub fn page() -> String {
    let mut page = String::from(
        "# Functions\n\n\
         Every function of the policy language, deprecated identifiers included, in the order of the \
         standard's appendix A.3. This page is made by `pdp functions --markdown` from the table that \
         the compiler reads; a test keeps it true, and makes every example.\n\n\
         Examples write a value as `type:text`, a bag as `{type:text, type:text}` or `{type}`, a \
         function as `function:identifier`, and an argument that cannot be evaluated as `error:type`. \
         `error` as a result: the policy is refused for its types, or the expression is \
         Indeterminate.\n",
    );
    for family in families() {
        // Writing into a string does not fail.
        let _ = write!(page, "\n## {} ({})\n", family.title, family.clause);
        for row in family.rows() {
            let _ = write!(page, "\n### `{}`\n\n", row.id);
            if let Some(successor) = row.successor {
                let _ = write!(page, "Deprecated: use `{successor}`. ");
            }
            let _ = write!(page, "{}\n\n`{}`\n\n", row.summary, signature(row));
            for example in row.examples {
                let arguments = example.arguments.join("`, `");
                let arguments = if arguments.is_empty() {
                    "no argument".to_owned()
                } else {
                    format!("`{arguments}`")
                };
                let _ = writeln!(page, "- {arguments} → `{}`", example.result);
            }
        }
    }
    page
}

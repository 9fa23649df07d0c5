//! Every code that a problem may have, in one list, and the page that describes them.

use pdp_engine::compile::diagnostics;
use pdp_engine::error::code::{ALL, CodeRow, row};

/// The codes of the policy store itself. A code never changes its meaning and is never used again.
const STORE: &[CodeRow] = &[
    row(
        "conflicting-policy",
        "Two policies of one identifier and version say different things; neither is loaded.",
        "`door` version 1.0 in two files that differ",
        "Give one of them another version, or remove it.",
    ),
    row(
        "empty-folder",
        "A folder holds no policies.",
        "a folder with README.md alone",
        "Name the folder that was meant; policy files end in .yaml, .yml, .json or .xml.",
    ),
    row(
        "unreadable",
        "A file or folder cannot be read.",
        "a file without read permission",
        "Correct the permissions or the path.",
    ),
];

/// Every code, by what reports it.
pub const FAMILIES: [(&str, &[CodeRow]); 5] = [
    ("Reading documents", ALL),
    ("Compiling policies", diagnostics::ERRORS),
    ("Legal, but surely not meant (warnings)", diagnostics::WARNINGS),
    ("TOSCA policies", pdp_onap::codes::CODES),
    ("Files and folders", STORE),
];

/// The page that describes every code, as Markdown.
pub fn page() -> String {
    let mut page = String::from(
        "# Codes of problems\n\n\
         What `pdp check`, the log and the administration interface say of a policy ends with a code in \
         brackets. A code never changes its meaning and is never used for anything else, so that it can be \
         searched for, and scripts can rely on it. This page is made by `pdp check --codes`; a test keeps it \
         true.\n",
    );
    for (title, rows) in FAMILIES {
        page.push_str(&format!("\n## {title}\n"));
        for row in rows {
            page.push_str(&format!(
                "\n### `{}`\n\n{}\n\n- Example: {}\n- What to do: {}\n",
                row.code, row.meaning, row.example, row.remedy
            ));
        }
    }
    page
}

//! The codes of problems: one list, one page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pdp_server::store::codes::{FAMILIES, page};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn all() -> impl Iterator<Item = &'static pdp_engine::error::code::CodeRow> {
    FAMILIES.iter().flat_map(|(_, rows)| rows.iter())
}

#[test]
fn the_page_says_what_the_program_says() {
    let path = root().join("pdp/CODES.md");
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page(),
        "pdp/CODES.md is not what it should be: pdp check --codes > pdp/CODES.md"
    );
}

#[test]
fn every_code_is_listed_once_and_explained() {
    let mut seen = BTreeSet::new();
    for row in all() {
        assert!(seen.insert(row.code), "{} is listed twice", row.code);
        let sentences = row.meaning.ends_with('.') && row.remedy.ends_with('.');
        assert!(sentences && !row.example.is_empty(), "{}", row.code);
        let kebab = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(row.code.chars().all(kebab), "{}", row.code);
    }
}

fn sources(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("codes.rs")
            && !path.ends_with("diagnostics.rs")
        {
            found.push_str(&fs::read_to_string(&path).expect("a source file is readable"));
        }
    }
}

/// A code that is told and not listed is found by what stands before it in the sources.
#[test]
fn every_code_that_is_told_is_listed() {
    let mut text = String::new();
    for folder in ["pdp/engine/src", "pdp/onap/src", "pdp/server/src/store"] {
        sources(&root().join(folder), &mut text);
    }
    let packed: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let listed: BTreeSet<&str> = all().map(|row| row.code).collect();
    let tellers = [
        ".error(\"",
        ".error( \"",
        ".warning(\"",
        ".warning( \"",
        ".warn(\"",
        ".warn( \"",
        ".refuse(\"",
        ".refuse( \"",
        "Problem::error(\"",
        "Problem::error( \"",
        "code: \"",
        "position, \"",
        "Severity::Error, \"",
        "Severity::Warning, \"",
        "::at(position, \"",
    ];
    let mut unlisted = BTreeSet::new();
    for teller in tellers {
        for (at, _) in packed.match_indices(teller) {
            let code: String =
                packed[at + teller.len()..].chars().take_while(|c| *c != '"').collect();
            let kebab = code.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            if kebab && code.contains('-') && !listed.contains(code.as_str()) {
                unlisted.insert(code);
            }
        }
    }
    assert!(unlisted.is_empty(), "not in the list of codes: {unlisted:?}");
}

//! What else is wrong with XACML files that have problems of their own: one run tells everything.
//!
//! A document with a missing attribute is not loaded, but what could be read of it is compiled all
//! the same, so that its author hears of an unknown function in the same breath.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::error::{Diagnostic, Place, Position};
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml::policy::read_all;
use pdp_engine::program::Program;

use super::problem::{Problem, Problems};

/// Adds to `problems` what compiling finds in the XACML files whose documents have problems.
/// `loaded` holds the policies that references may lead to.
pub(crate) fn inspect(loaded: &Program, problems: &mut Problems) {
    let files: BTreeSet<Arc<Path>> = problems
        .iter()
        .filter(|problem| of_a_reader(problem.code))
        .map(|problem| Arc::clone(&problem.file))
        .filter(|file| file.extension().is_some_and(|extension| extension == "xml"))
        .collect();
    if files.is_empty() {
        return;
    }
    let mut build = Build::from(loaded, &RequestOnly, CompileLimits::default());
    let mut found: Vec<(Arc<Path>, Diagnostic)> = Vec::new();
    let mut told: Vec<(Arc<Path>, Position)> = Vec::new();
    for file in files {
        let Ok(bytes) = fs::read(&file) else { continue };
        let reading = read_all(&bytes, &ReadLimits::POLICY);
        told.extend(reading.problems.iter().filter_map(|problem| match problem.place {
            Place::Position(position) => Some((Arc::clone(&file), position)),
            Place::Pointer(_) => None,
        }));
        let Some(policy) = reading.policy else { continue };
        let diagnostics = build.inspect(&policy, &file.to_string_lossy());
        found.extend(diagnostics.into_iter().map(|one| (Arc::clone(&file), one)));
    }
    let (_, linked) = build.finish();
    for diagnostic in linked {
        let file = told.iter().map(|(file, _)| file);
        let file = file.clone().find(|file| *file.to_string_lossy() == *diagnostic.document);
        if let Some(file) = file {
            found.push((Arc::clone(file), diagnostic));
        }
    }
    // A stand-in for what could not be read is no second mistake.
    found.retain(|(file, one)| {
        !told.iter().any(|(known, position)| known == file && *position == one.position)
    });
    problems.extend(found.into_iter().map(|(file, one)| Problem::of_diagnostic(&file, one)));
    problems.sort();
}

fn of_a_reader(code: &str) -> bool {
    pdp_engine::error::code::ALL.iter().any(|row| row.code == code)
}

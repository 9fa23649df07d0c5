//! Resolves policy references over the whole program (XACML 3.0 sections 5.10 to 5.13).
//!
//! A reference is numbered in its segment and resolved through the program, so that a new version of
//! a policy changes every referrer without compiling it again.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{CompileLimits, Refused};
use crate::error::{Diagnostic, Severity};
use crate::model::{PolicyReference, Version};
use crate::program::{Bits, Location, Program};

/// Resolves references, and takes out policies whose references lead nowhere, in a circle, or on
/// too far. A policy that refers to one that is taken out is taken out too.
pub(super) fn link(
    program: &mut Program,
    limits: CompileLimits,
    diagnostics: &mut Vec<Diagnostic>,
) {
    loop {
        resolve(program);
        let refused = unusable(program, limits);
        if refused.is_empty() {
            return;
        }
        for (location, diagnostic) in refused {
            diagnostics.push(diagnostic);
            let part = &mut program.parts[location.segment as usize];
            Arc::make_mut(&mut part.removed).set(location.instance);
        }
    }
}

/// Fills in what each reference resolves to, and which policies are roots.
pub(super) fn resolve(program: &mut Program) {
    let references: Vec<Arc<[Option<Location>]>> = program
        .parts
        .iter()
        .map(|part| {
            part.segment.references().iter().map(|reference| find(program, reference)).collect()
        })
        .collect();
    let mut not_roots = vec![Bits::default(); program.parts.len()];
    match program.root.named.clone() {
        Some((kind, id)) => {
            let newest = program
                .versions(kind, &id)
                .max_by(|(_, a), (_, b)| a.cmp(b))
                .map(|(location, _)| location);
            for (part, at) in program.parts.iter().zip(0u32..) {
                for instance in 0..u32::try_from(part.segment.instances().len()).unwrap_or(u32::MAX)
                {
                    if newest != Some(Location { segment: at, instance }) {
                        not_roots[at as usize].set(instance);
                    }
                }
            }
        }
        None => {
            let referring = |(_, resolved): &(_, &Arc<[_]>)| !resolved.is_empty();
            for (part, resolved) in program.parts.iter().zip(&references).filter(referring) {
                // Only what a policy that is still there refers to stops being a root.
                for (instance, at) in part.segment.instances().iter().zip(0u32..) {
                    if part.removed.get(at) {
                        continue;
                    }
                    for number in part.segment.reference_numbers(instance) {
                        if let Some(location) = resolved[number as usize] {
                            not_roots[location.segment as usize].set(location.instance);
                        }
                    }
                }
            }
        }
    }
    for ((part, resolved), bits) in program.parts.iter_mut().zip(references).zip(not_roots) {
        part.references = resolved;
        if *part.not_roots != bits {
            part.not_roots = Arc::new(bits);
        }
    }
}

fn admits(reference: &PolicyReference, version: &Version) -> bool {
    reference.version.as_ref().is_none_or(|pattern| pattern.matches(version))
        && reference.earliest.as_ref().is_none_or(|bound| bound.admits_as_earliest(version))
        && reference.latest.as_ref().is_none_or(|bound| bound.admits_as_latest(version))
}

/// What is wrong with the references of policies that are refused for other reasons: their authors
/// should hear of everything at once. A reference to another of them is good here.
pub(super) fn refused(program: &Program, refused: &[Refused], diagnostics: &mut Vec<Diagnostic>) {
    if refused.is_empty() {
        return;
    }
    let fitting = |reference: &PolicyReference| {
        refused
            .iter()
            .enumerate()
            .filter(|(_, one)| one.kind == reference.kind && one.id == reference.id)
            .filter(|(_, one)| admits(reference, &one.version))
            .max_by(|(_, a), (_, b)| a.version.cmp(&b.version))
            .map(|(at, _)| at)
    };
    for (number, one) in refused.iter().enumerate() {
        for reference in &one.references {
            let target = fitting(reference);
            if reference.late && target.is_none() {
                continue;
            }
            let (code, message) = if target.is_none() && find(program, reference).is_none() {
                ("reference-unknown", nowhere(reference))
            } else if target.is_some_and(|target| leads_to(refused, &fitting, target, number)) {
                ("reference-cycle", back(reference))
            } else {
                continue;
            };
            diagnostics.push(Diagnostic {
                severity: Severity::Error,
                code,
                message,
                position: reference.position,
                policy: one.id.clone(),
                document: one.source.clone(),
            });
        }
    }
}

/// Whether references of refused policies lead from one to another.
fn leads_to(
    refused: &[Refused],
    fitting: &dyn Fn(&PolicyReference) -> Option<usize>,
    from: usize,
    to: usize,
) -> bool {
    let mut seen = vec![false; refused.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(refused[at].references.iter().filter_map(fitting));
        }
    }
    false
}

fn nowhere(reference: &PolicyReference) -> String {
    format!("no policy that is loaded fits the reference to `{}`", reference.id)
}

fn back(reference: &PolicyReference) -> String {
    format!("the reference to `{}` leads back here", reference.id)
}

/// The highest version that fits a reference.
fn find(program: &Program, reference: &PolicyReference) -> Option<Location> {
    program
        .versions(reference.kind, &reference.id)
        .filter(|(_, version)| admits(reference, version))
        .max_by(|(_, a), (_, b)| a.cmp(b))
        .map(|(location, _)| location)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    Open,
    /// How many references follow one another below it.
    Done(usize),
}

fn unusable(program: &Program, limits: CompileLimits) -> Vec<(Location, Diagnostic)> {
    let mut refused = Vec::new();
    let mut walked: HashMap<Location, Walk> = HashMap::new();
    for (part, segment) in program.parts.iter().zip(0u32..) {
        if part.segment.references().is_empty() {
            continue;
        }
        for instance in 0..u32::try_from(part.segment.instances().len()).unwrap_or(u32::MAX) {
            if !part.removed.get(instance) {
                walk(program, Location { segment, instance }, limits, &mut walked, &mut refused);
            }
        }
    }
    refused
}

/// Walks the references below an instance, without recursion: the chain may be as long as the
/// policies are many.
fn walk(
    program: &Program,
    from: Location,
    limits: CompileLimits,
    walked: &mut HashMap<Location, Walk>,
    refused: &mut Vec<(Location, Diagnostic)>,
) {
    if walked.contains_key(&from) {
        return;
    }
    walked.insert(from, Walk::Open);
    let mut refuse = |location: Location, reference: &PolicyReference, code, message| {
        let part = &program.parts[location.segment as usize];
        let instance = &part.segment.instances()[location.instance as usize];
        let (_, id, _) = part.segment.identity(instance);
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            code,
            message,
            position: reference.position,
            policy: id.to_owned(),
            document: part.segment.source(instance).to_owned(),
        };
        let same = |known: &Diagnostic| {
            known.position == diagnostic.position && known.message == diagnostic.message
        };
        if !refused.iter().any(|(at, known)| *at == location && same(known)) {
            refused.push((location, diagnostic));
        }
    };
    let mut open = vec![(from, 0usize, 0usize)];
    while let Some((location, next, deepest)) = open.pop() {
        let part = &program.parts[location.segment as usize];
        let instance = &part.segment.instances()[location.instance as usize];
        let reference = |number: u32| &part.segment.references()[number as usize];
        let mut numbers = part.segment.reference_numbers(instance).skip(next);
        let Some(number) = numbers.next() else {
            walked.insert(location, Walk::Done(deepest));
            if let Some((_, _, above)) = open.last_mut() {
                *above = (*above).max(deepest + 1);
            }
            // Only once all of them are followed is it known how far they lead.
            if deepest > limits.reference_depth
                && let Some(first) = part.segment.reference_numbers(instance).next()
            {
                let message = format!(
                    "references follow one another {deepest} deep; the limit is {}",
                    limits.reference_depth
                );
                refuse(location, reference(first), "reference-depth", message);
            }
            continue;
        };
        let reference = reference(number);
        let mut deepest = deepest;
        let mut enter = None;
        match part.references[number as usize] {
            None if reference.late => {}
            None => {
                refuse(location, reference, "reference-unknown", nowhere(reference));
            }
            Some(target) => match walked.get(&target) {
                Some(Walk::Open) => {
                    refuse(location, reference, "reference-cycle", back(reference));
                }
                Some(Walk::Done(below)) => deepest = deepest.max(below + 1),
                None => enter = Some(target),
            },
        }
        open.push((location, next + 1, deepest));
        if let Some(target) = enter {
            walked.insert(target, Walk::Open);
            open.push((target, 0, 0));
        }
    }
}

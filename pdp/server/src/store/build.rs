//! From policies to a snapshot.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pdp_engine::combine::Algorithm;
use pdp_engine::combine::table::{self, Combines};
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::error::Severity;
use pdp_engine::finder::{AttributeName, Catalogue, RequestOnly, Supplier};
use pdp_engine::model::PolicyKind;
use pdp_engine::program::{Program, Root};
use pdp_onap::pip;
use pdp_onap::{APPLICATIONS, Application};

use super::identity;
use super::problem::{Problem, Problems};
use super::read::{self, Candidate};
use super::snapshot::{Deployed, Snapshot};
use super::source::Sources;
use crate::config::Xacml;
use crate::failure::Failure;

/// How several roots written in XACML are combined.
#[derive(Clone, Debug)]
pub struct Combining {
    /// None: by where the roots come from.
    algorithm: Option<Algorithm>,
    root: Option<PathBuf>,
}

/// Of several roots exactly one may apply; whoever wants something else says so.
const DEFAULT: &str = "urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:only-one-applicable";

/// What combines roots where none is set: those of a repository of XACML documents as [`DEFAULT`]
/// says; as soon as one came as TOSCA, as ONAP's native application combines its policies.
fn by_origin(candidates: &[Candidate]) -> Algorithm {
    let native = Application::Native;
    if candidates.iter().any(|candidate| candidate.tosca && candidate.application == native) {
        native.row().combining
    } else {
        Algorithm::OnlyOneApplicable
    }
}

impl Combining {
    /// What the configuration says.
    ///
    /// # Errors
    /// There is no such algorithm.
    pub fn of(setting: &Xacml) -> Result<Self, Failure> {
        let named = setting.combining.as_deref().map(|id| {
            algorithm(id).ok_or_else(|| {
                Failure::usage(format!("there is no policy combining algorithm `{id}`"))
                    .at("setting xacml.combining, flag --combining")
                    .hint(format!("give its identifier, such as {DEFAULT}"))
            })
        });
        let algorithm = named.transpose()?;
        Ok(Self { algorithm, root: setting.root.clone() })
    }
}

/// The algorithm of this identifier.
fn algorithm(id: &str) -> Option<Algorithm> {
    table::find(id).filter(|row| row.combines == Combines::Policies).map(|row| row.algorithm)
}

impl Sources {
    /// Reads and compiles everything. What is wrong with policies is in the problems.
    ///
    /// # Errors
    /// The root that is named is not there, or was refused.
    pub fn build(&self) -> Result<(Snapshot, Problems), Failure> {
        let started = Instant::now();
        let mut problems = Problems::default();
        let files = self.files(&mut problems);
        let mut refused = problems.count(Severity::Error);
        let mut candidates = Vec::new();
        for reading in self.read(&files) {
            refused += reading.refused;
            problems.extend(reading.problems);
            candidates.extend(reading.candidates);
        }
        candidates.retain(|candidate| !self.excluded.contains(&candidate.application));
        let (candidates, found, conflicting) = identity::settle(candidates);
        problems.extend(found);
        refused += conflicting;
        let named = self.named_root(&candidates)?;
        let mut policies = Vec::with_capacity(candidates.len());
        let guard = Guard { retention: self.retention };
        let programs = std::array::from_fn(|at| {
            let application = APPLICATIONS[at].application;
            let mut root = Root::all(self.algorithm(application, &candidates));
            if application == Application::Native {
                root.named = named.clone();
            }
            let catalogue: &dyn Catalogue =
                if application == Application::Guard { &guard } else { &RequestOnly };
            let own = candidates.iter().filter(|candidate| candidate.application == application);
            let (program, found) = compile(root, catalogue, own, &mut policies, &mut refused);
            problems.extend(found);
            program
        });
        problems.sort();
        if let Some((kind, id)) = &named {
            let native: &Program = &programs[Application::Native as usize];
            if !native.policies().any(|(known, name, _)| (known, name) == (*kind, &**id)) {
                let why = problems.iter().find(|problem| *problem.policy == **id);
                let why = why.map_or_else(String::new, |problem| format!(": {problem}"));
                return Err(Failure::policies(format!("the root was refused{why}")).hint(
                    "without its root nothing could be decided; `pdp check` lists what is wrong",
                ));
            }
        }
        let counts_to = candidates.iter().map(|candidate| candidate.counts_to).max().unwrap_or(0);
        let build_time = started.elapsed();
        Ok((Snapshot { programs, policies, counts_to, refused, build_time }, problems))
    }

    fn algorithm(&self, application: Application, candidates: &[Candidate]) -> Algorithm {
        match application {
            Application::Native => {
                self.combining.algorithm.unwrap_or_else(|| by_origin(candidates))
            }
            other => other.row().combining,
        }
    }

    /// Reads the files on all cores; the order of the files is kept.
    fn read(&self, files: &[Arc<Path>]) -> Vec<read::Reading> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if files.len() < 2 * cores {
            return files.iter().map(|file| read::file(file, self.file_bytes)).collect();
        }
        std::thread::scope(|scope| {
            let parts: Vec<_> = files
                .chunks(files.len().div_ceil(cores))
                .map(|part| {
                    scope.spawn(move || {
                        part.iter()
                            .map(|file| read::file(file, self.file_bytes))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            parts
                .into_iter()
                .flat_map(|part| {
                    part.join().expect("readers return what is wrong, they do not panic")
                })
                .collect()
        })
    }

    /// The policy of the file that `--root` names.
    fn named_root(
        &self,
        candidates: &[Candidate],
    ) -> Result<Option<(PolicyKind, Box<str>)>, Failure> {
        let Some(path) = &self.combining.root else { return Ok(None) };
        let same = |file: &Path| {
            file == path
                || matches!((file.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b)
        };
        candidates
            .iter()
            .find(|candidate| candidate.application == Application::Native && same(&candidate.file))
            .map(|candidate| Some((candidate.policy.kind, candidate.policy.id.as_str().into())))
            .ok_or_else(|| {
                Failure::usage("the root is not among the XACML policies that were loaded")
                    .in_file(path)
                    .hint("give its file or folder with --policies too")
            })
    }
}

/// The operations history as guard policies may ask it: not beyond what it keeps.
struct Guard {
    retention: Duration,
}

impl Catalogue for Guard {
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String> {
        let Some(supplier) = pip::Guard.supplier(name)? else { return Ok(None) };
        let window = u64::try_from(supplier.number).unwrap_or_default();
        if window > self.retention.as_secs() {
            return Err(format!(
                "a window of {window} seconds is longer than operations are kept ({} seconds): \
                 shorten it, or raise history.retention",
                self.retention.as_secs()
            ));
        }
        Ok(Some(supplier))
    }
}

fn compile<'c>(
    root: Root,
    catalogue: &dyn Catalogue,
    candidates: impl Iterator<Item = &'c Candidate>,
    policies: &mut Vec<Deployed>,
    refused: &mut usize,
) -> (Program, Vec<Problem>) {
    let mut build = Build::new(root, catalogue, CompileLimits::default());
    let mut problems = Vec::new();
    let mut known: HashMap<&str, &Candidate> = HashMap::new();
    let mut added = Vec::new();
    for candidate in candidates {
        known.insert(&candidate.policy.id, candidate);
        match build.add(&candidate.policy, &candidate.file.to_string_lossy()) {
            Ok(()) => added.push(candidate),
            Err(found) => {
                *refused += 1;
                let found = found.into_iter();
                problems.extend(found.map(|one| candidate.problem(one)));
            }
        }
    }
    let located = |diagnostic: &pdp_engine::error::Diagnostic| {
        known.get(diagnostic.policy.as_str()).map(|candidate| candidate.problem(diagnostic.clone()))
    };
    problems.extend(build.warnings().iter().filter_map(located));
    let (program, linked) = build.finish();
    problems.extend(linked.iter().filter_map(located));
    for candidate in added {
        let unlinked = linked
            .iter()
            .any(|one| one.severity == Severity::Error && one.policy == candidate.policy.id);
        if unlinked {
            *refused += 1;
            continue;
        }
        policies.push(Deployed {
            id: candidate.name.clone(),
            version: candidate.version.clone(),
            application: candidate.application,
            file: Arc::clone(&candidate.file),
        });
    }
    (program, problems)
}

//! Everything at once: from files to a first snapshot.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use pdp_engine::combine::Algorithm;
use pdp_engine::combine::table::{self, Combines};
use pdp_engine::model::PolicyKind;
use pdp_onap::types::Types;
use pdp_onap::{Application, cores};

use super::candidate::Candidate;
use super::follow::Followed;
use super::ledger::Ledger;
use super::problem::Problems;
use super::read::{Reader, Reading};
use super::snapshot::Snapshot;
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

    /// The file of the one policy to start from.
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
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
        let followed = self.first(&mut Ledger::default(), &[])?;
        Ok((followed.snapshot, followed.problems))
    }

    /// Reads and compiles all files, then what is administered, and notes in `ledger` what was read.
    ///
    /// # Errors
    /// The root that is named is not there, or was refused.
    pub(super) fn first(
        &self,
        ledger: &mut Ledger,
        administered: &[Candidate],
    ) -> Result<Followed, Failure> {
        let started = Instant::now();
        let followed = ledger.follow(self, None, administered)?;
        let mut followed = followed.expect("without a snapshot to follow there is always a first");
        followed.snapshot.build_time = started.elapsed();
        let native = followed.snapshot.program(Application::Native);
        if let Some((kind, id)) = &native.root().named
            && !native.policies().any(|(known, name, _)| (known, name) == (*kind, &**id))
        {
            let why = followed.problems.iter().find(|problem| *problem.policy == **id);
            let why = why.map_or_else(String::new, |problem| format!(": {problem}"));
            return Err(Failure::policies(format!("the root was refused{why}")).hint(
                "without its root nothing could be decided; `pdp check` lists what is wrong",
            ));
        }
        Ok(followed)
    }

    /// How the roots of an application are combined. Where none is set for policies written in XACML,
    /// those of a repository of XACML documents as [`DEFAULT`] says; as soon as one came as TOSCA, as
    /// ONAP's native application combines its policies.
    pub(super) fn algorithm(&self, application: Application, tosca: bool) -> Algorithm {
        let own = application.row().combining;
        match (application, self.combining.algorithm) {
            (Application::Native, Some(named)) => named,
            (Application::Native, None) if !tosca => Algorithm::OnlyOneApplicable,
            _ => own,
        }
    }

    /// Reads the files on all cores; the order of the files is kept.
    pub(super) fn read(&self, files: &[Arc<Path>], types: &Types) -> Vec<Reading> {
        let reader = self.reader(types);
        match files {
            // How many cores there are is read from files.
            [] => Vec::new(),
            [one] => vec![reader.file(one)],
            several => cores::each(several.iter(), |file| reader.file(file)),
        }
    }

    pub(super) fn reader<'r>(&'r self, types: &'r Types) -> Reader<'r> {
        Reader { types, sources: self }
    }
}

impl Sources {
    /// The policy of the file that `--root` names.
    pub(super) fn named_root(
        &self,
        candidates: &[Candidate],
    ) -> Result<Option<(PolicyKind, Box<str>)>, Failure> {
        let Some(path) = self.combining.root() else { return Ok(None) };
        let same = |file: &Path| {
            file == path
                || matches!((file.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b)
        };
        candidates
            .iter()
            .find(|candidate| candidate.application == Application::Native && same(&candidate.file))
            .map(|candidate| Some((candidate.kind, Box::from(&*candidate.id))))
            .ok_or_else(|| {
                Failure::usage("the root is not among the XACML policies that were loaded")
                    .in_file(path)
                    .hint("give its file or folder with --policies too")
            })
    }
}

//! From a file to compiled policies.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use pdp_engine::error::Severity;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml;
use pdp_onap::tosca::{self, ServiceTemplate, Syntax, ToscaPolicy};
use pdp_onap::types::Types;
use pdp_onap::{Application, cores, translate};

use super::candidate::{Candidate, Facts};
use super::deploy::Document;
use super::lots::{Draft, Lots};
use super::problem::Problem;
use super::source::Sources;

/// What came of one file.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) candidates: Vec<Candidate>,
    pub(super) problems: Vec<Problem>,
    /// How many policies were refused; a file that cannot be read counts as one.
    pub(super) refused: usize,
}

impl Reading {
    fn refuse(&mut self, problem: Problem) {
        self.problems.push(problem);
        self.refused += 1;
    }
}

/// How policies are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'r> {
    pub(super) types: &'r Types,
    pub(super) sources: &'r Sources,
}

/// What became of a policy in a document: what is wrong with it, where it cannot be used.
type Translated<C> = Result<(C, Vec<pdp_onap::Problem>), Vec<pdp_onap::Problem>>;

impl Reader<'_> {
    /// Reads policies as the administration interface keeps them; the order is kept.
    pub(super) fn administered(self, documents: &[Document]) -> Reading {
        match documents.len() <= SHARE {
            true => self.documents(documents),
            false => Reading::of(cores::each(documents.chunks(SHARE), |some| self.documents(some))),
        }
    }

    fn documents(self, documents: &[Document]) -> Reading {
        let catalogue = self.sources.guard();
        let (mut lots, mut others) = (Lots::new(&catalogue, self.sources), Vec::new());
        let read = documents.iter().map(|one| {
            let label: Arc<Path> = Arc::from(Path::new(&one.label()));
            let (text, limits) = (one.content.as_bytes(), Default::default());
            let template = tosca::read(text, Syntax::Json, &limits).map(|mut template| {
                let mut policies = std::mem::take(&mut template.policies);
                policies.retain(|policy| {
                    let same = policy.name == one.name && policy.version == one.version;
                    if !same {
                        others.push(of_another(policy, one, &label));
                    }
                    same
                });
                let read = policies.iter().map(|one| self.draft(one, &label, true, &mut lots));
                (template.problems, read.collect::<Vec<_>>())
            });
            (label, template)
        });
        let read: Vec<_> = read.collect();
        let lots = lots.finish();
        let mut reading = Reading::default();
        others.into_iter().for_each(|problem| reading.refuse(problem));
        for (label, template) in read {
            match template {
                Ok((problems, drafts)) => {
                    let drafts: Vec<Translated<Draft>> = drafts;
                    let policies = drafts.into_iter().map(|draft| lots.placed(draft));
                    reading.take(&label, problems, policies);
                }
                Err(error) => reading.refuse(Problem::of_read(&label, error)),
            }
        }
        reading
    }

    /// Reads one file.
    pub(super) fn file(self, path: &Arc<Path>) -> Reading {
        let mut reading = Reading::default();
        let limit = self.sources.file_bytes;
        let unreadable =
            |message: String| Problem::of_file(path, Severity::Error, "unreadable", message);
        let bytes = match fs::metadata(path) {
            Ok(metadata) if metadata.len() > limit => {
                let message =
                    format!("the file has {} bytes, the limit is {limit}", metadata.len());
                reading.refuse(Problem::of_file(path, Severity::Error, "limit", message));
                return reading;
            }
            Ok(_) => fs::read(path),
            Err(error) => Err(error),
        };
        match (bytes, path.extension().and_then(|extension| extension.to_str())) {
            (Err(error), _) => reading.refuse(unreadable(error.to_string())),
            (Ok(bytes), Some("xml")) => self.xacml(&bytes, path, &mut reading),
            (Ok(bytes), Some(extension)) if Syntax::of_extension(extension).is_some() => {
                let syntax = Syntax::of_extension(extension).unwrap_or(Syntax::Yaml);
                self.tosca(&bytes, syntax, path, &mut reading);
            }
            (Ok(_), _) => reading
                .refuse(unreadable("a policy file ends in .yaml, .yml, .json or .xml".into())),
        }
        reading
    }

    fn xacml(self, bytes: &[u8], path: &Arc<Path>, reading: &mut Reading) {
        match xacml3_xml::policy::read(bytes, &ReadLimits::POLICY) {
            Ok(policy) => {
                let catalogue = self.sources.guard();
                let mut lots = Lots::new(&catalogue, self.sources);
                let facts = Facts {
                    application: Application::Native,
                    kind: policy.kind,
                    name: Arc::from(policy.id.as_str()),
                    id: Arc::from(policy.id.as_str()),
                    version: Arc::from(policy.version.to_string()),
                    number: policy.version.clone(),
                    policy_type: None,
                    type_digest: 0,
                    fingerprint: fingerprint(bytes),
                    repeatable: false,
                    embedded: false,
                    counts_to: 0,
                    file: Arc::clone(path),
                    administered: false,
                    position: policy.position,
                };
                let draft = lots.compile(facts, &policy);
                reading.candidates.push(lots.finish().place(draft));
            }
            Err(errors) => {
                reading.refused += 1;
                let problems = errors.into_iter().map(|error| Problem::of_read(path, error));
                reading.problems.extend(problems);
            }
        }
    }

    fn tosca(self, bytes: &[u8], syntax: Syntax, path: &Arc<Path>, reading: &mut Reading) {
        let read = tosca::read_with(bytes, syntax, &Default::default(), |policies| {
            let catalogue = self.sources.guard();
            let mut lots = Lots::new(&catalogue, self.sources);
            let drafts = policies.iter().map(|one| self.draft(one, path, false, &mut lots));
            let drafts: Vec<Translated<Draft>> = drafts.collect();
            let lots = lots.finish();
            drafts.into_iter().map(|draft| lots.placed(draft)).collect()
        });
        match read {
            Ok(template) => reading.take(path, template.problems, template.policies.into_iter()),
            Err(mut error) => {
                if error.code == "encoding" {
                    let utf16 =
                        matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [_, 0, ..] | [0, ..]);
                    error.message.push_str(if utf16 { ", it looks like UTF-16" } else { "" });
                    error.message.push_str(": save the file as UTF-8");
                }
                reading.refuse(Problem::of_read(path, error));
            }
        }
    }

    /// Translates and compiles a policy, with what is only worth a warning.
    fn draft(
        self,
        policy: &ToscaPolicy,
        path: &Arc<Path>,
        administered: bool,
        lots: &mut Lots<'_>,
    ) -> Translated<Draft> {
        let types = self.types;
        let translated = translate::translate_with(policy, types)?;
        let name: Arc<str> = Arc::from(policy.name.as_str());
        let (policy_type, type_digest) = lots.policy_type(policy, types);
        let facts = Facts {
            application: translated.application,
            kind: translated.policy.kind,
            type_digest,
            fingerprint: policy.fingerprint(),
            repeatable: translated.repeatable,
            embedded: translated.embedded,
            counts_to: counts_to(policy),
            file: Arc::clone(path),
            administered,
            position: policy.position,
            id: match translated.policy.id == *name {
                true => Arc::clone(&name),
                false => Arc::from(translated.policy.id.as_str()),
            },
            name,
            version: Arc::from(policy.version.as_str()),
            number: translated.policy.version.clone(),
            policy_type: Some(policy_type),
        };
        Ok((lots.compile(facts, &translated.policy), translated.warnings))
    }
}

/// The database was changed by another program.
fn of_another(policy: &ToscaPolicy, document: &Document, label: &Arc<Path>) -> Problem {
    let message = format!(
        "policy `{}` version {}: what is kept of it is policy `{}` version {}: undeploy it, delete it and create it again",
        document.name, document.version, policy.name, policy.version
    );
    Problem {
        policy: document.name.clone(),
        ..Problem::of_file(label, Severity::Error, "conflicting-policy", message)
    }
}

/// So many documents are read at a time.
pub(super) const SHARE: usize = 256;

impl Reading {
    /// What came of all together.
    pub(super) fn of(readings: Vec<Self>) -> Self {
        let mut all = Self::default();
        all.candidates.reserve(readings.iter().map(|one| one.candidates.len()).sum());
        for one in readings {
            all.candidates.extend(one.candidates);
            all.problems.extend(one.problems);
            all.refused += one.refused;
        }
        all
    }

    /// Takes what came of a document.
    fn take(
        &mut self,
        path: &Arc<Path>,
        problems: Vec<pdp_onap::Problem>,
        policies: impl Iterator<Item = Translated<Candidate>>,
    ) {
        let mut refused: Vec<String> = Vec::new();
        let mut note = |problem: pdp_onap::Problem, reading: &mut Self| {
            let problem = Problem::of_diagnostic(path, problem.into());
            if problem.severity == Severity::Error
                && (problem.policy.is_empty() || !refused.contains(&problem.policy))
            {
                reading.refused += 1;
                refused.push(problem.policy.clone());
            }
            reading.problems.push(problem);
        };
        for problem in problems {
            note(problem, self);
        }
        for read in policies {
            let problems = match read {
                Ok((candidate, warnings)) => {
                    self.candidates.push(candidate);
                    warnings
                }
                Err(problems) => problems,
            };
            for problem in problems {
                note(problem, self);
            }
        }
    }
}

/// A file cannot be read; why is said when its policies are.
#[derive(Debug)]
pub(super) struct Unreadable;

/// The types that a file defines; none where it has none.
///
/// # Errors
/// It cannot be read, or is in no version that is known.
pub(super) fn types(path: &Path, limit: u64) -> Result<Option<ServiceTemplate>, Unreadable> {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let Some(syntax) = Syntax::of_extension(extension) else { return Ok(None) };
    if fs::metadata(path).map_err(|_| Unreadable)?.len() > limit {
        return Err(Unreadable);
    }
    let bytes = fs::read(path).map_err(|_| Unreadable)?;
    // Most files hold policies alone; they are parsed once.
    // The one part that has `policy_types` and `data_types` in common.
    if memchr::memmem::find(&bytes, b"_types").is_none() {
        return Ok(None);
    }
    let mut template = tosca::read(&bytes, syntax, &Default::default()).map_err(|_| Unreadable)?;
    let there = template.policy_types.is_some() || template.data_types.is_some();
    if !there && template.policies.is_empty() && !template.problems.is_empty() {
        return Err(Unreadable);
    }
    template.policies = Vec::new();
    Ok(there.then_some(template))
}

fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The `limit` of a policy that has one; the other types have no such property.
fn counts_to(policy: &ToscaPolicy) -> usize {
    let limit = policy.properties.as_ref().and_then(|properties| properties.present("limit"));
    limit.and_then(tosca::Node::integer).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(0)
}

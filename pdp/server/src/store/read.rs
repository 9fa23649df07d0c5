//! From a file to policies of the engine.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use pdp_engine::error::{Diagnostic, Position, Severity};
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml;
use pdp_engine::model;
use pdp_onap::tosca::{self, ServiceTemplate, Syntax, ToscaPolicy};
use pdp_onap::types::Types;
use pdp_onap::{Application, cores, translate};

use super::problem::Problem;
use super::snapshot::{Deployed, Identity, Source};

/// A policy that was read, not yet compiled.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) application: Application,
    /// Its name in the source.
    pub(super) name: Arc<str>,
    /// Its identifier in the program, which may differ.
    pub(super) id: Arc<str>,
    pub(super) version: Arc<str>,
    /// Name and version of its type, where it has one.
    pub(super) policy_type: Option<(Arc<str>, Arc<str>)>,
    /// The fingerprint of its type as it is defined now.
    pub(super) type_digest: u64,
    /// A number that is the same where two policies say the same.
    pub(super) fingerprint: u64,
    pub(super) policy: model::Policy,
    /// It may stand beside others of its name and version.
    pub(super) repeatable: bool,
    /// Places in it are places in a document inside the file.
    pub(super) embedded: bool,
    /// How many operations it counts to, where it counts.
    pub(super) counts_to: usize,
    /// The file, or a name to speak of where it came another way.
    pub(super) file: Arc<Path>,
    /// It came through the administration interface.
    pub(super) administered: bool,
    pub(super) position: Position,
}

impl Candidate {
    /// What the compiler found in it, with the place in the file.
    pub(super) fn problem(&self, mut diagnostic: Diagnostic) -> Problem {
        if self.embedded {
            diagnostic.message = format!(
                "policy `{}`: properties.policy: the decoded document, {}: {}",
                self.name, diagnostic.position, diagnostic.message
            );
            diagnostic.position = self.position;
        }
        Problem::of_diagnostic(&self.file, diagnostic)
    }

    /// What tells it from the others.
    pub(super) fn identity(&self) -> Identity {
        Identity {
            application: self.application,
            kind: self.policy.kind,
            id: Arc::clone(&self.id),
            version: self.policy.version.clone(),
        }
    }

    /// The fingerprint of what it says.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.fingerprint.hash(&mut hasher);
        self.type_digest.hash(&mut hasher);
        hasher.finish()
    }

    /// What is known of it once it decides.
    pub(super) fn deployed(&self, since: Timestamp) -> Deployed {
        Deployed {
            id: Arc::clone(&self.name),
            version: Arc::clone(&self.version),
            application: self.application,
            policy_type: self.policy_type.clone(),
            source: if self.administered {
                Source::Administration
            } else {
                Source::File(Arc::clone(&self.file))
            },
            since,
            digest: self.digest(),
        }
    }
}

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

/// Reads one policy as the administration interface keeps it, called `label` in messages.
pub(super) fn administered(document: &str, label: &str, types: &Types) -> Reading {
    let mut reading = Reading::default();
    let label = Arc::from(Path::new(label));
    tosca(document.as_bytes(), Syntax::Json, &label, types, &mut reading);
    reading.candidates.iter_mut().for_each(|candidate| candidate.administered = true);
    reading
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
    let holds = |part: &str| memchr::memmem::find(&bytes, part.as_bytes()).is_some();
    if !holds("policy_types") && !holds("data_types") {
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

/// Reads one file.
pub(super) fn file(path: &Arc<Path>, limit: u64, types: &Types) -> Reading {
    let mut reading = Reading::default();
    let unreadable =
        |message: String| Problem::of_file(path, Severity::Error, "unreadable", message);
    let bytes = match fs::metadata(path) {
        Ok(metadata) if metadata.len() > limit => {
            let message = format!("the file has {} bytes, the limit is {limit}", metadata.len());
            reading.refuse(Problem::of_file(path, Severity::Error, "limit", message));
            return reading;
        }
        Ok(_) => fs::read(path),
        Err(error) => Err(error),
    };
    match (bytes, path.extension().and_then(|extension| extension.to_str())) {
        (Err(error), _) => reading.refuse(unreadable(error.to_string())),
        (Ok(bytes), Some("xml")) => xacml(&bytes, path, &mut reading),
        (Ok(bytes), Some(extension)) if Syntax::of_extension(extension).is_some() => {
            let syntax = Syntax::of_extension(extension).unwrap_or(Syntax::Yaml);
            tosca(&bytes, syntax, path, types, &mut reading);
        }
        (Ok(_), _) => {
            reading.refuse(unreadable("a policy file ends in .yaml, .yml, .json or .xml".into()))
        }
    }
    reading
}

fn xacml(bytes: &[u8], path: &Arc<Path>, reading: &mut Reading) {
    match xacml3_xml::policy::read(bytes, &ReadLimits::POLICY) {
        Ok(policy) => reading.candidates.push(Candidate {
            application: Application::Native,
            name: Arc::from(policy.id.as_str()),
            id: Arc::from(policy.id.as_str()),
            version: Arc::from(policy.version.to_string()),
            policy_type: None,
            type_digest: 0,
            fingerprint: fingerprint(bytes),
            repeatable: false,
            embedded: false,
            counts_to: 0,
            file: Arc::clone(path),
            administered: false,
            position: policy.position,
            policy,
        }),
        Err(errors) => {
            reading.refused += 1;
            reading.problems.extend(errors.into_iter().map(|error| Problem::of_read(path, error)));
        }
    }
}

fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn tosca(bytes: &[u8], syntax: Syntax, path: &Arc<Path>, types: &Types, reading: &mut Reading) {
    let template = match tosca::read(bytes, syntax, &Default::default()) {
        Ok(template) => template,
        Err(mut error) => {
            if error.code == "encoding" {
                let utf16 =
                    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [_, 0, ..] | [0, ..]);
                error.message.push_str(if utf16 { ", it looks like UTF-16" } else { "" });
                error.message.push_str(": save the file as UTF-8");
            }
            return reading.refuse(Problem::of_read(path, error));
        }
    };
    let mut refused: Vec<String> = Vec::new();
    let mut note = |problem: pdp_onap::Problem, reading: &mut Reading| {
        let problem = Problem::of_diagnostic(path, problem.into());
        if problem.severity == Severity::Error
            && (problem.policy.is_empty() || !refused.contains(&problem.policy))
        {
            reading.refused += 1;
            refused.push(problem.policy.clone());
        }
        reading.problems.push(problem);
    };
    for problem in template.problems {
        note(problem, reading);
    }
    let read = |policy: ToscaPolicy| candidate(policy, path, types);
    for read in cores::map(template.policies, TRANSLATED_ALONE, read) {
        let problems = match read {
            Ok((candidate, warnings)) => {
                reading.candidates.push(candidate);
                warnings
            }
            Err(problems) => problems,
        };
        for problem in problems {
            note(problem, reading);
        }
    }
}

/// Fewer policies of one file are not worth a thread.
const TRANSLATED_ALONE: usize = 512;

/// A policy translated, with what is only worth a warning.
fn candidate(
    policy: ToscaPolicy,
    path: &Arc<Path>,
    types: &Types,
) -> Result<(Candidate, Vec<pdp_onap::Problem>), Vec<pdp_onap::Problem>> {
    let translated = translate::translate_with(&policy, types)?;
    let name: Arc<str> = Arc::from(policy.name.as_str());
    let (type_name, type_version) = match types.find(&policy.type_name, &policy.type_version) {
        Some(known) => (Arc::clone(&known.name), Arc::clone(&known.version)),
        None => (Arc::from(&*policy.type_name), Arc::from(&*policy.type_version)),
    };
    let candidate = Candidate {
        application: translated.application,
        type_digest: types.digest(&policy.type_name, &policy.type_version),
        fingerprint: policy.fingerprint(),
        repeatable: translated.repeatable,
        embedded: translated.embedded,
        counts_to: counts_to(&policy),
        file: Arc::clone(path),
        administered: false,
        position: policy.position,
        id: match translated.policy.id == *name {
            true => Arc::clone(&name),
            false => Arc::from(translated.policy.id.as_str()),
        },
        name,
        version: Arc::from(policy.version.as_str()),
        policy_type: Some((type_name, type_version)),
        policy: translated.policy,
    };
    Ok((candidate, translated.warnings))
}

/// The `limit` of a policy that has one; the other types have no such property.
fn counts_to(policy: &ToscaPolicy) -> usize {
    let limit = policy.properties.as_ref().and_then(|properties| properties.present("limit"));
    limit.and_then(tosca::Node::integer).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(0)
}

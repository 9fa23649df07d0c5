//! The policy types that are known: those of the standard, those that are administered and those that
//! files define.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pdp_engine::error::Severity;
use pdp_onap::tosca::ServiceTemplate;
use pdp_onap::types::Types;

use super::problem::{Problem, Problems};
use super::read;
use super::source::Sources;

/// Documents with types, administered ones and those of files, and the types that are known with them.
#[derive(Debug)]
pub(super) struct TypeFiles {
    /// Come before those of files, which they beat.
    administered: Vec<ServiceTemplate>,
    /// Administered types have changed, and no file was read since.
    pub(super) renewed: bool,
    documents: BTreeMap<Arc<Path>, ServiceTemplate>,
    pub(super) types: Arc<Types>,
    /// What is wrong with them.
    pub(super) problems: Vec<Problem>,
}

impl Default for TypeFiles {
    fn default() -> Self {
        let types = Arc::new(Types::standard().clone());
        Self {
            administered: Vec::new(),
            renewed: false,
            documents: BTreeMap::new(),
            types,
            problems: Vec::new(),
        }
    }
}

impl TypeFiles {
    /// Forgets files that are not `there`, reads those that changed, and says whether types did.
    pub(super) fn follow<'f>(
        &mut self,
        there: impl Fn(&Arc<Path>) -> bool,
        changed: impl Iterator<Item = &'f Arc<Path>>,
        limit: u64,
    ) -> bool {
        let before = self.documents.len();
        self.documents.retain(|file, _| there(file));
        let mut differs = self.documents.len() < before;
        for file in changed {
            let known = match read::types(file, limit) {
                Some(document) => {
                    self.documents.insert(Arc::clone(file), document);
                    true
                }
                None => self.documents.remove(file).is_some(),
            };
            differs |= known;
        }
        if differs {
            self.collect();
        }
        differs
    }

    /// From here on these are the administered types.
    pub(super) fn administer(&mut self, administered: Vec<ServiceTemplate>) {
        self.administered = administered;
        self.renewed = true;
        self.collect();
    }

    /// The types that would be known with other administered ones.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn with(
        &self,
        administered: &[ServiceTemplate],
    ) -> Result<Arc<Types>, Vec<Problem>> {
        let (types, problems) = self.join(administered);
        let label = label();
        let wrong = |one: &Problem| one.severity == Severity::Error && one.file == label;
        let problems: Vec<Problem> = problems.into_iter().filter(wrong).collect();
        if problems.is_empty() { Ok(Arc::new(types)) } else { Err(problems) }
    }

    fn collect(&mut self) {
        let (types, problems) = self.join(&self.administered);
        self.types = Arc::new(types);
        self.problems = problems;
    }

    fn join(&self, administered: &[ServiceTemplate]) -> (Types, Vec<Problem>) {
        let mut types = Types::standard().clone();
        let mut problems = Vec::new();
        let label = label();
        let all = administered.iter().map(|document| (&label, document)).chain(&self.documents);
        for (place, document) in all {
            let found = types.add(document).into_iter();
            problems.extend(found.map(|one| Problem::of_diagnostic(place, one.into())));
        }
        (types, problems)
    }
}

/// Where administered types come from, in messages.
fn label() -> Arc<Path> {
    Arc::from(Path::new("administration"))
}

impl Sources {
    /// The types that are known with administered ones and those of the files as they are now.
    pub(super) fn types(&self, administered: Vec<ServiceTemplate>) -> Arc<Types> {
        let mut files = TypeFiles::default();
        files.administer(administered);
        let found = self.files(&mut Problems::default());
        files.follow(|_| true, found.iter(), self.file_bytes);
        files.types
    }
}

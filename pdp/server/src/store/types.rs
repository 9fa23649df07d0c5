//! The policy types that files define.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pdp_onap::tosca::ServiceTemplate;
use pdp_onap::types::Types;

use super::problem::{Problem, Problems};
use super::read;
use super::source::Sources;

/// Documents with types, by file, and the types that are known with them.
#[derive(Debug)]
pub(super) struct TypeFiles {
    documents: BTreeMap<Arc<Path>, ServiceTemplate>,
    pub(super) types: Arc<Types>,
    /// What is wrong with them.
    pub(super) problems: Vec<Problem>,
}

impl Default for TypeFiles {
    fn default() -> Self {
        let types = Arc::new(Types::standard().clone());
        Self { documents: BTreeMap::new(), types, problems: Vec::new() }
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

    fn collect(&mut self) {
        let mut types = Types::standard().clone();
        self.problems.clear();
        for (file, document) in &self.documents {
            let found = types.add(document).into_iter();
            self.problems.extend(found.map(|one| Problem::of_diagnostic(file, one.into())));
        }
        self.types = Arc::new(types);
    }
}

impl Sources {
    /// The types that are known with those of the files as they are now.
    pub(super) fn types(&self) -> Arc<Types> {
        let mut files = TypeFiles::default();
        let found = self.files(&mut Problems::default());
        files.follow(|_| true, found.iter(), self.file_bytes);
        files.types
    }
}

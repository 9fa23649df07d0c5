//! The policy types that are known: those of the standard, those that are administered and those that
//! files define.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use pdp_engine::error::Severity;
use pdp_onap::tosca::ServiceTemplate;
use pdp_onap::types::{Collected, TypeName, Types};

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
    /// From which file, or that they are administered.
    origins: HashMap<TypeName, Arc<Path>>,
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
            origins: HashMap::new(),
            problems: Vec::new(),
        }
    }
}

impl TypeFiles {
    /// Forgets files that are not `there`, reads those that changed, and says whether types did. A file
    /// that cannot be read keeps the types that it had, and so does a type that cannot be used any more.
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
            differs |= match read::types(file, limit) {
                Ok(Some(document)) => {
                    self.documents.insert(Arc::clone(file), document);
                    true
                }
                Ok(None) => self.documents.remove(file).is_some(),
                Err(read::Unreadable) => false,
            };
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

    /// The types that would be known with the administered types `kept` and `coming`, and what is wrong
    /// with those that come, or would be with the others.
    pub(super) fn with(
        &self,
        kept: &[ServiceTemplate],
        coming: &[ServiceTemplate],
    ) -> (Arc<Types>, Vec<Problem>) {
        let (collected, labels) = self.join(kept, coming);
        let known: HashSet<&str> = self.problems.iter().map(|it| &*it.message).collect();
        let mut problems = Vec::new();
        for (at, problem) in collected.problems {
            let comes = (kept.len()..kept.len() + coming.len()).contains(&at);
            // Who creates a type hears of what whoever reads a file is only warned of.
            let wrong = problem.severity == Severity::Error || comes && problem.code == "data-type";
            if wrong && (comes || at < kept.len() && !known.contains(&*problem.to_string())) {
                problems.push(Problem::of_diagnostic(&labels[at], problem.into()));
            }
        }
        (Arc::new(collected.types), problems)
    }

    fn collect(&mut self) {
        let (collected, labels) = self.join(&self.administered, &[]);
        self.types = Arc::new(collected.types);
        let origin = |(name, at): (TypeName, usize)| (name, Arc::clone(&labels[at]));
        self.origins = collected.origins.into_iter().map(origin).collect();
        let problem =
            |(at, it): (usize, pdp_onap::Problem)| Problem::of_diagnostic(&labels[at], it.into());
        self.problems = collected.problems.into_iter().map(problem).collect();
    }

    /// All types together, and where each document comes from.
    fn join(
        &self,
        kept: &[ServiceTemplate],
        coming: &[ServiceTemplate],
    ) -> (Collected, Vec<Arc<Path>>) {
        let label: Arc<Path> = Arc::from(Path::new("administration"));
        let administered = kept.iter().chain(coming);
        let all = administered.map(|document| (&label, document)).chain(&self.documents);
        let (labels, documents): (Vec<&Arc<Path>>, Vec<&ServiceTemplate>) = all.unzip();
        let comes = kept.len()..kept.len() + coming.len();
        let collected = Types::collect(documents, |at, name| {
            let same = !comes.contains(&at) && self.origins.get(name) == Some(labels[at]);
            same.then(|| self.types.find(&name.0, &name.1).cloned()).flatten()
        });
        let labels = labels.into_iter().cloned().collect();
        (collected, labels)
    }
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

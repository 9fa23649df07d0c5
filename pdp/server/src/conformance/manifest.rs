//! What a suite folder holds: its manifest, or a table of function calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// The file that lists the tests of a suite.
const MANIFEST: &str = "manifest.json";
/// The file of a suite of function calls.
const VECTORS: &str = "vectors.json";

/// A suite of tests.
#[derive(Debug, Deserialize)]
pub(super) struct Suite {
    pub(super) suite: String,
    #[serde(skip)]
    pub(super) folder: PathBuf,
    #[serde(default)]
    pub(super) tests: Vec<Test>,
    #[serde(default)]
    pub(super) vectors: Vec<Vector>,
}

/// As much of a manifest as tells whether it is a suite's.
#[derive(Debug, Deserialize)]
struct Named {
    suite: Option<String>,
}

/// One test of a manifest.
#[derive(Debug, Deserialize)]
pub(super) struct Test {
    pub(super) id: String,
    /// Of tests that are not decisions by an expected response.
    pub(super) kind: Option<String>,
    pub(super) expect: Option<String>,
    #[serde(default)]
    pub(super) policies: Vec<PathBuf>,
    pub(super) root: Option<Root>,
    pub(super) request: Option<PathBuf>,
    pub(super) response: Option<PathBuf>,
    pub(super) request_json: Option<PathBuf>,
    pub(super) response_json: Option<PathBuf>,
    #[serde(default)]
    pub(super) config: Config,
    #[serde(default)]
    pub(super) compare: Compare,
    /// A reader that skips unknown members is right too.
    #[serde(default)]
    pub(super) strict_only: bool,
    pub(super) http: Option<Exchange>,
}

impl Test {
    /// How the responses of a decision are compared.
    pub(super) fn comparison(&self) -> Compare {
        let decision_only = self.config.compare.iter().any(|part| part == "decision");
        Compare { decision_only, ..self.compare.clone() }
    }
}

/// One root policy, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Root {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl Root {
    pub(super) fn files(&self) -> &[PathBuf] {
        match self {
            Self::One(file) => std::slice::from_ref(file),
            Self::Several(files) => files,
        }
    }
}

/// How the decision point is set up.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Config {
    pub(super) attribute_provider: Vec<Provided>,
    pub(super) resource_hierarchy: BTreeMap<String, Vec<String>>,
    pub(super) max_policy_reference_depth: Option<usize>,
    pub(super) max_variable_reference_depth: Option<usize>,
    pub(super) xpath: Option<Value>,
    /// A refusal of the request is as good as the response.
    pub(super) request_error: bool,
    /// Parts to which a comparison is limited.
    pub(super) compare: Vec<String>,
    /// Prose: which clock supplies the current time. It is always the decision point's.
    pub(super) environment: Option<Value>,
    /// Prose: how several roots are combined. It is always only-one-applicable.
    pub(super) roots: Option<Value>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// An attribute that the request lacks.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Provided {
    pub(super) category: String,
    pub(super) attribute_id: String,
    pub(super) data_type: String,
    pub(super) values: Vec<String>,
}

/// How responses are compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Compare {
    pub(super) status_any_of: Vec<String>,
    pub(super) policy_ids: Option<PolicyIds>,
    pub(super) ignore: Vec<String>,
    pub(super) ignore_attribute_values: Vec<String>,
    pub(super) missing_attribute_detail: bool,
    /// Nothing but the decision counts.
    #[serde(skip)]
    pub(super) decision_only: bool,
}

/// Which policies must be named as applicable, and which others may.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PolicyIds {
    pub(super) required: Vec<String>,
    pub(super) allowed: Vec<String>,
}

/// One HTTP exchange.
#[derive(Debug, Deserialize)]
pub(super) struct Exchange {
    pub(super) method: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Option<PathBuf>,
    pub(super) expect: Expected,
}

/// What an exchange must answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Expected {
    pub(super) status: Option<u16>,
    pub(super) status_any_of: Vec<u16>,
    pub(super) content_type: Option<String>,
    pub(super) response: Option<PathBuf>,
    pub(super) link_relation: Option<String>,
}

/// One function call.
#[derive(Debug, Deserialize)]
pub(super) struct Vector {
    pub(super) id: String,
    pub(super) function: String,
    pub(super) applied_function: Option<String>,
    pub(super) args: Vec<Argument>,
    pub(super) result: Outcome,
    #[serde(default)]
    pub(super) also_accept: Vec<Outcome>,
}

/// An argument of a call.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Argument {
    Value {
        #[serde(rename = "type")]
        data_type: String,
        value: String,
    },
    Bag {
        bag: String,
        values: Vec<String>,
    },
    Indeterminate {
        indeterminate: String,
    },
}

/// What a call must give.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Outcome {
    Given(Argument),
    /// `error`: the call is refused, or Indeterminate.
    Named(String),
}

impl Suite {
    /// The suites in a folder, which is one itself or holds some.
    ///
    /// # Errors
    /// There is none, or a file of one cannot be read.
    pub(super) fn find(folder: &Path) -> Result<Vec<Self>, Failure> {
        let mut suites = Vec::new();
        search(folder, &mut suites)?;
        if suites.is_empty() {
            let what = format!("there is no suite: no {MANIFEST} or {VECTORS} that names one");
            return Err(Failure::usage(what).in_file(folder));
        }
        Ok(suites)
    }

    /// Reads a file of a folder, where it is there and describes a suite: other data has manifests too.
    fn read(folder: &Path, name: &str) -> Result<Option<Self>, Failure> {
        let path = folder.join(name);
        if !path.is_file() || parse::<Named>(&path)?.suite.is_none() {
            return Ok(None);
        }
        let mut suite: Self = parse(&path)?;
        folder.clone_into(&mut suite.folder);
        Ok(Some(suite))
    }

    /// The whole path of a file that a test names.
    pub(super) fn path(&self, file: &Path) -> PathBuf {
        self.folder.join(file)
    }
}

fn search(folder: &Path, suites: &mut Vec<Suite>) -> Result<(), Failure> {
    let before = suites.len();
    for name in [MANIFEST, VECTORS] {
        suites.extend(Suite::read(folder, name)?);
    }
    if suites.len() > before {
        return Ok(());
    }
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("the folder cannot be read: {error}")).in_file(folder)
    };
    let mut below = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            below.push(path);
        }
    }
    below.sort();
    below.iter().try_for_each(|folder| search(folder, suites))
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("the suite cannot be read: {error}")).in_file(path)
    };
    let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
    let mut reader = serde_json::Deserializer::from_slice(&bytes);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| wrong(&error))
}

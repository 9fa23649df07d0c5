//! Test files: where they are, what they say.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use pdp_engine::error::Position;
use pdp_engine::model::Decision;
use pdp_onap::history::Operation;
use pdp_onap::tosca::{self, Node};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::document::{Document, Language};
use crate::failure::Failure;

const ENDING: &str = ".test.yaml";

/// What a test file says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Tests of policies, for `pdp test`")]
struct Written {
    /// Files and folders with the policies, from the folder of this file; without it that folder.
    #[serde(default)]
    policies: Option<Vec<String>>,
    /// The tests.
    #[schemars(length(min = 1))]
    tests: Vec<WrittenTest>,
}

/// One test.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Test")]
struct WrittenTest {
    /// What it shows, in a few words; no two tests of a file have the same.
    name: String,
    /// The time of the decision; without it the clock's.
    #[serde(default)]
    #[schemars(extend("format" = "date-time"))]
    now: Option<String>,
    /// Operations that were run before, with the columns of the history's table.
    #[serde(default)]
    #[schemars(schema_with = "operations_schema")]
    operations: Vec<Operation>,
    /// The request: an ONAP decision request, a XACML request in JSON, or `{file: PATH}`.
    #[schemars(with = "HashMap<String, Value>")]
    request: Value,
    /// What must come of it.
    expect: Expect,
}

/// What a test expects; what is not there is not looked at.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub(super) struct Expect {
    /// The decision of the policies.
    #[serde(default)]
    pub(super) decision: Option<Expected>,
    /// What the answer reads: of a guard `Permit` or `Deny`, of XACML the status code, in full or its
    /// last part such as `ok` or `missing-attribute`.
    #[serde(default)]
    pub(super) status: Option<String>,
    /// The identifiers of all obligations, in any order.
    #[serde(default)]
    pub(super) obligations: Option<Vec<String>>,
    /// The identifiers of all policies that permitted or denied, in any order; of monitoring, naming
    /// and the like those in the answer.
    #[serde(default)]
    pub(super) policies: Option<Vec<String>>,
}

/// A decision that is expected.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
pub(super) enum Expected {
    Permit,
    Deny,
    NotApplicable,
    Indeterminate,
}

impl Expected {
    pub(super) const fn decision(self) -> Decision {
        match self {
            Self::Permit => Decision::Permit,
            Self::Deny => Decision::Deny,
            Self::NotApplicable => Decision::NotApplicable,
            Self::Indeterminate => Decision::Indeterminate,
        }
    }
}

fn operations_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let text = json!({"type": "string"});
    let time = json!({"type": "string", "format": "date-time"});
    schemars::json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "id": {"type": "integer"}, "closedLoopName": text, "requestId": text,
                "subrequestId": text, "actor": text, "operation": text, "target": text,
                "starttime": time, "outcome": text, "message": text, "endtime": time
            }
        }
    })
}

/// The JSON Schema of test files.
pub(crate) fn schema() -> Value {
    schemars::schema_for!(Written).to_value()
}

/// A request, ready to be asked.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// From a file of its own.
    File(PathBuf, Vec<u8>),
    /// A decision request of ONAP, as it stands in the test file.
    Onap(Node),
    /// A XACML request, as JSON.
    Xacml(Vec<u8>),
}

/// One test.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) position: Position,
    pub(super) now: Option<Timestamp>,
    pub(super) operations: Vec<Operation>,
    pub(super) request: Request,
    pub(super) expect: Expect,
}

/// A test file that was read.
#[derive(Clone, Debug)]
pub(super) struct TestFile {
    pub(super) path: PathBuf,
    pub(super) policies: Vec<PathBuf>,
    pub(super) cases: Vec<Case>,
}

impl TestFile {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong, with its place.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|error| {
            let failure =
                Failure::usage(format!("the tests cannot be read: {error}")).in_file(path);
            match error.kind() {
                std::io::ErrorKind::InvalidData => failure.hint("save the file as UTF-8"),
                _ => failure,
            }
        })?;
        let document = Document::read(Language::Yaml, &text, path)?;
        let wrong = |at: &str, what: &str| Failure::usage(what).at(document.place(at));
        if !document.tree.is_object() {
            let hint = "a test file has the keys `policies` and `tests`; see `pdp test --help`";
            return Err(wrong("", "the file holds no tests").hint(hint));
        }
        for (at, test) in document.tree["tests"].as_array().into_iter().flatten().enumerate() {
            for (part, value) in [("", test), (".expect", &test["expect"])] {
                if value.is_array() {
                    let at = format!("tests[{at}]{part}");
                    return Err(wrong(
                        &at,
                        &format!("`{at}`: expected keys with values, found a list"),
                    ));
                }
            }
        }
        let written: Written = document.typed()?;
        if written.tests.is_empty() {
            return Err(
                wrong("tests", "`tests` is empty").hint("`pdp new` writes one to begin with")
            );
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let policies = match &written.policies {
            None => vec![if folder == Path::new("") { ".".into() } else { folder.to_owned() }],
            Some(paths) if paths.is_empty() => {
                return Err(wrong("policies", "`policies` is empty")
                    .hint("leave it out to test the policies beside the file"));
            }
            Some(paths) => paths.iter().map(|path| folder.join(path)).collect(),
        };
        if let Some(at) = policies.iter().position(|path| !path.exists()) {
            let what = format!("there is no policy `{}`", policies[at].display());
            let hint = "paths are taken from the folder of the test file";
            return Err(wrong(&format!("policies[{at}]"), &what).hint(hint));
        }
        let mut names: HashMap<&str, usize> = HashMap::new();
        for (at, test) in written.tests.iter().enumerate() {
            if test.name.trim().is_empty() {
                let hint = "say in a few words what is expected";
                return Err(wrong(&format!("tests[{at}].name"), "the test has no name").hint(hint));
            }
            if let Some(first) = names.insert(&test.name, at) {
                let first = document.position(&format!("tests[{first}]"));
                let what = format!("a test of the name `{}` stands at {first} already", test.name);
                return Err(wrong(&format!("tests[{at}].name"), &what));
            }
        }
        let cases = written
            .tests
            .into_iter()
            .enumerate()
            .map(|(at, test)| case(test, at, folder, &document))
            .collect::<Result<_, _>>()?;
        Ok(Self { path: path.to_owned(), policies, cases })
    }
}

impl TestFile {
    /// The files that hold requests.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Path> {
        self.cases.iter().filter_map(|case| match &case.request {
            Request::File(path, _) => Some(path.as_path()),
            _ => None,
        })
    }
}

fn case(test: WrittenTest, at: usize, folder: &Path, document: &Document) -> Result<Case, Failure> {
    let Expect { decision, status, obligations, policies } = &test.expect;
    if decision.is_none() && status.is_none() && obligations.is_none() && policies.is_none() {
        return Err(Failure::usage(format!("the test `{}` expects nothing", test.name))
            .at(document.place(&format!("tests[{at}].expect")))
            .hint("expect a decision, a status, obligations or policies"));
    }
    let now = test.now.as_deref().map(|text| {
        text.parse::<Timestamp>().map_err(|_| {
            let at = format!("tests[{at}].now");
            Failure::usage(format!("`{at}`: `{text}` is no time"))
                .at(document.place(&at))
                .hint("a time is written as 2026-01-01T00:05:00Z")
        })
    });
    Ok(Case {
        position: document.position(&format!("tests[{at}]")),
        request: request(&test.request, &format!("tests[{at}].request"), folder, document)?,
        name: test.name,
        now: now.transpose()?,
        operations: test.operations,
        expect: test.expect,
    })
}

fn request(
    written: &Value,
    at: &str,
    folder: &Path,
    document: &Document,
) -> Result<Request, Failure> {
    let wrong = |what: String| Failure::usage(what).at(document.place(at));
    let (Some(members), Some(node)) = (written.as_object(), document.node(at)) else {
        return Err(wrong(format!("`{at}`: expected a request, which has keys and values"))
            .hint("an ONAP decision request, a XACML request in JSON, or {file: PATH}"));
    };
    if let Some(file) = members.get("file") {
        let Some(name) = file.as_str().filter(|_| members.len() == 1) else {
            return Err(wrong(format!("`{at}`: `file` is the path of a request and stands alone")));
        };
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(|error| {
            let what = format!("the request `{}` cannot be read: {error}", path.display());
            Failure::usage(what)
                .at(document.place(&format!("{at}.file")))
                .hint("paths are taken from the folder of the test file")
        })?;
        return Ok(Request::File(path, bytes));
    }
    if members.contains_key("Request") {
        let mut json = Vec::new();
        tosca::write_json(node, &mut json);
        return Ok(Request::Xacml(json));
    }
    Ok(Request::Onap(node.clone()))
}

/// The test files that paths name, folders with all that are in them.
///
/// # Errors
/// A path is not there or is no test file, or there is none at all.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let named = |path: &Path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(ENDING))
    };
    let mut found = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(Failure::usage("there is no such file or folder").in_file(path));
        }
        if path.is_file() {
            if !named(path) {
                return Err(Failure::usage(format!("the name of a test file ends in {ENDING}"))
                    .in_file(path)
                    .hint("give the test file, or the folder that it stands in"));
            }
            found.push(path.clone());
            continue;
        }
        let before = found.len();
        let hidden = |entry: &walkdir::DirEntry| {
            entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
        };
        let walk = WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(|entry| !hidden(entry)) {
            let entry = entry.map_err(|error| {
                Failure::usage(format!("the folder cannot be read: {error}")).in_file(path)
            })?;
            if entry.file_type().is_file() && named(entry.path()) {
                found.push(entry.into_path());
            }
        }
        if found.len() == before {
            return Err(Failure::usage(format!("there is no test file (NAME{ENDING})"))
                .in_file(path)
                .hint("`pdp new KIND DIR` writes a policy with a test to begin with"));
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    Ok(found)
}

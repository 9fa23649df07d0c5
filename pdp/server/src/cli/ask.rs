//! One request, decided without a server: what `pdp decide` and `pdp test` share.

use std::fs;
use std::io::Read;
use std::path::Path;

use pdp_engine::context::multiple::Flat;
use pdp_engine::error::{Place, ReadError};
use pdp_engine::eval::trace::Explanation;
use pdp_engine::model::Decision;
use pdp_onap::Application;
use pdp_onap::decision::{self, DecisionError, DecisionRequest};
use pdp_onap::tosca::{self, Node, Syntax};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::decide::{Desk, Formats, Setting, Wire};
use crate::failure::Failure;

/// A request as it was given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body<'b> {
    /// A text in any of the formats.
    Text(&'b [u8]),
    /// A decision request as ONAP asks it, within another document.
    Onap(&'b Node),
}

/// A request and how it is to be answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'q> {
    pub(super) body: Body<'q>,
    /// Where it stands, for messages.
    pub(super) file: &'q Path,
    /// How the answer is written; none: as the request.
    pub(super) response: Option<Wire>,
}

/// Who answered, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) application: Application,
    /// None where the service answers 200 and says that the request cannot be converted.
    pub(super) decision: Option<Decision>,
}

/// What a request is written in, told by its first words.
enum Kind {
    Xacml(Wire),
    Onap(Syntax),
}

impl Kind {
    fn of(bytes: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Top {
            #[serde(rename = "Request")]
            request: Option<IgnoredAny>,
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'<') => Self::Xacml(Wire::Xml),
            Some(b'{') => match serde_json::from_slice(bytes) {
                Ok(Top { request: Some(_) }) => Self::Xacml(Wire::Json),
                _ => Self::Onap(Syntax::Json),
            },
            _ => Self::Onap(Syntax::Yaml),
        }
    }
}

impl Question<'_> {
    /// Decides; the answer is in the desk's `out` afterwards.
    ///
    /// # Errors
    /// The request cannot be read or answered.
    pub(super) fn ask(
        &self,
        desk: &mut Desk,
        setting: &Setting<'_>,
        explanation: &mut Explanation,
    ) -> Result<Reply, Failure> {
        match self.body {
            Body::Text(bytes) => match Kind::of(bytes) {
                Kind::Xacml(wire) => self.xacml(bytes, wire, desk, setting, explanation),
                Kind::Onap(Syntax::Json) => {
                    let request = DecisionRequest::from_json(bytes);
                    self.onap(request, desk, setting, explanation)
                }
                Kind::Onap(Syntax::Yaml) => {
                    let node = tosca::document(bytes, Syntax::Yaml, &tosca::Limits::default())
                        .map_err(|error| self.refused(&error))?;
                    self.onap(DecisionRequest::from_node(&node), desk, setting, explanation)
                }
            },
            Body::Onap(node) => {
                self.onap(DecisionRequest::from_node(node), desk, setting, explanation)
            }
        }
    }

    fn xacml(
        &self,
        bytes: &[u8],
        asked: Wire,
        desk: &mut Desk,
        setting: &Setting<'_>,
        explanation: &mut Explanation,
    ) -> Result<Reply, Failure> {
        let wanted = self.response.unwrap_or(asked);
        let formats = Formats { asked, wanted, short_ids: false };
        let decision = desk
            .xacml(setting, &Flat, bytes, formats, explanation)
            .map_err(|error| self.refused(&error))?;
        Ok(Reply { application: Application::Native, decision: Some(decision) })
    }

    fn onap(
        &self,
        request: Result<DecisionRequest<'_>, DecisionError>,
        desk: &mut Desk,
        setting: &Setting<'_>,
        explanation: &mut Explanation,
    ) -> Result<Reply, Failure> {
        if self.response == Some(Wire::Xml) {
            return Err(
                Failure::usage("the answer to an ONAP request is JSON").at("--response xml")
            );
        }
        let failed = |error: DecisionError| match &error {
            DecisionError::Malformed(detail) => self.malformed(&error, detail),
            _ => Failure::request(error.to_string()).in_file(self.file),
        };
        let request = request.map_err(failed)?;
        match desk.onap_explained(setting, &request, explanation) {
            Ok(ruling) => {
                Ok(Reply { application: ruling.application, decision: Some(ruling.decision) })
            }
            // The service answers 200 and says so; this is its answer.
            Err(DecisionError::Conversion(message)) => {
                desk.out.clear();
                decision::write_failure(&message, &mut desk.out);
                let application = request.application().unwrap_or(Application::Native);
                Ok(Reply { application, decision: None })
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// A parser ends its message with the place; it goes where all places are.
    fn malformed(&self, error: &DecisionError, detail: &str) -> Failure {
        let placed = detail.rsplit_once(" at line ").and_then(|(message, place)| {
            let (line, column) = place.split_once(" column ")?;
            let (line, column) = (line.parse::<u64>().ok()?, column.parse::<u64>().ok()?);
            Some((message, line, column))
        });
        match placed {
            Some((message, line, column)) => {
                Failure::request(message).at(format!("{}:{line}:{column}", self.file.display()))
            }
            None => Failure::request(error.to_string()).in_file(self.file),
        }
    }

    fn refused(&self, error: &ReadError) -> Failure {
        let failure = Failure::request(format!("{} [{}]", error.message, error.code));
        match &error.place {
            Place::Position(at) => failure.at(format!("{}:{at}", self.file.display())),
            Place::Pointer(_) => failure.at(format!("{} {}", self.file.display(), error.place)),
        }
    }
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// It cannot be read, or holds nothing.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let result = if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        fs::read(path).map(|read| bytes = read)
    };
    result.map_err(|error| {
        Failure::usage(format!("the request cannot be read: {error}")).in_file(path)
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::request("the request is empty").in_file(path));
    }
    Ok(bytes)
}

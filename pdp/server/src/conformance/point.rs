//! A decision point for one test: its policies, its attribute provider, its resource tree.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::multiple::Hierarchy;
use pdp_engine::context::{Instant, Limits, Scratch};
use pdp_engine::error::ReadError;
use pdp_engine::eval::trace::Unobserved;
use pdp_engine::finder::{AttributeName, Catalogue, Finder, Found, RequestOnly, Supplier};
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::{xacml3_json, xacml3_xml};
use pdp_engine::model::{OwnedResponse, Policy};
use pdp_engine::program::{Program, Root};
use pdp_engine::value::{Arena, DataType, Value};

use super::manifest::{Config, Provided, Suite, Test};
use super::same;
use crate::decide::{Formats, Wire};
use crate::several::Decider;

/// A decision point that is set up for one test.
pub(super) struct Point<'t> {
    program: Program,
    provider: Provider<'t>,
    config: &'t Config,
    limits: Limits,
    now: Instant,
    /// Why policies of the test were refused.
    pub(super) refusals: Vec<String>,
    /// Whether every root is there.
    pub(super) complete: bool,
}

/// Reads a file of a test.
///
/// # Errors
/// It cannot be read.
pub(super) fn file(suite: &Suite, name: &Path) -> Result<Vec<u8>, String> {
    let path = suite.path(name);
    fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

impl<'t> Point<'t> {
    /// Loads the policies of a test. What is wrong with policies is in `refusals`.
    ///
    /// # Errors
    /// A file is not there, or the test names no root.
    pub(super) fn new(suite: &Suite, test: &'t Test) -> Result<Self, String> {
        let roots = test.root.as_ref().ok_or("the test names no root")?.files();
        let mut refusals = Vec::new();
        let mut policies: Vec<(&Path, Policy)> = Vec::new();
        let also = roots.iter().filter(|root| !test.policies.contains(root));
        for name in test.policies.iter().chain(also) {
            match xacml3_xml::policy::read(&file(suite, name)?, &ReadLimits::POLICY) {
                Ok(policy) => policies.push((name, policy)),
                Err(errors) => refusals.extend(errors.iter().map(ToString::to_string)),
            }
        }
        let mut root = Root::all(Algorithm::OnlyOneApplicable);
        if let [one] = roots {
            let named = policies.iter().find(|(name, _)| *name == one.as_path());
            root.named = named.map(|(_, policy)| (policy.kind, policy.id.as_str().into()));
        }
        let provider = Provider(&test.config.attribute_provider);
        let depth = test.config.max_policy_reference_depth;
        let mut limits = CompileLimits::default();
        limits.reference_depth = depth.unwrap_or(limits.reference_depth);
        limits.variable_depth =
            test.config.max_variable_reference_depth.unwrap_or(limits.variable_depth);
        let mut build = Build::new(root, &provider, limits);
        for (name, policy) in &policies {
            if let Err(found) = build.add(policy, &name.to_string_lossy()) {
                refusals.extend(found.iter().map(ToString::to_string));
            }
        }
        let (program, unlinked) = build.finish();
        refusals.extend(unlinked.iter().map(ToString::to_string));
        let complete = roots.iter().all(|root| {
            policies.iter().any(|(name, policy)| {
                *name == root.as_path()
                    && program
                        .policies()
                        .any(|it| it == (policy.kind, policy.id.as_str(), &policy.version))
            })
        });
        Ok(Self { program, provider, refusals, complete, ..Self::empty(&test.config) })
    }

    /// A decision point without policies.
    pub(super) fn empty(config: &'t Config) -> Self {
        let root = Root::all(Algorithm::OnlyOneApplicable);
        let (program, _) = Build::new(root, &RequestOnly, CompileLimits::default()).finish();
        let now = Timestamp::now();
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
        Self {
            program,
            provider: Provider(&config.attribute_provider),
            config,
            limits: Limits::default(),
            now: Instant { seconds: now.as_second(), nanos },
            refusals: Vec::new(),
            complete: true,
        }
    }

    /// Decides a request with the index and without it.
    ///
    /// # Errors
    /// The two responses differ, or what was written cannot be read.
    pub(super) fn decide(&self, request: &[u8], wire: Wire) -> Result<Response, String> {
        let with = self.decide_once(request, wire, true)?;
        let without = self.decide_once(request, wire, false)?;
        match (&with, &without) {
            (Ok(with), Ok(without)) => same::responses(without, with, &Default::default())
                .map_err(|reason| format!("with the index and without it: {reason}"))?,
            (Err(_), Err(_)) => {}
            _ => return Err("read with the index and refused without it".to_owned()),
        }
        Ok(with)
    }

    fn decide_once(&self, request: &[u8], wire: Wire, indexed: bool) -> Result<Response, String> {
        let limits = Limits { indexed, ..self.limits };
        let decider = Decider {
            program: &self.program,
            finder: &self.provider,
            hierarchy: self.config,
            limits: &limits,
            now: self.now,
        };
        let formats = Formats { asked: wire, wanted: wire, short_ids: false };
        let (mut scratch, mut out) = (Scratch::new(), Vec::new());
        match decider.decide(request, formats, &mut scratch, &mut Unobserved, &mut out) {
            Ok(_) => response(&out, wire)
                .map(Ok)
                .map_err(|error| format!("the response that was written cannot be read: {error}")),
            Err(error) => Ok(Err(error)),
        }
    }
}

/// The response to a request, or why the request was refused.
pub(super) type Response = Result<OwnedResponse, ReadError>;

/// Reads a response.
///
/// # Errors
/// The first problem of the document.
pub(super) fn response(bytes: &[u8], wire: Wire) -> Response {
    match wire {
        Wire::Xml => xacml3_xml::response::read(bytes, &ReadLimits::REQUEST),
        Wire::Json => xacml3_json::response::read(bytes, &ReadLimits::REQUEST),
    }
}

impl Hierarchy for Config {
    fn children(&self, resource: &str) -> Vec<String> {
        self.resource_hierarchy.get(resource).cloned().unwrap_or_default()
    }
}

/// Supplies the attributes that a test lists.
struct Provider<'t>(&'t [Provided]);

impl Catalogue for Provider<'_> {
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String> {
        let found = self.0.iter().position(|provided| {
            *name.category == *provided.category
                && *name.id == *provided.attribute_id
                && name.data_type.uri() == provided.data_type
                && name.issuer.is_none()
        });
        Ok(found.and_then(|at| u32::try_from(at).ok()).map(|question| Supplier {
            name: "the attribute provider",
            question,
            number: 0,
            text: None,
            inputs: Vec::new(),
        }))
    }
}

impl Finder for Provider<'_> {
    fn find<'a>(&self, supplier: &Supplier, _: &[&[Value<'a>]], arena: &'a Arena) -> Found<'a> {
        let Some(provided) = self.0.get(supplier.question as usize) else { return Found::Empty };
        let Some((data_type, _)) = DataType::from_uri(&provided.data_type) else {
            return Found::Failed("its data type is not known");
        };
        let mut values = Vec::with_capacity(provided.values.len());
        for text in &provided.values {
            match Value::parse(data_type, arena.alloc_str(text), arena) {
                Ok(value) => values.push(value),
                Err(error) => return Found::Failed(arena.alloc_str(&error.to_string())),
            }
        }
        Found::Values(arena.alloc_slice_copy(&values))
    }
}

//! From files to the current snapshot.
//!
//! Files are found ([`source`]), read and translated ([`read`]), told apart by identity
//! ([`identity`]) and compiled ([`build`]), one program per application. What comes out is a
//! [`Snapshot`] that never changes; a request takes it once and finishes on it. A policy that is
//! refused is named with its place and does not stop the others.

mod build;
mod identity;
mod problem;
mod read;
mod snapshot;
mod source;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arc_swap::{ArcSwap, Guard};

pub use build::Combining;
pub use problem::{Problem, Problems};
pub use snapshot::{Deployed, Snapshot};
pub use source::Sources;

use crate::failure::Failure;
use crate::telemetry::Deployments;

/// The policies that decide now.
#[derive(Debug)]
pub struct Store {
    current: ArcSwap<Snapshot>,
    /// What was deployed and refused since the start.
    pub deployments: Deployments,
}

impl Store {
    /// Loads policies for a service: problems are logged.
    ///
    /// # Errors
    /// A policy was refused and the sources are strict, or the roots cannot be combined.
    pub fn load(sources: Sources) -> Result<Self, Failure> {
        let (snapshot, problems) = sources.build()?;
        for problem in problems.iter() {
            match problem.severity {
                pdp_engine::error::Severity::Error => tracing::error!("{problem}"),
                pdp_engine::error::Severity::Warning => tracing::warn!("{problem}"),
            }
        }
        let (loaded, refused) = (snapshot.policies.len(), snapshot.refused);
        if refused > 0 {
            tracing::warn!("{loaded} policies loaded, {refused} refused");
        } else {
            tracing::info!("{loaded} policies loaded, none refused");
        }
        if refused > 0 && sources.strict {
            return Err(Failure::policies(format!("{refused} policies were refused")).hint(
                "without --strict the others would decide; `pdp check` lists what is wrong",
            ));
        }
        let deployments = Deployments::default();
        deployments.deployed.store(loaded as u64, Relaxed);
        deployments.refused.store(refused as u64, Relaxed);
        Ok(Self { current: ArcSwap::from_pointee(snapshot), deployments })
    }

    /// The snapshot that decides now.
    pub fn current(&self) -> Guard<Arc<Snapshot>> {
        self.current.load()
    }
}

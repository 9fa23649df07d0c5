//! What was administered before the service started.

use std::sync::{LazyLock, mpsc};

use pdp_onap::cores;
use pdp_onap::tosca::ServiceTemplate;

use super::deploy::Document;
use super::read::Reading;
use super::source::Sources;
use crate::failure::Failure;

/// What was administered when the service started, and how to read it again.
#[derive(Default)]
pub struct Administered {
    /// The deployed policies; none where none are.
    pub deployed: Option<HandOver>,
    /// The types.
    pub types: Vec<ServiceTemplate>,
    /// Reads policies as they are kept.
    pub read: Option<Read>,
}

/// Hands over the deployed policies, in the order of their deployment and some at a time.
pub type HandOver = Box<dyn FnOnce(&mut dyn FnMut(Vec<Document>)) -> Result<(), Failure> + Send>;

/// Reads policies, given by name and version. What cannot be read is left out.
pub type Read = Box<dyn Fn(&[Key]) -> Vec<Document> + Send + Sync>;

/// Name and version of an administered policy.
pub type Key = (String, String);

impl std::fmt::Debug for Administered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Administered").field("types", &self.types.len()).finish_non_exhaustive()
    }
}

/// So many times what is handed over at once may wait until a core has time for it.
const WAITING: usize = 4;

impl Sources {
    /// Translates and compiles the deployed policies while others are still handed over, by the types that
    /// are administered and those of the files.
    ///
    /// # Errors
    /// They cannot be handed over.
    pub(super) fn administered(
        &self,
        deployed: Option<HandOver>,
        types: &[ServiceTemplate],
    ) -> Result<Reading, Failure> {
        let Some(deployed) = deployed else { return Ok(Reading::default()) };
        let types = LazyLock::new(|| self.types(types.to_vec()));
        let (sender, receiver) = mpsc::sync_channel::<Vec<Document>>(WAITING);
        // Whoever takes them is gone only after a panic.
        let hand_over = move || deployed(&mut |some| drop(sender.send(some)));
        let (handed_over, shares) = cores::both(true, hand_over, || {
            cores::each(receiver.into_iter(), |some| self.reader(&types).administered(&some))
        });
        handed_over.map(|()| Reading::of(shares))
    }
}

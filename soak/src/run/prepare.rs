//! Before the load: the service has what is needed, or is brought it.

use std::time::{Duration, Instant};

use crate::plan::{SetupError, Station};
use crate::target::Target;
use crate::target::preflight::{Preflight, preflight};
use crate::target::provisions::{EFFECTIVE_WITHIN, Provisions};

/// Finds out whether the service has what the loads need, and brings to one that is not ours what it
/// lacks.
pub(super) async fn prepare(
    target: &Target,
    station: &Station,
    wait: Duration,
    tag: &str,
) -> Result<(Preflight, Provisions), SetupError> {
    let missing = match preflight(target, station, wait, tag).await? {
        Ok(found) => return Ok((found, Provisions::default())),
        Err(missing) if !target.is_attached() => return Err(missing.error(target, "")),
        Err(missing) => missing,
    };
    let settings = &station.client;
    let brought = Provisions::bring(target, settings, &missing.endpoints).await;
    let provisions = brought.map_err(|why| {
        let tried = format!(
            "; the run would deploy them by itself with the right to administer (--user, --administration), but {why}"
        );
        missing.error(target, &tried)
    })?;
    // What is deployed may take a moment to arrive; what no policy can mend is told at once.
    let deadline = Instant::now() + EFFECTIVE_WITHIN;
    for attempt in 1.. {
        let answer = match preflight(target, station, wait, &format!("{tag}a{attempt}")).await {
            Ok(Ok(found)) => return Ok((found, provisions)),
            Ok(Err(missing)) if provisions.is_empty() || Instant::now() >= deadline => {
                missing.error(target, "; the run has deployed what it could, to no avail")
            }
            Ok(Err(_)) => {
                tokio::time::sleep(Duration::from_millis(500)).await;
                continue;
            }
            Err(error) => error,
        };
        provisions.take_away(target, settings).await;
        return Err(answer);
    }
    unreachable!("the loop ends by returning")
}

//! A service that asks for credentials must refuse whoever has none, or wrong ones.

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE};

use super::Target;
use super::client::ClientSettings;
use crate::measure::record::Refusals;
use crate::scenario::{Subject, identity, requests};

/// Asks for a decision without credentials, and with wrong ones; what the service answered.
pub async fn ask(target: &Target, settings: &ClientSettings, subject: Subject) -> Refusals {
    let mut wrong = settings.clone();
    wrong.forget_credentials();
    let missing = status(target, &wrong, subject).await;
    let tag = format!("{:016x}", crate::scenario::rng::random());
    let wrong = match wrong.basic_auth("soak-nobody", &tag) {
        Ok(()) => status(target, &wrong, subject).await,
        Err(_) => 0,
    };
    Refusals { missing, wrong }
}

/// The status of the answer, 0 if there was none.
async fn status(target: &Target, settings: &ClientSettings, subject: Subject) -> u16 {
    let Ok(client) = settings.builder(target.url.scheme(), None).build() else { return 0 };
    let (endpoint, body) = match subject {
        Subject::Guard => {
            let body = requests::guard("soak-nobody", "nobody", requests::MINMAX_TARGET, 0);
            (crate::measure::endpoint::Endpoint::GuardMinMax, body)
        }
        Subject::Mapping => (crate::measure::endpoint::Endpoint::MapIdentity, identity::request(1)),
    };
    let request = client
        .request(Method::POST, target.endpoint(endpoint))
        .header(ACCEPT, endpoint.media_type())
        .header(CONTENT_TYPE, endpoint.media_type())
        .body(body);
    request.send().await.map_or(0, |response| response.status().as_u16())
}

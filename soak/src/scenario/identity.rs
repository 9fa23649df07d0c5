//! Identity mapping as computing grids do it: the subject of a user's certificate, an X.500 name, and
//! a group become a local account.
//!
//! The facts here are those of the shipped policy set `policies/mapping`: a subject of the
//! organisation below belongs to the pool account of its group; a subject that is banned, or of
//! another organisation, gets none.

use bytes::Bytes;
use goose::goose::Transaction;
use goose::prelude::*;
use serde_json::json;

use super::user::{exchange, state};
use crate::measure::endpoint::Endpoint;
use crate::oracle::Expectation;

/// Subjects that a run asks about.
pub const SUBJECTS: u32 = 20_000;

pub(super) fn map() -> Transaction {
    transaction!(ask).set_name("map-identity")
}

async fn ask(user: &mut GooseUser) -> TransactionResult {
    let subject = state(user).rng.below(SUBJECTS);
    exchange(user, Endpoint::MapIdentity, Some(request(subject)), &expected(subject)).await;
    Ok(())
}

/// A group of the grid, with the account that its members get.
struct Group {
    name: &'static str,
    account: &'static str,
}

const GROUPS: [Group; 4] = [
    Group { name: "/atlas", account: "atlas001" },
    Group { name: "/atlas/production", account: "atlasprd" },
    Group { name: "/biomed", account: "biomed001" },
    Group { name: "/ops/monitor", account: "opsmon" },
];

/// The obligation that carries the account.
pub const OBLIGATION: &str = "urn:pdp:mapping:local-account";
/// The account within the obligation.
pub const ACCOUNT: &str = "urn:pdp:mapping:account";

fn group(subject: u32) -> &'static Group {
    &GROUPS[(subject / 10) as usize % GROUPS.len()]
}

/// Every tenth subject belongs to another organisation.
fn is_foreign(subject: u32) -> bool {
    subject.is_multiple_of(10)
}

fn name(subject: u32) -> String {
    let organisation = if is_foreign(subject) { "Elsewhere" } else { "Example Grid" };
    format!("CN=User {subject:05},OU=People,O={organisation},C=EU")
}

/// The question about a subject.
pub fn request(subject: u32) -> Bytes {
    Bytes::from(
        json!({ "Request": {
            "AccessSubject": { "Attribute": [
                {
                    "AttributeId": "urn:oasis:names:tc:xacml:1.0:subject:subject-id",
                    "DataType": "urn:oasis:names:tc:xacml:1.0:data-type:x500Name",
                    "Value": name(subject),
                },
                {
                    "AttributeId": "urn:pdp:mapping:group",
                    "DataType": "http://www.w3.org/2001/XMLSchema#string",
                    "Value": group(subject).name,
                },
            ] },
            "Action": { "Attribute": [ {
                "AttributeId": "urn:oasis:names:tc:xacml:1.0:action:action-id",
                "DataType": "http://www.w3.org/2001/XMLSchema#string",
                "Value": "map",
            } ] },
            "Resource": { "Attribute": [ {
                "AttributeId": "urn:oasis:names:tc:xacml:1.0:resource:resource-id",
                "DataType": "http://www.w3.org/2001/XMLSchema#string",
                "Value": "urn:pdp:mapping:computing-element",
            } ] },
        } })
        .to_string(),
    )
}

/// The account that must come, or none.
pub fn expected(subject: u32) -> Expectation {
    Expectation::Account((!is_foreign(subject)).then(|| group(subject).account))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_differ_and_most_have_an_account() {
        assert_ne!(request(1), request(2));
        let refused = (0..SUBJECTS).filter(|n| expected(*n) == Expectation::Account(None)).count();
        assert_eq!(refused, SUBJECTS as usize / 10);
        for group in GROUPS {
            let members =
                (0..SUBJECTS).filter(|n| expected(*n) == Expectation::Account(Some(group.account)));
            assert_eq!(members.count(), 4500, "{}", group.name);
        }
    }
}

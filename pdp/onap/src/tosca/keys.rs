//! No key may occur twice in a map.

use std::collections::HashMap;

use pdp_engine::error::ReadError;

use super::node::Entry;

/// Refuses a map that has a key twice, with both places.
pub(super) fn unique(entries: &[Entry]) -> Result<(), ReadError> {
    // Most maps are small, and comparing beats hashing there.
    if entries.len() <= 16 {
        for (at, entry) in entries.iter().enumerate() {
            if let Some(first) = entries[..at].iter().find(|other| other.key == entry.key) {
                return Err(twice(first, entry));
            }
        }
        return Ok(());
    }
    let mut seen: HashMap<&str, &Entry> = HashMap::with_capacity(entries.len());
    for entry in entries {
        if let Some(first) = seen.insert(&entry.key, entry) {
            return Err(twice(first, entry));
        }
    }
    Ok(())
}

#[cold]
fn twice(first: &Entry, second: &Entry) -> ReadError {
    ReadError::at(
        second.key_position,
        "duplicate-key",
        format!("the key `{}` stands already at {}", second.key, first.key_position),
    )
}

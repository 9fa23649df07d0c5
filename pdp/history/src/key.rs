//! Keys of maps that are looked up by borrowed parts, so that a count allocates nothing.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use pdp_onap::history::OperationKey;

/// An operation's key that owns its text.
#[derive(Clone, Debug)]
pub(crate) struct OwnedKey {
    actor: Box<str>,
    operation: Box<str>,
    target: Box<str>,
}

impl From<OperationKey<'_>> for OwnedKey {
    fn from(key: OperationKey<'_>) -> Self {
        Self { actor: key.actor.into(), operation: key.operation.into(), target: key.target.into() }
    }
}

/// What owned and borrowed keys have in common; equality and hash are those of the borrowed form.
pub(crate) trait AsKey {
    fn as_key(&self) -> OperationKey<'_>;
}

impl AsKey for OwnedKey {
    fn as_key(&self) -> OperationKey<'_> {
        OperationKey { actor: &self.actor, operation: &self.operation, target: &self.target }
    }
}

impl AsKey for OperationKey<'_> {
    fn as_key(&self) -> OperationKey<'_> {
        *self
    }
}

impl<'k> Borrow<dyn AsKey + 'k> for OwnedKey {
    fn borrow(&self) -> &(dyn AsKey + 'k) {
        self
    }
}

impl Hash for dyn AsKey + '_ {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_key().hash(state);
    }
}

impl PartialEq for dyn AsKey + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.as_key() == other.as_key()
    }
}

impl Eq for dyn AsKey + '_ {}

impl Hash for OwnedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_key().hash(state);
    }
}

impl PartialEq for OwnedKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_key() == other.as_key()
    }
}

impl Eq for OwnedKey {}

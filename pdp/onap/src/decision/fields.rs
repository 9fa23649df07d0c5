//! The values of a decision request, read without a tree between.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use crate::{ids, tosca};

/// A value whose type the interface leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Loose<'a> {
    #[default]
    Absent,
    Null,
    Text(Cow<'a, str>),
    /// A number or boolean, by its text. Whole numbers have no fraction, however they were written.
    Other(Cow<'a, str>),
    List(Vec<Loose<'a>>),
    Map(Vec<(Cow<'a, str>, Loose<'a>)>),
}

impl<'a> Loose<'a> {
    /// Its text, where it is a scalar.
    pub(super) fn scalar(&self) -> Option<&Cow<'a, str>> {
        match self {
            Self::Text(text) | Self::Other(text) => Some(text),
            Self::Absent | Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The texts of a text or a list of texts. Everything else is dropped, as ONAP does.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Cow<'a, str>> {
        let items = match self {
            Self::List(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        items.iter().filter_map(|item| match item {
            Self::Text(text) => Some(text),
            _ => None,
        })
    }

    /// The value under a key, where it is a map that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The texts of a scalar, or of the scalars of a list, numbers and booleans among them.
    pub(super) fn scalars(&self) -> impl Iterator<Item = &Cow<'a, str>> {
        let items = match self {
            Self::List(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        items.iter().filter_map(Loose::scalar)
    }

    /// Fills the field with the value of `key`, which must stand there for the first time.
    pub(super) fn fill<A: MapAccess<'a>>(
        &mut self,
        key: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        if *self != Self::Absent {
            return Err(A::Error::duplicate_field(key));
        }
        *self = map.next_value()?;
        Ok(())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Loose::Other(Cow::Borrowed(if value { "true" } else { "false" })))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Loose::Other(Cow::Owned(value.to_string())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Loose::Other(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        match tosca::whole(value) {
            Some(value) => self.visit_i64(value),
            None => Ok(Loose::Other(Cow::Owned(format!("{value:?}")))),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Loose::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Loose::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            entries.push((key.0, map.next_value()?));
        }
        Ok(Loose::Map(entries))
    }
}

/// `resource`: what any of the applications reads of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Resource<'a> {
    pub(super) policy_id: Loose<'a>,
    pub(super) policy_type: Loose<'a>,
    pub(super) guard: Option<GuardFields<'a>>,
    /// Everything else, unless it was not wanted.
    pub(super) others: Vec<(Cow<'a, str>, Loose<'a>)>,
}

/// Reads a resource, or null.
pub(super) struct ResourceSeed {
    /// Whether keys without a field of their own are read.
    pub(super) others: bool,
}

impl<'de> DeserializeSeed<'de> for ResourceSeed {
    type Value = Option<Resource<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for ResourceSeed {
    type Value = Option<Resource<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object as `resource`")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(ResourceVisitor { others: self.others }).map(Some)
    }
}

struct ResourceVisitor {
    others: bool,
}

impl<'de> Visitor<'de> for ResourceVisitor {
    type Value = Resource<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object as `resource`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut resource = Resource::default();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            match &*key.0 {
                "policy-id" => resource.policy_id.fill("policy-id", &mut map)?,
                "policy-type" => resource.policy_type.fill("policy-type", &mut map)?,
                "guard" if resource.guard.is_some() => {
                    return Err(A::Error::duplicate_field("guard"));
                }
                "guard" => resource.guard = map.next_value()?,
                _ if self.others => resource.others.push((key.0, map.next_value()?)),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(resource)
    }
}

/// The fields of `resource.guard` that are text, and their attributes.
pub(super) const GUARD_FIELDS: [(&str, &str); 10] = [
    ("actor", ids::GUARD_ACTOR),
    ("operation", ids::GUARD_OPERATION),
    ("clname", ids::GUARD_CONTROL_LOOP),
    ("target", ids::GUARD_TARGET),
    ("generic-vnf.vnf-name", "urn:org:onap:guard:target:generic-vnf.vnf-name"),
    ("generic-vnf.vnf-id", "urn:org:onap:guard:target:generic-vnf.vnf-id"),
    ("generic-vnf.vnf-type", "urn:org:onap:guard:target:generic-vnf.vnf-type"),
    ("generic-vnf.nf-naming-code", "urn:org:onap:guard:target:generic-vnf.nf-naming-code"),
    ("vserver.vserver-id", "urn:org:onap:guard:target:vserver.vserver-id"),
    ("cloud-region.cloud-region-id", "urn:org:onap:guard:target:cloud-region.cloud-region-id"),
];

/// `resource.guard`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GuardFields<'a> {
    /// In the order of [`GUARD_FIELDS`].
    pub(super) texts: [Loose<'a>; GUARD_FIELDS.len()],
    pub(super) vf_count: Loose<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for GuardFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(GuardVisitor)
    }
}

struct GuardVisitor;

impl<'de> Visitor<'de> for GuardVisitor {
    type Value = GuardFields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object as `resource.guard`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = GuardFields::default();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            if &*key.0 == "vfCount" {
                fields.vf_count.fill("vfCount", &mut map)?;
            } else if let Some(at) = GUARD_FIELDS.iter().position(|(name, _)| *name == key.0) {
                fields.texts[at].fill(GUARD_FIELDS[at].0, &mut map)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(fields)
    }
}

/// A key, borrowed where it has no escapes.
pub(super) struct Key<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(LooseVisitor)? {
            Loose::Text(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("a key must be text")),
        }
    }
}

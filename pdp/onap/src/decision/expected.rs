//! The attributes of decision requests, by place: a program that knows this table takes their values
//! without looking at a name.

use pdp_engine::model::ExpectedAttribute;
use pdp_engine::value::DataType;

use super::fields::GUARD_FIELDS;
use crate::ids::{self, category, environment};

/// A place in [`EXPECTED`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(usize);

impl Place {
    pub(super) const SUBJECT_ID: Self = Self(0);
    pub(super) const COMPONENT: Self = Self(1);
    pub(super) const INSTANCE: Self = Self(2);
    pub(super) const REQUEST_ID: Self = Self(3);
    pub(super) const ACTION_ID: Self = Self(4);
    pub(super) const RESOURCE_ID: Self = Self(5);
    pub(super) const POLICY_TYPE: Self = Self(6);
    pub(super) const VF_COUNT: Self = Self(7);
    pub(super) const DATE_TIME: Self = Self(8);
    pub(super) const DATE: Self = Self(9);
    pub(super) const TIME: Self = Self(10);
    pub(super) const TIME_ZONE: Self = Self(11);
    const FIRST_FIELD: usize = 12;

    /// That of a field of `resource.guard`.
    pub(super) const fn guard_field(number: usize) -> Self {
        Self(Self::FIRST_FIELD + number)
    }

    pub(super) const fn number(self) -> usize {
        self.0
    }

    /// The attribute itself.
    pub(super) const fn attribute(self) -> &'static ExpectedAttribute {
        &EXPECTED[self.0]
    }
}

const COUNT: usize = Place::FIRST_FIELD + GUARD_FIELDS.len();

/// The table.
pub(crate) static EXPECTED: [ExpectedAttribute; COUNT] = table();

const fn table() -> [ExpectedAttribute; COUNT] {
    const fn one(
        category: &'static str,
        id: &'static str,
        data_type: DataType,
    ) -> ExpectedAttribute {
        ExpectedAttribute { category, id, data_type }
    }
    const SUBJECT: &str = category::SUBJECT;
    const RESOURCE: &str = category::RESOURCE;
    const ENVIRONMENT: &str = category::ENVIRONMENT;
    let text = one(RESOURCE, "", DataType::String);
    let mut all = [text; COUNT];
    all[Place::SUBJECT_ID.0] = one(SUBJECT, ids::SUBJECT_ID, DataType::String);
    all[Place::COMPONENT.0] = one(SUBJECT, ids::ONAP_COMPONENT, DataType::String);
    all[Place::INSTANCE.0] = one(SUBJECT, ids::ONAP_INSTANCE, DataType::String);
    all[Place::REQUEST_ID.0] = one(SUBJECT, ids::GUARD_REQUEST_ID, DataType::String);
    all[Place::ACTION_ID.0] = one(category::ACTION, ids::ACTION_ID, DataType::String);
    all[Place::RESOURCE_ID.0] = one(RESOURCE, ids::RESOURCE_ID, DataType::String);
    all[Place::POLICY_TYPE.0] = one(RESOURCE, ids::POLICY_TYPE, DataType::String);
    all[Place::VF_COUNT.0] = one(RESOURCE, ids::GUARD_VF_COUNT, DataType::Integer);
    let date_time = environment::CURRENT_DATE_TIME;
    all[Place::DATE_TIME.0] = one(ENVIRONMENT, date_time, DataType::DateTime);
    all[Place::DATE.0] = one(ENVIRONMENT, environment::CURRENT_DATE, DataType::Date);
    all[Place::TIME.0] = one(ENVIRONMENT, environment::CURRENT_TIME, DataType::Time);
    all[Place::TIME_ZONE.0] = one(ENVIRONMENT, ids::GUARD_TIME_ZONE, DataType::Foreign);
    let mut field = 0;
    while field < GUARD_FIELDS.len() {
        all[Place::FIRST_FIELD + field] = one(RESOURCE, GUARD_FIELDS[field].1, DataType::String);
        field += 1;
    }
    all
}

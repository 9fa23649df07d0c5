//! The attributes that policies ask for, and their slots.

use crate::finder::{AttributeName, Catalogue};
use crate::model::{Designator, Selector};
use crate::program::slots::{SlotId, SlotTable};
use crate::value::DataType;

/// An attribute that a policy asks for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'m> {
    category: &'m str,
    id: &'m str,
    data_type: DataType,
    issuer: Option<&'m str>,
}

impl<'m> Asked<'m> {
    /// What a designator asks for.
    pub(super) fn of(designator: &'m Designator, data_type: DataType) -> Self {
        Self {
            category: &designator.category,
            id: &designator.attribute_id,
            data_type,
            issuer: designator.issuer.as_deref(),
        }
    }

    /// What a selector asks for: the attribute that holds the path of its context node.
    pub(super) fn by(selector: &'m Selector) -> Option<Self> {
        Some(Self {
            category: &selector.category,
            id: selector.context_selector_id.as_deref()?,
            data_type: DataType::XPathExpression,
            issuer: None,
        })
    }

    /// Its slot, made if there is none.
    ///
    /// # Errors
    /// Its supplier cannot answer, or asks for it itself: why.
    pub(super) fn settle(
        &self,
        slots: &mut SlotTable,
        catalogue: &dyn Catalogue,
    ) -> Result<SlotId, String> {
        let known = slots.category(self.category).and_then(|category| {
            slots.fits(category, self.id, self.data_type, self.issuer).asked_by(self.issuer)
        });
        if let Some(slot) = known {
            return Ok(slot);
        }
        let name = AttributeName {
            category: self.category.into(),
            id: self.id.into(),
            data_type: self.data_type,
            issuer: self.issuer.map(Into::into),
        };
        settle(name, slots, catalogue, &mut Vec::new())
    }
}

/// The slot of an attribute, made if there is none. `asking` holds the attributes whose suppliers led
/// here: inputs that lead back to one of them would never be answered.
fn settle(
    name: AttributeName,
    slots: &mut SlotTable,
    catalogue: &dyn Catalogue,
    asking: &mut Vec<AttributeName>,
) -> Result<SlotId, String> {
    if let Some(slot) = slots.find(&name) {
        return Ok(slot);
    }
    if asking.contains(&name) {
        return Err(format!("the supplier of `{}` asks for it itself", name.id));
    }
    let supplier = catalogue
        .supplier(&name)
        .map_err(|reason| format!("`{}` cannot be answered: {reason}", name.id))?;
    let Some(supplier) = supplier else { return Ok(slots.add(name, None)) };
    asking.push(name.clone());
    let inputs = supplier
        .inputs
        .iter()
        .map(|input| settle(input.clone(), slots, catalogue, asking))
        .collect::<Result<Box<[SlotId]>, String>>()?;
    asking.pop();
    Ok(slots.add(name, Some((supplier, inputs))))
}

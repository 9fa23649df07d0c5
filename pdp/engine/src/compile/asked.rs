//! The attributes that policies ask for, and their slots.

use crate::finder::{AttributeName, Catalogue};
use crate::model::{
    Child, Designator, Expression, MatchBag, Notice, Policy, Rule, Selector, Target,
};
use crate::program::slots::{SlotId, SlotTable};
use crate::value::DataType;

/// Gives everything that a policy asks for its slot. What has none is told when the policy is lowered.
pub(super) fn declare(policy: &Policy, slots: &mut SlotTable, catalogue: &dyn Catalogue) {
    Declaring { slots, catalogue }.policy(policy);
}

struct Declaring<'d> {
    slots: &'d mut SlotTable,
    catalogue: &'d dyn Catalogue,
}

impl Declaring<'_> {
    fn policy(&mut self, policy: &Policy) {
        self.target(&policy.target);
        policy.variables.iter().for_each(|variable| self.expression(&variable.expression));
        self.notices(&policy.notices);
        for child in &policy.children {
            match child {
                Child::Rule(rule) => self.rule(rule),
                Child::Policy(nested) => self.policy(nested),
                Child::Reference(_) => {}
            }
        }
    }

    fn rule(&mut self, rule: &Rule) {
        rule.target.iter().for_each(|target| self.target(target));
        rule.condition.iter().for_each(|condition| self.expression(condition));
        self.notices(&rule.notices);
    }

    fn target(&mut self, target: &Target) {
        let alternatives = target.any_of.iter().flat_map(|part| &part.all_of);
        for one in alternatives.flat_map(|alternative| &alternative.matches) {
            match &one.bag {
                MatchBag::Designator(designator) => self.designator(designator),
                MatchBag::Selector(selector) => self.selector(selector),
            }
        }
    }

    fn notices(&mut self, notices: &[Notice]) {
        for assignment in notices.iter().flat_map(|notice| &notice.assignments) {
            self.expression(&assignment.expression);
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Designator(designator) => self.designator(designator),
            Expression::Selector(selector) => self.selector(selector),
            Expression::Apply(apply) => {
                apply.arguments.iter().for_each(|argument| self.expression(argument));
            }
            Expression::Literal(_) | Expression::Function { .. } | Expression::Variable { .. } => {}
        }
    }

    fn designator(&mut self, designator: &Designator) {
        if let Some((data_type, _)) = DataType::from_uri(&designator.data_type) {
            self.asked(&Asked::of(designator, data_type));
        }
    }

    fn selector(&mut self, selector: &Selector) {
        if let Some(asked) = Asked::by(selector) {
            self.asked(&asked);
        }
    }

    fn asked(&mut self, asked: &Asked<'_>) {
        let _ = asked.settle(self.slots, self.catalogue);
    }
}

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

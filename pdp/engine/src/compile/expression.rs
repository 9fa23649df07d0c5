//! Lowers expressions and gives each its static type (XACML 3.0 section 5.25 and appendix A).

use hashbrown::{HashMap, HashSet};

use super::call::describe;
use super::lower::{Lowering, at, did_you_mean};
use crate::error::Position;
use crate::function::Type;
use crate::model::{Expression, VariableDefinition};
use crate::program::code::{ExpressionId, ExpressionNode};

/// The variables of one policy. A definition is lowered where it is first used, so that it may
/// stand after its uses, and once.
pub(super) struct Variables<'m> {
    definitions: HashMap<&'m str, (&'m VariableDefinition, State)>,
    /// Those that something refers to.
    used: HashSet<&'m str>,
    reached: Height,
}

/// How deep evaluation goes, variables followed.
#[derive(Clone, Copy, Debug, Default)]
struct Height {
    /// Expressions within each other.
    expressions: usize,
    /// Variables that refer to variables.
    variables: usize,
}

impl Height {
    fn at_least(&mut self, expressions: usize, variables: usize) {
        self.expressions = self.expressions.max(expressions);
        self.variables = self.variables.max(variables);
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    Fresh,
    /// Being lowered: a use now is a cycle.
    Open,
    Lowered(u32, Type, Height),
    /// Reported already.
    Failed,
}

impl<'m> Variables<'m> {
    pub(super) fn new(definitions: &'m [VariableDefinition], lowering: &mut Lowering<'_>) -> Self {
        let mut map = HashMap::with_capacity(definitions.len());
        for definition in definitions {
            if map.insert(definition.id.as_str(), (definition, State::Fresh)).is_some() {
                let message =
                    format!("a variable `{}` stands in this policy already", definition.id);
                lowering.error("duplicate-variable", definition.position, message);
            }
        }
        Self { definitions: map, used: HashSet::new(), reached: Height::default() }
    }

    /// Lowers the definitions that nothing uses, so that their problems are found too.
    pub(super) fn lower_unused(&mut self, lowering: &mut Lowering<'_>) {
        let fresh = |(_, state): &&(&VariableDefinition, State)| matches!(state, State::Fresh);
        let mut unused: Vec<&VariableDefinition> =
            self.definitions.values().filter(fresh).map(|(definition, _)| *definition).collect();
        unused.sort_by_key(|definition| definition.position);
        for definition in &unused {
            // One may have been lowered for another in the meantime.
            if matches!(self.definitions.get(&*definition.id), Some((_, State::Fresh))) {
                self.lower(definition, lowering, 1);
            }
        }
        for definition in unused {
            if !self.used.contains(&*definition.id) {
                let message = format!(
                    "nothing refers to the variable `{}`: it is never evaluated",
                    definition.id
                );
                lowering.warning("unused-variable", definition.position, message);
            }
        }
    }

    fn set(&mut self, id: &str, state: State) {
        if let Some((_, slot)) = self.definitions.get_mut(id) {
            *slot = state;
        }
    }

    fn lower(
        &mut self,
        definition: &'m VariableDefinition,
        lowering: &mut Lowering<'_>,
        depth: usize,
    ) -> Option<(u32, Type)> {
        self.set(&definition.id, State::Open);
        let outer = std::mem::take(&mut self.reached);
        let lowered =
            lowering.expression(&definition.expression, self, depth + 1).map(|(id, found)| {
                lowering.code.variables.push(id);
                (at(lowering.code.variables.len() - 1), found)
            });
        let height = Height {
            expressions: self.reached.expressions.saturating_sub(depth),
            variables: self.reached.variables + 1,
        };
        self.reached.at_least(outer.expressions, outer.variables);
        let state =
            lowered.map_or(State::Failed, |(number, found)| State::Lowered(number, found, height));
        self.set(&definition.id, state);
        lowered
    }

    /// Whether a variable may stand at this depth. What is lowered already was checked where it was
    /// used first, which need not be where it is deepest.
    fn fits(
        &mut self,
        id: &str,
        height: Height,
        position: Position,
        lowering: &mut Lowering<'_>,
        depth: usize,
    ) -> bool {
        let limits = lowering.limits;
        self.reached.at_least(depth + height.expressions, height.variables);
        if height.variables > limits.variable_depth {
            let message = format!(
                "variables refer to variables deeper than the limit of {}, from `{id}` on",
                limits.variable_depth
            );
            lowering.error("limit-depth", position, message);
            return false;
        }
        if depth + height.expressions > limits.expression_depth {
            let message = format!(
                "expressions are nested deeper than the limit of {}, within variable `{id}`",
                limits.expression_depth
            );
            lowering.error("limit-depth", position, message);
            return false;
        }
        true
    }

    fn reference(
        &mut self,
        id: &str,
        position: Position,
        lowering: &mut Lowering<'_>,
        depth: usize,
    ) -> Option<(u32, Type)> {
        if let Some((known, _)) = self.definitions.get_key_value(id) {
            self.used.insert(known);
        }
        if let Some((definition, State::Fresh)) = self.definitions.get(id).copied() {
            self.lower(definition, lowering, depth)?;
        }
        match self.definitions.get(id).copied() {
            Some((_, State::Lowered(number, found, height))) => {
                self.fits(id, height, position, lowering, depth).then_some((number, found))
            }
            Some((_, State::Open)) => {
                let message = format!("variable `{id}` depends on itself");
                lowering.error("variable-cycle", position, message);
                None
            }
            Some((_, State::Failed | State::Fresh)) => None,
            None => {
                let hint = did_you_mean(id, self.definitions.keys().copied());
                let message = format!("unknown variable `{id}`{hint}");
                lowering.error("unknown-variable", position, message);
                None
            }
        }
    }
}

impl Lowering<'_> {
    /// Lowers an expression; none where it has an error, which is reported.
    pub(super) fn expression(
        &mut self,
        expression: &Expression,
        variables: &mut Variables<'_>,
        depth: usize,
    ) -> Option<(ExpressionId, Type)> {
        if depth > self.limits.expression_depth {
            let message = format!(
                "expressions are nested deeper than the limit of {}",
                self.limits.expression_depth
            );
            self.error("limit-depth", expression.position(), message);
            return None;
        }
        variables.reached.at_least(depth, 0);
        match expression {
            Expression::Literal(literal) => {
                let data_type = self.data_type(&literal.data_type, literal.position)?;
                let lit = self.literal(literal)?;
                Some((self.node(ExpressionNode::Literal(lit)), Type::one(data_type)))
            }
            Expression::Designator(designator) => {
                let (slot, data_type) = self.slot(designator)?;
                let must_be_present = designator.must_be_present;
                let node = ExpressionNode::Designator { slot, must_be_present };
                Some((self.node(node), Type::bag(data_type)))
            }
            Expression::Selector(selector) => {
                let (node, data_type) = self.selector(selector)?;
                Some((self.node(node), Type::bag(data_type)))
            }
            Expression::Variable { id, position } => {
                let (number, found) = variables.reference(id, *position, self, depth)?;
                Some((self.node(ExpressionNode::Variable(number)), found))
            }
            Expression::Function { id, position } => {
                let message = format!(
                    "function `{id}` can stand only as the first argument of a higher-order function"
                );
                self.error("function-argument", *position, message);
                None
            }
            Expression::Apply(apply) => self.call(apply, variables, depth),
        }
    }

    pub(super) fn node(&mut self, node: ExpressionNode) -> ExpressionId {
        self.code.expressions.push(node);
        ExpressionId(at(self.code.expressions.len() - 1))
    }

    pub(super) fn argument_type(
        &mut self,
        function: &str,
        number: usize,
        wanted: Type,
        found: Type,
        position: Position,
    ) {
        let message = format!(
            "argument {number} of `{function}` must be {}, not {}",
            describe(wanted),
            describe(found)
        );
        self.error("argument-type", position, message);
    }
}

//! Equal content: everything that a policy says, wherever it stands.
//!
//! Each part is taken apart in full, so that a new field cannot be forgotten here.

use super::{
    AllOf, AnyOf, Apply, Assignment, Child, Designator, Expression, Literal, Match, MatchBag,
    Notice, Policy, PolicyReference, Rule, Selector, Target, VariableDefinition,
};

impl Policy {
    /// Whether both say the same: all fields but positions are equal.
    pub fn same_content(&self, other: &Self) -> bool {
        self.same(other)
    }
}

trait Same {
    fn same(&self, other: &Self) -> bool;
}

impl<T: Same> Same for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

/// Compares the named fields: those before `;` by `==`, those after it part by part. Names every
/// field, positions included, or does not compile.
macro_rules! same {
    ($part:ident { $($plain:ident),*; $($deep:ident),*; $($position:ident),* }) => {
        impl Same for $part {
            fn same(&self, other: &Self) -> bool {
                let Self { $($plain,)* $($deep,)* $($position: _),* } = self;
                true $(&& *$plain == other.$plain)* $(&& $deep.same(&other.$deep))*
            }
        }
    };
}

same!(Rule { id, effect, description; target, condition, notices; position });
same!(Target { ; any_of; position });
same!(AnyOf { ; all_of; position });
same!(AllOf { ; matches; position });
same!(Match { function; literal, bag; position });
same!(VariableDefinition { id; expression; position });
same!(Notice { kind, id, effect; assignments; position });
same!(Assignment { attribute_id, category, issuer; expression; position });
same!(PolicyReference { kind, id, version, earliest, latest, late; ; position });
same!(Apply { function; arguments; position });
same!(Literal { data_type, text, xpath_category, namespaces; ; position });
same!(Designator { category, attribute_id, data_type, issuer, must_be_present; ; position });
same!(Selector {
    category, context_selector_id, path, data_type, must_be_present, namespaces; ; position
});

impl Same for Policy {
    fn same(&self, other: &Self) -> bool {
        let Self {
            kind,
            id,
            version,
            description,
            issuer,
            xpath_version,
            target,
            combining,
            children,
            variables,
            notices,
            position: _,
            combining_position: _,
        } = self;
        (*kind, id, version, description) == (other.kind, &other.id, &other.version, &other.description)
            // Of the issuer only its place is known.
            && issuer.is_some() == other.issuer.is_some()
            && (xpath_version, combining) == (&other.xpath_version, &other.combining)
            && target.same(&other.target)
            && children.same(&other.children)
            && variables.same(&other.variables)
            && notices.same(&other.notices)
    }
}

impl Same for Child {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rule(a), Self::Rule(b)) => a.same(b),
            (Self::Policy(a), Self::Policy(b)) => a.same(b),
            (Self::Reference(a), Self::Reference(b)) => a.same(b),
            (Self::Rule(_) | Self::Policy(_) | Self::Reference(_), _) => false,
        }
    }
}

impl Same for MatchBag {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Designator(a), Self::Designator(b)) => a.same(b),
            (Self::Selector(a), Self::Selector(b)) => a.same(b),
            (Self::Designator(_) | Self::Selector(_), _) => false,
        }
    }
}

impl Same for Expression {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(a), Self::Literal(b)) => a.same(b),
            (Self::Designator(a), Self::Designator(b)) => a.same(b),
            (Self::Selector(a), Self::Selector(b)) => a.same(b),
            (Self::Apply(a), Self::Apply(b)) => a.same(b),
            (Self::Function { id: a, position: _ }, Self::Function { id: b, position: _ }) => {
                a == b
            }
            (Self::Variable { id: a, position: _ }, Self::Variable { id: b, position: _ }) => {
                a == b
            }
            (
                Self::Literal(_)
                | Self::Designator(_)
                | Self::Selector(_)
                | Self::Apply(_)
                | Self::Function { .. }
                | Self::Variable { .. },
                _,
            ) => false,
        }
    }
}

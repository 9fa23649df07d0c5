//! Names become types and slots.

use std::sync::Arc;

use super::asked::Asked;
use super::lower::Lowering;
use crate::error::Position;
use crate::model::{Designator, Literal, Selector};
use crate::program::code::{ExpressionNode, Lit, SelectorAt, SelectorNode};
use crate::program::slots::SlotId;
use crate::value::{DataType, OwnedValue, Spelling};
use crate::xpath::{self, ResultKind};

impl Lowering<'_> {
    pub(super) fn data_type(&mut self, uri: &str, position: Position) -> Option<DataType> {
        match DataType::from_uri(uri) {
            Some((data_type, spelling)) => {
                if spelling != Spelling::Current {
                    let message = format!("`{uri}` is deprecated; use `{}`", data_type.uri());
                    self.warning("deprecated", position, message);
                }
                Some(data_type)
            }
            None => {
                let known = DataType::ALL.iter().map(|data_type| data_type.uri());
                let message =
                    format!("unknown data type `{uri}`{}", super::lower::did_you_mean(uri, known));
                self.error("unknown-type", position, message);
                None
            }
        }
    }

    /// A literal of a data type that is known, checked by it.
    pub(super) fn literal(&mut self, literal: &Literal) -> Option<Lit> {
        let (data_type, _) = DataType::from_uri(&literal.data_type)?;
        let read = match data_type {
            DataType::String => return Some(self.frame.literals.push_shared(&literal.text)),
            DataType::XPathExpression => {
                let category = literal.xpath_category.as_deref().unwrap_or_default();
                let namespaces = literal.namespaces.iter().map(|(prefix, uri)| (&**prefix, &**uri));
                OwnedValue::xpath(&literal.text, category, namespaces)
            }
            _ => OwnedValue::parse(&literal.data_type, &literal.text),
        };
        match read {
            Ok(value) => Some(self.frame.literals.push_value(value)),
            Err(error) => {
                self.error("bad-literal", literal.position, error.to_string());
                None
            }
        }
    }

    /// The slot of a designator, and the type of its values.
    pub(super) fn slot(&mut self, designator: &Designator) -> Option<(SlotId, DataType)> {
        let data_type = self.data_type(&designator.data_type, designator.position)?;
        let asked = Asked::of(designator, data_type);
        let slot = self.settled(&asked, designator.position)?;
        Some((slot, data_type))
    }

    /// A selector, its path compiled, and the type of its values.
    pub(super) fn selector(&mut self, selector: &Selector) -> Option<(ExpressionNode, DataType)> {
        let data_type = self.data_type(&selector.data_type, selector.position);
        let path = match xpath::Expression::compile(&selector.path, &selector.namespaces) {
            Ok(path) if path.kind() == ResultKind::NodeSet => path,
            Ok(path) => {
                let message = format!("the path gives {}, not nodes", path.kind());
                self.error("bad-path", selector.position, message);
                return None;
            }
            Err(error) => {
                let message = format!("`{}` is not an XPath expression: {error}", selector.path);
                self.error("bad-path", selector.position, message);
                return None;
            }
        };
        let data_type = data_type?;
        let context = match Asked::by(selector) {
            None => None,
            Some(asked) => Some(self.settled(&asked, selector.position)?),
        };
        self.frame.selectors.push(Arc::new(SelectorNode {
            category: (&*selector.category).into(),
            path,
            context,
            data_type,
            spelling: DataType::from_uri(&selector.data_type)?.1,
            must_be_present: selector.must_be_present,
        }));
        let at = SelectorAt(super::lower::at(self.frame.selectors.len() - 1));
        Some((ExpressionNode::Selector(at), data_type))
    }

    fn settled(&mut self, asked: &Asked<'_>, position: Position) -> Option<SlotId> {
        match asked.settle(self.slots, self.catalogue) {
            Ok(slot) => Some(slot),
            Err(message) => {
                self.error("attribute-unanswerable", position, message);
                None
            }
        }
    }
}

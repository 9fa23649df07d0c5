//! XPath expressions as values (XACML 3.0 appendix A.2).
//!
//! Path, category and namespaces are held in one text with NUL between the pieces, a character that
//! none of them can hold: so the value is as small as a string, whoever owns the text.

use super::{Arena, Data, DataType, Value, ValueError};

/// An XPath expression with what it needs to be evaluated and written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct XPathExpression<'a> {
    /// Path, category, then prefix and namespace in turn.
    packed: &'a str,
}

impl<'a> XPathExpression<'a> {
    /// The expression, without blanks around it.
    #[inline]
    pub fn path(&self) -> &'a str {
        self.pieces().next().unwrap_or_default()
    }

    /// The category whose Content it is evaluated over.
    pub fn category(&self) -> &'a str {
        self.pieces().nth(1).unwrap_or_default()
    }

    /// Prefix and namespace, in scope where the value was written.
    pub fn namespaces(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let mut pieces = self.pieces().skip(2);
        std::iter::from_fn(move || Some((pieces.next()?, pieces.next()?)))
    }

    fn pieces(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.packed.split('\0')
    }

    pub(super) const fn packed(&self) -> &'a str {
        self.packed
    }

    pub(super) const fn unpack(packed: &'a str) -> Self {
        Self { packed }
    }
}

impl<'a> Value<'a> {
    /// An XPath expression over the Content of `category`, with the namespaces in scope where it
    /// was written.
    ///
    /// # Errors
    /// There is no expression or no category, or a text holds a character that XML has not.
    pub fn xpath<'n>(
        path: &str,
        category: &str,
        namespaces: impl IntoIterator<Item = (&'n str, &'n str)>,
        arena: &'a Arena,
    ) -> Result<Self, ValueError> {
        let error = |reason: &str| Err(ValueError::new(DataType::XPathExpression, path, reason));
        let path = super::text::trim(path);
        if path.is_empty() {
            return error("expected an XPath expression");
        }
        if category.is_empty() {
            return error("it needs an XPathCategory");
        }
        let mut packed = bumpalo::collections::String::new_in(arena);
        packed.push_str(path);
        packed.push('\0');
        packed.push_str(category);
        let mut separators = 1;
        for (prefix, namespace) in namespaces {
            for piece in [prefix, namespace] {
                packed.push('\0');
                packed.push_str(piece);
                separators += 1;
            }
        }
        if packed.bytes().filter(|byte| *byte == 0).count() != separators {
            return error("it holds a NUL character");
        }
        let packed = packed.into_bump_str();
        Ok(Self::new(Data::XPathExpression(XPathExpression { packed })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back() {
        let arena = Arena::new();
        let check = |namespaces: &[(&str, &str)]| {
            let value = Value::xpath(" \n//md:a ", "urn:c", namespaces.iter().copied(), &arena)
                .expect("an expression");
            let Data::XPathExpression(expression) = value.data() else { panic!("of its type") };
            assert_eq!((expression.path(), expression.category()), ("//md:a", "urn:c"));
            assert_eq!(expression.namespaces().collect::<Vec<_>>(), namespaces);
            assert_eq!(value.written_text(), Some("//md:a"));
        };
        check(&[]);
        check(&[("", "urn:default"), ("md", "urn:md")]);
        assert!(Value::xpath(" ", "urn:c", [], &arena).is_err());
        assert!(Value::xpath("/a", "", [], &arena).is_err());
        assert!(Value::xpath("/a\0", "urn:c", [], &arena).is_err());
    }
}

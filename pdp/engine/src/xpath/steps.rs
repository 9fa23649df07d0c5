//! Location paths: steps, node tests, predicates (XPath 1.0 section 2).

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::syntax::{Axis, NodeTest, Path, Predicate, Start, Step, Term};

impl<'p> Parser<'_, 'p> {
    pub(super) fn location(&mut self) -> Parsed<Term> {
        let mut steps = Vec::new();
        let start = match self.peek() {
            Token::Slash => {
                self.at += 1;
                if !self.starts_step() {
                    return Ok(Term::Path(Path { start: Start::Root, steps }));
                }
                Start::Root
            }
            Token::TwoSlashes => {
                self.at += 1;
                steps.push(any_below());
                Start::Root
            }
            _ => Start::Context,
        };
        self.steps(&mut steps)?;
        Ok(Term::Path(Path { start, steps }))
    }

    fn starts_step(&self) -> bool {
        matches!(
            self.peek(),
            Token::Dot
                | Token::TwoDots
                | Token::At
                | Token::Axis(_)
                | Token::NodeType(_)
                | Token::Name(..)
                | Token::InNamespace(_)
                | Token::Star
        )
    }

    pub(super) fn steps(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        loop {
            let step = self.step()?;
            push_step(steps, step);
            if self.take_if(Token::TwoSlashes) {
                steps.push(any_below());
            } else if !self.take_if(Token::Slash) {
                return Ok(());
            }
        }
    }

    fn step(&mut self) -> Parsed<Step> {
        let whole = |axis| Step { axis, test: NodeTest::Node, predicates: Vec::new() };
        let axis = match self.peek() {
            Token::Dot => {
                self.at += 1;
                return Ok(whole(Axis::Itself));
            }
            Token::TwoDots => {
                self.at += 1;
                return Ok(whole(Axis::Parent));
            }
            Token::At => {
                self.at += 1;
                Axis::Attribute
            }
            Token::Axis(name) => {
                let Some((_, axis)) = Axis::ALL.iter().find(|(known, _)| *known == name) else {
                    return self.error(format!("`{name}` is not an axis"));
                };
                self.at += 1;
                self.expect(Token::TwoColons, "`::`")?;
                *axis
            }
            _ => Axis::Child,
        };
        let test = self.node_test()?;
        let predicates = self.predicates()?;
        Ok(Step { axis, test, predicates })
    }

    fn node_test(&mut self) -> Parsed<NodeTest> {
        let test = match self.peek() {
            Token::Star => NodeTest::AnyName,
            Token::InNamespace(prefix) => NodeTest::InNamespace(self.uri(prefix)?),
            Token::Name(prefix, local) => {
                NodeTest::Name { uri: self.uri(prefix)?, local: local.into() }
            }
            Token::NodeType(name) => {
                self.at += 1;
                self.expect(Token::Open, "`(`")?;
                let test = match (name, self.peek()) {
                    ("processing-instruction", Token::Literal(target)) => {
                        self.at += 1;
                        NodeTest::Instruction(Some(target.into()))
                    }
                    ("processing-instruction", _) => NodeTest::Instruction(None),
                    ("text", _) => NodeTest::Text,
                    ("comment", _) => NodeTest::Comment,
                    _ => NodeTest::Node,
                };
                self.expect(Token::Close, "`)`")?;
                return Ok(test);
            }
            Token::End => return self.error("the expression ends where a step is expected"),
            _ => return self.error("expected a step: a name, `*`, `.`, `..`, `@` or a node test"),
        };
        self.at += 1;
        Ok(test)
    }

    fn uri(&self, prefix: &str) -> Parsed<Box<str>> {
        if prefix.is_empty() {
            return Ok("".into());
        }
        match (self.namespace)(prefix) {
            Some(uri) => Ok(uri.into()),
            None => self.error(format!("the prefix `{prefix}` is not declared")),
        }
    }

    pub(super) fn predicates(&mut self) -> Parsed<Vec<Predicate>> {
        let mut predicates = Vec::new();
        while self.take_if(Token::OpenPredicate) {
            let term = self.nested()?;
            self.expect(Token::ClosePredicate, "`]`")?;
            predicates.push(Predicate::new(term));
        }
        Ok(predicates)
    }
}

/// `descendant-or-self::node()`, which `//` stands for.
pub(super) fn any_below() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: NodeTest::Node, predicates: Vec::new() }
}

/// `//x` is two steps; where no predicate counts nodes they are one walk.
fn push_step(steps: &mut Vec<Step>, mut step: Step) {
    let after_any_below = steps.last().is_some_and(|last| {
        last.axis == Axis::DescendantOrSelf
            && last.test == NodeTest::Node
            && last.predicates.is_empty()
    });
    if after_any_below && step.predicates.iter().all(Predicate::is_plain) {
        let merged = match step.axis {
            Axis::Child | Axis::Descendant => Some(Axis::Descendant),
            Axis::Itself | Axis::DescendantOrSelf => Some(Axis::DescendantOrSelf),
            _ => None,
        };
        if let Some(axis) = merged {
            step.axis = axis;
            steps.pop();
        }
    }
    steps.push(step);
}

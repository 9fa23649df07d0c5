//! From the dialect to the syntax of the `regex` crate, piece by piece.

use super::class;

/// Levels of parentheses.
const MAX_DEPTH: usize = 100;

/// Pieces, repetitions written out.
const MAX_WEIGHT: usize = 10_000;

/// What a pattern becomes.
pub(super) struct Translated {
    pub(super) regex: String,
    /// How many pieces it has once repetitions are written out.
    pub(super) weight: usize,
    pub(super) back_references: bool,
}

/// What is wrong, and at which character, counted from 0.
#[derive(Debug)]
pub(super) struct PatternError {
    pub(super) at: usize,
    pub(super) reason: String,
}

pub(super) type Result<T> = std::result::Result<T, PatternError>;

/// The characters of a pattern.
pub(super) struct Source<'t> {
    text: &'t str,
    /// Characters read.
    pub(super) at: usize,
}

impl Source<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.text.chars().next()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.text.chars().nth(1)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.text = &self.text[c.len_utf8()..];
        self.at += 1;
        Some(c)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.next();
        }
        there
    }

    /// An error at the character read last.
    pub(super) fn error<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(PatternError { at: self.at.saturating_sub(1), reason: reason.into() })
    }

    /// Digits as a number; none without digits or beyond what a repetition may say.
    fn number(&mut self) -> Option<usize> {
        let count = self.text.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.text[..count].parse().ok();
        self.text = &self.text[count..];
        self.at += count;
        number
    }
}

/// An open parenthesis.
struct Group {
    /// Its number, where it captures.
    number: Option<usize>,
    /// Weight of what came before it.
    before: usize,
    at: usize,
}

struct Translator<'t> {
    source: Source<'t>,
    out: String,
    open: Vec<Group>,
    /// By number less one: whether the group is closed.
    closed: Vec<bool>,
    /// Weight since the innermost open parenthesis.
    weight: usize,
    /// Weight of the last piece; none where there is nothing to repeat.
    last: Option<usize>,
    back_references: bool,
}

pub(super) fn translate(text: &str) -> Result<Translated> {
    let mut translator = Translator {
        source: Source { text, at: 0 },
        out: String::with_capacity(text.len() * 2),
        open: Vec::new(),
        closed: Vec::new(),
        weight: 0,
        last: None,
        back_references: false,
    };
    while let Some(c) = translator.source.next() {
        translator.piece(c)?;
    }
    if let Some(group) = translator.open.last() {
        return Err(PatternError { at: group.at, reason: "`(` is not closed".to_owned() });
    }
    Ok(Translated {
        regex: translator.out,
        weight: translator.weight.max(1),
        back_references: translator.back_references,
    })
}

impl Translator<'_> {
    fn piece(&mut self, c: char) -> Result<()> {
        match c {
            '(' => self.open_group(),
            ')' => self.close_group(),
            '|' => {
                self.out.push('|');
                self.last = None;
                Ok(())
            }
            '*' | '+' | '?' => {
                let weight = self.repeatable()?;
                self.out.push(c);
                self.repeated(weight, 1)
            }
            '{' => self.counted(),
            '}' | ']' => self.source.error(format!("`{c}` stands for itself only as `\\{c}`")),
            '[' => {
                let class = class::class(&mut self.source, 0)?;
                self.atom(&class)
            }
            '.' => self.atom(r"[^\n]"),
            '^' => self.atom(r"\A"),
            '$' => self.atom(r"\z"),
            '\\' => self.escape(),
            _ => {
                self.out.push(c);
                self.weigh(1)
            }
        }
    }

    fn atom(&mut self, regex: &str) -> Result<()> {
        self.out.push_str(regex);
        self.weigh(1)
    }

    fn weigh(&mut self, weight: usize) -> Result<()> {
        self.last = Some(weight);
        self.weight += weight;
        let before: usize = self.open.iter().map(|group| group.before).sum();
        if before + self.weight > MAX_WEIGHT {
            return self.source.error(format!(
                "it has more than {MAX_WEIGHT} pieces once repetitions are written out"
            ));
        }
        Ok(())
    }

    fn open_group(&mut self) -> Result<()> {
        if self.open.len() == MAX_DEPTH {
            return self.source.error(format!("more than {MAX_DEPTH} levels of parentheses"));
        }
        let at = self.source.at - 1;
        let number = if self.source.eat('?') {
            if !self.source.eat(':') {
                self.source.next();
                return self.source.error(
                    "after `(?` only `:` is understood: there are no flags and no look-around",
                );
            }
            self.out.push_str("(?:");
            None
        } else {
            self.out.push('(');
            self.closed.push(false);
            Some(self.closed.len())
        };
        self.open.push(Group { number, before: self.weight, at });
        self.weight = 0;
        self.last = None;
        Ok(())
    }

    fn close_group(&mut self) -> Result<()> {
        let Some(group) = self.open.pop() else {
            return self.source.error("`)` closes nothing");
        };
        if let Some(number) = group.number {
            self.closed[number - 1] = true;
        }
        self.out.push(')');
        let inside = self.weight.max(1);
        self.weight = group.before;
        self.weigh(inside)
    }

    /// The weight of what a quantifier repeats.
    fn repeatable(&mut self) -> Result<usize> {
        match self.last.take() {
            Some(weight) => Ok(weight),
            None => self.source.error("the quantifier has nothing to repeat"),
        }
    }

    /// After a quantifier: `?` makes it reluctant; it cannot be repeated itself.
    fn repeated(&mut self, weight: usize, times: usize) -> Result<()> {
        if self.source.eat('?') {
            self.out.push('?');
        }
        self.weigh(weight.saturating_mul(times.saturating_sub(1)))?;
        self.last = None;
        Ok(())
    }

    /// `{n}`, `{n,}`, `{n,m}`.
    fn counted(&mut self) -> Result<()> {
        const EXPECTED: &str = "expected a quantifier such as `{2}`, `{2,}` or `{2,5}`; `{` stands for itself only as `\\{`";
        let weight = self.repeatable()?;
        let Some(least) = self.source.number() else { return self.source.error(EXPECTED) };
        self.out.push_str(&format!("{{{least}"));
        let mut most = least;
        if self.source.eat(',') {
            self.out.push(',');
            if self.source.peek() != Some('}') {
                let Some(number) = self.source.number() else { return self.source.error(EXPECTED) };
                if number < least {
                    return self.source.error(format!("`{{{least},{number}}}` counts backwards"));
                }
                most = number;
                self.out.push_str(&number.to_string());
            }
        }
        if !self.source.eat('}') {
            self.source.next();
            return self.source.error(EXPECTED);
        }
        self.out.push('}');
        self.repeated(weight, most.max(1))
    }

    fn escape(&mut self) -> Result<()> {
        let Some(c) = self.source.next() else {
            return self.source.error("`\\` has nothing to escape");
        };
        if let Some(digit) = c.to_digit(10).filter(|digit| *digit > 0) {
            return self.back_reference(digit as usize);
        }
        if let Some(plain) = class::single(c) {
            if matches!(plain, '\n' | '\r' | '\t' | '-') {
                self.out.push(plain);
            } else {
                self.out.push('\\');
                self.out.push(plain);
            }
            return self.weigh(1);
        }
        let class = class::multiple(&mut self.source, c)?;
        self.atom(&class)
    }

    /// As many digits as name a group that begins before; the group must be closed.
    fn back_reference(&mut self, first: usize) -> Result<()> {
        let mut number = first;
        while let Some(digit) = self.source.peek().and_then(|c| c.to_digit(10)) {
            let longer = number * 10 + digit as usize;
            if longer > self.closed.len() {
                break;
            }
            number = longer;
            self.source.next();
        }
        if !self.closed.get(number - 1).copied().unwrap_or(false) {
            return self
                .source
                .error(format!("`\\{number}` refers to no group that is closed before it"));
        }
        self.back_references = true;
        // A group that took no part in the match stands for nothing.
        self.atom(&format!("(?:(?({number})\\{number}))"))
    }
}

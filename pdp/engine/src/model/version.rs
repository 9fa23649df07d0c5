//! Versions and version patterns (XACML 3.0 sections 5.11 to 5.13).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A version: numbers with dots between. `1.10` comes after `1.9`; `1` comes before `1.0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    numbers: Arc<[u64]>,
}

impl Default for Version {
    /// `1.0`, for policies whose format lets the version out.
    fn default() -> Self {
        Self { numbers: Arc::from([1, 0]) }
    }
}

impl Version {
    /// Its numbers.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split('.')
            .map(|piece| {
                if piece.is_empty() || !piece.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(format!(
                        "`{text}` is not a version: numbers with dots between, such as 1.0.0"
                    ));
                }
                piece
                    .parse()
                    .map_err(|_| format!("`{text}` is not a version: {piece} is too large"))
            })
            .collect::<Result<Arc<[u64]>, String>>()?;
        Ok(Self { numbers })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.numbers.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            write!(f, "{number}")?;
        }
        Ok(())
    }
}

/// One piece of a version pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Piece {
    Number(u64),
    /// `*`: any one number.
    AnyOne,
    /// `+`: one or more numbers, to the end.
    AnyMore,
}

/// A version pattern: `1.2.3`, `1.*.3`, `1.+`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionPattern {
    pieces: Vec<Piece>,
}

impl VersionPattern {
    /// Whether `version` fits the pattern.
    pub fn matches(&self, version: &Version) -> bool {
        let mut numbers = version.numbers.iter();
        for piece in &self.pieces {
            match piece {
                Piece::AnyMore => return numbers.next().is_some(),
                Piece::AnyOne if numbers.next().is_none() => return false,
                Piece::Number(expected) if numbers.next() != Some(expected) => return false,
                Piece::AnyOne | Piece::Number(_) => {}
            }
        }
        numbers.next().is_none()
    }

    /// Whether `version` is at or after the pattern, read as a lower bound.
    pub fn admits_as_earliest(&self, version: &Version) -> bool {
        self.compare(version) != Ordering::Less
    }

    /// Whether `version` is at or before the pattern, read as an upper bound.
    pub fn admits_as_latest(&self, version: &Version) -> bool {
        self.compare(version) != Ordering::Greater
    }

    /// `version` against the pattern, piece by piece; a wildcard accepts.
    fn compare(&self, version: &Version) -> Ordering {
        let mut numbers = version.numbers.iter();
        for piece in &self.pieces {
            match (piece, numbers.next()) {
                (Piece::AnyMore, _) => return Ordering::Equal,
                (_, None) => return Ordering::Less,
                (Piece::AnyOne, Some(_)) => {}
                (Piece::Number(bound), Some(number)) => match number.cmp(bound) {
                    Ordering::Equal => {}
                    other => return other,
                },
            }
        }
        if numbers.next().is_some() { Ordering::Greater } else { Ordering::Equal }
    }
}

impl FromStr for VersionPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "`{text}` is not a version pattern: numbers or `*` with dots between, `+` at the end, such as 1.*.3 or 1.+"
            )
        };
        let mut pieces = Vec::new();
        let mut rest = text.split('.').peekable();
        while let Some(piece) = rest.next() {
            pieces.push(match piece {
                "*" => Piece::AnyOne,
                "+" if rest.peek().is_none() => Piece::AnyMore,
                digits
                    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
                {
                    Piece::Number(digits.parse().map_err(|_| refused())?)
                }
                _ => return Err(refused()),
            });
        }
        Ok(Self { pieces })
    }
}

impl fmt::Display for VersionPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, piece) in self.pieces.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            match piece {
                Piece::Number(number) => write!(f, "{number}")?,
                Piece::AnyOne => f.write_str("*")?,
                Piece::AnyMore => f.write_str("+")?,
            }
        }
        Ok(())
    }
}

//! Integers without bound (XACML 3.0 section 10.2.7, XML Schema part 2 section 3.3.13).

/// An integer. Small ones are held as such; larger ones as canonical decimal text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integer<'a> {
    /// Fits 64 bits.
    Small(i64),
    /// Beyond 64 bits: sign where negative, then digits without leading zero.
    Big(&'a str),
}

//! Mail addresses (XACML 3.0 section 10.2.7, `rfc822Name`): local part exact, domain without case.

use super::Arena;
use super::error::Parsed;

/// The local part and the domain, split at the last `@`.
pub(crate) fn split_address(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once('@')
}

/// The domain of a canonical address.
pub(crate) fn domain(address: &str) -> &str {
    split_address(address).map_or("", |(_, domain)| domain)
}

/// The canonical form: the domain in lower case.
pub(super) fn parse_rfc822<'a>(text: &'a str, arena: &'a Arena) -> Parsed<&'a str> {
    const EXPECTED: &str = "expected `local-part@domain`";
    let (local, domain) = split_address(text).ok_or(EXPECTED)?;
    if local.is_empty() || domain.is_empty() {
        return Err(EXPECTED.into());
    }
    if domain.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Ok(text);
    }
    let domain = domain.to_lowercase();
    Ok(bumpalo::format!(in arena, "{local}@{domain}",).into_bump_str())
}

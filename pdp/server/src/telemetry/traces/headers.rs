//! Headers that a collector wants with every request, such as a key: `tracing.headers`, or what
//! OpenTelemetry's variables say.

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::config::Secret;
use crate::failure::Failure;

const SETTING: &str = "setting tracing.headers, or variable OTEL_EXPORTER_OTLP_HEADERS";
/// What the service says of its requests by itself.
const OWN: [&str; 6] = [
    "host",
    "connection",
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
];

/// Reads `NAME=VALUE,NAME=VALUE`, values with `%XX` where they need it, as OpenTelemetry's specification of
/// the exporter has it; gives the lines of a request's head.
///
/// # Errors
/// A part is no header. Values are not repeated.
pub(super) fn lines(setting: &Secret) -> Result<Secret, Failure> {
    let mut lines = String::new();
    let parts = setting.reveal().split(',').map(str::trim);
    for (number, part) in (1..).zip(parts).filter(|(_, part)| !part.is_empty()) {
        let wrong = |what: &str| {
            Failure::usage(format!("header {number} {what}")).at(SETTING).hint(
                "write NAME=VALUE, several with commas, a comma or % in a value as %2C or %25",
            )
        };
        let (name, value) = part.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
        let name = HeaderName::from_bytes(name.trim().as_bytes())
            .map_err(|_| wrong("has a name that none can have"))?;
        if OWN.contains(&name.as_str()) {
            return Err(wrong(&format!("is `{name}`, which the service sets by itself")));
        }
        let value = decoded(value.trim())
            .filter(|value| HeaderValue::from_str(value).is_ok())
            .ok_or_else(|| wrong(&format!("(`{name}`) has a value that none can have")))?;
        lines.push_str(&format!("{name}: {value}\r\n"));
    }
    Ok(Secret::new(lines))
}

/// With each `%XX` as the byte that it stands for; nothing where a `%` begins none.
fn decoded(text: &str) -> Option<String> {
    let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_written_as_opentelemetry_writes_them() {
        for (text, expected) in [
            ("", ""),
            ("api-key=abc", "api-key: abc\r\n"),
            (" Api-Key = abc , tenant=a%2Cb,", "api-key: abc\r\ntenant: a,b\r\n"),
            ("Authorization=Basic%20dTpw==", "authorization: Basic dTpw==\r\n"),
            ("x=", "x: \r\n"),
        ] {
            let lines = lines(&Secret::new(text)).expect(text);
            assert_eq!(lines.reveal(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_header_is_told_without_its_value() {
        for (text, says) in [
            ("secret", "header 1 has no `=`"),
            ("a=1,=secret", "header 2 has a name"),
            ("a b=secret", "header 1 has a name"),
            ("a=secret%0d%0ab: c", "header 1 (`a`) has a value"),
            ("a=secret%f", "header 1 (`a`) has a value"),
            ("a=secret%+1", "header 1 (`a`) has a value"),
            ("Host=secret", "`host`, which the service sets"),
        ] {
            let failure = lines(&Secret::new(text)).expect_err(text);
            assert!(failure.what.contains(says), "{text}: {failure}");
            assert!(!format!("{failure:?}").contains("secret"), "{failure:?}");
        }
    }
}

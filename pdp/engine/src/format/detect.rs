//! Which format is it? By media type, or by the first bytes.

/// A format of requests, responses and policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// XACML 3.0 in XML.
    Xacml3Xml,
    /// The JSON profile of XACML 3.0.
    Xacml3Json,
}

impl Format {
    /// The media type of its documents.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Xacml3Xml => "application/xacml+xml",
            Self::Xacml3Json => "application/xacml+json",
        }
    }

    /// The format that a media type names, parameters aside.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let named = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(essence));
        if named(&["application/xacml+xml", "application/xml", "text/xml"]) {
            Some(Self::Xacml3Xml)
        } else if named(&["application/xacml+json", "application/json"]) {
            Some(Self::Xacml3Json)
        } else {
            None
        }
    }

    /// The format of a document, by its first bytes.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match bytes.trim_ascii_start() {
            [b'<', ..] | [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0, b'<', ..] => {
                Some(Self::Xacml3Xml)
            }
            [b'{', ..] => Some(Self::Xacml3Json),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn by_media_type() {
        for (media_type, expected) in [
            ("application/xacml+xml; version=3.0; charset=utf-8", Some(Format::Xacml3Xml)),
            ("Application/XML", Some(Format::Xacml3Xml)),
            ("application/xacml+json", Some(Format::Xacml3Json)),
            ("application/json ;charset=utf-8", Some(Format::Xacml3Json)),
            ("text/plain", None),
            ("", None),
        ] {
            assert_eq!(Format::of_media_type(media_type), expected, "{media_type}");
        }
    }

    #[test]
    fn by_first_bytes() {
        for (bytes, expected) in [
            (&b" \n<Request/>"[..], Some(Format::Xacml3Xml)),
            (b"\xEF\xBB\xBF<?xml", Some(Format::Xacml3Xml)),
            (b"\xFE\xFF\0<", Some(Format::Xacml3Xml)),
            (b"<\0", Some(Format::Xacml3Xml)),
            (b"\t{", Some(Format::Xacml3Json)),
            (b"policies:", None),
            (b"", None),
        ] {
            assert_eq!(Format::of_bytes(bytes), expected, "{bytes:?}");
        }
    }
}

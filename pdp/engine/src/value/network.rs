//! Network addresses and host names with port ranges (XACML 3.0 appendix A.2).

use std::net::Ipv6Addr;

use super::error::Parsed;

/// `address [/mask] [:[ports]]`; an IPv6 address and its mask stand in brackets.
pub(super) fn check_ip_address(text: &str) -> Parsed<()> {
    let (rest, version6) = match text.strip_prefix('[') {
        Some(_) => (address6(text)?, true),
        None => (address4(text)?, false),
    };
    let rest = match rest.strip_prefix('/') {
        Some(mask) if version6 => address6(mask)?,
        Some(mask) => address4(mask)?,
        None => rest,
    };
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Ok(()),
        None => Err("after address and mask may come `:` and a port range".into()),
        Some("") => Ok(()),
        Some(ports) => check_ports(ports),
    }
}

/// `host [:ports]`, `*` as the left-most label of the host standing for any.
pub(super) fn check_dns_name(text: &str) -> Parsed<()> {
    let (host, ports) = match text.split_once(':') {
        Some((host, ports)) => (host, Some(ports)),
        None => (text, None),
    };
    check_host(host)?;
    ports.map_or(Ok(()), check_ports)
}

/// Labels of letters, digits and inner hyphens; the last one begins with a letter (RFC 2396).
fn check_host(host: &str) -> Parsed<()> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let labels = host.strip_prefix("*.").unwrap_or(host);
    let mut last = "";
    for label in labels.split('.') {
        let plain = !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !plain {
            return Err("a host name is labels of letters, digits and inner hyphens with `.` between; `*` may be the left-most".into());
        }
        last = label;
    }
    if !last.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err("the last label of a host name begins with a letter".into());
    }
    Ok(())
}

/// `n`, `-n`, `n-` or `n-m`.
fn check_ports(text: &str) -> Parsed<()> {
    let range = match text.split_once('-') {
        None => (Some(port(text)?), None),
        Some(("", to)) => (None, Some(port(to)?)),
        Some((from, "")) => (Some(port(from)?), None),
        Some((from, to)) => (Some(port(from)?), Some(port(to)?)),
    };
    match range {
        (Some(from), Some(to)) if from > to => Err("the port range ends before it begins".into()),
        _ => Ok(()),
    }
}

fn port(text: &str) -> Parsed<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(port) if digits => Ok(port),
        _ => Err("a port is a number up to 65535; ranges are `n`, `-n`, `n-`, `n-m`".into()),
    }
}

/// Four numbers up to 255; what follows them.
fn address4(text: &str) -> Parsed<&str> {
    let end = text.find(['/', ':']).unwrap_or(text.len());
    let mut count = 0;
    for part in text[..end].split('.') {
        count += 1;
        let digits = (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if !digits || part.parse::<u8>().is_err() {
            return Err("an IPv4 address or mask is four numbers up to 255 with `.` between".into());
        }
    }
    if count == 4 {
        Ok(&text[end..])
    } else {
        Err("an IPv4 address or mask has four numbers; an IPv6 one stands in brackets".into())
    }
}

/// An IPv6 address in brackets; what follows it.
fn address6(text: &str) -> Parsed<&str> {
    let inside = text.strip_prefix('[').ok_or("an IPv6 mask stands in brackets")?;
    let (address, rest) = inside.split_once(']').ok_or("the bracket is not closed")?;
    match address.parse::<Ipv6Addr>() {
        Ok(_) => Ok(rest),
        Err(_) => Err("the brackets must hold an IPv6 address".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_addresses() {
        for good in [
            "192.168.1.10",
            "192.168.1.10/255.255.255.0",
            "192.168.1.10/255.255.255.0:8080",
            "192.168.1.10:80-",
            "192.168.1.10:-80",
            "192.168.1.10:80-90",
            "192.168.1.10:",
            "[1fff:0:a88:85a5::ac1f]",
            "[1fff:0:a88:85a5::ac1f]:8001",
            "[::1]/[ffff::]:1-2",
            "[::ffff:1.2.3.4]",
        ] {
            assert_eq!(check_ip_address(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "1.2.3.4/24",
            "1.2.3.4/",
            "1.2.3.4:x",
            "1.2.3.4:-",
            "1.2.3.4:65536",
            "1.2.3.4:2-1",
            "1.2.3.4:1-2-3",
            "::1",
            "[::1",
            "[1.2.3.4]",
            "[::1]/ffff::",
            "[::1]/1.2.3.4",
            "1.2.3.4 ",
            "1.2.3.4x",
            "a.b.c.d",
            "1.2.3.4:+1",
        ] {
            assert!(check_ip_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn host_names() {
        for good in [
            "example.com",
            "localhost",
            "*.example.com",
            "*.com",
            "a-b.c1",
            "1a.com",
            "example.com.",
            "example.com:80",
            "example.com:-80",
            "example.com:80-",
            "*.example.com:1-2",
            "EXAMPLE.com",
        ] {
            assert_eq!(check_dns_name(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "*",
            "example.*",
            "www.*.com",
            "*a.com",
            "**.com",
            "*.*.com",
            "a..b",
            ".a",
            "-a.com",
            "a-.com",
            "a_b.com",
            "1.2.3.4",
            "example.com:",
            "example.com:123--456",
            "example.com:-",
            "example.com:99999",
            "a b",
            "example.com:80:81",
            "*.",
        ] {
            assert!(check_dns_name(bad).is_err(), "{bad}");
        }
    }
}

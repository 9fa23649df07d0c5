//! HTTP Basic authentication of the one user that the configuration names.

use actix_web::http::header::{self, HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use subtle::ConstantTimeEq;

use crate::config::Auth;

/// Name and password of the user.
#[derive(Clone)]
pub struct Credentials {
    user: Box<[u8]>,
    password: Box<[u8]>,
}

impl Credentials {
    /// The configured user; none where name or password is blank, and everyone may ask.
    pub fn of(auth: &Auth) -> Option<Self> {
        let user = auth.user.as_deref().filter(|user| !user.trim().is_empty())?;
        let password = auth.password.as_ref().map(|password| password.reveal())?;
        (!password.trim().is_empty())
            .then(|| Self { user: user.as_bytes().into(), password: password.as_bytes().into() })
    }

    /// Whether the request comes from the user. Takes as long for a wrong password as for a right one.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> bool {
        let given = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"))
            .and_then(|(_, token)| STANDARD.decode(token.trim()).ok())
            .unwrap_or_default();
        let colon = given.iter().position(|byte| *byte == b':').unwrap_or(given.len());
        let (user, password) = given.split_at(colon);
        let password = password.get(1..).unwrap_or_default();
        (user.ct_eq(&self.user) & password.ct_eq(&self.password)).into()
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::config::Secret;

    fn credentials(user: &str, password: &str) -> Option<Credentials> {
        let password = Some(Secret::new(password));
        Credentials::of(&Auth { user: Some(user.into()), password, password_file: None })
    }

    #[test]
    fn blank_user_or_password_means_everyone() {
        assert!(credentials(" ", "secret").is_none());
        assert!(credentials("admin", "").is_none());
        assert!(Credentials::of(&Auth::default()).is_none());
    }

    #[test]
    fn only_the_exact_pair_is_admitted() {
        let credentials = credentials("admin", "zb!X:t").expect("both are given");
        let check = |value: &str| {
            let request =
                TestRequest::default().insert_header(("authorization", value)).to_http_request();
            credentials.admit(request.headers())
        };
        let basic = |pair: &str| format!("Basic {}", STANDARD.encode(pair));
        assert!(check(&basic("admin:zb!X:t")));
        assert!(check(&basic("admin:zb!X:t").replacen("Basic", "bAsIc", 1)));
        for wrong in ["admin:zb!X:", "admin:", "admin", "", ":", "Admin:zb!X:t", "admin:zb!X:tt"] {
            assert!(!check(&basic(wrong)), "{wrong}");
        }
        for wrong in ["", "Basic", "Basic ===", "Bearer YWRtaW4="] {
            assert!(!check(wrong), "{wrong}");
        }
    }
}

//! Which versions of a policy or type are meant.

use std::collections::BTreeMap;
use std::fmt;

use pdp_engine::model::Version;

use crate::quote::quoted;

/// How many numbers a version has that is created, as in ONAP.
const NUMBERS: usize = 3;

/// What is wrong with the version of something that is to be created; nothing where it can be used. ONAP
/// takes three numbers; here each is also written in one way alone, so that a version is one text.
pub(super) fn fault(version: &str) -> Option<String> {
    let read: Option<Version> = version.parse().ok();
    let well = |it: &Version| it.numbers().len() == NUMBERS && it.to_string() == version;
    if read.as_ref().is_some_and(well) {
        return None;
    }
    let mut meant = read.map(|it| it.numbers().to_vec()).unwrap_or_default();
    if meant.is_empty() || meant.len() > NUMBERS {
        meant = vec![1];
    }
    meant.resize(NUMBERS, 0);
    let meant: Vec<String> = meant.iter().map(u64::to_string).collect();
    Some(format!(
        "`{}` is not a version: expected three numbers with dots between, without leading zeros, such as {}",
        quoted(version),
        meant.join(".")
    ))
}

/// Which versions are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    #[default]
    All,
    /// Of each name the newest.
    Latest,
    /// This one.
    Exactly(String),
    /// Those that begin with these numbers.
    Beginning(String),
}

impl Wanted {
    /// As a path names it: `latest` or a version.
    pub fn of_path(text: &str) -> Self {
        if text == "latest" { Self::Latest } else { Self::Exactly(text.to_owned()) }
    }

    /// As the PAP is told: nothing, or a version that may lack numbers at its end.
    ///
    /// # Errors
    /// It is no version.
    pub fn of_pap(text: Option<&str>) -> Result<Self, String> {
        match text.filter(|text| *text != "latest") {
            None => Ok(Self::All),
            Some(text) => {
                text.parse::<Version>().map_err(|_| {
                    format!(
                        "`{}` is not a version, nor the beginning of one: expected numbers with dots between, such as 1.0.0",
                        quoted(text)
                    )
                })?;
                Ok(Self::Beginning(text.to_owned()))
            }
        }
    }

    fn fits(&self, version: &str) -> bool {
        match self {
            Self::All | Self::Latest => true,
            Self::Exactly(wanted) => wanted == version,
            Self::Beginning(wanted) => version
                .strip_prefix(wanted)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        }
    }

    /// Those that are meant.
    pub fn choose<T>(&self, all: Vec<T>, identity: impl Fn(&T) -> (&str, &str)) -> Vec<T> {
        let mut chosen: Vec<T> = all.into_iter().filter(|one| self.fits(identity(one).1)).collect();
        if *self != Self::Latest {
            return chosen;
        }
        let mut newest: BTreeMap<String, T> = BTreeMap::new();
        for one in chosen.drain(..) {
            let (name, version) = identity(&one);
            let newer = newest.get(name).is_none_or(|it| number(identity(it).1) < number(version));
            if newer {
                newest.insert(name.to_owned(), one);
            }
        }
        newest.into_values().collect()
    }

    /// The newest of those that are meant.
    pub fn newest<T>(&self, all: Vec<T>, version: impl Fn(&T) -> &str) -> Option<T> {
        all.into_iter().filter(|one| self.fits(version(one))).max_by_key(|one| number(version(one)))
    }
}

fn number(version: &str) -> Option<Version> {
    version.parse().ok()
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("null"),
            Self::Latest => f.write_str("latest"),
            Self::Exactly(version) | Self::Beginning(version) => f.write_str(&quoted(version)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_written_in_one_way() {
        for version in ["1.0.0", "0.0.0", "10.20.30"] {
            assert_eq!(fault(version), None, "{version}");
        }
        for (version, meant) in [
            ("1", "1.0.0"),
            ("1.0", "1.0.0"),
            ("01.0.0", "1.0.0"),
            ("2.00.7", "2.0.7"),
            ("1.2.3.4", "1.0.0"),
            ("1.x.0", "1.0.0"),
            ("", "1.0.0"),
            ("1.0.0-SNAPSHOT", "1.0.0"),
            ("99999999999999999999.0.0", "1.0.0"),
        ] {
            let fault = fault(version).expect(version);
            assert!(fault.ends_with(&format!("such as {meant}")), "{version}: {fault}");
        }
    }

    #[test]
    fn versions_are_numbers_and_beginnings_end_at_a_dot() {
        let all = || vec!["1.0.0", "1.10.0", "1.9.0", "10.0.0"];
        for (wanted, newest) in [
            (None, Some("10.0.0")),
            (Some("1"), Some("1.10.0")),
            (Some("1.1"), None),
            (Some("1.9.0"), Some("1.9.0")),
            (Some("2"), None),
        ] {
            let wanted = Wanted::of_pap(wanted).expect("a version");
            assert_eq!(wanted.newest(all(), |one| one), newest, "{wanted}");
        }
        assert!(Wanted::of_pap(Some("one")).is_err());
        assert_eq!(Wanted::of_path("latest").choose(all(), |one| ("a", one)), ["10.0.0"]);
        assert_eq!(Wanted::of_path("1.0.0").choose(all(), |one| ("a", one)), ["1.0.0"]);
    }
}

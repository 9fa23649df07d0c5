//! The tables of appendix C, written from its text, apart from how the engine does it.

/// What appendix C has an algorithm make of the values of its children, and the children whose
/// obligations go along.
pub(super) fn by_the_standard(
    algorithm: &str,
    children: &[&'static str],
) -> (&'static str, Vec<usize>) {
    let (version, name) = algorithm.split_once(' ').unwrap();
    let name = name.strip_prefix("ordered-").unwrap_or(name);
    let name = name.strip_suffix(" policies").unwrap_or(name);
    // A target that errs over a Permit is an IP to all that do not ask for targets.
    let seen: Vec<&'static str> =
        children.iter().map(|value| if *value == "T" { "IP" } else { *value }).collect();
    let has = |value: &str| seen.contains(&value);
    let all = |value: &str| {
        seen.iter().enumerate().filter(|(_, v)| **v == value).map(|(at, _)| at).collect::<Vec<_>>()
    };
    let first = |value: &str| all(value).into_iter().take(1).collect::<Vec<_>>();
    let (strong, weak, strong_error, weak_error) =
        if name.starts_with("deny") { ("D", "P", "ID", "IP") } else { ("P", "D", "IP", "ID") };
    let (value, obligations) = match (version, name) {
        ("3.0", "deny-overrides" | "permit-overrides") => {
            if has(strong) {
                (strong, first(strong))
            } else if has("IDP") || (has(strong_error) && (has(weak_error) || has(weak))) {
                ("IDP", vec![])
            } else if has(strong_error) {
                (strong_error, vec![])
            } else if has(weak) {
                (weak, all(weak))
            } else if has(weak_error) {
                (weak_error, vec![])
            } else {
                ("NA", vec![])
            }
        }
        ("3.0", "deny-unless-permit") if has("P") => ("P", first("P")),
        ("3.0", "deny-unless-permit") => ("D", all("D")),
        ("3.0", "permit-unless-deny") if has("D") => ("D", first("D")),
        ("3.0", "permit-unless-deny") => ("P", all("P")),
        ("1.0", "first-applicable") => match seen.iter().position(|value| *value != "NA") {
            Some(at) => (seen[at], vec![at]),
            None => ("NA", vec![]),
        },
        ("1.0", "only-one-applicable") => {
            let applicable: Vec<usize> =
                (0..seen.len()).filter(|at| children[*at] != "NA").collect();
            match applicable[..] {
                [] => ("NA", vec![]),
                [at] if children[at] != "T" => (seen[at], vec![at]),
                _ => ("IDP", vec![]),
            }
        }
        (_, "deny-overrides") if algorithm.ends_with(" policies") => {
            match seen.iter().position(|value| !matches!(*value, "P" | "NA")) {
                Some(at) => ("D", if seen[at] == "D" { vec![at] } else { vec![] }),
                None if has("P") => ("P", all("P")),
                None => ("NA", vec![]),
            }
        }
        (_, "permit-overrides") if algorithm.ends_with(" policies") => {
            if has("P") {
                ("P", first("P"))
            } else if has("D") {
                ("D", all("D"))
            } else if seen.iter().any(|value| *value != "NA") {
                ("IDP", vec![])
            } else {
                ("NA", vec![])
            }
        }
        (_, "deny-overrides" | "permit-overrides") => {
            if has(strong) {
                (strong, first(strong))
            } else if has(strong_error) {
                (strong_error, vec![])
            } else if has(weak) {
                (weak, all(weak))
            } else if has(weak_error) {
                (weak_error, vec![])
            } else {
                ("NA", vec![])
            }
        }
        other => panic!("{other:?}"),
    };
    let applies = matches!(value, "P" | "D");
    (value, if applies { obligations } else { vec![] })
}

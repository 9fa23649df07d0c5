//! The dialect: what matches, what does not, what is refused and where.

use proptest::prelude::*;

use super::*;

fn matches(pattern: &str, text: &str) -> bool {
    Pattern::new(pattern).unwrap_or_else(|error| panic!("{error}")).try_match(text).expect("short")
}

#[test]
fn what_matches() {
    for (pattern, good, bad) in [
        ("bc", "abcd", "acbd"),
        ("^bc", "bcd", "abc"),
        ("bc$", "abc", "bcd"),
        ("^$", "", "a"),
        ("", "anything", "\0never"),
        ("a|", "b", "\0never"),
        ("a.c", "abc", "a\nc"),
        ("a.c", "a\rc", "ac"),
        ("^a$", "a", "a\n"),
        ("^a*?b+?$", "aab", "aac"),
        ("^(ab){2,3}$", "ababab", "ab"),
        ("^a{0}b$", "b", "ab"),
        ("^a{2,}$", "aaaa", "a"),
        (r"^\i\c*$", "xml:name-1", "1name"),
        (r"^\I\C$", "- ", "a "),
        (r"^\d\D\s\S\w\W$", "1a bc_", "1a b_c"),
        (r"^\d$", "٣", "a"),
        (r"^\w+$", "äß1", "a-b"),
        ("^[a-z-[aeiou]]+$", "xyz", "xay"),
        ("^[^a-z-[0-9]]+$", "XYZ", "X1"),
        ("^[a-z-[b-y-[m]]]+$", "amz", "abz"),
        (r"^[\d-[5]]+$", "1234", "125"),
        ("^[-a]+$", "-a", "b"),
        ("^[a-]+$", "-a", "b"),
        (r"^[\w.-]+@$", "a-b.c@", "a b@"),
        (r"^[\]\[\^\-\\]+$", r"[]^-\", "a"),
        ("^[.*+?(){}|$]+$", ".*+?(){}|$", "a"),
        ("^[a^]+$", "^a", "b"),
        ("^[&&~~]+$", "&~", "a"),
        (r"^\p{Lu}\P{Lu}$", "Aa", "AA"),
        (r"^\p{IsBasicLatin}+$", "abc", "é"),
        (r"^\P{IsBasicLatin}+$", "é", "a"),
        (r"^[\p{IsGreek}\p{Nd}]+$", "α1", "a"),
        (r"^\.\|\?\*\+\(\)\{\}\[\]\^\$\\\-$", r".|?*+(){}[]^$\-", "a"),
        (r"^a\tb\n$", "a\tb\n", "a b "),
        ("^a b#c$", "a b#c", "ab"),
        ("(?:ab)+c", "ababc", "ab"),
        ("^(a|b)c$", "bc", "ab"),
        ("^()$", "", "a"),
        ("é", "caf\u{e9}", "cafe\u{301}"),
        ("/x&y~z-", "/x&y~z-", "a"),
    ] {
        assert!(matches(pattern, good), "`{pattern}` must match `{good}`");
        assert!(bad == "\0never" || !matches(pattern, bad), "`{pattern}` must not match `{bad}`");
    }
}

#[test]
fn back_references() {
    assert!(matches(r"^(a+)-\1$", "aa-aa"));
    assert!(!matches(r"^(a+)-\1$", "aa-a"));
    assert!(matches(r"^(.)(.)\2\1$", "abba"));
    assert!(matches(r"^(a)\10$", "aa0"), "one group: the second digit is a character");
    assert!(matches(r"^(a)|b\1c$", "bc"), "a group that took no part stands for nothing");
    assert!(matches(r"^([a-z-[aeiou]])\1{2}\p{IsBasicLatin}[\d-[5]]$", "bbbx1"));
    assert!(!matches(r"^(.+)\n\1.$", "ab\nab\n"));
    let explosive = Pattern::new(r"^(a|a|a)*\1b$").expect("a pattern");
    assert!(explosive.try_match(&"a".repeat(40)).is_err());
}

#[test]
fn what_is_refused_and_where() {
    for (pattern, at) in [
        ("(", 1),
        ("a)", 2),
        ("ab(c", 3),
        ("*a", 1),
        ("a|*", 3),
        ("a**", 3),
        ("a*+", 3),
        ("a???", 4),
        ("a{", 2),
        ("a{x}", 2),
        ("a{,3}", 2),
        ("a{3,1}", 5),
        ("a{1", 3),
        ("{1}", 1),
        ("a}", 2),
        ("a]", 2),
        ("[a", 2),
        ("[]", 2),
        ("[^]", 3),
        ("[z-a]", 4),
        (r"[a-\d]", 5),
        ("[a[b]]", 3),
        ("[a-[b]c]", 7),
        ("(?=a)", 3),
        ("(?i)a", 3),
        ("(?<n>a)", 3),
        (r"\b", 2),
        (r"\xFF", 2),
        (r"a\", 2),
        (r"\p{Foo}", 7),
        (r"\p{Greek}", 9),
        (r"\p{IsNothing}", 13),
        (r"\pL", 2),
        (r"\1", 2),
        (r"(a\1)", 4),
        (r"(a)\2", 5),
    ] {
        let error = Pattern::new(pattern).expect_err(pattern);
        assert!(error.contains(&format!("at character {at}:")), "{error} (expected at {at})");
    }
}

#[test]
fn explosions_are_refused_at_once() {
    let start = std::time::Instant::now();
    for pattern in [
        "(a{1000}){1000}".to_owned(),
        "((((a{30}){30}){30}){30}){30}".to_owned(),
        "a{99999999999999999999}".to_owned(),
        "a{4294967296}".to_owned(),
        r"(\w{100}\c{100}){40}".to_owned(),
        "(".repeat(5000),
        format!("{}a{}", "(".repeat(101), ")".repeat(101)),
        format!("{}a{}", "[a-".repeat(50), "]".repeat(50)),
        "a".repeat(MAX_PATTERN + 1),
        r"(a)(\1{1000}){1000}".to_owned(),
    ] {
        Pattern::new(&pattern).expect_err(&pattern);
    }
    // Generous: this is a guard against seconds, not a measurement.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_long_text_is_matched_in_linear_time() {
    let pattern = Pattern::new("(a*)*(a*)*b$").expect("a pattern");
    assert_eq!(pattern.try_match(&"a".repeat(100_000)), Ok(false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Any text is a pattern or refused with a place or a limit; what is translated is understood.
    #[test]
    fn any_text_is_a_pattern_or_refused(
        text in r"(\PC|[(){}\[\]\\|?*+.^$-]|\\[\PC]|\\p\{Is[a-zA-Z]{0,5}\}|\{[0-9]{0,2},?[0-9]{0,2}\}|[a-c1-3]){0,12}",
        subject in "[a-c1-3.-]{0,10}",
    ) {
        match Pattern::new(&text) {
            Ok(pattern) => {
                let _ = pattern.try_match(&subject);
            }
            Err(reason) => prop_assert!(
                reason.starts_with("at character ") || reason.contains("the limit"),
                "`{}`: {}", text, reason
            ),
        }
    }

    /// The same where back references lead to the other matcher, and both matchers agree.
    #[test]
    fn back_references_are_understood(
        text in r"([a-c]|\.|\\i|\[[a-c]-\[[a-c]\]\]|\\p\{Lu\}|[*+?]|\{1,2\}|\||\([a-c]\)){0,8}",
        subject in "[a-c]{0,8}",
    ) {
        let (Ok(linear), Ok(backtracking)) =
            (Pattern::new(&text), Pattern::new(&format!("()({text})\\1")))
        else {
            prop_assert!(Pattern::new(&text).is_err(), "{}", text);
            return Ok(());
        };
        prop_assert!(matches!(backtracking.matcher, Matcher::Backtracking(_)));
        prop_assert_eq!(linear.try_match(&subject), backtracking.try_match(&subject), "{}", text);
    }

    /// A text with its special characters escaped matches itself, and its pieces are found in it.
    #[test]
    fn escaped_texts_match_themselves(text in r"[a-z\[\]{}()\\.*+?^$| #&~-]{0,12}") {
        let escaped: String = text
            .chars()
            .flat_map(|c| {
                let special = r"\|.?*+(){}-[]^$".contains(c);
                special.then_some('\\').into_iter().chain(std::iter::once(c))
            })
            .collect();
        let pattern = Pattern::new(&format!("^{escaped}$")).expect("all is escaped");
        prop_assert_eq!(pattern.try_match(&text), Ok(true));
        let longer = format!("{text}x");
        prop_assert_eq!(pattern.try_match(&longer), Ok(false));
    }

    /// Classes in brackets agree with a plain reading of them.
    #[test]
    fn classes_agree_with_sets(
        not in any::<bool>(),
        keep in "[a-f]{1,4}",
        less in "[a-f]{1,3}",
        c in prop::char::range('a', 'g'),
    ) {
        let text = format!("^[{}{keep}-[{less}]]$", if not { "^" } else { "" });
        let expected = (keep.contains(c) != not) && !less.contains(c);
        let pattern = Pattern::new(&text).expect("a pattern");
        prop_assert_eq!(pattern.try_match(c.encode_utf8(&mut [0; 4])), Ok(expected), "{} {}", text, c);
    }
}

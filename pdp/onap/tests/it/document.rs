//! YAML and JSON as texts.

use pdp_onap::tosca::{self, Limits, Node, Syntax};
use proptest::prelude::*;
use serde_json::Value;

fn read(text: &str, syntax: Syntax) -> Result<Node, String> {
    tosca::document(text.as_bytes(), syntax, &Limits::default()).map_err(|error| error.to_string())
}

fn as_json(text: &str, syntax: Syntax) -> Result<String, String> {
    read(text, syntax).map(|node| {
        let mut out = Vec::new();
        tosca::write_json(&node, &mut out);
        String::from_utf8(out).expect("JSON is UTF-8")
    })
}

#[test]
fn plain_scalars_mean_what_yaml_1_1_says() {
    for (text, expected) in [
        ("~", "null"),
        ("null", "null"),
        ("", "null"),
        ("nUll", "\"nUll\""),
        ("true", "true"),
        ("True", "true"),
        ("tRue", "\"tRue\""),
        ("yes", "true"),
        ("On", "true"),
        ("no", "false"),
        ("OFF", "false"),
        ("y", "\"y\""),
        ("none", "\"none\""),
        ("0", "0"),
        ("-12", "-12"),
        ("+12", "12"),
        ("1_000", "1000"),
        ("0x1F", "31"),
        ("0b101", "5"),
        ("017", "15"),
        ("08", "\"08\""),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9.223372036854776e+18"),
        ("1.0", "1"),
        ("1.50", "1.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1.5e-3", "0.0015"),
        ("-.5", "-0.5"),
        (".", "\".\""),
        ("-", "[null]"),
        ("e5", "\"e5\""),
        ("1e", "\"1e\""),
        ("1.2.3", "\"1.2.3\""),
        (".inf", "\".inf\""),
        (".nan", "\".nan\""),
        ("12:30:45", "\"12:30:45\""),
        ("08:00:00Z", "\"08:00:00Z\""),
        ("2025-06-01", "\"2025-06-01\""),
        ("=", "\"=\""),
        (".*", "\".*\""),
        ("\"5\"", "\"5\""),
        ("'true'", "\"true\""),
        ("!!str 5", "\"5\""),
        ("!!int '5'", "5"),
        ("!mine 5", "\"5\""),
        ("|\n  a\n  b\n", "\"a\\nb\\n\""),
        (">\n  a\n  b\n", "\"a b\\n\""),
    ] {
        assert_eq!(as_json(text, Syntax::Yaml).as_deref(), Ok(expected), "{text:?}");
    }
}

#[test]
fn aliases_and_merge_keys_are_filled_in() {
    let text = "
base: &base {a: 1, b: 2}
same: *base
more: {<<: *base, b: 3, c: 4}
both: {<<: [*base, {d: 5}], a: 0}
1: one
~: tilde
'<<': quoted
";
    assert_eq!(
        as_json(text, Syntax::Yaml).expect("it is YAML"),
        r#"{"base":{"a":1,"b":2},"same":{"a":1,"b":2},"more":{"b":3,"c":4,"a":1},"both":{"a":0,"b":2,"d":5},"1":"one","~":"tilde","<<":"quoted"}"#
    );
}

#[test]
fn broken_yaml_is_refused_with_its_place() {
    for (text, expected) in [
        ("a: 1\nb: 2\na: 3\n", "3:1: the key `a` stands already at 1:1"),
        ("a: [1, 2\n", "2:1: while parsing a flow sequence, expected ',' or ']'"),
        ("a: *nowhere\n", "1:4: while parsing node, found unknown anchor"),
        ("a: &a [*a]\n", "1:8: this alias names no anchor before it; a node cannot hold itself"),
        ("? [1, 2]\n: 3\n", "1:3: a key must be a plain word, not a list or map"),
        ("a: &k x\n*k : 1\n", "2:1: a key must be a plain word, not an alias"),
        ("a: {<<: 5}\n", "1:9: `<<` takes over the entries of maps, and this is not a map"),
        ("a: !!int x\n", "1:4: `x` is not a number"),
        (
            "a: 1\n---\nb: 2\n",
            "2:1: a second document begins here: put each into a file of its own",
        ),
    ] {
        assert_eq!(as_json(text, Syntax::Yaml), Err(expected.to_owned()), "{text:?}");
    }
}

#[test]
fn broken_json_is_refused_with_its_place() {
    for (text, expected) in [
        ("{\"a\":", "1:6: expected a value, found the end of the document"),
        ("{\n \"a\" 1}", "2:6: expected `:` after the key, found `1`"),
        ("{\"a\":1,}", "1:8: expected a key in double quotes, found `}`"),
        ("[1 2]", "1:4: expected `,` or `]`, found `2`"),
        ("[1] x", "1:5: nothing more was expected after the document"),
        ("{\"a\":1,\n\"a\":2}", "2:1: the key `a` stands already at 1:2"),
        ("[\"é\", tru]", "1:7: expected a value, found `t`"),
        ("[01]", "1:3: expected `,` or `]`, found `1`"),
        ("[-]", "1:3: expected a digit, found `]`"),
        ("[1.]", "1:4: expected a digit, found `]`"),
        ("[1e400]", "1:2: the number is too large"),
        ("[\"a", "1:4: expected the closing quote, found the end of the document"),
        ("[\"a\\", "1:5: expected the closing quote, found the end of the document"),
        ("[\"\\x\"]", "1:3: the string has an escape that JSON does not know"),
        ("[\"a\nb\"]", "1:4: expected no control character in a string, found `\\n`"),
        ("'a'", "1:1: expected a value, found `\\'`"),
    ] {
        assert_eq!(as_json(text, Syntax::Json), Err(expected.to_owned()), "{text:?}");
    }
}

#[test]
fn limits_name_what_they_limit() {
    let deep = "[".repeat(65);
    for syntax in [Syntax::Json, Syntax::Yaml] {
        let error = read(&deep, syntax).expect_err("it is too deep");
        assert_eq!(error, "1:65: lists and maps are nested deeper than 64");
    }
    let error = read(&"[".repeat(100_000), Syntax::Yaml).expect_err("it is too deep");
    assert!(error.ends_with("lists and maps are nested deeper than 64"), "{error}");
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
";
    let error = read(bomb, Syntax::Yaml).expect_err("it grows too much");
    assert_eq!(error, "4:29: aliases add more than 10000 nodes to the document");
    let nested = format!(
        "a: &a {}1{}\nb: {}*a{}",
        "[".repeat(40),
        "]".repeat(40),
        "[".repeat(40),
        "]".repeat(40)
    );
    let error = read(&nested, Syntax::Yaml).expect_err("it is too deep");
    assert_eq!(error, "2:44: lists and maps are nested deeper than 64");
    let limits = Limits { bytes: 10, ..Limits::default() };
    let error = tosca::document(b"[1,2,3,4,5,6]", Syntax::Json, &limits).expect_err("it is long");
    assert_eq!(error.message, "the document is longer than 10 bytes");
    let error = tosca::document(b"a: 1\nb: \xFF", Syntax::Yaml, &Limits::default());
    assert_eq!(error.expect_err("it is not UTF-8").to_string(), "2:4: the text is not UTF-8");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_document() {
    for (text, syntax) in [("\u{FEFF}{\"a\": 1}", Syntax::Json), ("\u{FEFF}a: 1", Syntax::Yaml)] {
        assert_eq!(as_json(text, syntax).as_deref(), Ok("{\"a\":1}"));
    }
}

#[test]
fn written_yaml_quotes_what_could_be_misread() {
    let json = r#"{"status":"Permit","yes":"no","list":["a b",{"k":"1.0","e":{}},[],[1,[2]]],"empty":"","y":null,"n":1.5,"m":"é: #"}"#;
    let node = read(json, Syntax::Json).expect("it is JSON");
    let mut out = Vec::new();
    tosca::write_yaml(&node, &mut out);
    let expected = "status: Permit
\"yes\": \"no\"
list:
  - \"a b\"
  - k: \"1.0\"
    e: {}
  - []
  - - 1
    - - 2
empty: \"\"
\"n\": 1.5
m: \"é: #\"
";
    assert_eq!(String::from_utf8(out).expect("YAML is UTF-8"), expected);
}

/// JSON values. Their fractions have few digits, because serde_json rounds long ones.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0 + 0.0625)),
        ".{0,8}".prop_map(Value::from),
        prop::sample::select(vec![
            "yes", "0x1F", "1_0", "~", "- a", "a: b", "#", "1e3", " x ", "\t"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("\\PC{0,6}", inner, 0..5).prop_map(Value::from_iter),
        ]
    })
}

/// Without entries that are null, which are not written.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

proptest! {
    #[test]
    fn json_is_read_as_serde_json_reads_it(value in json_value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let written = as_json(&text.expect("it is a value"), Syntax::Json).expect("it is JSON");
        let back: Value = serde_json::from_str(&written).expect("it is JSON");
        prop_assert_eq!(back, without_nulls(value));
    }

    #[test]
    fn written_yaml_reads_back(value in json_value()) {
        let text = serde_json::to_string(&value).expect("it is a value");
        let node = read(&text, Syntax::Json).expect("it is JSON");
        let mut yaml = Vec::new();
        tosca::write_yaml(&node, &mut yaml);
        let yaml = String::from_utf8(yaml).expect("YAML is UTF-8");
        let written = as_json(&yaml, Syntax::Yaml).unwrap_or_else(|error| panic!("{error} in\n{yaml}"));
        let back: Value = serde_json::from_str(&written).expect("it is JSON");
        prop_assert_eq!(back, without_nulls(value), "{}", yaml);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}:,&*!|>'\"#a-c0-9.\\- \n\t%@`?<~é]{0,60}") {
        let _ = read(&text, Syntax::Yaml);
        let _ = read(&text, Syntax::Json);
    }
}

//! What a body may build and spend is bounded, and a limit is no ordinary error.

use super::*;

fn run<'a>(
    id: &str,
    arguments: &[Operand<'a>],
    settings: &'a Settings,
    budget: &'a Budget,
    arena: &'a Arena,
) -> Result<Operand<'a>, Stop<'a>> {
    let call = Call { arena, settings, budget };
    match find(id).unwrap_or_else(|| panic!("{id}")).code {
        Code::Plain(body) => body(&call, arguments),
        _ => panic!("{id} has no plain body"),
    }
}

fn limit(result: Result<Operand<'_>, Stop<'_>>) -> String {
    match result {
        Err(Stop::Limit(message)) => message.to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn texts_bags_and_integers_are_bounded() {
    let settings = Settings { max_text: 10, max_bag: 3, ..Settings::default() };
    let budget = Budget::new(1_000_000);
    let arena = Arena::new();
    let text = Operand::Value(Value::string("abcdef"));
    assert_eq!(
        limit(run(
            "urn:oasis:names:tc:xacml:2.0:function:string-concatenate",
            &[text, text],
            &settings,
            &budget,
            &arena
        )),
        "a function builds a text of 12 bytes, the limit is 10"
    );
    assert_eq!(
        limit(run(
            "urn:oasis:names:tc:xacml:1.0:function:string-bag",
            &[text; 4],
            &settings,
            &budget,
            &arena
        )),
        "a function builds a bag of 4 values, the limit is 3"
    );
    let digits = "9".repeat(9000);
    let big = Operand::Value(value(DataType::Integer, &digits, &arena));
    let message = limit(run(
        "urn:oasis:names:tc:xacml:1.0:function:integer-multiply",
        &[big, big],
        &settings,
        &budget,
        &arena,
    ));
    assert!(message.contains("the limit is 10000"), "{message}");
}

#[test]
fn walking_large_bags_spends_steps() {
    let settings = Settings::default();
    let arena = Arena::new();
    let values = arena.alloc_slice_fill_iter((0..10_000_i32).map(|n| Value::integer(n.into())));
    let bag = Operand::Bag(Bag { data_type: DataType::Integer, values });
    let union = "urn:oasis:names:tc:xacml:1.0:function:integer-union";
    let message = limit(run(union, &[bag, bag], &settings, &Budget::new(1000), &arena));
    assert_eq!(message, "the decision takes more steps than its limit of 1000");
    let budget = Budget::new(1_000_000);
    let Ok(Operand::Bag(result)) = run(union, &[bag, bag], &settings, &budget, &arena) else {
        panic!("a bag");
    };
    assert_eq!(result.values.len(), 10_000);
}

/// Large bags go through fingerprints, small ones do not: both must agree.
#[test]
fn large_and_small_sets_agree() {
    let settings = Settings::default();
    let budget = Budget::new(1_000_000_000);
    let arena = Arena::new();
    let names: BTreeMap<&str, &str> = BTreeMap::from([("07", "7"), ("8", "+8"), ("1", "001")]);
    let texts: Vec<&str> = names.iter().flat_map(|(a, b)| [*a, *b]).cycle().take(60).collect();
    let values: Vec<Value<'_>> =
        texts.iter().map(|text| value(DataType::Integer, text, &arena)).collect();
    for count in [6, 60] {
        let values = arena.alloc_slice_copy(&values[..count]);
        let bag = Operand::Bag(Bag { data_type: DataType::Integer, values });
        let check = |name: &str, expected: &str| {
            let id = format!("urn:oasis:names:tc:xacml:1.0:function:integer-{name}");
            let result = run(&id, &[bag, bag], &settings, &budget, &arena).expect("a result");
            let Argument::Operand(expected) = argument(expected, &arena) else {
                panic!("an operand")
            };
            assert!(same(&result, &expected), "{name}: {result:?}");
        };
        check("union", "{integer:1, integer:7, integer:8}");
        check("intersection", "{integer:1, integer:7, integer:8}");
        check("set-equals", "boolean:true");
        check("subset", "boolean:true");
        check("at-least-one-member-of", "boolean:true");
    }
}

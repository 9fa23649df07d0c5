//! The index only proposes: with it and without it, a decision is the same.

use pdp_engine::context::Limits;
use proptest::prelude::*;

use crate::support::{
    attributes, cases, compile, decide_in_rounds, linked_policies, root, suppliers,
};

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn indexed_and_plain_evaluation_agree(
        root in root(),
        policies in linked_policies(14),
        requests in prop::collection::vec(attributes(), 1..4),
        suppliers in suppliers(),
    ) {
        let (program, refused) = compile(root, &policies, &suppliers);
        prop_assert!(refused.is_empty(), "{refused:?}");
        for request in requests {
            let decide = |indexed| {
                let limits = Limits { indexed, ..Limits::default() };
                decide_in_rounds(&program, &request, &suppliers, &limits, usize::MAX).0.comparable()
            };
            prop_assert_eq!(decide(true), decide(false));
        }
    }
}

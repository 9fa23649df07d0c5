//! Logical functions (XACML 3.0 appendix A.3.5). The evaluator takes their arguments as needed: a
//! value that decides wins over an error on either side.

use super::row::{BOOLEAN, INTEGER};
use super::{Code, Family, Logic, Row};

const CLAUSE: &str = "A.3.5";

const ROWS: &[Row] = &[
    row!(
        f1!("or"); None; [; BOOLEAN, 0] -> BOOLEAN;
        CLAUSE; "True if one argument is true; false without arguments."; Code::Logic(Logic::Or);
        [] => "boolean:false",
        ["boolean:false", "error:boolean", "boolean:true"] => "boolean:true",
        ["boolean:false", "error:boolean"] => "error",
    ),
    row!(
        f1!("and"); None; [; BOOLEAN, 0] -> BOOLEAN;
        CLAUSE; "False if one argument is false; true without arguments."; Code::Logic(Logic::And);
        [] => "boolean:true",
        ["boolean:true", "error:boolean", "boolean:false"] => "boolean:false",
        ["boolean:true", "error:boolean"] => "error",
    ),
    row!(
        f1!("n-of"); None; [INTEGER; BOOLEAN, 0] -> BOOLEAN;
        CLAUSE; "True if at least so many of the other arguments are true."; Code::Logic(Logic::NOf);
        ["integer:0", "error:boolean"] => "boolean:true",
        ["integer:2", "boolean:true", "error:boolean", "boolean:true"] => "boolean:true",
        ["integer:2", "boolean:false", "error:boolean", "boolean:false"] => "boolean:false",
        ["integer:2", "boolean:true", "error:boolean"] => "error",
        ["integer:3", "boolean:true", "boolean:true"] => "error",
    ),
    row!(
        f1!("not"); None; [BOOLEAN] -> BOOLEAN;
        CLAUSE; "True if the argument is false, and the other way round."; Code::Logic(Logic::Not);
        ["boolean:true"] => "boolean:false",
        ["error:boolean"] => "error",
        ["boolean:true", "boolean:true"] => "error",
    ),
];

pub(super) const FAMILY: Family = Family { title: "Logic", clause: CLAUSE, rows: &[ROWS] };

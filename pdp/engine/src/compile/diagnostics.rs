//! The codes of diagnostics. A code never changes its meaning and is never used again.

use crate::error::code::{CodeRow, row};

/// The codes of errors that compile reports.
pub const ERRORS: &[CodeRow] = &[
    row(
        "argument-count",
        "A function was given more or fewer arguments than it takes.",
        "`string-equal` with one argument",
        "Give it as many as its signature says; `pdp functions` prints it.",
    ),
    row(
        "argument-type",
        "An argument has another type than the function takes there.",
        "`string-equal` of a value and an AttributeDesignator, which is a bag",
        "Use the function of that type, or take the one value of a bag by `T-one-and-only`.",
    ),
    row(
        "attribute-unanswerable",
        "The supplier of an attribute cannot answer it as it is written.",
        "an operations count over a window that is longer than operations are kept",
        "Follow the message: it says what the supplier wants.",
    ),
    row(
        "bad-literal",
        "The text of a value does not have the form of its data type.",
        "`<AttributeValue DataType=\"...#integer\">ten</AttributeValue>`",
        "Write the value in the form of its type.",
    ),
    row(
        "bad-path",
        "The path of a selector is not an XPath 1.0 expression that gives nodes.",
        "`Path=\"//a[\"`, `Path=\"count(//a)\"`",
        "Correct the path; what it gives must be nodes.",
    ),
    row(
        "bad-pattern",
        "A regular expression cannot be built.",
        "`[a-z`",
        "Correct it; the dialect is that of XPath, without look-around.",
    ),
    row(
        "condition-type",
        "A condition must be one boolean.",
        "a condition that is an `integer-add`",
        "Compare the value with something.",
    ),
    row(
        "duplicate-policy",
        "A policy with this identifier and version is there already.",
        "two files with version 1.0 of `door`",
        "Give one of them another version, or remove it.",
    ),
    row(
        "duplicate-rule",
        "Two rules of one policy have the same identifier.",
        "two rules `r1`",
        "Rename one of them.",
    ),
    row(
        "duplicate-variable",
        "Two variables of one policy have the same identifier.",
        "two VariableDefinitions `late`",
        "Rename one of them.",
    ),
    row(
        "function-argument",
        "A function is named where only a value can stand.",
        "a Function element as argument of `and`",
        "Apply the function, or move it to the first argument of a higher-order function.",
    ),
    row(
        "limit-depth",
        "Policies, expressions or variables are nested deeper than the limit.",
        "200 `not` around each other",
        "Divide them: by policy references, or by variables.",
    ),
    row(
        "match-function",
        "A match needs a function of two values that yields a boolean.",
        "`MatchId=\"...:integer-add\"`",
        "Use such a function, or write a Condition instead.",
    ),
    row(
        "policy-issuer",
        "A policy with an issuer is trusted only through delegation, which is not supported.",
        "a PolicyIssuer element",
        "Remove the element where the policy is to be trusted by itself.",
    ),
    row(
        "reference-cycle",
        "Policy references lead back to where they started.",
        "`a` refers to `b`, `b` refers to `a`",
        "Take one of the references out.",
    ),
    row(
        "reference-depth",
        "Policy references follow one another beyond the limit.",
        "a chain of 65 policy sets",
        "Shorten the chain.",
    ),
    row(
        "reference-unknown",
        "No policy that is loaded fits a policy reference.",
        "a PolicyIdReference to `dor` where there is `door`",
        "Load the policy, or correct identifier and versions. A policy that is refused itself is not loaded.",
    ),
    row(
        "unknown-algorithm",
        "No combining algorithm has this identifier, or it combines policies where rules are, or the other way.",
        "`rule-combining-algorithm:deny-override`",
        "Use the identifier that the message suggests.",
    ),
    row(
        "unknown-function",
        "No function has this identifier.",
        "`function:string-equals`",
        "Use the identifier that the message suggests; `pdp functions` lists them.",
    ),
    row(
        "unknown-type",
        "No data type has this identifier.",
        "`http://www.w3.org/2001/XMLSchema#int`",
        "Use the identifier that the message suggests.",
    ),
    row(
        "unknown-variable",
        "No variable of the policy has this identifier.",
        "a VariableReference to `lat` where there is `late`",
        "Define the variable in the same policy, or correct the reference.",
    ),
    row(
        "variable-cycle",
        "A variable depends on itself.",
        "`a` is `not(b)`, `b` is `not(a)`",
        "Take one of the references out.",
    ),
];

/// The codes of what is legal but surely not meant.
pub const WARNINGS: &[CodeRow] = &[
    row(
        "condition-constant",
        "The condition is the same for every request: always true, always false, or always an error.",
        "`<Condition>` with the literal `true`",
        "Leave it out, or compare with an attribute as was meant.",
    ),
    row(
        "deprecated",
        "An identifier has a successor that should be used in its place.",
        "`urn:oasis:names:tc:xacml:1.0:function:any-of`",
        "Use the successor that the message names.",
    ),
    row(
        "never-matches",
        "A match is true of no value, so that its alternative or the whole target never matches.",
        "`double-greater-than` of `-INF`",
        "Correct the value of the match.",
    ),
    row(
        "never-returned",
        "An obligation or advice goes with a decision that its rule or policy never takes.",
        "an obligation on Deny in a rule that permits",
        "Correct FulfillOn or AppliesTo, or move it to where the decision is taken.",
    ),
    row(
        "unreachable",
        "A rule or policy is never reached, because one before it always decides.",
        "under first-applicable, a rule behind one without target and condition",
        "Move it before that rule, or give that rule a condition.",
    ),
    row(
        "unused-variable",
        "Nothing refers to a variable.",
        "a VariableDefinition that no condition uses",
        "Remove it, or use it.",
    ),
];

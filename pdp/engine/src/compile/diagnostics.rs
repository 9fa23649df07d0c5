//! The codes of diagnostics. A code never changes its meaning and is never used again.

/// One code.
#[derive(Clone, Copy, Debug)]
pub struct CodeRow {
    /// The code.
    pub code: &'static str,
    /// What it means and what to do.
    pub meaning: &'static str,
}

const fn row(code: &'static str, meaning: &'static str) -> CodeRow {
    CodeRow { code, meaning }
}

/// Every code that compile reports.
pub static CODES: &[CodeRow] = &[
    row("argument-count", "A function was given more or fewer arguments than it takes."),
    row("argument-type", "An argument has another type than the function takes there."),
    row(
        "attribute-unanswerable",
        "The supplier of an attribute cannot answer it as it is written.",
    ),
    row("bad-literal", "The text of a value does not have the form of its data type."),
    row("bad-path", "The path of a selector is not an XPath expression that gives nodes."),
    row("bad-pattern", "A regular expression cannot be built."),
    row("condition-type", "A condition must be one boolean."),
    row("deprecated", "An identifier has a successor that should be used in its place."),
    row("duplicate-policy", "A policy with this identifier and version is there already."),
    row("duplicate-rule", "Two rules of one policy have the same identifier."),
    row("duplicate-variable", "Two variables of one policy have the same identifier."),
    row("function-argument", "A function is named where only a value can stand."),
    row("limit-depth", "Policies or expressions are nested deeper than the limit."),
    row("match-function", "A match needs a function of two values that yields a boolean."),
    row("policy-issuer", "A policy with an issuer needs delegation, which is not supported."),
    row("reference-cycle", "Policy references lead back to where they started."),
    row("reference-depth", "Policy references follow one another beyond the limit."),
    row("reference-unknown", "No policy that is loaded fits a policy reference."),
    row("unknown-algorithm", "No combining algorithm has this identifier."),
    row("unknown-function", "No function has this identifier."),
    row("unknown-type", "No data type has this identifier."),
    row("unknown-variable", "No variable of the policy has this identifier."),
    row("variable-cycle", "A variable depends on itself."),
];

//! The codes of problems with TOSCA policies. A code never changes its meaning and is never used
//! again.

use pdp_engine::error::code::{CodeRow, row};

/// Every code, beside those of the engine's readers.
pub const CODES: &[CodeRow] = &[
    row(
        "conflicting-type",
        "Two definitions of one type and version say different things; the first one stays.",
        "`acme.Offer` version 1.0.0 in two files that differ",
        "Give one of them another version, or remove it.",
    ),
    row(
        "data-type",
        "A property is of a data type that nobody defines, or that cannot be used; of one that is not \
         defined, values in policies are not looked at, and through the API its policy type is refused.",
        "`type: strng`",
        "Correct the name, or define the type under `data_types`.",
    ),
    row(
        "duplicate-key",
        "A key stands twice in one map.",
        "two `properties` in one policy",
        "Remove one of them.",
    ),
    row(
        "native-policy",
        "A policy that carries XACML, or is written in XACML's terms, has something wrong within.",
        "a document that is not base64",
        "Follow the message; what is within is described like a file of its own.",
    ),
    row(
        "policy-type",
        "The type of a policy is not known, or not in this version.",
        "`type: onap.policies.guard.MinMax`",
        "Use one of the types that the message names.",
    ),
    row(
        "property-missing",
        "A property that the type needs is missing.",
        "a FrequencyLimiter without `limit`",
        "Add the property.",
    ),
    row(
        "property-type",
        "A property is of the wrong kind.",
        "`min: many`",
        "Write the kind of value that the message names.",
    ),
    row(
        "property-unknown",
        "A property is not of this type; it is left unread.",
        "`minimum: 1` in a MinMax policy",
        "Correct its name, or remove it.",
    ),
    row(
        "property-value",
        "A property has a value that it cannot have.",
        "`timeUnits: fortnight`",
        "Write a value that the message names.",
    ),
    row(
        "tosca-field",
        "A field of a policy is not known; it is left unread.",
        "`verison: 1.0.0`",
        "Correct its name, or remove it.",
    ),
    row(
        "tosca-name",
        "The name of a policy is missing, too long, or holds characters that names have not.",
        "a policy called `a b`",
        "Give it a name of at most 255 letters, digits, dots, dashes and underscores.",
    ),
    row(
        "tosca-structure",
        "The document does not have the structure of a TOSCA service template.",
        "`policies` that is a text",
        "Follow the message: it says what is expected where.",
    ),
    row(
        "tosca-type",
        "The type of a policy, or its version, is missing or cannot be used.",
        "a policy without `type`",
        "Add it.",
    ),
    row(
        "tosca-version",
        "The version of a policy is not numbers with dots between, or the one of a document is not known.",
        "`version: one`",
        "Write three numbers such as 1.0.0.",
    ),
    row(
        "type-definition",
        "A policy is matched by its type's definition, and there is none.",
        "`type: onap.policies.match.Mine` without a file that defines it",
        "Add a file that defines the type under `policy_types`.",
    ),
    row(
        "type-parent",
        "What a type is derived from is not known, or leads back to it.",
        "`derived_from: acme.Bass`",
        "Correct the name, or define that type too.",
    ),
    row(
        "type-structure",
        "The definition of a type is not as TOSCA has it.",
        "a property without `type`",
        "Follow the message.",
    ),
    row(
        "yaml-alias",
        "An alias names no anchor, or names what it stands in.",
        "`*limit` without `&limit`",
        "Define the anchor before its use.",
    ),
    row(
        "yaml-documents",
        "A file holds more than one YAML document.",
        "a second `---`",
        "Put each document into a file of its own.",
    ),
    row("yaml-key", "A key of a map is not a text.", "`? [a, b]`", "Use a text."),
    row("yaml-merge", "A merge key merges what is not a map.", "`<<: 1`", "Merge maps only."),
    row(
        "yaml-syntax",
        "The document is not YAML.",
        "`a: [`",
        "Correct the YAML at the place named.",
    ),
    row(
        "yaml-tag",
        "A tag says another kind than the value is of.",
        "`!!int many`",
        "Correct the value, or remove the tag.",
    ),
];

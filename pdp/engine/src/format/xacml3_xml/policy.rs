//! Reads policies and policy sets (XACML 3.0 sections 5.1 to 5.14, 5.39, 5.40).

use std::str::FromStr;

use super::VOCABULARY;
use super::expression::variable_definition;
use super::notice::{NOTICES, notices};
use super::target::{rule, target};
use crate::error::{ReadError, code};
use crate::format::cursor::{ReadLimits, quoted};
use crate::format::xml::decode;
use crate::format::xml::element::{Children, Elements, Shape, Slot, Stop};
use crate::format::xml::scan::{Attribute, Tag};
use crate::model::{Child, Policy, PolicyKind, PolicyReference, Target, Version, VersionPattern};

/// Reads a document that is one Policy or PolicySet.
///
/// # Errors
/// Everything that is wrong with the document, by place, as far as it could be read.
pub fn read(bytes: &[u8], limits: &ReadLimits) -> Result<Policy, Vec<ReadError>> {
    let source = decode(bytes, limits).map_err(|error| vec![error])?;
    let mut elements = Elements::new(&source, limits, &VOCABULARY);
    let policy = document(&mut elements);
    elements.finish(policy)
}

/// What could be read of a document, with everything that is wrong with it.
#[derive(Debug)]
pub struct Reading {
    /// The policy; where there are problems, with stand-ins for what could not be read. Then it is
    /// good for finding what else is wrong, not for deciding.
    pub policy: Option<Policy>,
    /// What is wrong, by place.
    pub problems: Vec<ReadError>,
}

/// Reads as much as there is of a document that is one Policy or PolicySet.
pub fn read_all(bytes: &[u8], limits: &ReadLimits) -> Reading {
    let source = match decode(bytes, limits) {
        Ok(source) => source,
        Err(error) => return Reading { policy: None, problems: vec![error] },
    };
    let mut elements = Elements::new(&source, limits, &VOCABULARY);
    let policy = document(&mut elements).ok();
    let problems = elements.finish(if policy.is_some() { Ok(()) } else { Err(Stop) });
    Reading { policy, problems: problems.err().unwrap_or_default() }
}

fn document(elements: &mut Elements<'_>) -> Result<Policy, Stop> {
    let tag = elements.root(&["Policy", "PolicySet"])?;
    let policy = policy(elements, &tag)?;
    elements.end()?;
    Ok(policy)
}

const POLICY: Shape = Shape::new(
    "Policy",
    &[
        Slot::optional(&["Description"]),
        Slot::optional(&["PolicyIssuer"]),
        Slot::optional(&["PolicyDefaults"]),
        Slot::one(&["Target"]),
        Slot::any(&["CombinerParameters", "RuleCombinerParameters", "VariableDefinition", "Rule"]),
        NOTICES[0],
        NOTICES[1],
    ],
);

const POLICY_SET: Shape = Shape::new(
    "PolicySet",
    &[
        Slot::optional(&["Description"]),
        Slot::optional(&["PolicyIssuer"]),
        Slot::optional(&["PolicySetDefaults"]),
        Slot::one(&["Target"]),
        Slot::any(&[
            "PolicySet",
            "Policy",
            "PolicySetIdReference",
            "PolicyIdReference",
            "CombinerParameters",
            "PolicyCombinerParameters",
            "PolicySetCombinerParameters",
        ]),
        NOTICES[0],
        NOTICES[1],
    ],
);

fn policy<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Policy, Stop> {
    let kind = if tag.local == "Policy" { PolicyKind::Policy } else { PolicyKind::PolicySet };
    let shape = if kind == PolicyKind::Policy { POLICY } else { POLICY_SET };
    let mut policy = head(elements, tag, kind)?;
    let mut children = Children::of(tag, shape);
    while let Some(child) = elements.child(&mut children)? {
        match child.local {
            "Description" => policy.description = Some(elements.prose(&child)?),
            "PolicyIssuer" => {
                policy.issuer = Some(elements.position(child.offset));
                elements.skip()?;
            }
            "PolicyDefaults" | "PolicySetDefaults" => {
                policy.xpath_version = xpath_version(elements, &child)?;
            }
            "Target" => policy.target = target(elements, &child)?,
            "VariableDefinition" => policy.variables.push(variable_definition(elements, &child)?),
            "Rule" => policy.children.push(Child::Rule(rule(elements, &child)?)),
            "Policy" | "PolicySet" => {
                let nested = self::policy(elements, &child)?;
                policy.children.push(Child::Policy(Box::new(nested)));
            }
            "PolicyIdReference" | "PolicySetIdReference" => {
                policy.children.push(Child::Reference(reference(elements, &child)?));
            }
            "ObligationExpressions" | "AdviceExpressions" => {
                notices(elements, &child, &mut policy.notices)?;
            }
            _ => combiner_parameters(elements, &child)?,
        }
    }
    Ok(policy)
}

/// The attributes of a policy, with all else empty.
fn head<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>, kind: PolicyKind) -> Result<Policy, Stop> {
    let [id_name, version_name, combining_name, depth_name] = match kind {
        PolicyKind::Policy => ["PolicyId", "Version", "RuleCombiningAlgId", "MaxDelegationDepth"],
        PolicyKind::PolicySet => {
            ["PolicySetId", "Version", "PolicyCombiningAlgId", "MaxDelegationDepth"]
        }
    };
    let position = elements.position(tag.offset);
    let [id, version, combining, depth] =
        elements.attributes(tag, &[id_name, version_name, combining_name, depth_name])?;
    let id = elements.required_uri(tag, id_name, id)?.into_owned();
    let version = match elements.required(tag, version_name, version)? {
        Some(version) => parsed::<Version>(elements, &version)?,
        None => None,
    };
    let combining_position =
        combining.map_or(position, |attribute| elements.position(attribute.offset));
    let combining = elements.required_uri(tag, combining_name, combining)?.into_owned().into();
    if let Some(depth) = depth {
        check_integer(elements, &depth)?;
    }
    Ok(Policy {
        kind,
        id,
        version: version.unwrap_or_default(),
        description: None,
        issuer: None,
        xpath_version: None,
        target: Target::default(),
        combining,
        children: Vec::new(),
        variables: Vec::new(),
        notices: Vec::new(),
        position,
        combining_position,
    })
}

/// A version or version pattern.
fn parsed<T: FromStr<Err = String>>(
    elements: &mut Elements<'_>,
    attribute: &Attribute<'_>,
) -> Result<Option<T>, Stop> {
    match attribute.value().parse() {
        Ok(parsed) => Ok(Some(parsed)),
        Err(message) => {
            elements.problem(attribute.offset, code::VALUE, message)?;
            Ok(None)
        }
    }
}

/// MaxDelegationDepth is checked and left: it matters to delegation alone.
fn check_integer(elements: &mut Elements<'_>, attribute: &Attribute<'_>) -> Result<(), Stop> {
    let text = attribute.uri();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let message = format!("`{}` is {}; expected an integer", attribute.name, quoted(&text));
    elements.problem(attribute.offset, code::VALUE, message)
}

/// The XPathVersion of PolicyDefaults, PolicySetDefaults or RequestDefaults.
pub(super) fn xpath_version<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
) -> Result<Option<String>, Stop> {
    const VERSION: &[Slot] = &[Slot::one(&["XPathVersion"])];
    let shape = match tag.local {
        "PolicyDefaults" => const { Shape::new("PolicyDefaults", VERSION) },
        "PolicySetDefaults" => const { Shape::new("PolicySetDefaults", VERSION) },
        _ => const { Shape::new("RequestDefaults", VERSION) },
    };
    elements.attributes(tag, &[])?;
    let mut version = None;
    let mut children = Children::of(tag, shape);
    while let Some(child) = elements.child(&mut children)? {
        elements.attributes(&child, &[])?;
        version = Some(elements.identifier(&child)?);
    }
    Ok(version)
}

fn reference<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<PolicyReference, Stop> {
    let position = elements.position(tag.offset);
    let [version, earliest, latest] =
        elements.attributes(tag, &["Version", "EarliestVersion", "LatestVersion"])?;
    let mut pattern = |attribute: Option<Attribute<'i>>| match attribute {
        Some(attribute) => parsed::<VersionPattern>(elements, &attribute),
        None => Ok(None),
    };
    let (version, earliest, latest) = (pattern(version)?, pattern(earliest)?, pattern(latest)?);
    let id = elements.identifier(tag)?;
    if id.is_empty() {
        let message = format!("`{}` needs the identifier of a policy as its text", tag.local);
        elements.problem(tag.offset, code::VALUE, message)?;
    }
    let kind =
        if tag.local == "PolicyIdReference" { PolicyKind::Policy } else { PolicyKind::PolicySet };
    Ok(PolicyReference { kind, id, version, earliest, latest, late: false, position })
}

/// Combiner parameters are checked and left: no algorithm here takes any (section 5.16).
fn combiner_parameters<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<(), Stop> {
    const PARAMETERS: &[Slot] = &[Slot::any(&["CombinerParameter"])];
    const PARAMETER: Shape = Shape::new("CombinerParameter", &[Slot::one(&["AttributeValue"])]);
    let (name, of) = match tag.local {
        "RuleCombinerParameters" => ("RuleCombinerParameters", Some("RuleIdRef")),
        "PolicyCombinerParameters" => ("PolicyCombinerParameters", Some("PolicyIdRef")),
        "PolicySetCombinerParameters" => ("PolicySetCombinerParameters", Some("PolicySetIdRef")),
        _ => ("CombinerParameters", None),
    };
    match of {
        Some(of) => {
            let [reference] = elements.attributes(tag, &[of])?;
            elements.required(tag, of, reference)?;
        }
        None => {
            elements.attributes(tag, &[])?;
        }
    }
    let mut children = Children::of(tag, Shape::new(name, PARAMETERS));
    while let Some(child) = elements.child(&mut children)? {
        let [parameter] = elements.attributes(&child, &["ParameterName"])?;
        elements.required(&child, "ParameterName", parameter)?;
        let mut values = Children::of(&child, PARAMETER);
        while let Some(value) = elements.child(&mut values)? {
            super::expression::literal(elements, &value)?;
        }
    }
    Ok(())
}

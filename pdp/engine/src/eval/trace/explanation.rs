//! Records decisions as trees.

use super::compared::{Argument, Comparison, Computed, kebab};
use super::subjects::{Listed, Subject};
use super::{Observer, Scene};
use crate::combine::{Algorithm, Applicability, Verdict};
use crate::context::Context;
use crate::error::Position;
use crate::finder::AttributeName;
use crate::model::{Answer, Decision, NoticeKind, Status, StatusCode};
use crate::program::code::{ExpressionId, MatchNode};
use crate::program::segment::{Instance, Segment};
use crate::value::{Operand, Value};

/// How one policy or rule came to its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it is.
    pub subject: Subject,
    /// Its identifier.
    pub id: String,
    /// The document it stands in.
    pub source: String,
    /// Where it stands there.
    pub position: Position,
    /// The algorithm that combines its children; none for a rule.
    pub combining: Option<String>,
    /// Whether its target matched; none: it has none.
    pub target: Option<Applicability>,
    /// What its condition was; the inner none: Indeterminate.
    pub condition: Option<Option<bool>>,
    /// What its target and condition compared, in the order it was done.
    pub compared: Vec<Comparison>,
    /// Attributes that had to be present and were not.
    pub missing: Vec<String>,
    /// Children left out, since their targets cannot match.
    pub left_out: usize,
    /// Children that were not needed any more.
    pub unneeded: usize,
    /// Its value.
    pub verdict: Verdict,
    /// Why it is Indeterminate.
    pub message: Option<String>,
    /// What was evaluated in it.
    pub children: Vec<Step>,
}

/// What a decision came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The decision.
    pub decision: Decision,
    /// The code of its status.
    pub code: StatusCode,
    /// Why it is Indeterminate.
    pub message: Option<String>,
    /// The identifiers of the obligations, in order.
    pub obligations: Vec<String>,
    /// The identifiers of the advice, in order.
    pub advice: Vec<String>,
}

/// How one decision was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// What the request holds of the attributes that policies ask for.
    pub asked: Vec<Argument>,
    /// How many policies there are at the top.
    pub policies: usize,
    /// How many of them were evaluated; the others' targets cannot match.
    pub proposed: usize,
    /// The algorithm that combines them.
    pub combining: String,
    /// Those that were evaluated.
    pub steps: Vec<Step>,
    /// What came of it; none while it is being told.
    pub conclusion: Option<Conclusion>,
}

/// Records the decisions of a request, one after another.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// A story per decision, in the order they were taken.
    pub stories: Vec<Story>,
    open: Vec<Step>,
    /// How many children each open policy has; rules have none.
    families: Vec<usize>,
    computed: Computed,
}

impl Explanation {
    fn enter(&mut self, listed: Listed, combining: Option<Algorithm>, children: usize) {
        let Listed { subject, id, source, position } = listed;
        self.families.push(children);
        self.open.push(Step {
            subject,
            id,
            source,
            position,
            combining: combining.map(kebab),
            target: None,
            condition: None,
            compared: Vec::new(),
            missing: Vec::new(),
            left_out: 0,
            unneeded: 0,
            verdict: Verdict::NotApplicable,
            message: None,
            children: Vec::new(),
        });
    }

    /// The step that began last is complete.
    fn close(&mut self) {
        let (Some(step), Some(_)) = (self.open.pop(), self.families.pop()) else { return };
        match (self.open.last_mut(), self.stories.last_mut()) {
            (Some(parent), _) => parent.children.push(step),
            (None, Some(story)) => story.steps.push(step),
            (None, None) => {}
        }
    }
}

impl Observer for Explanation {
    const VALUES: bool = true;

    fn begin(&mut self, context: &Context<'_>, proposed: usize) {
        // Another round tells the whole story again.
        self.stories.pop_if(|story| story.conclusion.is_none());
        self.open.clear();
        self.families.clear();
        self.computed.clear();
        let program = context.program;
        let asked = program.slots.iter().zip(0u32..).filter_map(|(slot, number)| {
            let values = context.request_values(number);
            // Values of an issuer stand under the attribute of any issuer too, where that is asked for.
            let any = AttributeName { issuer: None, ..slot.name.clone() };
            let told = slot.name.issuer.is_some() && program.slots.find(&any).is_some();
            (!values.is_empty() && !told).then(|| Argument::of_attribute(&slot.name, values))
        });
        self.stories.push(Story {
            asked: asked.collect(),
            policies: program.policies,
            proposed,
            combining: kebab(program.root.combining),
            steps: Vec::new(),
            conclusion: None,
        });
    }

    fn enter_policy(&mut self, segment: &Segment, instance: &Instance, number: u32) {
        let node = &segment.code(instance).policies[number as usize];
        let listed = Listed::policy(segment, instance, number);
        self.enter(listed, Some(node.combining), node.children.len as usize);
    }

    fn enter_rule(&mut self, segment: &Segment, instance: &Instance, number: u32) {
        self.enter(Listed::rule(segment, instance, number), None, 0);
    }

    fn target(&mut self, applicability: Applicability) {
        if let Some(step) = self.open.last_mut() {
            step.target = Some(applicability);
        }
    }

    fn condition(&mut self, truth: Option<bool>) {
        if let Some(step) = self.open.last_mut() {
            step.condition = Some(truth);
        }
    }

    fn computed(&mut self, scene: Scene<'_>, id: ExpressionId, value: Option<&Operand<'_>>) {
        let comparison = self.computed.keep(scene, id, value);
        if let (Some(comparison), Some(step)) = (comparison, self.open.last_mut()) {
            step.compared.push(comparison);
        }
    }

    fn tested(
        &mut self,
        scene: Scene<'_>,
        node: &MatchNode,
        values: Option<&[Value<'_>]>,
        holds: Option<bool>,
    ) {
        if let Some(step) = self.open.last_mut() {
            step.compared.push(self.computed.of_match(scene, node, values, holds));
        }
    }

    fn left_out(&mut self, children: usize) {
        if let Some(step) = self.open.last_mut() {
            step.left_out = children;
        }
    }

    fn missing(&mut self, name: &AttributeName) {
        if let Some(step) = self.open.last_mut() {
            step.missing.push(name.id.to_string());
        }
    }

    fn leave(&mut self, verdict: Verdict, status: Option<&Status<'_>>) {
        let (Some(step), Some(family)) = (self.open.last_mut(), self.families.last()) else {
            return;
        };
        step.verdict = verdict;
        step.message = status.and_then(|status| status.message).map(str::to_owned);
        // Where the target does not match nothing inside is looked at, and all is said.
        if step.target != Some(Applicability::NoMatch) {
            step.unneeded = family.saturating_sub(step.left_out + step.children.len());
        }
        self.close();
    }

    fn end(&mut self, answer: &Answer<'_>) {
        let message = answer.status.message.map(str::to_owned);
        // A limit ends the decision in the middle of whatever is open.
        while let Some(step) = self.open.last_mut() {
            step.verdict = Verdict::IndeterminateDP;
            step.message.clone_from(&message);
            self.close();
        }
        if self.stories.last().is_none_or(|story| story.conclusion.is_some()) {
            self.stories.push(Story::default());
        }
        let notices = |kind: NoticeKind| {
            let of_kind = answer.notices.iter().filter(move |notice| notice.kind == kind);
            of_kind.map(|notice| notice.id.to_owned()).collect()
        };
        if let Some(story) = self.stories.last_mut() {
            story.conclusion = Some(Conclusion {
                decision: answer.decision,
                code: answer.status.code,
                message,
                obligations: notices(NoticeKind::Obligation),
                advice: notices(NoticeKind::Advice),
            });
        }
    }
}

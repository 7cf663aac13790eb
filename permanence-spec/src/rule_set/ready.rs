//! Rules in the borrowed form that the core takes, kept beside what they borrow from.

use std::sync::Arc;

use permanence_core::{DelaySource, Literal, Probe, Segment, Target, Test};
use self_cell::self_cell;

use super::{OwnedDelay, OwnedLiteral, OwnedProbe, OwnedSegment, OwnedTarget, OwnedTest, RuleSet};

/// The probes and the delays of a rule set as the core takes them.
///
/// The core's probes are borrowed twice over: slices of borrowed texts. So there are two shelves, the
/// second of which borrows from the first. Both live and die with the policy that was loaded, and a
/// reload frees them.
#[derive(Debug)]
pub(crate) struct ReadyRules(Shelf);

impl ReadyRules {
    pub(crate) fn new(rules: Arc<RuleSet>) -> Self {
        let lists = ListShelf::new(rules, |rules| Lists {
            probes: rules.probes.iter().map(ProbeLists::of).collect(),
            delays: rules.rules.iter().map(|rule| delay_segments(rule.delay.as_ref())).collect(),
        });
        ReadyRules(Shelf::new(lists, |shelf| {
            let (rules, lists) = (shelf.borrow_owner(), shelf.borrow_dependent());
            let probes = rules.probes.iter().zip(&lists.probes);
            let delays = rules.rules.iter().zip(&lists.delays);
            Ready {
                probes: probes.map(|(probe, lists)| lists.probe(probe)).collect(),
                delays: delays
                    .map(|(rule, segments)| Some(delay(rule.delay.as_ref()?, segments)))
                    .collect(),
            }
        }))
    }

    pub(crate) fn rules(&self) -> &RuleSet {
        self.0.borrow_owner().borrow_owner()
    }

    pub(crate) fn probes(&self) -> &[Probe<'_>] {
        &self.0.borrow_dependent().probes
    }

    /// Where the rule at `place` finds the server's time.
    pub(crate) fn delay(&self, place: usize) -> Option<DelaySource<'_>> {
        self.0.borrow_dependent().delays.get(place).copied().flatten()
    }
}

#[derive(Debug)]
struct Lists<'a> {
    probes: Vec<ProbeLists<'a>>,
    delays: Vec<Vec<Segment<'a>>>,
}

/// The slices of one probe; those that it has no use for are empty.
#[derive(Debug)]
struct ProbeLists<'a> {
    segments: Vec<Segment<'a>>,
    literals: Vec<Literal<'a>>,
    texts: Vec<&'a str>,
}

#[derive(Debug)]
struct Ready<'a> {
    probes: Vec<Probe<'a>>,
    delays: Vec<Option<DelaySource<'a>>>,
}

self_cell!(
    struct ListShelf {
        owner: Arc<RuleSet>,
        #[covariant]
        dependent: Lists,
    }

    impl {Debug}
);

self_cell!(
    struct Shelf {
        owner: ListShelf,
        #[covariant]
        dependent: Ready,
    }

    impl {Debug}
);

impl<'a> ProbeLists<'a> {
    fn of(probe: &'a OwnedProbe) -> Self {
        let segments = match &probe.target {
            OwnedTarget::Json(pointer) => segments(pointer),
            _ => Vec::new(),
        };
        let (literals, texts) = match &probe.test {
            OwnedTest::Equal(literals) => (literals.iter().map(literal).collect(), Vec::new()),
            OwnedTest::Exists => (Vec::new(), Vec::new()),
            OwnedTest::Has(texts) | OwnedTest::Prefix(texts) => {
                (Vec::new(), texts.iter().map(String::as_str).collect())
            }
        };
        ProbeLists { segments, literals, texts }
    }

    fn probe(&'a self, of: &'a OwnedProbe) -> Probe<'a> {
        let target = match &of.target {
            OwnedTarget::Body => Target::Body,
            OwnedTarget::ContentType => Target::ContentType,
            OwnedTarget::Header(name) => Target::Header(name),
            OwnedTarget::Json(_) => Target::Json(&self.segments),
            OwnedTarget::Method => Target::Method,
            OwnedTarget::Redirect => Target::Redirect,
            OwnedTarget::RequestHeader(name) => Target::RequestHeader(name),
        };
        let test = match &of.test {
            OwnedTest::Equal(_) => Test::Equal(&self.literals),
            OwnedTest::Exists => Test::Exists,
            OwnedTest::Has(_) => Test::Has(&self.texts),
            OwnedTest::Prefix(_) => Test::Prefix(&self.texts),
        };
        Probe { target, test }
    }
}

fn segments(pointer: &[OwnedSegment]) -> Vec<Segment<'_>> {
    let segment = |segment| match segment {
        &OwnedSegment::Any => Segment::Any,
        &OwnedSegment::Index(number) => Segment::Index(number),
        OwnedSegment::Key(name) => Segment::Key(name),
    };
    pointer.iter().map(segment).collect()
}

fn literal(of: &OwnedLiteral) -> Literal<'_> {
    match of {
        OwnedLiteral::Bare(text) => Literal::Bare(text),
        OwnedLiteral::Text(text) => Literal::Text(text),
    }
}

fn delay_segments(of: Option<&OwnedDelay>) -> Vec<Segment<'_>> {
    match of {
        Some(OwnedDelay::Json(pointer, _)) => segments(pointer),
        _ => Vec::new(),
    }
}

fn delay<'a>(of: &'a OwnedDelay, segments: &'a [Segment<'a>]) -> DelaySource<'a> {
    match of {
        OwnedDelay::Const(span) => DelaySource::Const(*span),
        OwnedDelay::Header(name, unit) => DelaySource::Header(name, *unit),
        OwnedDelay::Json(_, unit) => DelaySource::Json(segments, *unit),
    }
}

//! The table `when`: codes and predicates, all of which have to hold.

use permanence_core::{Bits, Network};

use crate::diagnostic::{Code, Finding, Findings, Place};
use crate::rule_set::{Codes, OwnedLiteral, OwnedProbe, OwnedTarget, OwnedTest};
use crate::syntax::{CodeKind, Item, Pattern, Section, Slot, read_pattern};

use super::pointer;

/// What a rule asks of an outcome.
pub(super) struct When {
    pub(super) codes: Codes,
    pub(super) conditions: Vec<Condition>,
    pub(super) place: Place,
}

/// One probe, and the answer that the rule wants.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) probe: OwnedProbe,
    pub(crate) sign: Sign,
    pub(crate) place: Place,
}

/// The answer that a rule wants of a probe.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sign {
    Unwanted,
    Wanted,
}

impl Sign {
    fn flipped(self) -> Sign {
        match self {
            Sign::Unwanted => Sign::Wanted,
            Sign::Wanted => Sign::Unwanted,
        }
    }
}

pub(super) fn read(rule: &mut Section<'_>, place: Place, findings: &mut Findings) -> When {
    let item = rule.take("when");
    let Some(item) = item else {
        let finding = Finding::new(Code::BadRule, place, "this rule does not say when it holds");
        findings
            .push(finding.with_help("when = { status = 429, json.\"/error/code\" = \"quota\" }"));
        return When { codes: Codes::Any, conditions: Vec::new(), place };
    };
    let Some(mut table) = Section::open(&item, rule.path(), findings) else {
        return When { codes: Codes::Any, conditions: Vec::new(), place };
    };
    let before = findings.len();
    let mut reader = Reader { path: table.path().to_owned(), conditions: Vec::new() };
    let codes = read_codes(&mut table, findings);
    for (key, target) in PLAIN_TARGETS {
        if let Some(item) = table.take(key) {
            reader.read(&item, &target, findings);
        }
    }
    if let Some(mut names) = table.below("header", findings) {
        for item in names.take_rest() {
            if let Some(name) = header_name(&item, findings) {
                reader.read(&item, &OwnedTarget::Header(name), findings);
            }
        }
    }
    if let Some(mut names) = table.below("request_header", findings) {
        for item in names.take_rest() {
            if let Some(name) = header_name(&item, findings) {
                reader.read(&item, &OwnedTarget::RequestHeader(name), findings);
            }
        }
    }
    if let Some(mut pointers) = table.below("json", findings) {
        for item in pointers.take_rest() {
            if let Some(pointer) = pointer::read(item.key, item.key_place, findings) {
                reader.read(&item, &OwnedTarget::Json(pointer), findings);
            }
        }
    }
    table.close(findings);
    let mut conditions = reader.conditions;
    if conditions.len() > Bits::MAX {
        let message = format!("this rule has more than {} conditions", Bits::MAX);
        findings.push(Finding::new(Code::TooManyProbes, item.place, message));
        conditions.truncate(Bits::MAX);
    }
    if codes.is_none() && conditions.is_empty() && findings.len() == before {
        let finding = Finding::new(Code::BadRule, item.place, "this rule holds always");
        findings.push(finding.with_help("a rule has a code or a predicate in `when`"));
    }
    let asks_answer = conditions.iter().any(|condition| !condition.probe.target.is_in_request());
    let every = if asks_answer { Codes::Answers } else { Codes::Any };
    When { codes: codes.unwrap_or(every), conditions, place: item.place }
}

/// The codes, which are of one notation: no signal has two.
fn read_codes(table: &mut Section<'_>, findings: &mut Findings) -> Option<Codes> {
    let mut read: Option<(Codes, Place)> = None;
    for (key, kind) in CODES {
        let Some(item) = table.take(key) else { continue };
        if let Some((_, first)) = &read {
            let message = format!("`{}` never holds beside another kind of code", item.key);
            let finding = Finding::new(Code::Contradiction, item.key_place, message)
                .with_label(*first, "the other kind is here")
                .with_help("make two rules of it");
            findings.push(finding);
            continue;
        }
        let patterns = some(&item, findings).into_iter();
        let patterns = patterns.filter_map(|item| Some(read_pattern(&item, kind, findings)?.value));
        read = Some((codes(kind, patterns.collect()), item.key_place));
    }
    read.map(|(codes, _)| codes)
}

fn codes(kind: CodeKind, patterns: Vec<Pattern>) -> Codes {
    let slots = patterns.iter().filter_map(|pattern| match pattern {
        Pattern::Exact(slot) => Some(slot),
        _ => None,
    });
    match kind {
        CodeKind::Coap => Codes::Coap(
            slots
                .filter_map(|slot| if let Slot::Coap(byte) = slot { Some(*byte) } else { None })
                .collect(),
        ),
        CodeKind::Grpc => Codes::Grpc(
            slots
                .filter_map(|slot| if let Slot::Grpc(code) = slot { Some(*code) } else { None })
                .collect(),
        ),
        CodeKind::Network => {
            let network = |slot: &Slot| -> Option<Network> {
                if let Slot::Network(network) = slot { Some(*network) } else { None }
            };
            Codes::Network(slots.filter_map(network).collect())
        }
        _ => Codes::Http(patterns.iter().filter_map(range).collect()),
    }
}

fn range(pattern: &Pattern) -> Option<(u16, u16)> {
    match pattern {
        Pattern::Exact(Slot::Http(status)) => Some((*status, *status)),
        Pattern::Exact(_) => None,
        Pattern::Hundred(first) => Some((*first, first.saturating_add(99))),
        Pattern::Range(first, last) => Some((*first, *last)),
    }
}

/// Collects the predicates.
struct Reader {
    /// The path of `when`, for messages.
    path: String,
    conditions: Vec<Condition>,
}

impl Reader {
    /// Reads what is asked of `target`: a value, several, or a table of operators.
    fn read(&mut self, item: &Item<'_>, target: &OwnedTarget, findings: &mut Findings) {
        self.read_signed(item, target, Sign::Wanted, findings);
    }

    fn read_signed(
        &mut self,
        item: &Item<'_>,
        target: &OwnedTarget,
        sign: Sign,
        findings: &mut Findings,
    ) {
        if item.value.as_table().is_none() {
            if *target == OwnedTarget::Body {
                let message = "a body is never compared as a whole";
                let help = "write body = { has = \"...\" } or body = { prefix = \"...\" }";
                findings
                    .push(Finding::new(Code::BadPredicate, item.place, message).with_help(help));
                return;
            }
            let test = OwnedTest::Equal(literals(item, target, findings));
            return self.push(item, target, (test, sign));
        }
        let Some(mut table) = Section::open(item, &self.path, findings) else { return };
        let before = (self.conditions.len(), findings.len());
        if let Some(item) = table.take("has") {
            let test = OwnedTest::Has(texts(&item, findings));
            self.push(&item, target, (test, sign));
        }
        if let Some(item) = table.take("prefix") {
            let test = OwnedTest::Prefix(texts(&item, findings));
            self.push(&item, target, (test, sign));
        }
        if let Some(item) = table.take("exists") {
            self.read_exists(&item, target, sign, findings);
        }
        if let Some(item) = table.take("not") {
            if sign == Sign::Unwanted {
                let message = "`not` within `not` is what it was before";
                findings.push(Finding::new(Code::BadPredicate, item.key_place, message));
            } else {
                self.read_signed(&item, target, sign.flipped(), findings);
            }
        }
        table.close(findings);
        if (self.conditions.len(), findings.len()) == before {
            let finding = Finding::new(Code::BadPredicate, item.place, "this asks nothing");
            findings.push(finding.with_help(OPERATORS));
        }
    }

    fn read_exists(
        &mut self,
        item: &Item<'_>,
        target: &OwnedTarget,
        sign: Sign,
        findings: &mut Findings,
    ) {
        let Some(exists) = item.truth(findings) else { return };
        if matches!(target, OwnedTarget::Body | OwnedTarget::Method) {
            let message = "`exists` says nothing of what is always there";
            findings.push(Finding::new(Code::BadPredicate, item.key_place, message));
            return;
        }
        let sign = if exists { sign } else { sign.flipped() };
        self.push(item, target, (OwnedTest::Exists, sign));
    }

    fn push(&mut self, item: &Item<'_>, target: &OwnedTarget, (test, sign): (OwnedTest, Sign)) {
        let probe = OwnedProbe { target: target.clone(), test };
        self.conditions.push(Condition { probe, sign, place: item.place });
    }
}

fn one_or_more<'t>(item: &Item<'t>) -> Vec<Item<'t>> {
    match item.value.as_array() {
        // A list is a list.
        Some(_) => item.list(&mut Findings::default()),
        None => vec![*item],
    }
}

fn literals(item: &Item<'_>, target: &OwnedTarget, findings: &mut Findings) -> Vec<OwnedLiteral> {
    let all = some(item, findings);
    let mut all: Vec<OwnedLiteral> =
        all.iter().filter_map(|item| literal(item, target, findings)).collect();
    all.sort();
    all.dedup();
    all
}

fn literal(item: &Item<'_>, target: &OwnedTarget, findings: &mut Findings) -> Option<OwnedLiteral> {
    let bare = item.maybe_bare();
    let literal = match (target, item.value.as_str(), bare) {
        (OwnedTarget::ContentType, Some(text), _) => OwnedLiteral::Text(text.to_ascii_lowercase()),
        (_, Some(text), _) => OwnedLiteral::Text(text.to_owned()),
        (OwnedTarget::Json(_), _, Some(bare)) => OwnedLiteral::Bare(bare),
        // The value of a header is a text, whatever it looks like.
        (_, _, Some(bare)) => OwnedLiteral::Text(bare),
        _ => {
            item.refuse_type("a value, a list of values or a table of operators", findings);
            return None;
        }
    };
    let (OwnedLiteral::Bare(text) | OwnedLiteral::Text(text)) = &literal;
    is_short(item, text, findings).then_some(literal)
}

/// What is looked for within a text.
fn texts(item: &Item<'_>, findings: &mut Findings) -> Vec<String> {
    let mut texts = Vec::new();
    for item in some(item, findings) {
        let Some(text) = item.text(findings) else { continue };
        if text.is_empty() {
            let message = "an empty text is in every text";
            let help = "to ask whether there is anything at all, write { exists = true }";
            findings.push(Finding::new(Code::BadLiteral, item.place, message).with_help(help));
        } else if is_short(&item, text, findings) {
            texts.push(text.to_owned());
        }
    }
    texts.sort();
    texts.dedup();
    texts
}

/// The value or the values, of which there has to be one.
fn some<'t>(item: &Item<'t>, findings: &mut Findings) -> Vec<Item<'t>> {
    let all = one_or_more(item);
    if all.is_empty() {
        let finding =
            Finding::new(Code::BadPredicate, item.place, "nothing is one of an empty list");
        findings.push(finding);
    }
    all
}

fn is_short(item: &Item<'_>, text: &str, findings: &mut Findings) -> bool {
    if text.len() > MOST_BYTES {
        let message = format!("this text has {} bytes", text.len());
        let help =
            format!("probes compare {MOST_BYTES} bytes at most; take a part that tells enough");
        findings.push(Finding::new(Code::BadLiteral, item.place, message).with_help(help));
    }
    text.len() <= MOST_BYTES
}

/// The name of a header in lower case, as the core compares it.
fn header_name(item: &Item<'_>, findings: &mut Findings) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if item.key.is_empty() || item.key.len() > MOST_BYTES || !item.key.bytes().all(plain) {
        let message = format!("`{}` cannot be the name of a header", item.key);
        findings.push(Finding::new(Code::BadLiteral, item.key_place, message));
        return None;
    }
    Some(item.key.to_ascii_lowercase())
}

/// The most bytes that a probe compares.
const MOST_BYTES: usize = 64;

const OPERATORS: &str =
    "ask for a value, or for { has = .. }, { prefix = .. }, { exists = .. } or { not = .. }";

const CODES: [(&str, CodeKind); 4] = [
    ("status", CodeKind::Http),
    ("grpc", CodeKind::Grpc),
    ("coap", CodeKind::Coap),
    ("net", CodeKind::Network),
];

const PLAIN_TARGETS: [(&str, OwnedTarget); 4] = [
    ("method", OwnedTarget::Method),
    ("body", OwnedTarget::Body),
    ("content_type", OwnedTarget::ContentType),
    ("redirect", OwnedTarget::Redirect),
];

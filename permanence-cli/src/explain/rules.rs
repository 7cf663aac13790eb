//! Rules about more than the status, in words.

use permanence_core::{Bits, GRPC_NAMES, Network, Segment, Signal};
use permanence_spec::{
    Codes, CompiledRule, OwnedDelay, OwnedLiteral, OwnedProbe, OwnedSegment, OwnedTarget,
    OwnedTest, RuleSet,
};

use super::words;

/// What the rule does not find in an answer with these bits, or finds and must not; nothing where it
/// is met.
pub(super) fn missing(set: &RuleSet, rule: &CompiledRule, bits: Bits) -> Vec<String> {
    let found = bits.mask();
    let needs = words_of(set, rule.wanted & !found).map(|probe| format!("needs {probe}"));
    let forbids =
        words_of(set, rule.unwanted & found).map(|probe| format!("must not have {probe}"));
    needs.chain(forbids).collect()
}

/// Every condition of a rule but its codes.
pub(super) fn conditions(set: &RuleSet, rule: &CompiledRule) -> Vec<String> {
    let wanted = words_of(set, rule.wanted);
    wanted.chain(words_of(set, rule.unwanted).map(|probe| format!("not {probe}"))).collect()
}

fn words_of(set: &RuleSet, mask: u64) -> impl Iterator<Item = String> {
    let bits = Bits::from_mask(mask);
    let asked = set.probes.iter().enumerate().filter(move |(place, _)| bits.has(*place));
    asked.map(|(_, asked)| probe(asked))
}

/// `header.retry-after exists`, `json./error/code = "insufficient_quota"`.
fn probe(probe: &OwnedProbe) -> String {
    let target = match &probe.target {
        OwnedTarget::Body => "body".to_owned(),
        OwnedTarget::ContentType => "content_type".to_owned(),
        OwnedTarget::Header(name) => format!("header.{name}"),
        OwnedTarget::Json(pointer) => format!("json.{}", owned_pointer(pointer)),
        OwnedTarget::Method => "method".to_owned(),
        OwnedTarget::Redirect => "redirect".to_owned(),
        OwnedTarget::RequestHeader(name) => format!("request_header.{name}"),
    };
    let quoted = |texts: &[String]| any_of(texts.iter().map(|text| format!("{text:?}")));
    match &probe.test {
        OwnedTest::Equal(literals) => {
            let literal = |literal: &OwnedLiteral| match literal {
                OwnedLiteral::Bare(text) => text.clone(),
                OwnedLiteral::Text(text) => format!("{text:?}"),
            };
            format!("{target} = {}", any_of(literals.iter().map(literal)))
        }
        OwnedTest::Exists => format!("{target} at all"),
        OwnedTest::Has(texts) => format!("{target} with {}", quoted(texts)),
        OwnedTest::Prefix(texts) => format!("{target} beginning with {}", quoted(texts)),
    }
}

/// A few of the texts, and how many more there are.
fn any_of(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.collect();
    let shown = texts.iter().take(MOST_SHOWN).map(String::as_str).collect::<Vec<_>>().join(" or ");
    match texts.len().checked_sub(MOST_SHOWN) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} or {more} more"),
    }
}

const MOST_SHOWN: usize = 4;

fn owned_pointer(pointer: &[OwnedSegment]) -> String {
    let segment = |segment: &OwnedSegment| match segment {
        OwnedSegment::Any => "/*".to_owned(),
        OwnedSegment::Index(number) => format!("/{number}"),
        OwnedSegment::Key(name) => key(name),
    };
    pointer.iter().map(segment).collect()
}

/// A place in a JSON document as policy files have it.
pub(super) fn pointer(pointer: &[Segment<'_>]) -> String {
    let segment = |segment: &Segment<'_>| match segment {
        Segment::Any => "/*".to_owned(),
        Segment::Index(number) => format!("/{number}"),
        Segment::Key(name) => key(name),
    };
    pointer.iter().map(segment).collect()
}

/// RFC 6901 section 3.
fn key(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The codes that a rule is about.
pub(super) fn codes(codes: &Codes) -> String {
    let list = |names: Vec<String>| names.join(", ");
    match codes {
        Codes::Answers => "every answer".to_owned(),
        Codes::Any => "every outcome".to_owned(),
        Codes::Coap(bytes) => {
            list(bytes.iter().map(|byte| Signal::Coap(*byte).code().to_string()).collect())
        }
        Codes::Grpc(codes) if codes.len() == GRPC_NAMES.len() => "every gRPC code".to_owned(),
        Codes::Grpc(codes) => {
            list(codes.iter().map(|code| Signal::Grpc(*code).code().to_string()).collect())
        }
        Codes::Http(ranges) => {
            let range = |(first, last): &(u16, u16)| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            };
            list(ranges.iter().map(range).collect())
        }
        Codes::Network(errors) => {
            list(errors.iter().map(|error| Network::name(*error).to_owned()).collect())
        }
    }
}

/// Where a rule looks for the server's time.
pub(super) fn delay(delay: &OwnedDelay) -> String {
    match delay {
        OwnedDelay::Const(span) => words::span(*span),
        OwnedDelay::Header(name, _) => format!("header {name}"),
        OwnedDelay::Json(pointer, _) => format!("body {}", owned_pointer(pointer)),
    }
}

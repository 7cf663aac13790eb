//! Rules do what their own tests expect.

use std::sync::Arc;

use permanence_core::scan::{Scanner, probe_headers, probe_redirect, probe_request};
use permanence_core::{Bits, Probe, Signal};

use crate::compiled::EndpointPolicy;
use crate::diagnostic::{Code, Finding, Findings, Place};
use crate::layer::{Document, Example, Layer, RuleLayer, Sign};
use crate::rule_set::ReadyRules;
use crate::syntax::Slot;

use super::chain::Chain;
use super::endpoint;
use super::names::Names;

/// Runs the tests of all files, each against the file that it stands in and what that one extends:
/// what a later file changes on purpose is no fault of an earlier one.
pub(super) fn run(documents: &[Document], names: &Names, findings: &mut Findings) {
    for (place, document) in documents.iter().enumerate() {
        let below = documents.get(..=place).unwrap_or_default();
        let root = Chain::new(below.iter().map(|document| &document.layer).collect(), names);
        run_layer(&document.layer, &root, findings);
        for route in &document.routes {
            let all = below.iter().flat_map(|document| &document.routes);
            let same = all.filter(|other| other.key.is_same(&route.key));
            run_layer(&route.layer, &root.with(same.map(|other| &other.layer)), findings);
        }
    }
}

fn run_layer(layer: &Layer, chain: &Chain<'_>, findings: &mut Findings) {
    if layer.rules.iter().all(|rule| rule.examples.is_empty()) {
        return;
    }
    // What is wrong with the tables of a file that is extended shows in those of the whole.
    let policy = endpoint::resolve(chain, Place::START, &mut Findings::default());
    let trial = Trial { ready: ReadyRules::new(Arc::clone(&policy.rule_set)), policy, chain };
    for rule in &layer.rules {
        for example in &rule.examples {
            trial.run(rule, example, findings);
        }
    }
}

/// One endpoint, and the rules in the form that answers are put to.
struct Trial<'c, 'a> {
    ready: ReadyRules,
    policy: EndpointPolicy,
    chain: &'c Chain<'a>,
}

impl Trial<'_, '_> {
    fn run(&self, rule: &RuleLayer, example: &Example, findings: &mut Findings) {
        let signal = signal(&example.slot);
        let bits = bits(self.ready.probes(), example);
        let rules = self.ready.rules();
        let found = rules.matching(&signal, bits).and_then(|place| rules.rules.get(place));
        let row = match found {
            Some(found) => self.policy.row_of(found, &signal),
            None => self.policy.rule(&signal),
        };
        let reason = self.chain.names.name(row.reason);
        let id = found.map_or("none", |found| found.id.as_str());
        let expected = example.expect.value.as_str();
        if expected == id || expected == reason {
            return;
        }
        let what = match found {
            Some(_) => format!("the rule `{id}` matches, which says `{reason}`"),
            None => format!("no rule matches, and its code says `{reason}`"),
        };
        let message = format!("this test expects `{expected}`: {what}");
        let mut finding = Finding::new(Code::FailedExample, example.place, message);
        if expected == rule.id.value {
            finding = match self.unmet(rule, &signal, bits) {
                Some(place) => finding.with_label(place, "this condition is not met"),
                None => finding.with_label(rule.id.place, "another rule goes before this one"),
            };
        }
        findings.push(finding);
    }

    /// The first condition of a rule that does not hold.
    fn unmet(&self, rule: &RuleLayer, signal: &Signal<'_>, bits: Bits) -> Option<Place> {
        if !rule.codes.contains(signal) {
            return Some(rule.when);
        }
        let unmet = rule.conditions.iter().find(|condition| {
            let probes = &self.ready.rules().probes;
            let place = probes.iter().position(|probe| *probe == condition.probe);
            let holds = place.is_some_and(|place| bits.has(place));
            holds != (condition.sign == Sign::Wanted)
        });
        unmet.map(|condition| condition.place)
    }
}

fn signal(slot: &Slot) -> Signal<'_> {
    match slot {
        Slot::Coap(byte) => Signal::Coap(*byte),
        Slot::Grpc(code) => Signal::Grpc(*code),
        Slot::Http(status) => Signal::Http(*status),
        Slot::Network(network) => Signal::Network(*network),
        Slot::Provider(status, code) => Signal::Provider { status: *status, code },
        Slot::Unusable => Signal::Unusable { status: 200 },
    }
}

/// What an adapter would find.
fn bits(probes: &[Probe<'_>], example: &Example) -> Bits {
    let request = borrowed(&example.request_headers);
    let mut bits = probe_request(probes, &example.method, request);
    bits = bits.union(probe_headers(probes, borrowed(&example.headers)));
    if let Some(url) = &example.redirect {
        bits = bits.union(probe_redirect(probes, url));
    }
    let mut scanner = Scanner::new(probes, None);
    scanner.feed(example.body.as_bytes());
    bits.union(scanner.finish().bits)
}

fn borrowed(headers: &[(String, String)]) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

//! Answers as an adapter sees them, put to a policy, and packs over the default policy.
#![allow(dead_code, unreachable_pub)] // Each test takes what it needs.

use permanence_core::retry_after::{ServerDelay, from_source};
use permanence_core::scan::{Scanner, probe_headers, probe_request};
use permanence_core::{Bits, Outcome, Policy, Request, RoutePolicy, Signal, Timestamp};
use permanence_spec::{LoadedEndpoint, LoadedPolicy, PACKS, load_str};
use toml::de::DeValue;

/// One exchange.
#[derive(Clone, Debug)]
pub struct Answer {
    pub signal: Signal<'static>,
    pub headers: Vec<(String, String)>,
    pub request_headers: Vec<(String, String)>,
    pub method: String,
    pub body: String,
}

impl Answer {
    /// What the policy's probes find.
    pub fn bits(&self, policy: &LoadedEndpoint) -> Bits {
        let probes = policy.probes();
        let headers = probe_headers(probes, pairs(&self.headers));
        let request = probe_request(probes, &self.method, pairs(&self.request_headers));
        let mut scanner = Scanner::new(probes, None);
        if let Signal::Http(status) = self.signal
            && policy.needs_body(status)
        {
            scanner.feed(self.body.as_bytes());
        }
        headers.union(request).union(scanner.finish().bits)
    }

    pub fn outcome(&self, policy: &LoadedEndpoint, request: Request) -> Outcome<'static> {
        Outcome::new(self.signal, request).with_bits(self.bits(policy))
    }

    /// The id of the rule that counts.
    pub fn rule_id(&self, policy: &LoadedEndpoint) -> Option<String> {
        let refinement = policy.refinement(&self.signal, self.bits(policy));
        refinement.map(|refinement| refinement.id.to_owned())
    }

    /// The time that the rule finds.
    pub fn delay(&self, policy: &LoadedEndpoint, now: Timestamp) -> Option<ServerDelay> {
        let source = policy.refinement(&self.signal, self.bits(policy))?.delay?;
        let mut scanner = Scanner::new(policy.probes(), Some(source));
        scanner.feed(self.body.as_bytes());
        from_source(source, pairs(&self.headers), scanner.finish().scalar(), Some(now))
    }
}

fn pairs(headers: &[(String, String)]) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

/// The text of a cell.
pub fn text(row: &DeValue<'_>, key: &str) -> Option<String> {
    row.get(key).map(|value| match value.get_ref() {
        DeValue::Integer(number) => number.as_str().to_owned(),
        other => other.as_str().unwrap_or_else(|| panic!("{key} is no text")).to_owned(),
    })
}

/// The headers under `key`.
pub fn headers(row: &DeValue<'_>, key: &str) -> Vec<(String, String)> {
    let Some(table) = row.get(key) else { return Vec::new() };
    let table = table.get_ref().as_table().unwrap_or_else(|| panic!("{key} is no table"));
    let pair = |(name, value): (
        &toml::Spanned<std::borrow::Cow<'_, str>>,
        &toml::Spanned<DeValue<'_>>,
    )| {
        let value = value.get_ref().as_str().unwrap_or_else(|| panic!("{name} is no text"));
        (name.get_ref().to_string(), value.to_owned())
    };
    table.iter().map(pair).collect()
}

/// The packs and their texts.
pub fn packs() -> impl Iterator<Item = (&'static str, &'static str)> {
    PACKS.iter().map(|pack| (pack.name, pack.text))
}

/// The default policy with one pack.
pub fn with_pack(name: &str) -> LoadedEndpoint {
    with_packs(&[name])
}

/// The default policy with several packs.
pub fn with_packs(names: &[&str]) -> LoadedEndpoint {
    let text = format!("[error_permanence]\nextends = 'default'\nuse = {names:?}");
    let compiled = load_str("policy.toml", &text).unwrap_or_else(|faults| panic!("{faults}"));
    LoadedPolicy::new(compiled).endpoint("GET", "/")
}

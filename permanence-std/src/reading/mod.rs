//! What an exchange tells: signals, and what the server asked for.

pub(crate) mod grpc;
pub(crate) mod media;
mod origin;

use std::hash::{DefaultHasher, Hasher};

use bytes::Bytes;
use http::{HeaderMap, Method};
use permanence_core::retry_after::from_source;
use permanence_core::scan::{Found, Scanner, probe_headers, probe_redirect, probe_request};
use permanence_core::{
    Bits, DelaySource, Network, Outcome, Phase, Policy, Probe, Request as RequestKind, Signal,
    Target, Timestamp, retry_after,
};

pub(crate) use self::origin::origin;
use crate::Clock;

/// A request, as far as anybody asks about it.
pub(crate) struct Asked<'r> {
    pub(crate) method: &'r Method,
    pub(crate) headers: &'r HeaderMap,
    /// What the caller itself says of it.
    pub(crate) kind: Option<RequestKind>,
    /// The URL that it goes to, for a client that tells where an answer came from.
    pub(crate) url: Option<&'r str>,
}

/// What an exchange goes over.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Over {
    Plain,
    Tls,
}

impl Over {
    pub(crate) fn of_scheme(scheme: &str) -> Self {
        if scheme.eq_ignore_ascii_case("https") { Over::Tls } else { Over::Plain }
    }
}

/// An answer, as far as anybody asks about it.
pub(crate) struct Answered<'r> {
    pub(crate) signal: Signal<'static>,
    /// Its headers, or the trailers that hold its status.
    pub(crate) headers: &'r HeaderMap,
    /// The URL that it came from, for a client that tells.
    pub(crate) url: Option<&'r str>,
    /// What has been read of its body.
    pub(crate) pieces: &'r [Bytes],
}

/// What has to be known of a request after it is gone.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) kind: RequestKind,
    /// What the policy asked of the request.
    asked: Bits,
    /// Where it went; only for a policy that asks about redirects.
    url: Option<Box<str>>,
}

impl Sent {
    pub(crate) fn of<E: Policy>(asked: &Asked<'_>, policy: &E) -> Self {
        let method = asked.method.as_str();
        let by_method = || match RequestKind::from_method(method) {
            RequestKind::Unkeyed if asked.headers.contains_key("idempotency-key") => {
                RequestKind::Keyed
            }
            other => other,
        };
        let probes = policy.probes();
        let redirects = probes.iter().any(|probe| matches!(probe.target, Target::Redirect));
        Sent {
            kind: asked.kind.unwrap_or_else(by_method),
            asked: match probes {
                [] => Bits::NONE,
                probes => probe_request(probes, method, pairs(asked.headers)),
            },
            url: asked.url.filter(|_| redirects).map(Box::from),
        }
    }

    /// There was no answer.
    pub(crate) fn failed(&self, (network, phase): (Network, Phase)) -> Outcome<'static> {
        Outcome::new(Signal::Network(network), self.kind).in_phase(phase).with_bits(self.asked)
    }

    /// There was one. `now` is asked for the wall time only where a date in the headers may need it.
    pub(crate) fn answered<E: Policy>(
        &self,
        policy: &E,
        answered: &Answered<'_>,
        now: impl FnOnce() -> Option<Timestamp>,
    ) -> Outcome<'static> {
        let Answered { signal, headers, pieces, .. } = *answered;
        let bits = self.bits(policy.probes(), answered);
        let outcome = Outcome::new(signal, self.kind).with_bits(bits);
        let rule = policy.refinement(&signal, bits);
        if is_good(&signal) && rule.is_none() {
            return outcome;
        }
        let now = now();
        let named = rule.and_then(|rule| rule.delay).and_then(|source| {
            let found = scan(&[], Some(source), pieces);
            from_source(source, pairs(headers), found.scalar(), now)
        });
        let delay = named
            .or_else(|| retry_after::from_headers(pairs(headers), now))
            .or_else(|| grpc::retry_info(headers));
        let outcome = match delay {
            Some(delay) => outcome.with_server_delay(delay.as_span()),
            None => outcome,
        };
        match retry_after::directive_from_headers(pairs(headers)) {
            Some(directive) => outcome.with_directive(directive),
            None => outcome,
        }
    }

    /// Whether the end of the body may still make a failure of what the head of an answer says. A write
    /// has been acted on, a probe has found what it was sent for, and a bad answer is bad.
    pub(crate) fn waits_for_body<E: Policy>(
        &self,
        policy: &E,
        outcome: &Outcome<'_>,
        is_probe: bool,
    ) -> bool {
        is_good(&outcome.signal)
            && self.kind.is_repeatable()
            && !is_probe
            && policy.outcome_rule(outcome).is_success()
    }

    /// What the probes of the policy find.
    fn bits(&self, probes: &[Probe<'_>], answered: &Answered<'_>) -> Bits {
        if probes.is_empty() {
            return Bits::NONE;
        }
        let mut bits = self.asked.union(probe_headers(probes, pairs(answered.headers)));
        if let (Some(asked), Some(url)) = (&self.url, answered.url)
            && **asked != *url
        {
            bits = bits.union(probe_redirect(probes, url));
        }
        if !answered.pieces.is_empty() {
            bits = bits.union(scan(probes, None, answered.pieces).bits);
        }
        bits
    }
}

/// Whether a signal by itself says that all is well.
pub(crate) fn is_good(signal: &Signal<'_>) -> bool {
    matches!(signal, Signal::Http(200..=299) | Signal::Grpc(0))
}

fn scan<'p>(probes: &'p [Probe<'p>], delay: Option<DelaySource<'p>>, pieces: &[Bytes]) -> Found {
    let mut scanner = Scanner::new(probes, delay);
    for piece in pieces {
        scanner.feed(piece);
    }
    scanner.finish()
}

fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

/// The wall time, where somebody knows it.
pub(crate) fn wall_time(clock: &impl Clock) -> Option<Timestamp> {
    clock.wall().map(|wall| wall.time_of(clock.now()))
}

/// How many bytes of a body are read before the answer is handed on.
pub(crate) const MOST_BYTES: usize = 64 * 1024;

/// A few bits that tell one payload from another.
pub(crate) fn fingerprint(payload: &[u8]) -> u8 {
    let mut hasher = DefaultHasher::new();
    hasher.write(payload);
    let [bits, ..] = hasher.finish().to_le_bytes();
    bits
}

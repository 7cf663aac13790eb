//! What an exchange of reqwest's tells: signals, phases, and what the server asked for.

use std::error::Error;
use std::hash::{DefaultHasher, Hasher};
use std::io;

use http::HeaderMap;
use hyper::body::Bytes;
use permanence_core::retry_after::from_source;
use permanence_core::scan::{Found, Scanner, probe_headers, probe_redirect, probe_request};
use permanence_core::{
    Bits, DelaySource, Network, Outcome, Phase, Policy, Probe, Request as RequestKind, Signal,
    Target, Timestamp, retry_after,
};
use reqwest::{Request, Response};
use url::{Position, Url};

use crate::Origin;
#[cfg(feature = "rustls")]
use crate::network;
use crate::network::{causes, network_of_kind};

/// The host of a URL, without user and password.
pub(super) fn origin(url: &Url) -> Origin<'_> {
    Origin { scheme: url.scheme(), authority: &url[Position::BeforeHost..Position::AfterPort] }
}

/// What has to be known of a request after it is gone.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    kind: RequestKind,
    transport: Transport,
    /// What the policy asked of the request.
    asked: Bits,
    /// Where it went; only for a policy that asks about redirects.
    url: Option<Url>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Transport {
    Plain,
    Tls,
}

impl Exchange {
    pub(super) fn of<E: Policy>(request: &Request, policy: &E) -> Self {
        let method = request.method().as_str();
        let keyed = request.headers().contains_key("idempotency-key");
        let kind = match RequestKind::from_method(method) {
            RequestKind::Unkeyed if keyed => RequestKind::Keyed,
            other => other,
        };
        let tls = request.url().scheme() == "https";
        let probes = policy.probes();
        let redirects = probes.iter().any(|probe| matches!(probe.target, Target::Redirect));
        Exchange {
            kind,
            transport: if tls { Transport::Tls } else { Transport::Plain },
            asked: match probes {
                [] => Bits::NONE,
                probes => probe_request(probes, method, pairs(request.headers())),
            },
            url: redirects.then(|| request.url().clone()),
        }
    }

    /// Reads the answer. `head` is what has been read of its body; `spare` is a copy of the request, whose
    /// body tells payloads apart; `now` is asked for the wall time only where a date in the headers may need it.
    pub(super) fn outcome<E: Policy>(
        &self,
        policy: &E,
        answer: &Result<Response, reqwest::Error>,
        head: &[Bytes],
        spare: Option<&Request>,
        now: impl FnOnce() -> Option<Timestamp>,
    ) -> Outcome<'static> {
        let outcome = match answer {
            Ok(response) => self.answered(policy, response, head, now),
            Err(error) => {
                let (network, phase) = self.network(error);
                Outcome::new(Signal::Network(network), self.kind)
                    .in_phase(phase)
                    .with_bits(self.asked)
            }
        };
        let is_good = || is_success(answer) && policy.outcome_rule(&outcome).is_success();
        match spare.and_then(fingerprint) {
            Some(payload) if !is_good() => outcome.with_payload(payload),
            _ => outcome,
        }
    }

    fn answered<E: Policy>(
        &self,
        policy: &E,
        response: &Response,
        head: &[Bytes],
        now: impl FnOnce() -> Option<Timestamp>,
    ) -> Outcome<'static> {
        let signal = Signal::Http(response.status().as_u16());
        let bits = self.bits(policy.probes(), response, head);
        let outcome = Outcome::new(signal, self.kind).with_bits(bits);
        let rule = policy.refinement(&signal, bits);
        if response.status().is_success() && rule.is_none() {
            return outcome;
        }
        let (headers, now) = (|| pairs(response.headers()), now());
        let named = rule.and_then(|rule| rule.delay).and_then(|source| {
            from_source(source, headers(), scan(&[], Some(source), head).scalar(), now)
        });
        let outcome = match named.or_else(|| retry_after::from_headers(headers(), now)) {
            Some(delay) => outcome.with_server_delay(delay.as_span()),
            None => outcome,
        };
        match retry_after::directive_from_headers(headers()) {
            Some(directive) => outcome.with_directive(directive),
            None => outcome,
        }
    }

    /// What the probes of the policy find.
    fn bits(&self, probes: &[Probe<'_>], response: &Response, head: &[Bytes]) -> Bits {
        if probes.is_empty() {
            return Bits::NONE;
        }
        let mut bits = self.asked.union(probe_headers(probes, pairs(response.headers())));
        if self.url.as_ref().is_some_and(|asked| asked != response.url()) {
            bits = bits.union(probe_redirect(probes, response.url().as_str()));
        }
        if !head.is_empty() {
            bits = bits.union(scan(probes, None, head).bits);
        }
        bits
    }

    /// What went wrong, and how far the request had got.
    fn network(&self, error: &reqwest::Error) -> (Network, Phase) {
        if error.is_builder() {
            return (Network::Misuse, Phase::NothingSent);
        }
        // Before the timeout: a connection that timed out is both, and nothing was sent.
        if error.is_connect() {
            return (self.connecting(error), Phase::NothingSent);
        }
        if error.is_timeout() {
            return (Network::Timeout, Phase::Sent);
        }
        (sending(error), Phase::Sent)
    }

    /// Why there is no connection.
    fn connecting(&self, error: &reqwest::Error) -> Network {
        if error.is_dns() {
            return Network::Dns;
        }
        if let Some(network) = verdict_of_tls(error) {
            return network;
        }
        if error.is_timeout() {
            return Network::ConnectTimeout;
        }
        match io_kind(error).map(|kind| network_of_kind(kind).0) {
            Some(
                network @ (Network::Local
                | Network::Permission
                | Network::Refused
                | Network::Unreachable),
            ) => network,
            Some(_) if self.transport == Transport::Tls => Network::TlsHandshake,
            Some(Network::Reset) => Network::Reset,
            _ => Network::Other,
        }
    }
}

/// Why there is no answer although there was a connection.
fn sending(error: &reqwest::Error) -> Network {
    if error.is_redirect() {
        return Network::Protocol;
    }
    if let Some(hyper) = find::<hyper::Error>(error) {
        if hyper.is_parse() {
            return Network::Protocol;
        }
        if hyper.is_incomplete_message() || hyper.is_closed() {
            return Network::Closed;
        }
    }
    match io_kind(error).map(|kind| network_of_kind(kind).0) {
        Some(
            network @ (Network::Closed
            | Network::Protocol
            | Network::Reset
            | Network::Timeout
            | Network::Unreachable),
        ) => network,
        _ => Network::Other,
    }
}

#[cfg(feature = "rustls")]
fn verdict_of_tls(error: &reqwest::Error) -> Option<Network> {
    let network = find(error).map(|error| network::verdict_of_tls(error).0);
    // There is no exchange yet that could be faulty.
    network
        .map(|network| if network == Network::Protocol { Network::TlsHandshake } else { network })
}

#[cfg(not(feature = "rustls"))]
const fn verdict_of_tls(_: &reqwest::Error) -> Option<Network> {
    None
}

/// The kind of the deepest I/O error: outer ones often say no more than that there was one.
fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    chain(error).filter_map(|error| error.downcast_ref::<io::Error>()).last().map(io::Error::kind)
}

fn find<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    chain(error).find_map(|error| error.downcast_ref())
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    causes(error).skip(1)
}

fn scan<'p>(probes: &'p [Probe<'p>], delay: Option<DelaySource<'p>>, head: &[Bytes]) -> Found {
    let mut scanner = Scanner::new(probes, delay);
    for piece in head {
        scanner.feed(piece);
    }
    scanner.finish()
}

fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

fn is_success(answer: &Result<Response, reqwest::Error>) -> bool {
    answer.as_ref().is_ok_and(|response| response.status().is_success())
}

/// A few bits that tell one payload from another; `None` for a request without a payload in memory.
fn fingerprint(request: &Request) -> Option<u8> {
    let body = request.body()?.as_bytes()?;
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    let [bits, ..] = hasher.finish().to_le_bytes();
    Some(bits)
}

//! What the caller says about one finished call.

use crate::{Bits, Signal, Span};

/// Everything that a finished call tells: what came back, what kind of request it was, how far it
/// got, and what the server asked for.
///
/// # Examples
///
/// A `POST` without an idempotency key timed out after it had been sent:
///
/// ```
/// use permanence_core::{Network, Outcome, Phase, Request, Signal};
///
/// let outcome = Outcome::new(Signal::Network(Network::Timeout), Request::Unkeyed);
/// assert_eq!(outcome.phase, Phase::Sent);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Outcome<'a> {
    /// What came back.
    pub signal: Signal<'a>,
    /// Whether the request may be repeated without harm.
    pub request: Request,
    /// How far the call got.
    pub phase: Phase,
    /// The time that the server asked to be left alone, from `Retry-After` and its relatives.
    pub server_delay: Option<Span>,
    /// What the server said about trying again, from `x-should-retry` and its relatives.
    pub directive: Option<Directive>,
    /// A few bits of a hash of the payload: two refusals in a row of the same payload count as one
    /// where the scope is the payload. `None` counts every refusal.
    pub payload: Option<u8>,
    /// What the policy's probes found in the headers and the body of the answer.
    pub bits: Bits,
}

impl<'a> Outcome<'a> {
    /// Makes an outcome with the phase that the signal proves by itself and no wish of the server's.
    ///
    /// A network error counts as sent unless its kind excludes that: who cannot tell must not claim
    /// that nothing was sent.
    #[inline]
    #[must_use]
    pub const fn new(signal: Signal<'a>, request: Request) -> Self {
        let phase = match signal {
            Signal::Cancelled => Phase::Sent,
            Signal::Network(network) if network.nothing_sent() => Phase::NothingSent,
            Signal::Network(_) => Phase::Sent,
            _ => Phase::Answered,
        };
        Outcome {
            signal,
            request,
            phase,
            server_delay: None,
            directive: None,
            payload: None,
            bits: Bits::NONE,
        }
    }

    /// The same outcome in another phase.
    #[inline]
    #[must_use]
    pub const fn in_phase(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// The same outcome with a time that the server named.
    #[inline]
    #[must_use]
    pub const fn with_server_delay(mut self, delay: Span) -> Self {
        self.server_delay = Some(delay);
        self
    }

    /// The same outcome with a server's word on retrying.
    #[inline]
    #[must_use]
    pub const fn with_directive(mut self, directive: Directive) -> Self {
        self.directive = Some(directive);
        self
    }

    /// The same outcome with a fingerprint of its payload.
    #[inline]
    #[must_use]
    pub const fn with_payload(mut self, fingerprint: u8) -> Self {
        self.payload = Some(fingerprint);
        self
    }

    /// The same outcome with what the policy's probes found.
    #[inline]
    #[must_use]
    pub const fn with_bits(mut self, bits: Bits) -> Self {
        self.bits = bits;
        self
    }
}

/// Whether a request may be repeated without harm.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Request {
    /// The method is idempotent (RFC 9110 section 9.2.2): GET, HEAD, OPTIONS, TRACE, PUT, DELETE.
    Idempotent,
    /// The request carries an idempotency key that the peer honours.
    Keyed,
    /// Neither: a repeat may act twice.
    Unkeyed,
}

impl Request {
    /// The kind that an HTTP or CoAP method proves by itself; an unknown method is not idempotent.
    ///
    /// # Examples
    ///
    /// ```
    /// use permanence_core::Request;
    ///
    /// assert_eq!(Request::from_method("PUT"), Request::Idempotent);
    /// assert_eq!(Request::from_method("POST"), Request::Unkeyed);
    /// ```
    #[must_use]
    pub fn from_method(method: &str) -> Self {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE" | "FETCH" | "iPATCH"
            | "QUERY" => Request::Idempotent,
            _ => Request::Unkeyed,
        }
    }

    /// Whether a repeat is harmless whatever became of the first try.
    #[inline]
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Request::Idempotent | Request::Keyed)
    }
}

/// How far a call got.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Phase {
    /// Not one byte of the request can have reached the peer.
    NothingSent,
    /// Some of the request may have reached the peer; there was no complete answer.
    Sent,
    /// The peer answered.
    Answered,
}

/// Whether the peer acted on the request.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Processed {
    /// It did not.
    No,
    /// Nobody can tell.
    Unknown,
    /// It did.
    Yes,
}

/// What a server said about trying again; it goes before every rule of the policy (SPEC 4.1), but not
/// before the guard of unkeyed writes (L5) nor the budget (L7).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Directive {
    /// Do not try this request again (`x-should-retry: false`, a negative gRPC pushback).
    DoNotRetry,
    /// Try this request again (`x-should-retry: true`).
    Retry,
}

//! What came back from a call, as cases write it.

use permanence_core::retry_after::ServerDelay;
use permanence_core::scan::probe_request;
use permanence_core::{Bits, Directive, Network, Outcome, Phase, Request, Signal, Span, grpc_code};
use toml::Value;

use super::fields::{Fields, Halt};
use super::forms::headers::{self, Headers};
use super::observed::seed;
use super::policy::probes;

/// What came back from one call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Answer {
    pub(super) signal: Signal<'static>,
    /// The provider's own code, which goes with the status of the signal.
    pub(super) code: Option<String>,
    pub(super) phase: Option<Phase>,
    pub(super) server_delay: Option<Span>,
    pub(super) directive: Option<Directive>,
    /// A few bits of a hash of the payload.
    pub(super) payload: Option<u8>,
    /// What P0's rules find in the headers of the answer and of the request.
    pub(super) bits: Bits,
}

impl Answer {
    pub(super) const fn new(signal: Signal<'static>) -> Self {
        Answer {
            signal,
            code: None,
            phase: None,
            server_delay: None,
            directive: None,
            payload: None,
            bits: Bits::NONE,
        }
    }

    /// The answer that a text such as `404`, `200_unusable` or `read_timeout` stands for.
    pub(super) fn parse(text: &str) -> Result<Self, Halt> {
        let text = text.trim();
        let signal = parse_status(text)
            .or_else(|| grpc_code(text.strip_prefix("grpc:").unwrap_or(text)).map(Signal::Grpc))
            .or_else(|| parse_coap(text).map(Signal::Coap));
        if let Some(signal) = signal {
            return Ok(Answer::new(signal));
        }
        let words = words(text);
        let signal = parse_error(text, &words)
            .ok_or_else(|| Halt::out_of_reach(format!("outcome {text:?} not understood")))?;
        Ok(Answer { phase: parse_phase(&words), ..Answer::new(signal) })
    }

    /// The answer that a table with `out` and its companions describes.
    pub(super) fn from_fields(fields: &Fields<'_>) -> Result<Self, Halt> {
        Answer::parse(fields.required_text("out")?)?.with_companions(fields)
    }

    /// The same answer with what else a table says of it: `code`, `retry_after`, `headers`, `phase`
    /// and `payload`.
    pub(super) fn with_companions(mut self, fields: &Fields<'_>) -> Result<Self, Halt> {
        self.code = fields.text("code")?.map(str::to_owned);
        if let Some(value) = fields.value("retry_after") {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Integer(seconds) => seconds.to_string(),
                _ => return Err(fields.unfit("retry_after", "a text", value)),
            };
            self.server_delay = headers::retry_after_alone(&text);
        }
        if let Some(value) = fields.value("headers") {
            let said = Headers::read(value)?;
            if let Some(stranger) = said.stranger() {
                return Err(Halt::out_of_reach(format!(
                    "needs rule predicates: header {stranger}"
                )));
            }
            self.server_delay = said.delay(None).map(ServerDelay::as_span).or(self.server_delay);
            self.directive = said.directive();
            self.bits = self.bits.union(said.bits());
        }
        self.phase = match fields.text("phase")? {
            None => self.phase,
            Some("nothing_sent" | "before_send" | "connect") => Some(Phase::NothingSent),
            Some("sent" | "after_send" | "unknown") => Some(Phase::Sent),
            Some("answered") => Some(Phase::Answered),
            Some(other) => {
                return Err(Halt::out_of_reach(format!("phase {other:?} not understood")));
            }
        };
        self.payload = fields.text("payload")?.map(|name| seed(name).to_le_bytes()[0]);
        Ok(self)
    }

    /// The outcome of a call of this kind.
    pub(super) fn outcome(&self, request: Request) -> Outcome<'_> {
        let signal = match (self.signal, &self.code) {
            (Signal::Http(status), Some(code)) => Signal::Provider { status, code },
            (signal, _) => signal,
        };
        let mut outcome = Outcome::new(signal, request);
        outcome.phase = self.phase.unwrap_or(outcome.phase);
        outcome.server_delay = self.server_delay;
        outcome.directive = self.directive;
        outcome.payload = self.payload;
        outcome.bits = self.bits;
        outcome
    }

    /// The same answer to a request with this method and these headers.
    pub(super) fn for_request(mut self, method: &str, headers: &[&str]) -> Self {
        let headers = headers.iter().map(|name| (*name, b"1".as_slice()));
        self.bits = self.bits.union(probe_request(probes(), method, headers));
        self
    }
}

fn parse_status(text: &str) -> Option<Signal<'static>> {
    if matches!(text, "ok" | "success") {
        return Some(Signal::Http(200));
    }
    let (status, unusable) = match text.strip_suffix("_unusable") {
        Some(status) => (status, true),
        None => (text, false),
    };
    let status = status.parse().ok()?;
    Some(if unusable { Signal::Unusable { status } } else { Signal::Http(status) })
}

/// `4.04` as its byte.
fn parse_coap(text: &str) -> Option<u8> {
    let (class, detail) = text.split_once('.')?;
    let (class, detail): (u8, u8) = (class.parse().ok()?, detail.parse().ok()?);
    (class < 8 && detail < 32).then_some((class << 5) | detail)
}

/// The words of a name: `reset_after_send` has three.
fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// What the words of an error name tell; the more telling ones first.
fn parse_error(text: &str, words: &[String]) -> Option<Signal<'static>> {
    if let Some(network) = Network::from_name(text) {
        return Some(Signal::Network(network));
    }
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let network = if has(&["cancelled", "canceled", "cancel"]) {
        return Some(Signal::Cancelled);
    } else if has(&["cert", "certificate", "issuer", "hostname", "x509"]) {
        Network::Certificate
    } else if has(&["dns", "eai", "nxdomain", "servfail", "resolve", "resolver"]) {
        Network::Dns
    } else if has(&["goaway"]) || (has(&["refused"]) && has(&["stream"])) {
        Network::RefusedStream
    } else if has(&["refused", "econnrefused"]) {
        Network::Refused
    } else if has(&["reset", "econnreset"]) {
        Network::Reset
    } else if has(&["tls", "ssl", "handshake"]) {
        Network::TlsHandshake
    } else if has(&["unreachable", "ehostunreach", "enetunreach"]) {
        Network::Unreachable
    } else if has(&["closed", "eof", "epipe", "pipe", "incomplete", "disconnected"]) {
        Network::Closed
    } else if has(&["connect", "connection"]) && has(&["timeout", "deadline"]) {
        Network::ConnectTimeout
    } else if has(&["timeout", "deadline", "etimedout"]) {
        Network::Timeout
    } else if has(&["protocol", "parse", "framing"]) {
        Network::Protocol
    } else {
        return None;
    };
    Some(Signal::Network(network))
}

/// What the words of an error name tell of the phase, where they do.
fn parse_phase(words: &[String]) -> Option<Phase> {
    let has = |pair: [&str; 2]| words.windows(2).any(|two| two == pair);
    if has(["before", "send"]) || has(["not", "sent"]) {
        Some(Phase::NothingSent)
    } else if has(["after", "send"]) || has(["unknown", "phase"]) {
        Some(Phase::Sent)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(text: &str) -> Signal<'static> {
        Answer::parse(text).unwrap().signal
    }

    #[test]
    fn names_are_read_by_their_words() {
        assert_eq!(signal("404"), Signal::Http(404));
        assert_eq!(signal("200_unusable"), Signal::Unusable { status: 200 });
        assert_eq!(signal("4.04"), Signal::Coap(0x84));
        assert_eq!(signal("UNAVAILABLE"), Signal::Grpc(14));
        assert_eq!(signal("tls_cert_name_mismatch"), Signal::Network(Network::Certificate));
        assert_eq!(signal("reset_after_handshake"), Signal::Network(Network::Reset));
        assert_eq!(signal("tls_handshake_timeout"), Signal::Network(Network::TlsHandshake));
        assert_eq!(signal("connection_timeout"), Signal::Network(Network::ConnectTimeout));
        assert_eq!(signal("cancelled_by_caller"), Signal::Cancelled);
        assert!(Answer::parse("gremlins").is_err());
    }

    #[test]
    fn a_name_may_tell_what_was_sent() {
        assert_eq!(Answer::parse("reset_before_send").unwrap().phase, Some(Phase::NothingSent));
        assert_eq!(Answer::parse("timeout_unknown_phase").unwrap().phase, Some(Phase::Sent));
        assert_eq!(Answer::parse("read_timeout").unwrap().phase, None);
    }
}

//! Which signals a rule is about.

use permanence_core::{Network, Signal, SignalKind};

/// Which signals a rule is about; all of one notation, or of all of them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Codes {
    /// Every answer: HTTP, gRPC and CoAP. A rule that asks something of the answer and names no codes.
    Answers,
    /// Everything but a cancelled call: a rule that asks only about the request and names no codes.
    Any,
    /// CoAP codes, by their byte.
    Coap(Vec<u8>),
    /// gRPC codes.
    Grpc(Vec<u8>),
    /// HTTP statuses from the first of each pair to the second, with or without a provider's code,
    /// usable or not.
    Http(Vec<(u16, u16)>),
    /// Network errors.
    Network(Vec<Network>),
}

impl Codes {
    /// Whether `signal` is one of them.
    #[must_use]
    pub fn contains(&self, signal: &Signal<'_>) -> bool {
        let kind = signal.code().kind();
        match (self, signal) {
            (Codes::Any, _) => kind != SignalKind::Cancelled,
            (Codes::Answers, _) => !matches!(kind, SignalKind::Cancelled | SignalKind::Network),
            (
                Codes::Http(ranges),
                Signal::Http(status)
                | Signal::Provider { status, .. }
                | Signal::Unusable { status },
            ) => ranges.iter().any(|(first, last)| (first..=last).contains(&status)),
            (Codes::Grpc(codes), Signal::Grpc(code)) => codes.contains(code),
            (Codes::Coap(bytes), Signal::Coap(byte)) => bytes.contains(byte),
            (Codes::Network(errors), Signal::Network(error)) => errors.contains(error),
            _ => false,
        }
    }

    /// Whether every signal of `other` is one of them.
    pub(crate) fn covers(&self, other: &Codes) -> bool {
        match (self, other) {
            (Codes::Any, _) => true,
            (Codes::Answers, other) => !matches!(other, Codes::Any | Codes::Network(_)),
            (Codes::Http(mine), Codes::Http(theirs)) => theirs.iter().all(|(first, last)| {
                let one = |status| mine.iter().any(|(from, to)| (*from..=*to).contains(&status));
                (*first..=*last).all(one)
            }),
            (Codes::Grpc(mine), Codes::Grpc(theirs)) => {
                theirs.iter().all(|code| mine.contains(code))
            }
            (Codes::Coap(mine), Codes::Coap(theirs)) => {
                theirs.iter().all(|byte| mine.contains(byte))
            }
            (Codes::Network(mine), Codes::Network(theirs)) => {
                theirs.iter().all(|error| mine.contains(error))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_with_a_provider_code_and_without() {
        let codes = Codes::Http(vec![(429, 429), (500, 599)]);
        assert!(codes.contains(&Signal::Http(429)) && codes.contains(&Signal::Http(599)));
        assert!(codes.contains(&Signal::Provider { status: 502, code: "x" }));
        assert!(codes.contains(&Signal::Unusable { status: 500 }));
        assert!(!codes.contains(&Signal::Http(430)) && !codes.contains(&Signal::Grpc(8)));
    }

    #[test]
    fn answers_are_neither_network_errors_nor_cancelled() {
        assert!(Codes::Answers.contains(&Signal::Coap(0x84)));
        assert!(!Codes::Answers.contains(&Signal::Network(Network::Dns)));
        assert!(Codes::Any.contains(&Signal::Network(Network::Dns)));
        assert!(!Codes::Any.contains(&Signal::Cancelled));
    }

    #[test]
    fn what_covers_contains() {
        let hundreds = Codes::Http(vec![(400, 499), (500, 599)]);
        assert!(hundreds.covers(&Codes::Http(vec![(429, 429), (490, 510)])));
        assert!(!hundreds.covers(&Codes::Http(vec![(390, 400)])));
        assert!(Codes::Answers.covers(&hundreds) && !hundreds.covers(&Codes::Answers));
        assert!(!Codes::Answers.covers(&Codes::Network(vec![Network::Dns])));
    }
}

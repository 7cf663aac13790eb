//! What came back: the closed set of outcomes that a policy classifies.

/// What a call came back with, before anybody has judged it.
///
/// The set is closed: a policy is a total function over it (SPEC 2.1). Text is borrowed; nothing
/// in here is kept.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Signal<'a> {
    /// The caller itself gave up; this says nothing about the endpoint and changes nothing.
    Cancelled,
    /// A CoAP response code as its byte: class in the upper three bits, detail in the lower five
    /// (RFC 7252 section 3). 4.04 is `0x84`.
    Coap(u8),
    /// A gRPC status code, 0 to 16.
    Grpc(u8),
    /// An HTTP status. Every number is accepted; those outside 100 to 599 are treated as a server fault.
    Http(u16),
    /// No answer: the network or the local stack failed.
    Network(Network),
    /// An HTTP status together with the provider's own error code from the body.
    Provider {
        /// The HTTP status.
        status: u16,
        /// The code, such as `insufficient_quota`; compared byte for byte.
        code: &'a str,
    },
    /// A status that says success with content that is not what was asked for: a login page, an
    /// empty stream, the wrong content type.
    Unusable {
        /// The HTTP status, mostly 200.
        status: u16,
    },
}

impl Signal<'_> {
    /// The kind and the number that stay when the signal itself is gone.
    #[inline]
    #[must_use]
    pub const fn code(&self) -> SignalCode {
        // Widening casts; `u16::from` is not const.
        #[expect(clippy::as_conversions)]
        match *self {
            Signal::Cancelled => SignalCode::new(SignalKind::Cancelled, 0),
            Signal::Coap(byte) => SignalCode::new(SignalKind::Coap, byte as u16),
            Signal::Grpc(code) => SignalCode::new(SignalKind::Grpc, code as u16),
            Signal::Http(status) | Signal::Provider { status, .. } => {
                SignalCode::new(SignalKind::Http, status)
            }
            Signal::Network(network) => SignalCode::new(SignalKind::Network, network as u16),
            Signal::Unusable { status } => SignalCode::new(SignalKind::Unusable, status),
        }
    }
}

/// The kind of a signal.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum SignalKind {
    /// See [`Signal::Cancelled`].
    #[default]
    Cancelled = 0,
    /// See [`Signal::Coap`].
    Coap = 1,
    /// See [`Signal::Grpc`].
    Grpc = 2,
    /// See [`Signal::Http`].
    Http = 3,
    /// See [`Signal::Network`].
    Network = 4,
    /// See [`Signal::Unusable`].
    Unusable = 5,
}

impl SignalKind {
    /// Every kind, in the order of its byte.
    pub const ALL: [SignalKind; 6] = [
        SignalKind::Cancelled,
        SignalKind::Coap,
        SignalKind::Grpc,
        SignalKind::Http,
        SignalKind::Network,
        SignalKind::Unusable,
    ];

    /// The kind that stands in a snapshot as `byte`.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    /// The byte that stands for the kind in a snapshot.
    #[inline]
    #[must_use]
    pub const fn as_byte(self) -> u8 {
        // The discriminant of a `repr(u8)` enum.
        #[expect(clippy::as_conversions)]
        {
            self as u8
        }
    }
}

/// A signal without its text: three bytes that a tracker can remember and a line can print.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SignalCode {
    kind: SignalKind,
    number: u16,
}

impl SignalCode {
    /// Makes a code from its parts.
    #[inline]
    #[must_use]
    pub const fn new(kind: SignalKind, number: u16) -> Self {
        SignalCode { kind, number }
    }

    /// The kind of the signal.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> SignalKind {
        self.kind
    }

    /// The status, the code or the byte; for a network error its place in [`Network::ALL`].
    #[inline]
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }

    /// The signal that this code stands for, without a provider's code.
    #[must_use]
    pub fn signal(self) -> Signal<'static> {
        let byte = u8::try_from(self.number).unwrap_or(u8::MAX);
        match self.kind {
            SignalKind::Cancelled => Signal::Cancelled,
            SignalKind::Coap => Signal::Coap(byte),
            SignalKind::Grpc => Signal::Grpc(byte),
            SignalKind::Http => Signal::Http(self.number),
            SignalKind::Network => {
                Signal::Network(Network::from_byte(byte).unwrap_or(Network::Other))
            }
            SignalKind::Unusable => Signal::Unusable { status: self.number },
        }
    }
}

/// Why there was no answer.
///
/// The names are those of `network_errors` in a policy file (SPEC 5.3). Whether the request had been
/// sent is not part of the kind: see [`Phase`](crate::Phase).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
#[repr(u8)]
pub enum Network {
    /// The peer's certificate was refused: expired, wrong name, unknown issuer.
    Certificate = 0,
    /// The connection ended in mid-exchange: end of file, broken pipe, incomplete message.
    Closed = 1,
    /// No connection within the time allowed for one.
    ConnectTimeout = 2,
    /// The name could not be resolved.
    Dns = 3,
    /// The local stack had no means left: ports, memory, files.
    Local = 4,
    /// The request could not be made at all: a bad URL, a name that is too long, a misused socket.
    Misuse = 5,
    /// Anything that the client could not name.
    Other = 6,
    /// The local system forbids the call: sandbox, firewall, permissions.
    Permission = 7,
    /// What came back is not the protocol: a parse error, a framing error.
    Protocol = 8,
    /// The peer refused the connection.
    Refused = 9,
    /// The peer refused this stream before it looked at it (HTTP/2 `REFUSED_STREAM`, `GOAWAY`).
    RefusedStream = 10,
    /// The peer reset the connection.
    Reset = 11,
    /// No answer within the time allowed for one.
    Timeout = 12,
    /// The TLS handshake was interrupted.
    TlsHandshake = 13,
    /// No route to the host or the network.
    Unreachable = 14,
}

impl Network {
    /// Every kind, in the order of its byte and of its name.
    pub const ALL: [Network; 15] = [
        Network::Certificate,
        Network::Closed,
        Network::ConnectTimeout,
        Network::Dns,
        Network::Local,
        Network::Misuse,
        Network::Other,
        Network::Permission,
        Network::Protocol,
        Network::Refused,
        Network::RefusedStream,
        Network::Reset,
        Network::Timeout,
        Network::TlsHandshake,
        Network::Unreachable,
    ];

    /// The name in policy files and log lines.
    ///
    /// # Examples
    ///
    /// ```
    /// use permanence_core::Network;
    ///
    /// assert_eq!(Network::Refused.name(), "connection_refused");
    /// assert_eq!(Network::from_name("dns"), Some(Network::Dns));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Network::Certificate => "certificate",
            Network::Closed => "connection_closed",
            Network::ConnectTimeout => "connect_timeout",
            Network::Dns => "dns",
            Network::Local => "local_resource",
            Network::Misuse => "misuse",
            Network::Other => "other",
            Network::Permission => "permission",
            Network::Protocol => "protocol",
            Network::Refused => "connection_refused",
            Network::RefusedStream => "refused_stream",
            Network::Reset => "reset",
            Network::Timeout => "timeout",
            Network::TlsHandshake => "tls_handshake",
            Network::Unreachable => "unreachable",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|network| network.name() == name)
    }

    /// The kind that stands in a snapshot as `byte`.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    /// The phase that this kind proves by itself: nothing of the request can have been processed.
    #[must_use]
    pub const fn nothing_sent(self) -> bool {
        matches!(
            self,
            Network::Certificate
                | Network::ConnectTimeout
                | Network::Dns
                | Network::Misuse
                | Network::Permission
                | Network::Refused
                | Network::RefusedStream
                | Network::TlsHandshake
        )
    }
}

/// The name of a gRPC status code, such as `UNIMPLEMENTED`; `None` past 16.
#[must_use]
pub fn grpc_name(code: u8) -> Option<&'static str> {
    GRPC_NAMES.get(usize::from(code)).copied()
}

/// The gRPC status code with this name.
///
/// # Examples
///
/// ```
/// use permanence_core::{grpc_code, grpc_name};
///
/// assert_eq!(grpc_code("UNIMPLEMENTED"), Some(12));
/// assert_eq!(grpc_name(12), Some("UNIMPLEMENTED"));
/// ```
#[must_use]
pub fn grpc_code(name: &str) -> Option<u8> {
    let place = GRPC_NAMES.iter().position(|known| *known == name)?;
    u8::try_from(place).ok()
}

/// The names of the gRPC status codes, in the order of their numbers.
pub const GRPC_NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_error_has_one_name_and_one_byte() {
        for (place, network) in Network::ALL.into_iter().enumerate() {
            assert_eq!(Network::from_byte(u8::try_from(place).unwrap_or(0)), Some(network));
            assert_eq!(Network::from_name(network.name()), Some(network));
        }
        assert_eq!(Network::from_name("conection_refused"), None);
    }

    #[test]
    fn a_code_keeps_all_of_a_signal_but_its_text() {
        for status in [0, 200, 404, 999, u16::MAX] {
            assert_eq!(Signal::Http(status).code().signal(), Signal::Http(status));
        }
        for network in Network::ALL {
            assert_eq!(Signal::Network(network).code().signal(), Signal::Network(network));
        }
        let coded = Signal::Provider { status: 429, code: "insufficient_quota" };
        assert_eq!(coded.code().signal(), Signal::Http(429));
    }
}

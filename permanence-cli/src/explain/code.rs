//! Codes as the command line has them.

use std::fmt;
use std::str::FromStr;

use permanence_core::{GRPC_NAMES, Network, Phase, Signal, grpc_code};

use super::io;

/// A code as the command line has it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Code {
    /// A network error that an I/O error tells of, and the phase that its kind proves.
    Io(Network, Phase),
    /// A status, a gRPC or CoAP code, a network error.
    Plain(Signal<'static>),
    /// A status with the provider's own code.
    Provider { status: u16, code: String },
}

/// Why a text is no code.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub(super) enum CodeError {
    /// CoAP codes are a class from 2 to 5, a dot and two digits up to 31.
    BadCoap,
    /// gRPC codes are 0 to 16 or their names.
    BadGrpc,
    /// I/O errors go by the names of Rust's `std::io::ErrorKind`.
    BadIo,
    /// Network errors go by their names in policy files.
    BadNetwork,
    /// A status is a number up to 65535.
    BadStatus,
    /// What stands before the colon is neither a status nor one of the notations.
    UnknownNotation,
}

impl Code {
    pub(super) fn signal(&self) -> Signal<'_> {
        match self {
            Code::Io(network, _) => Signal::Network(*network),
            Code::Plain(signal) => *signal,
            Code::Provider { status, code } => Signal::Provider { status: *status, code },
        }
    }

    /// How far the call got, where the code tells more than its signal.
    pub(super) const fn phase(&self) -> Option<Phase> {
        match self {
            Code::Io(_, phase) => Some(*phase),
            Code::Plain(_) | Code::Provider { .. } => None,
        }
    }
}

impl FromStr for Code {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        let Some((notation, code)) = text.split_once(':') else {
            return match text {
                "cancelled" => Ok(Code::Plain(Signal::Cancelled)),
                "unusable" => Ok(Code::Plain(Signal::Unusable { status: 200 })),
                _ if text.starts_with(|first: char| first.is_ascii_digit()) => {
                    status(text).map(|status| Code::Plain(Signal::Http(status)))
                }
                _ => Err(CodeError::UnknownNotation),
            };
        };
        let signal = match notation {
            "coap" => coap(code).map(Signal::Coap).ok_or(CodeError::BadCoap)?,
            "grpc" => grpc(code).map(Signal::Grpc).ok_or(CodeError::BadGrpc)?,
            "http" => Signal::Http(status(code)?),
            "io" => {
                let (network, phase) = io::network(code).ok_or(CodeError::BadIo)?;
                return Ok(Code::Io(network, phase));
            }
            "net" => Network::from_name(code).map(Signal::Network).ok_or(CodeError::BadNetwork)?,
            "unusable" => Signal::Unusable { status: status(code)? },
            _ if code.is_empty() => return Err(CodeError::UnknownNotation),
            _ => {
                let status = status(notation).map_err(|_| CodeError::UnknownNotation)?;
                return Ok(Code::Provider { status, code: code.to_owned() });
            }
        };
        Ok(Code::Plain(signal))
    }
}

fn status(text: &str) -> Result<u16, CodeError> {
    text.parse().map_err(|_| CodeError::BadStatus)
}

fn grpc(text: &str) -> Option<u8> {
    let number = text.parse().ok().filter(|number| usize::from(*number) < GRPC_NAMES.len());
    number.or_else(|| grpc_code(&text.to_ascii_uppercase()))
}

fn coap(text: &str) -> Option<u8> {
    let (class, detail) = text.split_once('.')?;
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if class.len() != 1 || detail.len() != 2 || !plain(class) || !plain(detail) {
        return None;
    }
    let (class, detail) = (class.parse::<u8>().ok()?, detail.parse::<u8>().ok()?);
    ((2..=5).contains(&class) && detail < 32).then_some(class << 5 | detail)
}

impl fmt::Display for CodeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodeError::BadCoap => out.write_str("no such CoAP code: they are 2.00 to 5.31"),
            CodeError::BadGrpc => {
                write!(out, "no such gRPC code: they are 0 to 16, or {}", GRPC_NAMES.join(", "))
            }
            CodeError::BadIo => {
                write!(out, "no such kind of I/O error: they are {}", io::names().join(", "))
            }
            CodeError::BadNetwork => {
                let names = Network::ALL.map(Network::name);
                write!(out, "no such network error: they are {}", names.join(", "))
            }
            CodeError::BadStatus => out.write_str("a status is a number up to 65535"),
            CodeError::UnknownNotation => out.write_str(
                "not a code: write 429, 429:insufficient_quota, grpc:UNAVAILABLE, coap:4.04, \
                 net:dns, io:TimedOut, unusable:200 or cancelled",
            ),
        }
    }
}

impl std::error::Error for CodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_understood() {
        let plain = |text: &str| match text.parse() {
            Ok(Code::Plain(signal)) => signal,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(plain("429"), Signal::Http(429));
        assert_eq!(plain("http:777"), Signal::Http(777));
        assert_eq!(plain("grpc:14"), Signal::Grpc(14));
        assert_eq!(plain("grpc:unavailable"), Signal::Grpc(14));
        assert_eq!(plain("coap:4.04"), Signal::Coap(0x84));
        assert_eq!(plain("net:dns"), Signal::Network(Network::Dns));
        let timeout = "io:TimedOut".parse::<Code>().unwrap();
        assert_eq!(timeout, Code::Io(Network::Timeout, Phase::Sent));
        assert_eq!(plain("unusable:203"), Signal::Unusable { status: 203 });
        let coded = "429:insufficient_quota".parse::<Code>().unwrap();
        assert_eq!(coded.signal(), Signal::Provider { status: 429, code: "insufficient_quota" });
    }

    #[test]
    fn what_is_no_code_is_refused_with_what_would_be_one() {
        let refused = |text: &str| text.parse::<Code>().unwrap_err();
        assert_eq!(refused("grpc:17"), CodeError::BadGrpc);
        assert_eq!(refused("coap:4.4"), CodeError::BadCoap);
        assert_eq!(refused("coap:6.00"), CodeError::BadCoap);
        assert_eq!(refused("net:dsn"), CodeError::BadNetwork);
        assert_eq!(refused("io:Timeout"), CodeError::BadIo);
        assert_eq!(refused("70000"), CodeError::BadStatus);
        assert_eq!(refused("timeout"), CodeError::UnknownNotation);
        assert_eq!(refused("htpt:404"), CodeError::UnknownNotation);
        assert_eq!(refused("429:"), CodeError::UnknownNotation);
    }
}

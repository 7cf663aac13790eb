//! What the command line says about the call beside the code.

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use permanence_core::{Phase, Request};
use serde::Serialize;

/// What is known about the call beside the code.
#[derive(Args, Debug, Default)]
pub(super) struct Given {
    /// The method of the request; by default the one of the endpoint, else GET, and for gRPC POST.
    #[arg(long, value_name = "METHOD")]
    pub(super) method: Option<String>,
    /// A header of the answer; may be given several times.
    #[arg(long = "header", short = 'H', value_name = "NAME: VALUE")]
    pub(super) headers: Vec<Header>,
    /// A header of the request; may be given several times.
    #[arg(long = "request-header", value_name = "NAME: VALUE")]
    pub(super) request_headers: Vec<Header>,
    /// The body of the answer, or @ and the file that it is in.
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(super) body: Option<String>,
    /// The URL that a redirect has led to, if one was followed.
    #[arg(long, value_name = "URL")]
    pub(super) redirected_to: Option<String>,
    /// The request carries an idempotency key that the peer honours.
    #[arg(long)]
    pub(super) idempotency_key: bool,
    /// The endpoint, as a route or a path: 'PUT /api/agents/17/status'.
    #[arg(long, value_name = "[METHOD ]PATH")]
    pub(super) endpoint: Option<Endpoint>,
    /// How far the call got, where the code does not tell.
    #[arg(long)]
    pub(super) phase: Option<PhaseWord>,
}

/// A header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Header {
    /// In lower case.
    pub(super) name: String,
    pub(super) value: String,
}

/// A method, if one is named, and a path or a template.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Endpoint {
    pub(super) method: Option<String>,
    pub(super) path: String,
}

/// A phase as the command line has it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
pub(super) enum PhaseWord {
    /// The peer answered.
    Answered,
    /// Nothing of the request can have reached the peer.
    NothingSent,
    /// Some of the request may have reached the peer; there was no complete answer.
    Sent,
}

/// Why what is given makes no sense.
#[derive(Debug)]
#[non_exhaustive]
pub(super) enum GivenError {
    /// The file of the body cannot be read.
    Body(PathBuf, io::Error),
    /// An endpoint is a path, perhaps after a method and a blank.
    Endpoint(String),
    /// A header is a name, a colon and a value.
    Header(String),
    /// The endpoint is of another method: leave one of the two out.
    TwoMethods(String, String),
}

impl Given {
    /// The method of the request, which without a word on it is `otherwise`.
    pub(super) fn method<'g>(&'g self, otherwise: &'g str) -> Result<&'g str, GivenError> {
        let by_endpoint = self.endpoint.as_ref().and_then(|endpoint| endpoint.method.as_deref());
        match (self.method.as_deref(), by_endpoint) {
            (Some(method), Some(other)) if method != other => {
                Err(GivenError::TwoMethods(method.to_owned(), other.to_owned()))
            }
            (method, other) => Ok(method.or(other).unwrap_or(otherwise)),
        }
    }

    /// Whether the request may be repeated without harm.
    pub(super) fn request(&self, method: &str) -> Request {
        let key = |header: &Header| header.name == "idempotency-key";
        let keyed = self.idempotency_key || self.request_headers.iter().any(key);
        match Request::from_method(method) {
            Request::Unkeyed if keyed => Request::Keyed,
            other => other,
        }
    }

    /// The bytes of the body; none where no body is given.
    pub(super) fn body(&self) -> Result<Option<Vec<u8>>, GivenError> {
        let Some(body) = &self.body else { return Ok(None) };
        match body.strip_prefix('@') {
            Some(path) => match fs::read(path) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) => Err(GivenError::Body(PathBuf::from(path), error)),
            },
            None => Ok(Some(body.clone().into_bytes())),
        }
    }
}

impl From<PhaseWord> for Phase {
    fn from(word: PhaseWord) -> Self {
        match word {
            PhaseWord::Answered => Phase::Answered,
            PhaseWord::NothingSent => Phase::NothingSent,
            PhaseWord::Sent => Phase::Sent,
        }
    }
}

impl FromStr for Header {
    type Err = GivenError;

    fn from_str(text: &str) -> Result<Self, GivenError> {
        let parts = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        match parts {
            Some((name, value)) if !name.is_empty() && !name.contains(char::is_whitespace) => {
                Ok(Header { name: name.to_ascii_lowercase(), value: value.to_owned() })
            }
            _ => Err(GivenError::Header(text.to_owned())),
        }
    }
}

impl FromStr for Endpoint {
    type Err = GivenError;

    fn from_str(text: &str) -> Result<Self, GivenError> {
        let (method, path) = match text.split_once(' ') {
            Some((method, path)) => (Some(method.to_owned()), path.trim_start()),
            None => (None, text),
        };
        if !path.starts_with('/') || method.as_deref() == Some("") {
            return Err(GivenError::Endpoint(text.to_owned()));
        }
        Ok(Endpoint { method, path: path.to_owned() })
    }
}

impl fmt::Display for GivenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GivenError::Body(path, error) => write!(out, "{}: {error}", path.display()),
            GivenError::Endpoint(text) => {
                write!(out, "`{text}` is no endpoint: write '/path' or 'METHOD /path'")
            }
            GivenError::Header(text) => {
                write!(out, "`{text}` is no header: write 'name: value'")
            }
            GivenError::TwoMethods(method, other) => {
                write!(out, "the method is {method} and the endpoint is one of {other}")
            }
        }
    }
}

impl std::error::Error for GivenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_a_name_a_colon_and_a_value() {
        let header: Header = "Retry-After:  Sun, 29 Nov 2026 20:02:00 GMT ".parse().unwrap();
        assert_eq!(header.name, "retry-after");
        assert_eq!(header.value, "Sun, 29 Nov 2026 20:02:00 GMT");
        for text in ["retry-after 120", ": 120", "retry after: 120"] {
            assert!(text.parse::<Header>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_endpoint_is_a_path_with_or_without_a_method() {
        let endpoint: Endpoint = "PUT /api/agents/17/status".parse().unwrap();
        assert_eq!(endpoint.method.as_deref(), Some("PUT"));
        assert_eq!("/feed".parse::<Endpoint>().unwrap().method, None);
        for text in ["feed", "PUT feed", " /feed", ""] {
            assert!(text.parse::<Endpoint>().is_err(), "{text:?}");
        }
    }
}

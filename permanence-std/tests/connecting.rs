//! Why there is no connection, as reqwest tells it.
#![cfg(feature = "reqwest")]

mod support;

use std::future::{Ready, ready};
use std::io::{Error as IoError, ErrorKind};
use std::task::{Context, Poll};

use permanence_std::{GateLayer, Registry};
use reqwest::{Client, Method, Request};
use support::{Few, Lines, StillClock};
use tower_layer::Layer;
use tower_service::Service;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A connector that fails.
#[derive(Clone)]
struct Failing<S> {
    /// Tells reqwest's types, and is not called.
    _inner: S,
    cause: fn() -> Cause,
}

impl<S: Service<R>, R> Service<R> for Failing<S> {
    type Response = S::Response;
    type Error = Cause;
    type Future = Ready<Result<S::Response, Cause>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Cause>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: R) -> Self::Future {
        ready(Err((self.cause)()))
    }
}

#[derive(Clone)]
struct FailWith(fn() -> Cause);

impl<S> Layer<S> for FailWith {
    type Service = Failing<S>;

    fn layer(&self, inner: S) -> Failing<S> {
        Failing { _inner: inner, cause: self.0 }
    }
}

/// The network error that three calls come to, as it stands in the line about them.
async fn named(cause: fn() -> Cause) -> String {
    let lines = Lines::default();
    let client =
        Client::builder().no_proxy().connector_layer(FailWith(cause)).build().expect("a client");
    let registry = Registry::with_settings(Few, StillClock, lines.settings());
    let mut gate = GateLayer::new(registry).layer(client);
    for _ in 0..3 {
        let url = "http://192.0.2.1/v1/feed".parse().expect("a URL");
        let answer = gate.call(Request::new(Method::GET, url)).await;
        assert!(answer.is_err());
    }
    let line = lines.all().concat();
    let (_, told) = line.split_once(": ").expect("a line about three failures");
    told.split_once(' ').expect("a code and a reason").0.to_owned()
}

#[tokio::test]
async fn io_errors_of_the_connector_are_told_apart() {
    for (cause, name) in [
        (
            (|| IoError::from(ErrorKind::ConnectionRefused).into()) as fn() -> Cause,
            "connection_refused",
        ),
        (|| IoError::from(ErrorKind::HostUnreachable).into(), "unreachable"),
        (|| IoError::from(ErrorKind::NetworkUnreachable).into(), "unreachable"),
        (|| IoError::from(ErrorKind::PermissionDenied).into(), "permission"),
        (|| IoError::from(ErrorKind::AddrNotAvailable).into(), "local_resource"),
        (|| IoError::from(ErrorKind::ConnectionReset).into(), "reset"),
        (|| IoError::from(ErrorKind::TimedOut).into(), "connect_timeout"),
        (|| "what nobody knows".into(), "other"),
    ] {
        assert_eq!(named(cause).await, name);
    }
}

#[tokio::test]
async fn the_innermost_io_error_is_the_one_that_counts() {
    let cause = || IoError::other(IoError::from(ErrorKind::ConnectionRefused)).into();
    assert_eq!(named(cause).await, "connection_refused");
}

#[cfg(feature = "rustls")]
#[tokio::test]
async fn a_refused_certificate_is_not_a_broken_handshake() {
    use rustls::{CertificateError, Error};

    let refused = || {
        IoError::new(ErrorKind::InvalidData, Error::InvalidCertificate(CertificateError::Expired))
            .into()
    };
    assert_eq!(named(refused).await, "certificate");
    let broken = || IoError::new(ErrorKind::InvalidData, Error::HandshakeNotComplete).into();
    assert_eq!(named(broken).await, "tls_handshake");
}

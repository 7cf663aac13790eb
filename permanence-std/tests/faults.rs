//! Faults that are made for real, as two clients tell them: what each is called, and whether a write may
//! have acted.
#![cfg(feature = "reqwest")]

mod support;

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::TokioExecutor;
use permanence_core::{Remedy, RoutePolicy};
use permanence_std::testing::{Act, Cut, Server, closed_port};
use permanence_std::{GateLayer, ManualClock, Registry};
use reqwest::Method;
use support::{Lines, clock, default_with, registry};
use tower::ServiceExt;
use tower::timeout::TimeoutLayer;
use tower_layer::Layer;

/// How long the clients wait for an answer.
const PATIENCE: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug)]
enum Client {
    Hyper,
    Reqwest,
}

/// Makes one call and reads its answer to the end, if there is one.
async fn call<P>(client: Client, registry: &Registry<P, ManualClock>, method: Method, url: &str)
where
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
{
    let gate = GateLayer::new(registry.clone());
    match client {
        Client::Reqwest => {
            let plain = reqwest::Client::builder().no_proxy().timeout(PATIENCE);
            let gate = gate.layer(plain.build().expect("a plain client"));
            let request = reqwest::Request::new(method, url.parse().expect("a URL"));
            if let Ok(answer) = gate.oneshot(request).await {
                let _ = answer.bytes().await;
            }
        }
        Client::Hyper => {
            let plain = HyperClient::builder(TokioExecutor::new()).build_http();
            let gate = gate.layer(TimeoutLayer::new(PATIENCE).layer(plain));
            let request = http::Request::builder().method(method).uri(url);
            let request = request.body(Full::<Bytes>::default()).expect("a request");
            if let Ok(answer) = gate.oneshot(request).await {
                let _ = answer.into_body().collect().await;
            }
        }
    }
}

/// What becomes of a write that meets the fault.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Write {
    /// It was not sent, or it was answered.
    Settled,
    /// It may have acted.
    Surfaced,
}

/// Three reads, and then a write on another endpoint: the fault goes by `name`.
async fn check(address: SocketAddr, name: &str, write: Write) {
    for client in [Client::Reqwest, Client::Hyper] {
        let lines = Lines::default();
        let registry = registry(&lines);
        for _ in 0..3 {
            call(client, &registry, Method::GET, &format!("http://{address}/v1/feed")).await;
        }
        let told = lines.all();
        assert_eq!(told.len(), 1, "{client:?}: {told:?}");
        assert!(told[0].contains(&format!(": {name} network x3;")), "{client:?}: {told:?}");

        let lines = Lines::default();
        let registry = support::registry(&lines);
        call(client, &registry, Method::POST, &format!("http://{address}/v1/charges")).await;
        let surfaced = lines.all().iter().any(|line| line.starts_with("ERROR AMBIGUOUS pay POST"));
        assert_eq!(surfaced, write == Write::Surfaced, "{client:?}: {lines:?}");
    }
}

async fn check_act(act: Act, name: &str, write: Write) {
    let server = Server::start([act]).expect("a free port");
    check(server.address(), name, write).await;
    assert_eq!(server.calls(), 8, "one call each, and none of them twice");
}

#[tokio::test]
async fn a_port_that_is_closed() {
    let address = closed_port().expect("a free port");
    check(address, "connection_refused", Write::Settled).await;
}

#[tokio::test]
async fn a_connection_that_is_reset_before_the_answer() {
    check_act(Act::hang_up(Cut::Reset), "reset", Write::Surfaced).await;
}

#[tokio::test]
async fn a_connection_that_is_closed_before_the_answer() {
    check_act(Act::hang_up(Cut::Close), "connection_closed", Write::Surfaced).await;
}

#[tokio::test]
async fn a_server_that_closes_its_own_direction_alone() {
    check_act(Act::half_close(), "connection_closed", Write::Surfaced).await;
}

#[tokio::test]
async fn a_server_that_never_answers() {
    check_act(Act::stall(), "timeout", Write::Surfaced).await;
}

#[tokio::test]
async fn an_answer_that_begins_too_late() {
    let late = Act::answer(200).after(PATIENCE.saturating_mul(3));
    check_act(late, "timeout", Write::Surfaced).await;
}

#[tokio::test]
async fn a_head_that_comes_too_slowly() {
    let slow = Act::drip(b"HTTP/1.1 200 OK\r\n\r\n", PATIENCE.div_f32(10.0));
    check_act(slow, "timeout", Write::Surfaced).await;
}

#[tokio::test]
async fn a_head_that_is_cut_off() {
    let part = b"HTTP/1.1 200 OK\r\ncontent-le";
    check_act(Act::raw(part), "connection_closed", Write::Surfaced).await;
}

#[tokio::test]
async fn something_that_is_no_answer() {
    for nonsense in [
        &b"220 mail.example ready\r\n\r\n"[..],
        b"HTTP/1.1 2OO FINE\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nname without a colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    ] {
        check_act(Act::raw(nonsense), "protocol", Write::Surfaced).await;
    }
}

#[tokio::test]
async fn a_body_that_is_cut_off() {
    let half = Act::answer(200).body("half of it");
    check_act(half.clone().cut(Cut::Close), "connection_closed", Write::Settled).await;
    check_act(half.cut(Cut::Reset), "reset", Write::Settled).await;
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nsome\r\n";
    check_act(Act::raw(chunked), "connection_closed", Write::Settled).await;
}

#[tokio::test]
async fn a_chunk_without_a_length() {
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nsome\r\n";
    check_act(Act::raw(chunked), "protocol", Write::Settled).await;
}

/// The limit of reqwest counts to the end of the body; that of a layer ends with the head.
#[tokio::test]
async fn a_body_that_does_not_end_in_time() {
    let server = Server::start([Act::answer(200).body("half of it").endless()]);
    let (server, lines) = (server.expect("a free port"), Lines::default());
    let registry = registry(&lines);
    for _ in 0..3 {
        call(Client::Reqwest, &registry, Method::GET, &server.url("/v1/feed")).await;
    }
    assert!(lines.all()[0].contains(": timeout network x3;"), "{lines:?}");
}

#[tokio::test]
async fn redirects_in_a_circle() {
    let server = Server::start([Act::answer(302).header("location", "/v1/feed")]);
    let (server, lines) = (server.expect("a free port"), Lines::default());
    let registry = registry(&lines);
    for _ in 0..3 {
        call(Client::Reqwest, &registry, Method::GET, &server.url("/v1/feed")).await;
    }
    assert!(lines.all()[0].contains(": protocol network x3;"), "{lines:?}");
}

#[tokio::test]
async fn a_name_that_cannot_be_looked_up() {
    // Labels have 63 bytes at most, so that no server is asked.
    let host = "a".repeat(70);
    for client in [Client::Reqwest, Client::Hyper] {
        let lines = Lines::default();
        let registry = registry(&lines);
        for _ in 0..3 {
            call(client, &registry, Method::POST, &format!("http://{host}/v1/charges")).await;
        }
        let told = lines.all();
        assert_eq!(told.len(), 1, "{client:?}: {told:?}");
        assert!(told[0].contains(": dns network x3;"), "{client:?}: {told:?}");
    }
}

#[tokio::test]
async fn an_answer_that_takes_its_time_is_no_fault() {
    let server = Server::start([Act::answer(200).after(Duration::from_millis(10))]);
    let server = server.expect("a free port");
    for client in [Client::Reqwest, Client::Hyper] {
        let lines = Lines::default();
        let registry = registry(&lines);
        for _ in 0..3 {
            call(client, &registry, Method::GET, &server.url("/v1/feed")).await;
            call(client, &registry, Method::POST, &server.url("/v1/charges")).await;
        }
        assert_eq!(lines.count(), 0, "{client:?}: {lines:?}");
    }
}

#[tokio::test]
async fn a_page_instead_of_data_is_no_success() {
    let page = "<!doctype html><title>Log in</title><form action=\"/login\">";
    let act = Act::answer(200).header("content-type", "text/html; charset=utf-8").body(page);
    let server = Server::start([act]).expect("a free port");
    for client in [Client::Reqwest, Client::Hyper] {
        let lines = Lines::default();
        let registry = Registry::with_settings(default_with(&["html"]), clock(), lines.settings());
        for _ in 0..20 {
            call(client, &registry, Method::GET, &server.url("/v1/feed")).await;
        }
        let told = lines.all();
        assert!(!told.is_empty(), "{client:?}");
        assert!(told[0].contains(": 200 "), "{client:?}: {told:?}");
    }
}

#[tokio::test]
async fn a_redirect_to_a_login_is_no_success() {
    let login = Act::answer(302).header("location", "/login?next=feed");
    let page = Act::answer(200).header("content-type", "text/plain").body("log in");
    let acts = std::iter::once(login.clone()).chain([page]);
    let server = Server::start(acts).expect("a free port");
    let lines = Lines::default();
    let registry = Registry::with_settings(default_with(&["html"]), clock(), lines.settings());
    call(Client::Reqwest, &registry, Method::GET, &server.url("/v1/feed")).await;
    assert!(lines.all()[0].starts_with("WARN  DISABLED feed GET"), "{lines:?}");

    // Nobody follows redirects here, so that the answer itself has to be known.
    let server = Server::start([login]).expect("a free port");
    let lines = Lines::default();
    let registry = Registry::with_settings(default_with(&["html"]), clock(), lines.settings());
    call(Client::Hyper, &registry, Method::GET, &server.url("/v1/feed")).await;
    assert!(lines.all()[0].starts_with("WARN  DISABLED feed GET"), "{lines:?}");
    let handle = registry.endpoint_of(
        "GET",
        permanence_std::Origin { scheme: "http", authority: &server.address().to_string() },
        "/v1/feed",
    );
    let skipped = handle.gate().expect_err("calls have stopped");
    assert_eq!(skipped.remedy, Remedy::Reauth);
}

//! The layer over clients of `http::Request`: hyper-util's, and stacks as kube builds them.
#![cfg(feature = "http2")]

mod support;

use std::convert::Infallible;
use std::error::Error as _;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Empty, Full};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use permanence_core::{Request as RequestKind, Span};
use permanence_std::testing::{Act, Cut, Server, closed_port};
use permanence_std::{
    BoxError, Clones, Gate, GateLayer, ManualClock, Origin, Registry, Route, skipped_in,
};
use support::{Few, Lines, registry};
use tower::util::BoxCloneService;
use tower::{ServiceBuilder, ServiceExt};
use tower_layer::Layer;
use tower_service::Service;

type Plain = Client<HttpConnector, Full<Bytes>>;
type Gated = Gate<Plain, Few, ManualClock, Clones>;

fn plain() -> Plain {
    Client::builder(TokioExecutor::new()).build_http()
}

fn gate(registry: &Registry<Few, ManualClock>) -> Gated {
    GateLayer::new(registry.clone()).with_copies(Clones).layer(plain())
}

fn request(method: Method, url: &str) -> Request<Full<Bytes>> {
    Request::builder().method(method).uri(url).body(Full::default()).expect("a request")
}

#[tokio::test]
async fn a_route_that_does_not_exist_costs_one_call_an_interval_and_one_line() {
    let (lines, server) =
        (Lines::default(), Server::start([Act::answer(404)]).expect("a free port"));
    let registry = registry(&lines);
    let gate = gate(&registry);
    let url = server.url("/api/agents/17/status?token=secret");
    let mut skipped = 0;
    for _ in 0..180 {
        match gate.clone().oneshot(request(Method::PUT, &url)).await {
            Ok(answer) => assert_eq!(answer.status(), 404),
            Err(error) => skipped += usize::from(error.skipped().is_some()),
        }
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!((server.calls(), skipped, lines.count()), (1, 179, 1));
    let expected = format!("PUT {}/api/agents/{{id}}/status: 404", server.address());
    assert!(lines.all()[0].contains(&expected), "{lines:?}");
}

#[tokio::test]
async fn a_blip_is_tried_again_if_the_body_can_be_copied() {
    let lines = Lines::default();
    let acts = [Act::answer(503), Act::answer(200), Act::answer(503)];
    let server = Server::start(acts).expect("a free port");
    let (registry, url) = (registry(&lines), server.url("/v1/feed"));
    let copied = gate(&registry).oneshot(request(Method::GET, &url)).await.expect("an answer");
    assert_eq!((copied.status().as_u16(), server.calls()), (200, 2));
    let once = GateLayer::new(registry.clone()).layer(plain());
    let sent = once.oneshot(request(Method::GET, &url)).await.expect("an answer");
    assert_eq!((sent.status().as_u16(), server.calls()), (503, 3));
}

#[tokio::test]
async fn the_error_of_the_client_is_the_source() {
    let address = closed_port().expect("a free port");
    let url = format!("http://{address}/v1/feed");
    let registry = registry(&Lines::default());
    let error = gate(&registry).oneshot(request(Method::GET, &url)).await.expect_err("no server");
    let source = error.source().expect("the client's own error");
    let own = source.downcast_ref::<hyper_util::client::legacy::Error>();
    assert!(own.is_some_and(hyper_util::client::legacy::Error::is_connect), "{source:?}");
}

#[tokio::test]
async fn a_request_may_name_its_route_and_its_kind() {
    let lines = Lines::default();
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let registry = registry(&lines);
    let mut named = request(Method::POST, &server.url("/rpc/17"));
    named.extensions_mut().insert(Route::new("search", "POST", "/rpc/{id}"));
    named.extensions_mut().insert(RequestKind::Idempotent);
    for _ in 0..3 {
        let _ = gate(&registry).oneshot(named.clone()).await;
    }
    assert_eq!((server.calls(), lines.count()), (1, 1));
    assert!(lines.all()[0].contains("DISABLED search POST"), "{lines:?}");
    assert!(lines.all()[0].contains("/rpc/{id}"), "{lines:?}");
}

/// A server whose answers are cut off in mid-body.
fn cutting() -> Server {
    let half = Act::answer(200).body("half of it").cut(Cut::Close);
    Server::start([half]).expect("a free port")
}

#[tokio::test]
async fn a_body_that_breaks_off_is_a_failure() {
    let (lines, server) = (Lines::default(), cutting());
    let url = server.url("/v1/feed");
    let registry = registry(&lines);
    for _ in 0..3 {
        let answer = gate(&registry).oneshot(request(Method::GET, &url)).await;
        let answer = answer.expect("the head is well");
        assert_eq!(answer.status(), 200);
        assert_eq!(lines.count(), 0, "nothing is known before the body ends");
        let error = answer.into_body().collect().await.expect_err("it breaks off");
        assert!(error.downcast_ref::<hyper::Error>().is_some(), "{error:?}");
    }
    let expected = "WARN  DEGRADED feed: connection_closed network x3;";
    assert!(lines.all()[0].starts_with(expected), "{lines:?}");
}

#[tokio::test]
async fn a_body_that_is_not_wanted_is_no_failure() {
    let (lines, server) = (Lines::default(), cutting());
    let url = server.url("/v1/feed");
    let registry = registry(&lines);
    for _ in 0..10 {
        let answer = gate(&registry).oneshot(request(Method::GET, &url)).await;
        drop(answer.expect("the head is well"));
    }
    assert_eq!(lines.count(), 0, "{lines:?}");
}

#[tokio::test]
async fn a_write_that_was_answered_has_acted_whatever_becomes_of_the_body() {
    let (lines, server) = (Lines::default(), cutting());
    let url = server.url("/v1/charges");
    let registry = registry(&lines);
    for _ in 0..10 {
        let answer = gate(&registry).oneshot(request(Method::POST, &url)).await;
        let answer = answer.expect("the head is well");
        assert!(answer.into_body().collect().await.is_err());
    }
    assert_eq!(lines.count(), 0, "{lines:?}");
}

#[tokio::test]
async fn a_probe_is_decided_by_the_head_of_its_answer() {
    let lines = Lines::default();
    let acts = [
        Act::answer(404),
        Act::answer(200).header("content-type", "application/json").body("[").endless(),
    ];
    let (registry, server) = (registry(&lines), Server::start(acts).expect("a free port"));
    let (gate, url) = (gate(&registry), server.url("/v1/feed"));
    let _ = gate.clone().oneshot(request(Method::GET, &url)).await;
    registry.clock().advance(Span::from_secs(4 * 3_600));
    let open = gate.clone().oneshot(request(Method::GET, &url)).await.expect("the probe");
    assert!(lines.all()[1].starts_with("INFO  RECOVERED feed: 200"), "{lines:?}");
    let other = gate.oneshot(request(Method::GET, &url)).await;
    assert!(other.is_ok(), "nobody waits for the body of a probe");
    drop(open);
}

#[tokio::test]
async fn a_stack_of_boxes_and_buffers_is_gated_as_a_client_is() {
    // As kube does: one service in a box, behind a buffer, that adds the host to a bare path.
    type Boxed = BoxCloneService<Request<Full<Bytes>>, Response<hyper::body::Incoming>, BoxError>;
    let (lines, server) =
        (Lines::default(), Server::start([Act::answer(404)]).expect("a free port"));
    let registry = registry(&lines);
    let address = server.address().to_string();
    let place = address.clone();
    let based = ServiceBuilder::new().map_request(move |mut request: Request<Full<Bytes>>| {
        let uri = format!("http://{place}{}", request.uri());
        *request.uri_mut() = uri.parse().expect("a URI");
        request
    });
    let boxed: Boxed = BoxCloneService::new(based.service(plain()).map_err(BoxError::from));
    let origin = Origin { scheme: "http", authority: &address };
    let gate = GateLayer::new(registry.clone()).at(origin).layer(boxed);
    let mut client = ServiceBuilder::new().buffer(8).service(gate);
    let mut skipped = 0;
    for _ in 0..5 {
        let request = request(Method::GET, "/v1/feed");
        let answer = client.ready().await.expect("it runs").call(request).await;
        if let Err(error) = answer {
            skipped += usize::from(skipped_in(&*error).is_some());
        }
    }
    assert_eq!((server.calls(), skipped, lines.count()), (1, 4, 1));
    assert!(lines.all()[0].contains(&format!("feed GET {address}/v1/feed: 404")), "{lines:?}");
}

#[tokio::test]
async fn http2_is_gated_as_http1_is() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service_fn(|_| async {
                let answer = Response::builder().status(404).body(Empty::<Bytes>::new());
                Ok::<_, Infallible>(answer.expect("an answer"))
            });
            let server = http2::Builder::new(TokioExecutor::new());
            tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
        }
    });
    let lines = Lines::default();
    let client = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    let gate = GateLayer::new(registry(&lines)).with_copies(Clones).layer(client);
    let url = format!("http://{address}/v1/feed");
    let first = gate.clone().oneshot(request(Method::GET, &url)).await.expect("an answer");
    assert_eq!((first.status().as_u16(), first.version()), (404, http::Version::HTTP_2));
    let error = gate.oneshot(request(Method::GET, &url)).await.expect_err("it is not called");
    assert!(error.skipped().is_some());
    assert_eq!(lines.count(), 1);
}

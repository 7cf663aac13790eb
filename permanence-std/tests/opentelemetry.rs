//! The gate in front of the `HttpClient` of an exporter, against a real server.
#![cfg(all(feature = "opentelemetry", feature = "reqwest"))]

mod support;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use permanence_core::{Request as RequestKind, Span};
use permanence_std::clients::opentelemetry::GatedHttpClient;
use permanence_std::testing::{Act, Server, closed_port};
use permanence_std::{ManualClock, Registry, RegistrySettings, Route, skipped_in};
use support::{Few, Lines, clock};

/// What an exporter takes for reqwest, without the features it would ask for.
#[derive(Debug)]
struct Plain(reqwest::Client);

#[async_trait]
impl HttpClient for Plain {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = self.0.execute(request.try_into()?).await?;
        let (parts, body) = Response::<reqwest::Body>::from(answer).into_parts();
        let body = http_body_util::BodyExt::collect(body).await?.to_bytes();
        Ok(Response::from_parts(parts, body))
    }
}

fn registry(lines: &Lines) -> Registry<Few, ManualClock> {
    let routes = vec![Route::new("traces", "POST", "/v1/traces")];
    Registry::with_settings(Few, clock(), RegistrySettings { routes, ..lines.settings() })
}

fn gated(registry: &Registry<Few, ManualClock>) -> GatedHttpClient<Plain, Few, ManualClock> {
    let client = reqwest::Client::builder().no_proxy().build().expect("a plain client");
    GatedHttpClient::new(registry.clone(), Plain(client))
}

fn batch(url: &str) -> Request<Bytes> {
    Request::post(url).body(Bytes::from_static(b"spans")).expect("a request")
}

#[tokio::test]
async fn a_collector_that_does_not_take_traces_costs_one_call_and_one_line() {
    let (lines, server) =
        (Lines::default(), Server::start([Act::answer(404)]).expect("a free port"));
    let registry = registry(&lines);
    let client = gated(&registry);
    let mut skipped = 0;
    for _ in 0..180 {
        match client.send_bytes(batch(&server.url("/v1/traces"))).await {
            Ok(answer) => assert_eq!(answer.status(), 404),
            Err(error) => skipped += usize::from(skipped_in(&*error).is_some()),
        }
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!((server.calls(), skipped, lines.count()), (1, 179, 1));
}

#[tokio::test]
async fn an_export_is_tried_again_only_if_asked_for_and_its_answer_is_whole() {
    let acts = [
        Act::answer(503),
        Act::answer(503),
        Act::answer(200)
            .header("content-type", "application/json")
            .body(r#"{"partialSuccess":{}}"#),
    ];
    let server = Server::start(acts).expect("a free port");
    let registry = registry(&Lines::default());
    let client = gated(&registry);
    let url = server.url("/v1/traces");
    assert_eq!(client.send_bytes(batch(&url)).await.expect("an answer").status(), 503);
    assert_eq!(server.calls(), 1);
    let answer = client.retrying().send_bytes(batch(&url)).await.expect("it is back");
    assert_eq!((answer.status().as_u16(), server.calls()), (200, 3));
    assert_eq!(answer.into_body(), r#"{"partialSuccess":{}}"#);
}

#[tokio::test]
async fn the_error_of_the_client_comes_through_as_it_is_and_is_about_the_host() {
    let url = format!("http://{}/v1/traces", closed_port().expect("a free port"));
    let lines = Lines::default();
    let client = gated(&registry(&lines));
    for _ in 0..3 {
        let error = client.send_bytes(batch(&url)).await.expect_err("nobody listens");
        let own = error.downcast_ref::<reqwest::Error>();
        assert!(own.is_some_and(reqwest::Error::is_connect), "{error:?}");
    }
    assert!(lines.all()[0].contains(": connection_refused network x3"), "{lines:?}");
}

#[tokio::test]
async fn a_request_that_must_not_be_repeated_may_say_so() {
    let (lines, server) =
        (Lines::default(), Server::start([Act::answer(503)]).expect("a free port"));
    let client = gated(&registry(&lines)).retrying();
    let mut once = batch(&server.url("/v1/traces"));
    once.extensions_mut().insert(RequestKind::Unkeyed);
    assert_eq!(client.send_bytes(once).await.expect("an answer").status(), 503);
    assert_eq!(server.calls(), 1);
    assert!(lines.all()[0].contains("AMBIGUOUS traces"), "{lines:?}");
}

//! The layer over reqwest, against a real server.
#![cfg(feature = "reqwest")]

mod support;

use std::error::Error as _;
use std::time::Duration;

use permanence_core::{Remedy, Span};
use permanence_std::testing::{Act, Server, closed_port};
use permanence_std::{Error, Gate, GateLayer, ManualClock, Registry, Route, Routed};
use reqwest::{Client, Method, Request, Response};
use support::{Few, HOUR, Lines, SlowClock, StillClock, registry};
use tower_layer::Layer;
use tower_service::Service;

type Gated = Gate<Client, Few, ManualClock>;

fn gate(registry: &Registry<Few, ManualClock>) -> Gated {
    let client = Client::builder().no_proxy().build().expect("a plain client");
    GateLayer::new(registry.clone()).layer(client)
}

async fn send(
    gate: &mut Gated,
    method: Method,
    url: String,
) -> Result<Response, Error<reqwest::Error>> {
    gate.call(Request::new(method, url.parse().expect("a URL"))).await
}

async fn put_status(gate: &mut Gated, server: &Server) -> Result<Response, Error<reqwest::Error>> {
    send(gate, Method::PUT, server.url("/api/agents/17/status?token=secret")).await
}

#[tokio::test]
async fn a_route_that_does_not_exist_costs_one_call_and_one_line_an_interval() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let mut gate = gate(&registry);
    let first = put_status(&mut gate, &server).await.expect("the server answers");
    assert_eq!(first.status(), 404);
    for _ in 1..180 {
        registry.clock().advance(Span::from_secs(60));
        let skipped = put_status(&mut gate, &server).await.expect_err("calls have stopped");
        assert_eq!(skipped.skipped().map(|skipped| skipped.remedy), Some(Remedy::Wait));
    }
    assert_eq!((server.calls(), lines.count()), (1, 1));
    registry.clock().advance(Span::from_secs(60));
    assert!(put_status(&mut gate, &server).await.is_ok(), "the probe is due");
    assert_eq!((server.calls(), lines.count()), (2, 1));
}

#[tokio::test]
async fn a_line_holds_neither_ids_nor_queries() {
    let lines = Lines::default();
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let _ = put_status(&mut gate(&registry(&lines)), &server).await;
    let expected = format!("PUT {}/api/agents/{{id}}/status: 404", server.address());
    assert!(lines.all()[0].contains(&expected), "{:?}", lines.all());
    assert!(!lines.all()[0].contains("secret"));
}

#[tokio::test]
async fn a_route_that_is_deployed_heals_by_itself() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let server = Server::start([Act::answer(404), Act::answer(204)]).expect("a free port");
    let mut gate = gate(&registry);
    let _ = put_status(&mut gate, &server).await;
    registry.clock().advance(Span::from_secs(3 * 3_600));
    for _ in 0..3 {
        let answer = put_status(&mut gate, &server).await.expect("calls go on");
        assert_eq!(answer.status(), 204);
    }
    assert_eq!(server.calls(), 4);
    let lines = lines.all();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("INFO  RECOVERED status: 204 after 3h; 1 probe"), "{lines:?}");
}

#[tokio::test]
async fn a_blip_is_tried_again_within_the_call() {
    let lines = Lines::default();
    let server = Server::start([Act::answer(503), Act::answer(200)]).expect("a free port");
    let answer = put_status(&mut gate(&registry(&lines)), &server).await.expect("it is back");
    assert_eq!(answer.status(), 200);
    assert_eq!((server.calls(), lines.count()), (2, 0));
}

#[tokio::test]
async fn an_outage_is_not_tried_again_within_the_call() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let server = Server::start([Act::answer(503)]).expect("a free port");
    let mut gate = gate(&registry);
    for _ in 0..60 {
        let answer = put_status(&mut gate, &server).await.expect("the server answers");
        assert_eq!(answer.status(), 503);
        registry.clock().advance(Span::from_secs(60));
    }
    // Two retries until it is an outage, then one call a minute.
    assert_eq!((server.calls(), lines.count()), (62, 1), "{:?}", lines.all());
}

#[tokio::test]
async fn a_server_that_asks_not_to_be_tried_again_is_not() {
    let server =
        Server::start([Act::answer(503).header("x-should-retry", "false"), Act::answer(200)])
            .expect("a free port");
    let mut gate = gate(&registry(&Lines::default()));
    assert_eq!(put_status(&mut gate, &server).await.expect("an answer").status(), 503);
    assert_eq!(server.calls(), 1);
}

#[tokio::test]
async fn retries_are_a_tenth_of_the_requests_beyond_the_reserve() {
    let mut acts = vec![Act::answer(200); 100];
    acts.extend(vec![[Act::answer(503), Act::answer(200)]; 60].concat());
    let server = Server::start(acts).expect("a free port");
    let registry = Registry::with_settings(Few, StillClock, Lines::default().settings());
    let client = Client::builder().no_proxy().build().expect("a plain client");
    let mut gate = GateLayer::new(registry).layer(client);
    for _ in 0..150 {
        let url = server.url("/v1/feed").parse().expect("a URL");
        let _ = gate.call(Request::new(Method::GET, url)).await;
    }
    let retries = server.calls() - 150;
    // Ten from the reserve of ten seconds, and ten per cent of 100 to 150 requests.
    assert!((20..=25).contains(&retries), "{retries}");
}

#[tokio::test]
async fn only_different_payloads_in_a_row_disable_what_refuses_payloads() {
    let server = Server::start([Act::answer(422)]).expect("a free port");
    let mut gate = gate(&registry(&Lines::default()));
    for body in ["a", "a", "a", "a", "b", "c"] {
        let url = server.url("/v1/charges").parse().expect("a URL");
        let mut request = Request::new(Method::POST, url);
        *request.body_mut() = Some(body.into());
        assert!(gate.call(request).await.is_ok(), "{body}");
    }
    let skipped = send(&mut gate, Method::POST, server.url("/v1/charges")).await;
    assert!(skipped.is_err_and(|error| error.skipped().is_some()));
}

/// A resolver that never answers.
struct NoAnswer;

impl reqwest::dns::Resolve for NoAnswer {
    fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_write_that_timed_out_before_it_was_connected_is_not_of_unknown_fate() {
    let lines = Lines::default();
    let client = Client::builder()
        .no_proxy()
        .dns_resolver(std::sync::Arc::new(NoAnswer))
        .connect_timeout(Duration::from_millis(20))
        .build()
        .expect("a plain client");
    let mut gate = GateLayer::new(registry(&lines)).layer(client);
    let url = "http://example.invalid/v1/charges".to_owned();
    let error = send(&mut gate, Method::POST, url).await.expect_err("there is no answer");
    assert!(matches!(error, Error::Client(error) if error.is_timeout() && error.is_connect()));
    assert_eq!(lines.all(), [""; 0]);
}

/// A resolver that knows no name.
struct NoNames;

impl reqwest::dns::Resolve for NoNames {
    fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(std::future::ready(Err("no such name".into())))
    }
}

#[tokio::test]
async fn a_name_that_is_not_found_is_about_the_host() {
    let lines = Lines::default();
    let client = Client::builder()
        .no_proxy()
        .dns_resolver(std::sync::Arc::new(NoNames))
        .build()
        .expect("a plain client");
    let mut gate = GateLayer::new(registry(&lines)).layer(client);
    for _ in 0..9 {
        let _ = send(&mut gate, Method::GET, "http://example.invalid/v1/feed".to_owned()).await;
    }
    let lines = lines.all();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("WARN  DEGRADED example.invalid: dns network x3"), "{lines:?}");
}

#[tokio::test]
async fn a_pause_in_which_the_endpoint_is_stopped_is_followed_by_no_retry() {
    let lines = Lines::default();
    let server = Server::start([Act::answer(503), Act::answer(404)]).expect("a free port");
    let clock = SlowClock::default();
    let registry = Registry::with_settings(Few, clock.clone(), lines.settings());
    let client = Client::builder().no_proxy().build().expect("a plain client");
    let mut gate = GateLayer::new(registry).layer(client);
    let request = || Request::new(Method::GET, server.url("/v1/feed").parse().expect("a URL"));
    let mut other = gate.clone();
    let (first, second) = tokio::join!(gate.call(request()), async {
        clock.paused.notified().await;
        let answer = other.call(request()).await;
        clock.over.notify_one();
        answer
    });
    assert_eq!(second.expect("an answer").status(), 404);
    assert_eq!(first.expect("the first answer stands").status(), 503);
    assert_eq!(server.calls(), 2);
}

#[tokio::test]
async fn a_write_without_a_key_is_not_sent_twice() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let server = Server::start([Act::answer(502), Act::answer(200)]).expect("a free port");
    let answer = send(&mut gate(&registry), Method::POST, server.url("/v1/charges")).await;
    assert_eq!(answer.expect("the server answers").status(), 502);
    assert_eq!(server.calls(), 1);
    assert!(lines.all()[0].starts_with("ERROR AMBIGUOUS pay POST"), "{:?}", lines.all());
}

#[tokio::test]
async fn a_write_with_a_key_is() {
    let registry = registry(&Lines::default());
    let server = Server::start([Act::answer(502), Act::answer(200)]).expect("a free port");
    let mut request = Request::new(Method::POST, server.url("/v1/charges").parse().expect("a URL"));
    request.headers_mut().insert("idempotency-key", "k1".parse().expect("a header"));
    let answer = gate(&registry).call(request).await.expect("the server answers");
    assert_eq!((answer.status().as_u16(), server.calls()), (200, 2));
}

#[tokio::test]
async fn a_long_retry_after_is_not_slept_but_kept() {
    let registry = registry(&Lines::default());
    let server = Server::start([Act::answer(503).header("retry-after", "600"), Act::answer(200)])
        .expect("a free port");
    let mut gate = gate(&registry);
    assert_eq!(put_status(&mut gate, &server).await.expect("an answer").status(), 503);
    registry.clock().advance(Span::from_millis(599_999));
    let early = put_status(&mut gate, &server).await.expect_err("the server named a time");
    let wait = early.skipped().and_then(|skipped| skipped.wait);
    assert_eq!(wait, Some(Duration::from_millis(1)));
    registry.clock().advance(Span::from_millis(1));
    assert_eq!(put_status(&mut gate, &server).await.expect("an answer").status(), 200);
    assert_eq!(server.calls(), 2);
}

#[tokio::test]
async fn two_routes_of_a_closed_port_are_one_host_in_the_log() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let address = closed_port().expect("a free port");
    let mut gate = gate(&registry);
    let (mut called, mut skipped) = (0, 0);
    for _ in 0..30 {
        for (method, path) in [(Method::PUT, "/api/agents/17/status"), (Method::GET, "/v1/feed")] {
            match send(&mut gate, method, format!("http://{address}{path}")).await {
                Err(Error::Skipped(_)) => skipped += 1,
                Err(Error::Client(error)) => {
                    assert!(error.is_connect());
                    called += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!((called, skipped), (4, 56));
    let lines = lines.all();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let host = format!(" {address}: connection_refused network");
    assert!(lines.iter().all(|line| line.contains(&host)), "{lines:?}");
}

#[tokio::test]
async fn the_errors_of_the_client_are_the_source() {
    let registry = registry(&Lines::default());
    let url = format!("http://{}/v1/feed", closed_port().expect("a free port"));
    let error = send(&mut gate(&registry), Method::GET, url).await.expect_err("nobody listens");
    let source = error.source().expect("the client has failed");
    assert!(source.is::<reqwest::Error>());
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_no_probe_behind() {
    let registry = registry(&Lines::default());
    let server = Server::start([Act::answer(404), Act::stall()]).expect("a free port");
    let mut gate = gate(&registry);
    let _ = put_status(&mut gate, &server).await;
    registry.clock().advance(Span::from_secs(3 * 3_600));
    tokio::select! {
        _ = put_status(&mut gate, &server) => panic!("the server does not answer"),
        () = server.until_calls(2) => {}
    }
    server.turn_to(Act::answer(204));
    assert!(put_status(&mut gate, &server).await.is_err(), "nothing was learned");
    registry.clock().advance(Span::from_secs(3 * 3_600));
    assert_eq!(put_status(&mut gate, &server).await.expect("a probe").status(), 204);
    assert_eq!(server.calls(), 3);
}

#[tokio::test]
async fn a_timeout_after_the_request_was_sent_is_surfaced() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let server = Server::start([Act::stall()]).expect("a free port");
    let mut request = Request::new(Method::POST, server.url("/v1/charges").parse().expect("a URL"));
    *request.timeout_mut() = Some(Duration::from_millis(20));
    let error = gate(&registry).call(request).await.expect_err("the server does not answer");
    assert!(matches!(error, Error::Client(error) if error.is_timeout()));
    assert!(
        lines.all()[0].contains("timeout after send, no idempotency key; not retried"),
        "{:?}",
        lines.all()
    );
}

#[tokio::test]
async fn a_routed_request_is_known_by_its_route() {
    let lines = Lines::default();
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let mut gate = gate(&registry(&lines));
    let route = Route::new("user", "GET", "/users/{id}");
    for user in ["/users/17", "/users/18"] {
        let request = Request::new(Method::GET, server.url(user).parse().expect("a URL"));
        let _ = gate.call(Routed { route: route.clone(), request }).await;
    }
    assert_eq!((server.calls(), lines.count()), (1, 1));
    assert!(lines.all()[0].starts_with("WARN  DISABLED user GET"), "{:?}", lines.all());
}

#[tokio::test]
async fn gates_of_one_registry_share_what_they_learn() {
    let registry = registry(&Lines::default());
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let (mut one, mut other) = (gate(&registry), gate(&registry));
    assert!(put_status(&mut one, &server).await.is_ok());
    assert!(put_status(&mut other, &server).await.is_err());
    registry.clock().advance(HOUR);
    assert!(put_status(&mut one.clone(), &server).await.is_err());
    assert_eq!(server.calls(), 1);
}

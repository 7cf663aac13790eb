//! The gate for ureq's agent, against a real server.
#![cfg(feature = "ureq")]

mod support;

use std::time::Duration;

use http::Request;
use permanence_core::{Remedy, Request as RequestKind, Span};
use permanence_std::clients::ureq::{Gate, skipped};
use permanence_std::testing::{Act, Cut, Server, closed_port};
use permanence_std::{Error, ManualClock, Registry, Route};
use support::{Few, Lines, clock, default_with, registry};
use ureq::Agent;

fn serve<const N: usize>(acts: [Act; N]) -> Server {
    Server::start(acts).expect("a free port")
}

/// An agent with nothing of the machine's surroundings.
fn plain() -> Agent {
    Agent::config_builder().proxy(None).http_status_as_error(false).build().into()
}

fn gated(registry: &Registry<Few, ManualClock>) -> Agent {
    let gate = Gate::new(registry.clone());
    Agent::config_builder().proxy(None).middleware(gate).build().into()
}

#[test]
fn a_route_that_does_not_exist_costs_one_call_an_interval_and_one_line() {
    let (lines, server) = (Lines::default(), serve([Act::answer(404)]));
    let registry = registry(&lines);
    let agent = gated(&registry);
    let mut remedies = Vec::new();
    for _ in 0..180 {
        let url = server.url("/api/agents/17/status?token=secret");
        let error = agent.put(url).send_empty().expect_err("a status is an error by default");
        remedies.extend(skipped(&error).map(|skipped| skipped.remedy));
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!((server.calls(), lines.count()), (1, 1));
    assert_eq!(remedies, [Remedy::Wait; 179]);
    let expected = format!("PUT {}/api/agents/{{id}}/status: 404", server.address());
    assert!(lines.all()[0].contains(&expected), "{lines:?}");
}

#[test]
fn a_blip_is_tried_again_within_a_run() {
    let lines = Lines::default();
    let server = serve([Act::answer(503), Act::answer(200), Act::answer(404)]);
    let gate = Gate::new(registry(&lines));
    let request = || Request::get(server.url("/v1/feed")).body(()).expect("a request");
    let answer = gate.run(&plain(), request()).expect("it is back");
    assert_eq!((answer.status().as_u16(), server.calls()), (200, 2));
    drop(answer);
    assert_eq!(gate.run(&plain(), request()).expect("an answer").status(), 404);
    let error = gate.run(&plain(), request()).expect_err("calls have stopped");
    assert!(matches!(error, Error::Skipped(_)), "{error:?}");
    assert_eq!((server.calls(), lines.count()), (3, 1));
}

#[test]
fn a_request_may_name_its_route_and_its_kind() {
    let (lines, server) = (Lines::default(), serve([Act::answer(503)]));
    let gate = Gate::new(registry(&lines));
    for _ in 0..3 {
        let mut request = Request::post(server.url("/rpc/17")).body("x").expect("a request");
        request.extensions_mut().insert(Route::new("search", "POST", "/rpc/{id}"));
        request.extensions_mut().insert(RequestKind::Idempotent);
        assert_eq!(gate.run(&plain(), request).expect("an answer").status(), 503);
    }
    assert!(lines.all()[0].starts_with("WARN  DEGRADED search: 503"), "{lines:?}");
}

#[test]
fn a_rule_that_looks_into_the_body_leaves_it_as_it_was() {
    const QUOTA: &str = r#"{"error":{"message":"no credit","code":"insufficient_quota"}}"#;
    let server = serve([Act::answer(429).header("content-type", "application/json").body(QUOTA)]);
    let lines = Lines::default();
    let registry = Registry::with_settings(default_with(&["openai"]), clock(), lines.settings());
    let gate = Gate::new(registry);
    let request = || Request::get(server.url("/v1/feed")).body(()).expect("a request");
    let mut answer = gate.run(&plain(), request()).expect("an answer");
    assert_eq!(answer.headers()["content-length"], QUOTA.len().to_string());
    assert_eq!(answer.body_mut().read_to_string().expect("the body is all there"), QUOTA);
    let error = gate.run(&plain(), request()).expect_err("calls have stopped");
    assert_eq!(error.skipped().map(|skipped| skipped.remedy), Some(Remedy::FixConfig));
}

#[test]
fn a_body_that_is_larger_than_what_is_read_arrives_whole() {
    let body = format!("{{\"ok\":true,\"text\":\"{}\"}}", "x".repeat(300_000));
    let body: &'static str = body.leak();
    let server = serve([Act::answer(200).header("content-type", "application/json").body(body)]);
    let lines = Lines::default();
    let registry = Registry::with_settings(default_with(&["slack"]), clock(), lines.settings());
    let request = Request::get(server.url("/v1/feed")).body(()).expect("a request");
    let mut answer = Gate::new(registry).run(&plain(), request).expect("an answer");
    assert!(answer.body_mut().read_to_string().expect("the body is all there") == body);
    assert_eq!(lines.count(), 0);
}

#[test]
fn a_time_in_the_headers_is_waited_for() {
    let acts = [Act::answer(503).header("retry-after", "90"), Act::answer(204)];
    let (lines, server) = (Lines::default(), serve(acts));
    let registry = registry(&lines);
    let gate = Gate::new(registry.clone());
    let request = || Request::get(server.url("/v1/feed")).body(()).expect("a request");
    assert_eq!(gate.run(&plain(), request()).expect("an answer").status(), 503);
    registry.clock().advance(Span::from_secs(89));
    assert!(gate.run(&plain(), request()).is_err());
    registry.clock().advance(Span::from_secs(1));
    assert_eq!(gate.run(&plain(), request()).expect("the wait is over").status(), 204);
}

#[test]
fn a_body_that_breaks_off_is_a_failure_and_one_that_is_not_wanted_is_none() {
    let server = serve([Act::answer(200).body("half of it").cut(Cut::Close)]);
    let (lines, url) = (Lines::default(), server.url("/v1/feed"));
    let agent = gated(&registry(&lines));
    for _ in 0..10 {
        drop(agent.get(&url).call().expect("the head is well"));
    }
    assert_eq!(lines.count(), 0, "{lines:?}");
    for _ in 0..3 {
        let mut answer = agent.get(&url).call().expect("the head is well");
        assert!(answer.body_mut().read_to_string().is_err());
    }
    let expected = "WARN  DEGRADED feed: connection_closed network x3;";
    assert!(lines.all()[0].starts_with(expected), "{lines:?}");
}

#[test]
fn errors_are_told_apart_and_by_how_far_the_request_had_got() {
    let stalling = serve([Act::stall()]);
    let closed = format!("http://{}", closed_port().expect("a free port"));
    let impatient = |registry: &Registry<Few, ManualClock>| -> Agent {
        Agent::config_builder()
            .proxy(None)
            .timeout_recv_response(Some(Duration::from_millis(50)))
            .middleware(Gate::new(registry.clone()))
            .build()
            .into()
    };
    let nowhere = format!("http://{}.invalid", "a".repeat(70));
    for (base, line) in [
        (closed.as_str(), "connection_refused network"),
        (nowhere.as_str(), "dns network"),
        (stalling.url("").as_str(), "timeout network"),
    ] {
        let lines = Lines::default();
        let agent = impatient(&registry(&lines));
        // A write that may have acted is surfaced, one that was never sent is not.
        let sent = agent.post(format!("{base}/v1/charges")).send("x");
        assert!(sent.is_err());
        assert_eq!(lines.count(), usize::from(line.starts_with("timeout")), "{lines:?}");
        let lines = Lines::default();
        let agent = impatient(&registry(&lines));
        for _ in 0..3 {
            assert!(agent.get(format!("{base}/v1/feed")).call().is_err());
        }
        assert!(lines.all()[0].contains(&format!(": {line} x3;")), "{lines:?}");
    }
}

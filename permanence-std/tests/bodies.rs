//! The layer over reqwest, under rules that look into answers, against a real server.
#![cfg(feature = "reqwest")]

mod support;

use permanence_core::{Remedy, Span};
use permanence_spec::LoadedPolicy;
use permanence_std::testing::{Act, Cut, Server};
use permanence_std::{Error, Gate, GateLayer, ManualClock, Registry};
use reqwest::{Client, Method, Request, Response};
use support::{Lines, clock, default_with};
use tower_layer::Layer;
use tower_service::Service;

const JSON: &str = "application/json";
const SECOND: Span = Span::from_secs(1);

struct Bench {
    lines: Lines,
    registry: Registry<LoadedPolicy, ManualClock>,
    gate: Gate<Client, LoadedPolicy, ManualClock>,
    server: Server,
}

impl Bench {
    async fn new(packs: &[&str], acts: &[Act]) -> Bench {
        let lines = Lines::default();
        let registry = Registry::with_settings(default_with(packs), clock(), lines.settings());
        let client = Client::builder().no_proxy().build().expect("a plain client");
        let gate = GateLayer::new(registry.clone()).layer(client);
        Bench {
            lines,
            registry,
            gate,
            server: Server::start(acts.iter().cloned()).expect("a free port"),
        }
    }

    async fn feed(&mut self) -> Result<Response, Error<reqwest::Error>> {
        let url = self.server.url("/v1/feed").parse().expect("a URL");
        self.gate.call(Request::new(Method::GET, url)).await
    }

    /// What the next call is skipped for.
    async fn remedy(&mut self) -> Option<Remedy> {
        let skipped = self.feed().await.err()?;
        skipped.skipped().map(|skipped| skipped.remedy)
    }
}

#[tokio::test]
async fn an_empty_account_stops_the_calls_and_the_caller_reads_why() {
    let quota = r#"{"error":{"message":"no credit","code":"insufficient_quota"}}"#;
    let mut bench =
        Bench::new(&["openai"], &[Act::answer(429).header("content-type", JSON).body(quota)]).await;
    let answer = bench.feed().await.expect("the server answers");
    assert_eq!(answer.content_length(), Some(quota.len() as u64));
    assert_eq!(answer.url().path(), "/v1/feed");
    assert_eq!(answer.text().await.expect("the body is all there"), quota);
    assert_eq!(bench.remedy().await, Some(Remedy::FixConfig));
    assert_eq!((bench.server.calls(), bench.lines.count()), (1, 1));
    assert!(bench.lines.all()[0].contains(": 429 auth-config;"), "{:?}", bench.lines.all());
}

#[tokio::test]
async fn a_pace_is_no_empty_account() {
    let pace = r#"{"error":{"code":"rate_limit_exceeded"}}"#;
    let mut bench =
        Bench::new(&["openai"], &[Act::answer(429).header("content-type", JSON).body(pace)]).await;
    for _ in 0..5 {
        assert_eq!(bench.feed().await.expect("calls go on").status(), 429);
    }
    assert!(bench.lines.all().iter().all(|line| line.starts_with("WARN  DEGRADED")));
}

#[tokio::test]
async fn a_success_that_is_a_refusal_is_none() {
    let refused = r#"{"ok":false,"error":"invalid_auth"}"#;
    let mut bench =
        Bench::new(&["slack"], &[Act::answer(200).header("content-type", JSON).body(refused)])
            .await;
    assert_eq!(bench.feed().await.expect("the server answers").status(), 200);
    assert_eq!(bench.remedy().await, Some(Remedy::Reauth));
    assert!(bench.lines.all()[0].contains(": 200 auth-config;"), "{:?}", bench.lines.all());
}

#[tokio::test]
async fn a_time_in_the_body_is_waited_for_to_the_second() {
    let flood = r#"{"ok":false,"error_code":429,"parameters":{"retry_after":90}}"#;
    let acts = [Act::answer(429).header("content-type", JSON).body(flood), Act::answer(204)];
    let mut bench = Bench::new(&["telegram"], &acts).await;
    assert!(bench.feed().await.is_ok());
    bench.registry.clock().advance(Span::from_secs(89));
    assert_eq!(bench.remedy().await, Some(Remedy::Wait));
    bench.registry.clock().advance(SECOND);
    assert_eq!(bench.feed().await.expect("the wait is over").status(), 204);
}

#[tokio::test]
async fn a_redirect_that_ended_at_a_login_is_no_success() {
    let page = Act::answer(200).header("content-type", "text/plain").body("please log in");
    let mut bench =
        Bench::new(&["html"], &[Act::answer(302).header("location", "/login?next=feed"), page])
            .await;
    assert_eq!(bench.feed().await.expect("the login answers").status(), 200);
    assert_eq!(bench.remedy().await, Some(Remedy::Reauth));
}

#[tokio::test]
async fn a_body_that_is_larger_than_what_is_read_arrives_whole() {
    let body = format!("{{\"ok\":true,\"text\":\"{}\"}}", "x".repeat(300_000));
    let body: &'static str = body.leak();
    let mut bench =
        Bench::new(&["slack"], &[Act::answer(200).header("content-type", JSON).body(body)]).await;
    let answer = bench.feed().await.expect("the server answers");
    assert_eq!(answer.content_length(), Some(body.len() as u64));
    assert!(answer.text().await.expect("the body is all there") == body);
    assert_eq!(bench.lines.count(), 0);
}

#[tokio::test]
async fn a_body_that_breaks_off_counts_as_far_as_it_came_and_breaks_off_for_the_caller_too() {
    let half = "{\"error\":{\"code\":\"insufficient_quota\",";
    let acts = [Act::answer(429).body(half).cut(Cut::Close)];
    let mut bench = Bench::new(&["openai"], &acts).await;
    let answer = bench.feed().await.expect("there is an answer");
    assert_eq!(answer.status(), 429);
    assert!(answer.text().await.is_err());
    assert_eq!(bench.remedy().await, Some(Remedy::FixConfig));
}

#[tokio::test]
async fn a_stream_is_handed_on_with_its_first_piece() {
    let event =
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    let acts = [Act::answer(200)
        .header("content-type", "text/event-stream; charset=utf-8")
        .body(event)
        .endless()];
    let mut bench = Bench::new(&["anthropic"], &acts).await;
    for _ in 0..3 {
        let mut answer = bench.feed().await.expect("nobody waits for the end");
        assert_eq!(answer.chunk().await.expect("a piece").as_deref(), Some(event.as_bytes()));
    }
    assert!(bench.lines.all()[0].contains(": 200 overload x3"), "{:?}", bench.lines.all());
}

#[tokio::test]
async fn a_host_that_lets_nobody_in_is_closed_for_all_its_routes() {
    let page = "error code: 1020";
    let mut bench =
        Bench::new(&["cloudflare"], &[Act::answer(403).header("server", "cloudflare").body(page)])
            .await;
    assert!(bench.feed().await.is_ok());
    let url = bench.server.url("/api/agents/17/status").parse().expect("a URL");
    let other = bench.gate.call(Request::new(Method::PUT, url)).await;
    assert!(other.is_err_and(|error| error.skipped().is_some()));
    assert_eq!((bench.server.calls(), bench.lines.count()), (1, 1));
    let line = format!("WARN  DISABLED {}: 403 auth-config;", bench.server.address());
    assert!(bench.lines.all()[0].starts_with(&line), "{:?}", bench.lines.all());
}

#[tokio::test]
async fn a_body_that_nobody_asks_about_is_not_waited_for() {
    let acts = [Act::answer(200).header("content-type", JSON).body("{").endless()];
    let mut bench = Bench::new(&["openai"], &acts).await;
    assert_eq!(bench.feed().await.expect("the head is enough").status(), 200);
}

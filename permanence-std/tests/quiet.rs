//! HTTP libraries keep silent while a probe is under way, and while lines are exported.
#![cfg(all(feature = "quiet", feature = "reqwest", feature = "tracing"))]

mod support;

use std::fmt;
use std::sync::{Arc, Mutex};

use permanence_core::{Outcome, Request as Kind, Signal, Span};
use permanence_std::quiet::{self, Quiet};
use permanence_std::testing::{Act, Server, closed_port};
use permanence_std::{
    Gate, GateLayer, ManualClock, Origin, Registry, RegistrySettings, TracingSink,
};
use reqwest::{Client, Method, Request};
use support::{Few, Lines, clock};
use tower_layer::Layer as _;
use tower_service::Service;
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::prelude::*;

const INTERVAL: Span = Span::from_secs(3 * 3_600);

/// The targets of the events that came through.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<String>>>);

impl Kept {
    /// Collects what this thread says from here on, and what comes to it from the crate `log`.
    fn behind(quiet: &Quiet) -> (Kept, DefaultGuard) {
        // Whoever comes first installs it for all.
        let _ = tracing_log::LogTracer::init();
        let kept = Kept::default();
        let subscriber =
            tracing_subscriber::registry().with(kept.clone().with_filter(quiet.clone()));
        (kept, tracing::subscriber::set_default(subscriber))
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no test panics here"))
    }
}

impl<S: Subscriber> Layer<S> for Kept {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut target = Target(event.metadata().target().to_owned());
        event.record(&mut target);
        // The runtime speaks of sockets when their tasks end, which is at no call's time.
        if target.0.starts_with("mio::") {
            return;
        }
        self.0.lock().expect("no test panics here").push(target.0);
    }
}

/// The target of an event, or that of the record that it was.
struct Target(String);

impl Visit for Target {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "log.target" {
            value.clone_into(&mut self.0);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

fn registry() -> Registry<Few, ManualClock> {
    let settings = RegistrySettings { sink: Box::new(TracingSink), ..Lines::default().settings() };
    Registry::with_settings(Few, clock(), settings)
}

/// A client that connects anew for each call.
fn client() -> Client {
    Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a plain client")
}

fn gate(registry: &Registry<Few, ManualClock>) -> Gate<Client, Few, ManualClock> {
    GateLayer::new(registry.clone()).layer(client())
}

fn request(method: Method, url: &str) -> Request {
    Request::new(method, url.parse().expect("a URL"))
}

#[tokio::test]
async fn libraries_speak_of_a_call_and_keep_silent_about_a_probe() {
    let quiet = Quiet::new();
    let (kept, _guard) = Kept::behind(&quiet);
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let (registry, url) = (registry(), server.url("/api/agents/17/status"));
    let mut gate = gate(&registry);

    gate.call(request(Method::PUT, &url)).await.expect("the first call is made");
    let first = kept.take();
    for target in ["hyper_util::client::legacy::connect::http", "reqwest::connect", "permanence"] {
        assert!(first.iter().any(|kept| kept == target), "{target}: {first:?}");
    }
    assert_eq!(quiet.dropped(), 0);

    registry.clock().advance(INTERVAL);
    gate.call(request(Method::PUT, &url)).await.expect("the probe is made");
    assert_eq!(server.calls(), 2);
    assert_eq!(kept.take(), Vec::<String>::new());
    assert!(quiet.dropped_of("hyper_util") > 0 && quiet.dropped_of("reqwest") > 0, "{quiet:?}");
    let dropped = quiet.dropped();

    server.turn_to(Act::answer(204));
    registry.clock().advance(INTERVAL);
    gate.call(request(Method::PUT, &url)).await.expect("the probe that heals");
    assert_eq!(kept.take(), ["permanence"]);
    assert_eq!(quiet.dropped(), 2 * dropped);

    gate.call(request(Method::PUT, &url)).await.expect("an ordinary call");
    assert!(kept.take().iter().any(|kept| kept == "reqwest::connect"));
    assert_eq!(quiet.dropped(), 2 * dropped);
}

#[tokio::test]
async fn who_asks_by_hand_marks_the_probe() {
    let quiet = Quiet::new();
    let (kept, _guard) = Kept::behind(&quiet);
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let (registry, client, url) = (registry(), client(), server.url("/v1/feed"));
    let handle =
        registry.endpoint_of("GET", Origin { scheme: "http", authority: "here" }, "/v1/feed");
    for _ in 0..2 {
        let pass = handle.gate().expect("a first call and a probe");
        let call = client.get(&url).send();
        let answer = if pass.is_probe() { quiet::probe(call).await } else { call.await };
        let code = answer.expect("the server answers").status().as_u16();
        drop(pass.record(&Outcome::new(Signal::Http(code), Kind::Idempotent)));
        registry.clock().advance(INTERVAL);
        if quiet.dropped() == 0 {
            assert!(kept.take().len() > 1, "the first call is spoken of");
        }
    }
    assert_eq!(kept.take(), Vec::<String>::new());
    assert!(quiet.dropped() > 0);
}

/// Sends everything that has been kept to a port where nobody listens, and says that it failed.
async fn export(kept: &Kept, gate: &mut Gate<Client, Few, ManualClock>, url: &str) -> Vec<String> {
    let batch = kept.take();
    if gate.call(request(Method::POST, url)).await.is_err() {
        tracing::warn!(target: "shipper", "{} lines are lost", batch.len());
    }
    batch
}

#[tokio::test]
async fn an_exporter_that_fails_does_not_feed_itself() {
    let quiet = Quiet::new().and("shipper");
    let (kept, _guard) = Kept::behind(&quiet);
    let url = format!("http://{}/v1/logs", closed_port().expect("a free port"));
    let mut gate = gate(&registry());

    tracing::info!(target: "app", "started");
    let mut sent = Vec::new();
    for _ in 0..4 {
        sent.push(quiet::export(export(&kept, &mut gate, &url)).await);
    }
    // Three refusals are one line and four another, of permanence itself: they are worth sending.
    let sent: Vec<usize> = sent.iter().map(Vec::len).collect();
    assert_eq!((sent, kept.take().len()), (vec![1, 0, 0, 1], 1));
    assert_eq!(quiet.dropped_of("shipper"), 4);
    assert!(quiet.dropped_of("hyper_util") > 0, "{quiet:?}");
}

#[tokio::test]
async fn an_exporter_that_is_not_marked_feeds_itself() {
    let quiet = Quiet::new().and("shipper");
    let (kept, _guard) = Kept::behind(&quiet);
    let url = format!("http://{}/v1/logs", closed_port().expect("a free port"));
    export(&kept, &mut gate(&registry()), &url).await;
    assert!(kept.take().len() > 2, "its own lines are its next batch");
}

#[cfg(feature = "ureq")]
#[test]
fn ureq_keeps_silent_about_a_probe_too() {
    use permanence_std::clients::ureq::Gate;

    let quiet = Quiet::new();
    let (kept, _guard) = Kept::behind(&quiet);
    let server = Server::start([Act::answer(404)]).expect("a free port");
    let (registry, url) = (registry(), server.url("/v1/feed"));
    let gate = Gate::new(registry.clone());
    let plain = || ureq::Agent::config_builder().proxy(None).max_idle_connections(0);
    let agents: [ureq::Agent; 2] =
        [plain().build().into(), plain().middleware(gate.clone()).build().into()];

    let is_of_ureq = |target: &String| target.starts_with("ureq");
    let request = || http::Request::get(&url).body(()).expect("a request");
    assert!(gate.run(&agents[0], request()).is_err());
    assert!(kept.take().iter().any(is_of_ureq), "the first call is spoken of");
    let mut dropped = quiet.dropped_of("ureq");
    assert_eq!(dropped, 0);
    let calls: [&dyn Fn() -> bool; 2] =
        [&|| gate.run(&agents[0], request()).is_err(), &|| agents[1].get(&url).call().is_err()];
    for call in calls {
        registry.clock().advance(INTERVAL);
        assert!(call(), "the probe is answered with 404");
        assert_eq!(kept.take(), Vec::<String>::new());
        assert!(quiet.dropped_of("ureq") > dropped, "{quiet:?}");
        dropped = quiet.dropped_of("ureq");
    }
    assert_eq!(server.calls(), 3);
}

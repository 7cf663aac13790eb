//! No secret of a request or an answer gets into what permanence writes.
#![cfg(all(feature = "reqwest", feature = "state"))]

mod support;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use permanence_core::Span;
use permanence_spec::LoadedPolicy;
use permanence_std::state::StateFile;
use permanence_std::testing::{Act, Server, closed_port};
use permanence_std::{Gate, GateLayer, LineFn, ManualClock, Registry, RegistrySettings};
use reqwest::{Client, Method, Request};
use support::{HOUR, Lines, clock, default_with};
use tower_layer::Layer;
use tower_service::Service;

/// Every secret has this in it, wherever it stands.
const MARK: &str = "5ecret";

/// What a server may say: one that is well, and faults whose text and headers repeat what they were
/// asked.
fn acts() -> [(Act, Heard); 9] {
    let json = |status| Act::answer(status).header("content-type", "application/json");
    [
        (Act::answer(200), Heard::Nothing),
        (Act::answer(404), Heard::Trouble),
        (Act::answer(503), Heard::Trouble),
        (
            Act::answer(403)
                .header("server", "cloudflare")
                .body("<h1>Access denied</h1> key sk-5ecret-edge"),
            Heard::Trouble,
        ),
        (
            Act::answer(302).header("location", "/login?next=/v1/feed&token=5ecret-location"),
            Heard::Trouble,
        ),
        (
            json(401).body(r#"{"error":{"code":"invalid_api_key","message":"bad key sk-5ecret"}}"#),
            Heard::Trouble,
        ),
        (
            json(422).body(r#"{"detail":"the token 5ecret-422 is of no known kind"}"#),
            Heard::Trouble,
        ),
        (
            json(429).body(r#"{"error":{"code":"insufficient_quota","message":"org 5ecret-429"}}"#),
            Heard::Trouble,
        ),
        (
            Act::answer(200)
                .header("content-type", "text/html")
                .body("<form action='/login?token=5ecret-html'>"),
            Heard::Nothing,
        ),
    ]
}

/// What a registry makes of an act.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Heard {
    Nothing,
    Trouble,
}

/// Paths of known routes and of none.
const PATHS: [(&str, &str); 4] = [
    ("PUT", "/api/agents/5ecret-id/status?api_key=5ecret-query"),
    ("GET", "/v1/feed?sig=5ecret-query#5ecret-fragment"),
    ("POST", "/v1/charges;session=5ecret-matrix?token=5ecret-query"),
    ("POST", "/hooks/T0/5ecret-hook?token=5ecret-query"),
];

struct Bench {
    registry: Registry<LoadedPolicy, ManualClock>,
    gate: Gate<Client, LoadedPolicy, ManualClock>,
    /// All that was printed, shown or given out.
    written: Arc<Mutex<String>>,
}

impl Bench {
    fn new(state: &Path) -> Bench {
        let written = Arc::<Mutex<String>>::default();
        let sink = Arc::clone(&written);
        let settings = RegistrySettings {
            sink: Box::new(LineFn::new(move |line| {
                let mut written = sink.lock().expect("no test panics here");
                let (text, json) = (line.text(), line.json());
                writeln!(written, "{text}\n{json}\n{line:?}").expect("a string takes all");
            })),
            ..Lines::default().settings()
        };
        let store = Arc::new(StateFile::at(state));
        let registry = Registry::with_state(default_with(&["openai"]), clock(), settings, store);
        let client = Client::builder().no_proxy().build().expect("a plain client");
        let gate = GateLayer::new(registry.clone()).layer(client);
        Bench { registry, gate, written }
    }

    async fn call(&mut self, (method, path): (&str, &str), address: SocketAddr) {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let url = format!("http://user:5ecret-password@{address}{path}").parse().expect("a URL");
        let mut request = Request::new(method, url);
        for name in ["authorization", "cookie", "idempotency-key", "x-5ecret-name"] {
            request.headers_mut().insert(name, "5ecret-header".parse().expect("a value"));
        }
        *request.body_mut() = Some("password=5ecret-body".into());
        if let Err(error) = self.gate.call(request).await {
            let mut written = self.written.lock().expect("no test panics here");
            writeln!(written, "{error}").expect("a string takes all");
            if let Some(skipped) = error.skipped() {
                writeln!(written, "{skipped} {skipped:?}").expect("a string takes all");
            }
        }
    }

    fn written(&self) -> String {
        self.written.lock().expect("no test panics here").clone()
    }
}

/// All files of a directory, one after the other.
fn files(directory: &Path) -> String {
    let entries = std::fs::read_dir(directory).expect("it exists");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    paths.map(|path| std::fs::read_to_string(path).expect("it is text")).collect()
}

#[tokio::test]
async fn no_secret_of_a_request_or_an_answer_is_written() {
    for (act, heard) in acts() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut bench = Bench::new(&directory.path().join("agent.state"));
        let server = Server::start([act.clone()]).expect("a free port");
        for _ in 0..6 {
            for path in PATHS {
                bench.call(path, server.address()).await;
            }
            bench.registry.clock().advance(Span::from_secs(4 * 3_600));
        }
        server.turn_to(Act::answer(200));
        for path in PATHS {
            bench.call(path, server.address()).await;
        }
        let (written, kept) = (bench.written(), files(directory.path()));
        assert!(!written.contains(MARK), "{act:?}: {written}");
        assert!(!kept.contains(MARK), "{act:?}: {kept}");
        let is_heard = !written.is_empty() && !kept.is_empty();
        assert!(heard == Heard::Nothing || is_heard, "{act:?} was not seen");
    }
}

#[tokio::test]
async fn no_secret_of_a_request_that_never_arrived_is_written() {
    let address = closed_port().expect("a free port");
    let directory = tempfile::tempdir().expect("a directory");
    let mut bench = Bench::new(&directory.path().join("agent.state"));
    for path in PATHS.repeat(6) {
        bench.call(path, address).await;
        bench.registry.clock().advance(HOUR);
    }
    let (written, kept) = (bench.written(), files(directory.path()));
    let degraded = format!("DEGRADED {address}: connection_refused");
    assert!(written.contains(&degraded) && kept.contains("127.0.0.1"), "{written}{kept}");
    assert!(!written.contains(MARK) && !kept.contains(MARK), "{written}{kept}");
}

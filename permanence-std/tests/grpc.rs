//! The layer over tonic's `Channel`, against a real server of HTTP/2.
#![cfg(feature = "tonic")]

mod support;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Response};
use http_body::{Body, Frame};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use permanence_core::{Remedy, Request as RequestKind, Span};
use permanence_spec::LoadedPolicy;
use permanence_std::testing::closed_port;
use permanence_std::{
    Gate, GateLayer, ManualClock, Origin, Registry, RegistrySettings, Route, Skipped, skipped_in,
};
use support::{Lines, clock, default_with};
use tokio::net::TcpListener;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder, Streaming};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tower_layer::Layer;

/// Messages are bytes.
#[derive(Clone, Copy, Default)]
struct Plain;

impl Codec for Plain {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Plain;
    type Decoder = Plain;

    fn encoder(&mut self) -> Plain {
        Plain
    }

    fn decoder(&mut self) -> Plain {
        Plain
    }
}

impl Encoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put(item);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

/// What the server does with a call.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Answers with this status in the head, and no body.
    Head(&'static [(&'static str, &'static str)]),
    /// Answers with one message, and then these trailers; with none the stream just ends.
    Trailers(&'static [(&'static str, &'static str)]),
    /// Answers with one message and says nothing more.
    Open,
    /// Answers with this status of HTTP.
    Http(u16),
}

/// The frames of an answer.
struct Frames {
    frames: VecDeque<Frame<Bytes>>,
    ends: bool,
}

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.frames.pop_front() {
            Some(frame) => Poll::Ready(Some(Ok(frame))),
            None if self.ends => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

fn answer(act: Act) -> Response<Frames> {
    let mut message = BytesMut::new();
    message.put_u8(0);
    message.put_u32(5);
    message.put_slice(b"hello");
    let message = Frame::data(message.freeze());
    let (head, frames, ends) = match act {
        Act::Head(head) => (head, VecDeque::new(), true),
        Act::Trailers([]) => (&[][..], VecDeque::from([message]), true),
        Act::Trailers(trailers) => {
            let trailers = trailers.iter().map(|(name, value)| {
                let name = http::HeaderName::from_static(name);
                (name, HeaderValue::from_static(value))
            });
            let trailers = Frame::trailers(HeaderMap::from_iter(trailers));
            (&[][..], VecDeque::from([message, trailers]), true)
        }
        Act::Open => (&[][..], VecDeque::from([message]), false),
        Act::Http(_) => (&[][..], VecDeque::new(), true),
    };
    let mut answer = Response::new(Frames { frames, ends });
    if let Act::Http(status) = act {
        *answer.status_mut() = http::StatusCode::from_u16(status).expect("a status");
        return answer;
    }
    answer.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    for (name, value) in head {
        answer.headers_mut().insert(*name, HeaderValue::from_static(value));
    }
    answer
}

type Gated = Gate<Channel, LoadedPolicy, ManualClock>;

struct Bench {
    lines: Lines,
    registry: Registry<LoadedPolicy, ManualClock>,
    gate: Gated,
    calls: Arc<AtomicUsize>,
}

impl Bench {
    /// A server that does `acts` in turn, and the last of them for ever, and a channel to it.
    async fn new(acts: &[Act]) -> Bench {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound").to_string();
        let calls = Arc::new(AtomicUsize::new(0));
        let (counted, acts) =
            (Arc::clone(&calls), Arc::new(Mutex::new(VecDeque::from(acts.to_vec()))));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (counted, acts) = (Arc::clone(&counted), Arc::clone(&acts));
                let service = service_fn(move |_| {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let mut acts = acts.lock().expect("nobody panics");
                    let act = if acts.len() > 1 { acts.pop_front() } else { acts.front().copied() };
                    let answer = answer(act.expect("there is a last act"));
                    async { Ok::<_, Infallible>(answer) }
                });
                let server = http2::Builder::new(TokioExecutor::new());
                tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
            }
        });
        Bench::to(&address, calls)
    }

    fn to(address: &str, calls: Arc<AtomicUsize>) -> Bench {
        let lines = Lines::default();
        let settings = RegistrySettings {
            routes: vec![Route::new("echo", "POST", "/test.Echo/Say")],
            ..lines.settings()
        };
        let registry = Registry::with_settings(default_with(&[]), clock(), settings);
        let channel = Endpoint::from_shared(format!("http://{address}")).expect("a URI");
        let origin = Origin { scheme: "http", authority: address };
        let gate = GateLayer::new(registry.clone()).at(origin).layer(channel.connect_lazy());
        Bench { lines, registry, gate, calls }
    }

    async fn stream(&self, kind: Option<RequestKind>) -> Result<Streaming<Bytes>, Status> {
        let mut client = tonic::client::Grpc::new(self.gate.clone());
        client.ready().await.expect("a gate is always ready");
        let path = http::uri::PathAndQuery::from_static("/test.Echo/Say");
        let mut request = tonic::Request::new(Bytes::from_static(b"hello"));
        if let Some(kind) = kind {
            request.extensions_mut().insert(kind);
        }
        let answer = client.server_streaming(request, path, Plain).await?;
        Ok(answer.into_inner())
    }

    /// The whole of one call that may be repeated.
    async fn say(&self) -> Result<Bytes, Status> {
        let mut stream = self.stream(Some(RequestKind::Idempotent)).await?;
        let message = stream.message().await?.ok_or_else(|| Status::internal("no message"))?;
        stream.message().await?;
        Ok(message)
    }

    async fn skipped(&self) -> Option<Skipped> {
        skipped_in(&self.say().await.err()?).cloned()
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn advance(&self, seconds: u32) {
        self.registry.clock().advance(Span::from_secs(seconds));
    }
}

const OK: &[(&str, &str)] = &[("grpc-status", "0")];
const UNIMPLEMENTED: &[(&str, &str)] = &[("grpc-status", "12")];
const UNAVAILABLE: &[(&str, &str)] = &[("grpc-status", "14")];

#[tokio::test]
async fn a_method_that_does_not_exist_stops_the_calls_until_it_does() {
    for absent in [Act::Head(UNIMPLEMENTED), Act::Trailers(UNIMPLEMENTED)] {
        let bench = Bench::new(&[absent, absent, absent, Act::Trailers(OK)]).await;
        let mut skipped = None;
        for _ in 0..10 {
            let failed = bench.say().await.expect_err("the method is not there");
            skipped = skipped_in(&failed).cloned();
            if skipped.is_none() {
                assert_eq!(failed.code(), Code::Unimplemented);
            }
            bench.advance(60);
        }
        let skipped = skipped.expect("the calls have stopped");
        assert_eq!((&*skipped.endpoint, skipped.remedy), ("echo", Remedy::Wait));
        let lines = bench.lines.all();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("/test.Echo/Say: UNIMPLEMENTED resource-absent"), "{lines:?}");

        let mut said = None;
        for _ in 0..1_440 {
            said = said.or(bench.say().await.ok());
            bench.advance(60);
        }
        assert_eq!(said.as_deref(), Some(&b"hello"[..]), "it is deployed");
        assert!(bench.lines.all()[1].starts_with("INFO  RECOVERED echo: OK"), "{:?}", bench.lines);
    }
}

#[tokio::test]
async fn a_status_in_trailers_counts_although_http_said_200() {
    for unwell in [Act::Head(UNAVAILABLE), Act::Trailers(UNAVAILABLE)] {
        let bench = Bench::new(&[unwell]).await;
        for _ in 0..5 {
            assert_eq!(bench.say().await.expect_err("it is unwell").code(), Code::Unavailable);
            bench.advance(60);
        }
        let lines = bench.lines.all();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains(": UNAVAILABLE server-fault x"), "{lines:?}");
    }
}

#[tokio::test]
async fn a_call_that_may_have_acted_is_surfaced() {
    let bench = Bench::new(&[Act::Trailers(UNAVAILABLE)]).await;
    let mut stream = bench.stream(None).await.expect("the head is well");
    assert_eq!(stream.message().await.expect("a message").as_deref(), Some(&b"hello"[..]));
    assert!(stream.message().await.is_err());
    let lines = bench.lines.all();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("AMBIGUOUS echo"), "{lines:?}");
    assert_eq!(bench.calls(), 1);
}

#[tokio::test]
async fn the_delay_that_the_server_names_is_kept() {
    // google.rpc.Status with a RetryInfo of 3 s.
    const LATER: &[(&str, &str)] = &[
        ("grpc-status", "8"),
        (
            "grpc-status-details-bin",
            "GjAKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5SZXRyeUluZm8SBAoCCFo=",
        ),
    ];
    for later in [Act::Head(LATER), Act::Trailers(LATER)] {
        let bench = Bench::new(&[later, Act::Trailers(OK)]).await;
        assert_eq!(bench.say().await.expect_err("not now").code(), Code::ResourceExhausted);
        bench.advance(89);
        assert!(bench.skipped().await.is_some(), "{:?}", bench.lines);
        bench.advance(1);
        assert_eq!(bench.say().await.expect("the time has come"), "hello");
        assert_eq!(bench.calls(), 2);
    }
}

#[tokio::test]
async fn an_answer_without_a_status_breaks_the_protocol() {
    let bench = Bench::new(&[Act::Trailers(&[])]).await;
    for _ in 0..3 {
        let mut stream = bench.stream(Some(RequestKind::Idempotent)).await.expect("a head");
        while let Ok(Some(_)) = stream.message().await {}
        bench.advance(60);
    }
    assert!(bench.lines.all()[0].contains(": protocol "), "{:?}", bench.lines);
}

#[tokio::test]
async fn a_stream_that_is_dropped_says_nothing() {
    let bench = Bench::new(&[Act::Open]).await;
    for _ in 0..10 {
        let mut stream = bench.stream(None).await.expect("a head");
        assert!(stream.message().await.expect("a message").is_some());
    }
    assert_eq!((bench.calls(), bench.lines.count()), (10, 0));
}

#[tokio::test]
async fn a_probe_is_decided_by_its_first_message() {
    let bench = Bench::new(&[
        Act::Head(UNIMPLEMENTED),
        Act::Head(UNIMPLEMENTED),
        Act::Head(UNIMPLEMENTED),
        Act::Open,
    ])
    .await;
    while bench.skipped().await.is_none() {}
    let failed = bench.calls();
    bench.advance(4 * 3_600);
    for _ in failed..3 {
        assert!(bench.say().await.is_err());
        bench.advance(4 * 3_600);
    }
    let mut stream = bench.stream(None).await.expect("the probe is made");
    assert!(stream.message().await.expect("a message").is_some());
    assert_eq!(bench.lines.count(), 2, "{:?}", bench.lines);
    assert!(bench.stream(None).await.is_ok(), "others call while the stream goes on");
}

#[tokio::test]
async fn a_proxy_that_answers_with_http_alone_is_believed() {
    let bench = Bench::new(&[Act::Http(404)]).await;
    for _ in 0..10 {
        assert!(bench.say().await.is_err());
        bench.advance(60);
    }
    let lines = bench.lines.all();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains(": 404 resource-absent"), "{lines:?}");
    assert!(bench.calls() < 10);
}

#[tokio::test]
async fn a_port_that_nobody_listens_on_is_the_host_that_is_gone() {
    let address = closed_port().expect("a free port").to_string();
    let bench = Bench::to(&address, Arc::default());
    for _ in 0..120 {
        assert!(bench.say().await.is_err());
        bench.advance(60);
    }
    let lines = bench.lines.all();
    assert!(lines.concat().contains("connection_refused"), "{lines:?}");
    assert!(bench.skipped().await.is_some(), "{lines:?}");
}

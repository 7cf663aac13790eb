//! What a peer may say about single streams of HTTP/2, for real.
#![cfg(feature = "http2")]

mod support;

use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use permanence_std::GateLayer;
use support::{Lines, registry};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;
use tower_layer::Layer;

/// What a server does with a stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Act {
    /// It goes away, and has not looked at the stream.
    GoAway,
    /// It resets the stream before an answer, for this reason.
    Reset(Reason),
    /// It resets the stream in the middle of the body.
    ResetBody,
    /// It drops the connection.
    Drop,
    /// It drops the connection in the middle of the body.
    DropBody,
}

async fn serve(act: Act) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                if act == Act::GoAway {
                    return go_away(stream).await;
                }
                let mut connection = h2::server::handshake(stream).await.expect("HTTP/2");
                while let Some(Ok((_, mut answer))) = connection.accept().await {
                    match act {
                        Act::Reset(reason) => answer.send_reset(reason),
                        Act::ResetBody => half(&mut answer),
                        Act::DropBody => {
                            let _body = begin(&mut answer);
                            // Until it is on its way.
                            let moment = Duration::from_millis(5);
                            let _ = tokio::time::timeout(moment, connection.accept()).await;
                            return;
                        }
                        Act::Drop | Act::GoAway => return,
                    }
                }
            });
        }
    });
    format!("http://{address}")
}

/// Sends a part of the answer, and resets the stream when that is on its way.
fn half(answer: &mut SendResponse<Bytes>) {
    let mut body = begin(answer);
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        body.send_reset(Reason::INTERNAL_ERROR);
    });
}

fn begin(answer: &mut SendResponse<Bytes>) -> SendStream<Bytes> {
    let mut body = answer.send_response(Response::new(()), false).expect("an open stream");
    body.send_data(Bytes::from_static(b"half of it"), false).expect("an open stream");
    body
}

/// Takes whatever comes, and says that no stream has been looked at.
async fn go_away(mut stream: TcpStream) {
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const ACKNOWLEDGED: [u8; 9] = [0, 0, 0, 4, 1, 0, 0, 0, 0];
    // The last stream is 0, and the reason NO_ERROR (RFC 9113 section 6.8).
    const GO_AWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let _ = stream.write_all(&SETTINGS).await;
    let mut seen = Vec::new();
    let mut piece = [0; 1_024];
    while let Ok(read @ 1..) = stream.read(&mut piece).await {
        seen.extend_from_slice(piece.get(..read).expect("as much as was read"));
        // A frame of headers: a stream has begun.
        if types(&seen).contains(&1) {
            let _ = stream.write_all(&[&ACKNOWLEDGED[..], &GO_AWAY].concat()).await;
        }
    }
}

/// The types of the whole frames after the preface of a client.
fn types(seen: &[u8]) -> Vec<u8> {
    let mut types = Vec::new();
    let mut rest = seen.get(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len()..).unwrap_or(&[]);
    while let [high, middle, low, kind, ..] = *rest {
        types.push(kind);
        let length = u32::from_be_bytes([0, high, middle, low]) as usize;
        rest = rest.get(length + 9..).unwrap_or(&[]);
    }
    types
}

/// What three reads and a write come to in the log.
async fn lines(act: Act) -> Vec<String> {
    let base = serve(act).await;
    let lines = Lines::default();
    let registry = registry(&lines);
    for (method, path) in [
        (Method::GET, "/v1/feed"),
        (Method::GET, "/v1/feed"),
        (Method::GET, "/v1/feed"),
        (Method::POST, "/v1/charges"),
    ] {
        let client = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
        let gate = GateLayer::new(registry.clone()).layer(client);
        let request = Request::builder().method(method).uri(format!("{base}{path}"));
        let request = request.body(Full::<Bytes>::default()).expect("a request");
        if let Ok(answer) = gate.oneshot(request).await {
            let _ = answer.into_body().collect().await;
        }
    }
    lines.all()
}

#[tokio::test]
async fn a_stream_that_was_not_looked_at_was_not_sent() {
    for act in [Act::Reset(Reason::REFUSED_STREAM), Act::GoAway] {
        let told = lines(act).await;
        assert_eq!(told.len(), 1, "{act:?}: {told:?}");
        assert!(told[0].contains(": refused_stream "), "{act:?}: {told:?}");
    }
}

#[tokio::test]
async fn a_stream_that_was_reset_for_another_reason_may_have_acted() {
    for act in [Act::Reset(Reason::CANCEL), Act::Reset(Reason::INTERNAL_ERROR)] {
        let told = lines(act).await;
        assert_eq!(told.len(), 2, "{act:?}: {told:?}");
        assert!(told[0].contains(": reset network x3;"), "{act:?}: {told:?}");
        assert!(told[1].starts_with("ERROR AMBIGUOUS pay POST"), "{act:?}: {told:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_reset_is_a_failure_of_reads_alone() {
    let told = lines(Act::ResetBody).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(": reset network x3;"), "{told:?}");
}

#[tokio::test]
async fn a_body_whose_connection_ends_is_a_failure_of_reads_alone() {
    let told = lines(Act::DropBody).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(": connection_closed network x3;"), "{told:?}");
}

#[tokio::test]
async fn a_connection_that_ends_without_a_word_may_have_acted() {
    let told = lines(Act::Drop).await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains(" network x3;"), "{told:?}");
    assert!(told[1].starts_with("ERROR AMBIGUOUS pay POST"), "{told:?}");
}

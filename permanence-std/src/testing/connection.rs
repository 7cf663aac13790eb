//! One connection of a scripted server.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::act::{Act, Answer, Cut, End, Fate, Raw};
use super::server::{Script, Seen};

/// What is done to a connection from outside of HTTP.
#[derive(Clone, Copy, Debug)]
enum Blow {
    Cut(Cut),
    HalfClose,
    Raw(Raw),
}

/// Serves one connection until it ends or is dealt a blow.
pub(super) async fn serve(stream: TcpStream, script: Arc<Script>) {
    let (blows, mut dealt) = unbounded_channel();
    let service = service_fn(move |request| answer(request, Arc::clone(&script), blows.clone()));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let blow = tokio::select! {
        biased;
        blow = next(&mut dealt) => blow,
        _ = &mut connection => return,
    };
    let mut stream = connection.into_parts().io.into_inner();
    match blow {
        Blow::Cut(Cut::Close) => {}
        Blow::Cut(Cut::Reset) => {
            let _ = stream.set_zero_linger();
        }
        Blow::HalfClose => {
            let _ = stream.shutdown().await;
            // Until the other side has enough of it.
            let mut rest = [0; 1_024];
            while tokio::io::AsyncReadExt::read(&mut stream, &mut rest).await.is_ok_and(|n| n > 0) {
            }
        }
        Blow::Raw(Raw { bytes, pause }) => {
            let length = if pause.is_zero() { bytes.len().max(1) } else { 1 };
            for piece in bytes.chunks(length) {
                tokio::time::sleep(pause).await;
                if stream.write_all(piece).await.is_err() {
                    return;
                }
            }
            let _ = stream.shutdown().await;
        }
    }
}

async fn next(dealt: &mut UnboundedReceiver<Blow>) -> Blow {
    match dealt.recv().await {
        Some(blow) => blow,
        // The service holds a sender as long as there is a connection.
        None => std::future::pending().await,
    }
}

async fn answer(
    request: Request<Incoming>,
    script: Arc<Script>,
    blows: UnboundedSender<Blow>,
) -> Result<Response<Piece>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes().to_vec()).unwrap_or_default();
    let headers = parts.headers.iter().filter_map(|(name, value)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    });
    let Act { fate, delay } = script.next(Seen {
        method: parts.method.to_string(),
        target: parts.uri.to_string(),
        headers: headers.collect(),
        body,
    });
    if delay > Duration::ZERO {
        tokio::time::sleep(delay).await;
    }
    let blow = match fate {
        Fate::Answer(answer) => return Ok(response(answer, blows)),
        Fate::Stall => return std::future::pending().await,
        Fate::Cut(cut) => Blow::Cut(cut),
        Fate::HalfClose => Blow::HalfClose,
        Fate::Raw(raw) => Blow::Raw(raw),
    };
    let _ = blows.send(blow);
    std::future::pending().await
}

fn response(answer: Answer, blows: UnboundedSender<Blow>) -> Response<Piece> {
    let Answer { status, headers, body, end } = answer;
    let piece = Some(Bytes::from(body)).filter(|body| !body.is_empty());
    let mut response = Response::new(Piece { piece, end, blows, has_waited: false });
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(&value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// A body of one piece at most.
struct Piece {
    piece: Option<Bytes>,
    end: End,
    blows: UnboundedSender<Blow>,
    has_waited: bool,
}

impl Body for Piece {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(piece) = self.piece.take() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        match self.end {
            End::Whole => Poll::Ready(None),
            End::Never => Poll::Pending,
            // hyper hands on what it has when there is nothing more for the moment.
            End::Cut(_) if !self.has_waited => {
                self.has_waited = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            End::Cut(cut) => {
                let _ = self.blows.send(Blow::Cut(cut));
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.end == End::Whole && self.piece.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.piece.as_ref().map_or(0, |piece| piece.len() as u64);
        match self.end {
            End::Whole => SizeHint::with_exact(left),
            End::Cut(_) => SizeHint::with_exact(left.saturating_add(1)),
            End::Never => SizeHint::default(),
        }
    }
}

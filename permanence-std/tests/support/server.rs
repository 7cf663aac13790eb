//! A real HTTP server on the loopback interface.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// What the server does with a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Act {
    /// Answers with this status.
    Answer(u16),
    /// Answers with this status and asks to be left alone for so many seconds.
    AnswerLater(u16, u32),
    /// Answers with this status and asks not to be tried again.
    AnswerOnce(u16),
    /// Answers with this status and body as Cloudflare does.
    Edge(u16, &'static str),
    /// Takes the request and never answers.
    Hang,
    /// Answers 302 with this place.
    Redirect(&'static str),
    /// Answers with this status, media type and body.
    Say(u16, &'static str, &'static str),
    /// Answers 200 with this media type and the first piece of a body that never ends.
    Stream(&'static str, &'static str),
}

/// A body of one piece.
#[derive(Debug)]
pub struct Piece {
    piece: Option<Bytes>,
    ends: bool,
}

impl Body for Piece {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.piece.take() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.ends => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ends && self.piece.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.piece.as_ref().map_or(0, |piece| piece.len() as u64);
        if self.ends { SizeHint::with_exact(left) } else { SizeHint::default() }
    }
}

/// A server that does as it is told and counts.
#[derive(Clone, Debug)]
pub struct Server {
    pub address: SocketAddr,
    acts: Arc<Mutex<Vec<Act>>>,
    calls: Arc<AtomicUsize>,
    pub arrived: Arc<Notify>,
}

impl Server {
    /// Starts a server on a free port; it does `acts` in turn, and the last of them for ever.
    pub async fn start(acts: &[Act]) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let server = Server {
            address: listener.local_addr().expect("it is bound"),
            acts: Arc::new(Mutex::new(acts.iter().rev().copied().collect())),
            calls: Arc::default(),
            arrived: Arc::default(),
        };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = serving.clone();
                let service = service_fn(move |request| server.clone().answer(request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        server
    }

    /// Does only this from now on.
    pub fn turn_to(&self, act: Act) {
        *self.acts.lock().unwrap() = vec![act];
    }

    /// The requests that have arrived.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn answer(self, _: Request<Incoming>) -> Result<Response<Piece>, Infallible> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.arrived.notify_one();
        let act = {
            let mut acts = self.acts.lock().unwrap();
            if acts.len() > 1 { acts.pop() } else { acts.last().copied() }
        };
        let builder = Response::builder();
        let mut piece = Piece { piece: None, ends: true };
        let builder = match act.unwrap_or(Act::Hang) {
            Act::Answer(status) => builder.status(status),
            Act::AnswerLater(status, seconds) => {
                builder.status(status).header("retry-after", seconds)
            }
            Act::AnswerOnce(status) => builder.status(status).header("x-should-retry", "false"),
            Act::Edge(status, body) => {
                piece.piece = Some(Bytes::from_static(body.as_bytes()));
                builder.status(status).header("server", "cloudflare")
            }
            Act::Hang => std::future::pending().await,
            Act::Redirect(place) => builder.status(302).header("location", place),
            Act::Say(status, media_type, body) => {
                piece.piece = Some(Bytes::from_static(body.as_bytes()));
                builder.status(status).header("content-type", media_type)
            }
            Act::Stream(media_type, body) => {
                piece = Piece { piece: Some(Bytes::from_static(body.as_bytes())), ends: false };
                builder.header("content-type", media_type)
            }
        };
        Ok(builder.body(piece).expect("a plain answer"))
    }
}

/// An address on which nobody listens.
pub async fn closed_port() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    listener.local_addr().expect("it is bound")
}

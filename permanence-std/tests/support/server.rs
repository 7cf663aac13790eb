//! A real HTTP server on the loopback interface.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
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
    /// Takes the request and never answers.
    Hang,
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

    async fn answer(self, _: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.arrived.notify_one();
        let act = {
            let mut acts = self.acts.lock().unwrap();
            if acts.len() > 1 { acts.pop() } else { acts.last().copied() }
        };
        let builder = Response::builder();
        let builder = match act.unwrap_or(Act::Hang) {
            Act::Answer(status) => builder.status(status),
            Act::AnswerLater(status, seconds) => {
                builder.status(status).header("retry-after", seconds)
            }
            Act::AnswerOnce(status) => builder.status(status).header("x-should-retry", "false"),
            Act::Hang => std::future::pending().await,
        };
        Ok(builder.body(Full::default()).expect("a plain answer"))
    }
}

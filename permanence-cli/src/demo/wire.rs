//! The way to the server, which both reporters share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use reqwest::header::HeaderValue;
use reqwest::{Client, Method, Request, Response, Url};
use tower_service::Service;

use super::server::REPORTER;

/// What the reporters call: the address as it stands in their lines.
pub(super) const STATUS_URL: &str = "http://127.0.0.1:8787/api/agents/17/status";

/// A client that counts its calls.
///
/// It sends them to the port that the server has got, so that the lines of a run do not depend on
/// which one that is.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    client: Client,
    reporter: &'static str,
    port: u16,
    calls: Arc<AtomicU64>,
}

impl Wire {
    pub(super) fn new(reporter: &'static str, port: u16) -> Result<Self, reqwest::Error> {
        let client = Client::builder().no_proxy().build()?;
        Ok(Wire { client, reporter, port, calls: Arc::default() })
    }

    /// The calls that were made.
    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Service<Request> for Wire {
    type Response = Response;
    type Error = reqwest::Error;
    type Future = <Client as Service<Request>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::poll_ready(&mut self.client, context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        self.calls.fetch_add(1, Ordering::Relaxed);
        // An HTTP URL takes any port.
        let _ = request.url_mut().set_port(Some(self.port));
        request.headers_mut().insert(REPORTER, HeaderValue::from_static(self.reporter));
        self.client.call(request)
    }
}

/// One report of the status.
pub(super) fn report(url: &Url) -> Request {
    Request::new(Method::PUT, url.clone())
}

//! A real server that lacks a route until it is deployed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode};

use crate::loopback::serve;

/// The header by which the server tells the reporters apart.
pub(super) const REPORTER: &str = "x-reporter";

/// A server of agents on the loopback interface; clones are the same server.
#[derive(Clone, Debug)]
pub(super) struct Server {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    deployed: AtomicBool,
    naive: AtomicU64,
    permanence: AtomicU64,
}

impl Server {
    /// Starts a server on a free port.
    pub(super) async fn start() -> io::Result<Server> {
        let state = Arc::new(State::default());
        let answering = Arc::clone(&state);
        let port = serve(move |request| answering.answer(request)).await?;
        Ok(Server { port, state })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Puts the status route in place, or takes it away.
    pub(super) fn set_route(&self, route: RouteState) {
        self.state.deployed.store(route == RouteState::Deployed, Ordering::Relaxed);
    }

    /// The requests that have arrived from the naive reporter.
    pub(super) fn naive_calls(&self) -> u64 {
        self.state.naive.load(Ordering::Relaxed)
    }

    /// The requests that have arrived from the other one.
    pub(super) fn permanence_calls(&self) -> u64 {
        self.state.permanence.load(Ordering::Relaxed)
    }
}

/// Whether the status route is there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum RouteState {
    Absent,
    Deployed,
}

impl State {
    fn answer(&self, request: &Request<Incoming>) -> Response<Empty<Bytes>> {
        match request.headers().get(REPORTER).map(|name| name.as_bytes()) {
            Some(b"naive") => self.naive.fetch_add(1, Ordering::Relaxed),
            _ => self.permanence.fetch_add(1, Ordering::Relaxed),
        };
        let mut response = Response::new(Empty::new());
        *response.status_mut() = self.route(request.method(), request.uri().path());
        response
    }

    /// The router: it knows other routes, so that its 404 is that of one route.
    fn route(&self, method: &Method, path: &str) -> StatusCode {
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (method, segments.as_slice()) {
            (&Method::GET, ["health"] | ["api", "agents"] | ["api", "agents", _]) => StatusCode::OK,
            (&Method::PUT, ["api", "agents", _, "status"])
                if self.deployed.load(Ordering::Relaxed) =>
            {
                StatusCode::NO_CONTENT
            }
            _ => StatusCode::NOT_FOUND,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_status_route_depends_on_the_deploy() {
        let state = State::default();
        let status = |state: &State| state.route(&Method::PUT, "/api/agents/17/status");
        assert_eq!(status(&state), StatusCode::NOT_FOUND);
        assert_eq!(state.route(&Method::GET, "/api/agents/17"), StatusCode::OK);
        state.deployed.store(true, Ordering::Relaxed);
        assert_eq!(status(&state), StatusCode::NO_CONTENT);
        assert_eq!(state.route(&Method::GET, "/api/agents/17/status"), StatusCode::NOT_FOUND);
    }
}

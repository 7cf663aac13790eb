//! A tower layer in front of a client.

mod error;
mod head;
mod reading;
mod routed;

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use permanence_core::{Policy, RoutePolicy};
use reqwest::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

pub use self::error::Error;
use self::reading::{Exchange, origin};
pub use self::routed::Routed;
use crate::{Handle, Reaction, Registry, Timer};

/// Puts a [`Gate`] in front of a client.
///
/// Gates of one layer, and of all layers over clones of one registry, share what they learn.
#[derive(Debug)]
pub struct GateLayer<P: RoutePolicy, C> {
    registry: Registry<P, C>,
}

impl<P: RoutePolicy, C> GateLayer<P, C> {
    /// Makes a layer.
    #[must_use]
    pub fn new(registry: Registry<P, C>) -> Self {
        GateLayer { registry }
    }
}

impl<P: RoutePolicy, C> Clone for GateLayer<P, C> {
    fn clone(&self) -> Self {
        GateLayer { registry: self.registry.clone() }
    }
}

impl<S, P: RoutePolicy, C> Layer<S> for GateLayer<P, C> {
    type Service = Gate<S, P, C>;

    fn layer(&self, inner: S) -> Self::Service {
        Gate { inner, registry: self.registry.clone() }
    }
}

/// A client that asks before it calls.
///
/// It stands in front of anything that is a `Service<reqwest::Request>` with the answers and the
/// errors of reqwest, such as [`reqwest::Client`] itself. A skipped call is [`Error::Skipped`] and
/// does not touch the network; whatever the server answers is an `Ok`, as with the bare client.
///
/// Which endpoint a request belongs to is told by a [`Routed`] request, else by the routes of the
/// registry's settings, else by those of the policy. A request of no known route is gated by its
/// host alone.
///
/// The outcome is recorded when the head of the answer is there; what happens to its body
/// afterwards is not seen. Where a rule of the policy looks into the body of such an answer, up to 64 KiB
/// of it are read first (of an event stream its first piece), and handed on unchanged. Headers that the
/// client itself adds to a request are not seen. A request is tried again within the call where the policy offers it, the
/// budget affords it and the body can be cloned.
#[derive(Debug)]
pub struct Gate<S, P: RoutePolicy, C> {
    inner: S,
    registry: Registry<P, C>,
}

impl<S, P: RoutePolicy, C> Gate<S, P, C> {
    /// The registry that the gate asks.
    #[must_use]
    pub fn registry(&self) -> &Registry<P, C> {
        &self.registry
    }
}

impl<S: Clone, P: RoutePolicy, C> Clone for Gate<S, P, C> {
    fn clone(&self) -> Self {
        Gate { inner: self.inner.clone(), registry: self.registry.clone() }
    }
}

type GateFuture = Pin<Box<dyn Future<Output = Result<Response, Error<reqwest::Error>>> + Send>>;

impl<S, P, C> Service<Request> for Gate<S, P, C>
where
    S: Service<Request, Response = Response, Error = reqwest::Error> + Clone + Send + 'static,
    S::Future: Send,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    type Response = Response;
    type Error = Error<reqwest::Error>;
    type Future = GateFuture;

    /// Always ready: whether the client is matters only once the gate has said yes.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (method, url) = (request.method().as_str(), request.url());
        let handle = self.registry.endpoint_of(method, origin(url), url.path());
        Box::pin(exchange(self.inner.clone(), self.registry.clone(), handle, request))
    }
}

impl<S, P, C> Service<Routed<Request>> for Gate<S, P, C>
where
    S: Service<Request, Response = Response, Error = reqwest::Error> + Clone + Send + 'static,
    S::Future: Send,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    type Response = Response;
    type Error = Error<reqwest::Error>;
    type Future = GateFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, Routed { route, request }: Routed<Request>) -> Self::Future {
        let (method, url) = (request.method().as_str(), request.url());
        let handle = self.registry.endpoint_on(&route, method, origin(url));
        Box::pin(exchange(self.inner.clone(), self.registry.clone(), handle, request))
    }
}

/// One call: asked for, made, learnt from, and perhaps made again.
async fn exchange<S, P, C>(
    mut inner: S,
    registry: Registry<P, C>,
    handle: Handle<P, C>,
    mut request: Request,
) -> Result<Response, Error<reqwest::Error>>
where
    S: Service<Request, Response = Response, Error = reqwest::Error>,
    P: RoutePolicy,
    C: Timer,
{
    let clock = registry.clock();
    let mut pass = handle.gate().map_err(Error::Skipped)?;
    handle.deposit();
    loop {
        let spare = request.try_clone();
        let policy = handle.policy();
        let exchange = Exchange::of(&request, policy);
        let answer = match poll_fn(|context| inner.poll_ready(context)).await {
            Ok(()) => inner.call(request).await,
            Err(error) => Err(error),
        };
        let (answer, head) = match answer {
            Ok(response) if policy.needs_body(response.status().as_u16()) => {
                let (response, head) = head::read(response).await;
                (Ok(response), head)
            }
            answer => (answer, Vec::new()),
        };
        let outcome = exchange.outcome(policy, &answer, &head, spare.as_ref(), || {
            clock.wall().map(|wall| wall.time_of(clock.now()))
        });
        let Reaction::Retry(retry) = pass.record(&outcome) else {
            return answer.map_err(Error::Client);
        };
        let Some((next, pause)) = spare.and_then(|spare| Some((spare, retry.take()?))) else {
            return answer.map_err(Error::Client);
        };
        clock.pause(pause).await;
        // In the pause somebody else may have found out more: then the first answer stands.
        match handle.gate() {
            Ok(again) => pass = again,
            Err(_) => return answer.map_err(Error::Client),
        }
        request = next;
    }
}

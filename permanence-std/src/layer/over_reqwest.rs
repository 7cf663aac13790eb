//! reqwest's own client.

use std::future::poll_fn;
use std::task::{Context, Poll};

use http::{Extensions, Response};
use permanence_core::{Network, Phase, RoutePolicy};
use reqwest::{Body, Request, ResponseBuilderExt};
use tower_service::Service;
use url::{Position, Url};

use super::body::GatedBody;
use super::exchange::{Transport, exchange};
use super::{BoxFuture, Gate, Routed, fault};
use crate::reading::{Asked, Over, fingerprint};
use crate::{Error, Handle, Origin, Timer};

impl<S, P, C, K> Service<Request> for Gate<S, P, C, K>
where
    S: Service<Request, Response = reqwest::Response, Error = reqwest::Error>,
    S: Clone + Send + 'static,
    S::Future: Send,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    type Response = reqwest::Response;
    type Error = Error<reqwest::Error>;
    type Future = BoxFuture<Self::Response, Self::Error>;

    /// Always ready: whether the client is matters only once the gate has said yes.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (method, url) = (request.method().as_str(), request.url());
        let handle = self.registry.endpoint_of(method, origin(url), url.path());
        call(self.inner.clone(), handle, request)
    }
}

impl<S, P, C, K> Service<Routed<Request>> for Gate<S, P, C, K>
where
    S: Service<Request, Response = reqwest::Response, Error = reqwest::Error>,
    S: Clone + Send + 'static,
    S::Future: Send,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    type Response = reqwest::Response;
    type Error = Error<reqwest::Error>;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, Routed { route, request }: Routed<Request>) -> Self::Future {
        let (method, url) = (request.method().as_str(), request.url());
        let handle = self.registry.endpoint_on(&route, method, origin(url));
        call(self.inner.clone(), handle, request)
    }
}

fn call<S, P, C>(
    client: S,
    handle: Handle<P, C>,
    request: Request,
) -> BoxFuture<reqwest::Response, Error<reqwest::Error>>
where
    S: Service<Request, Response = reqwest::Response, Error = reqwest::Error> + Send + 'static,
    S::Future: Send,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    Box::pin(async move { exchange(OverReqwest(client), handle, request).await.map(into_reqwest) })
}

struct OverReqwest<S>(S);

impl<S> Transport for OverReqwest<S>
where
    S: Service<Request, Response = reqwest::Response, Error = reqwest::Error> + Send,
    S::Future: Send,
{
    type Request = Request;
    type Body = Body;
    type Error = reqwest::Error;

    async fn send(&mut self, request: Request) -> Result<Response<Body>, reqwest::Error> {
        poll_fn(|context| self.0.poll_ready(context)).await?;
        self.0.call(request).await.map(from_reqwest)
    }

    fn copy(&self, request: &Request) -> Option<Request> {
        request.try_clone()
    }

    fn payload(&self, request: Request) -> Option<u8> {
        payload(&request)
    }

    fn asked<'r>(&self, request: &'r Request) -> Asked<'r> {
        asked(request)
    }

    fn url(extensions: &Extensions) -> Option<&str> {
        url_of(extensions)
    }

    fn over(&self, request: &Request) -> Over {
        over(request)
    }

    fn fault(&self, error: &reqwest::Error, over: Over) -> (Network, Phase) {
        fault_of(error, over)
    }
}

/// The host of a URL, without user and password.
pub(crate) fn origin(url: &Url) -> Origin<'_> {
    Origin { scheme: url.scheme(), authority: &url[Position::BeforeHost..Position::AfterPort] }
}

pub(crate) fn asked(request: &Request) -> Asked<'_> {
    Asked {
        method: request.method(),
        headers: request.headers(),
        kind: None,
        url: Some(request.url().as_str()),
    }
}

pub(crate) fn over(request: &Request) -> Over {
    Over::of_scheme(request.url().scheme())
}

pub(crate) fn payload(request: &Request) -> Option<u8> {
    request.body()?.as_bytes().map(fingerprint)
}

/// Where an answer came from, after all redirects: its URL is hidden once it is no longer reqwest's.
#[derive(Clone, Debug)]
struct Landed(Url);

pub(crate) fn url_of(extensions: &Extensions) -> Option<&str> {
    extensions.get::<Landed>().map(|landed| landed.0.as_str())
}

pub(crate) fn from_reqwest(response: reqwest::Response) -> Response<Body> {
    let landed = Landed(response.url().clone());
    let mut response = Response::<Body>::from(response);
    response.extensions_mut().insert(landed);
    response
}

pub(crate) fn into_reqwest(response: Response<GatedBody<Body>>) -> reqwest::Response {
    let (mut parts, body) = response.into_parts();
    // The URL of an answer is among its extensions, under a name that only reqwest knows.
    if let Some(Landed(url)) = parts.extensions.remove::<Landed>()
        && let Ok(carrier) = Response::builder().url(url).body(())
    {
        parts.extensions.extend(carrier.into_parts().0.extensions);
    }
    Response::from_parts(parts, Body::wrap(body)).into()
}

/// What went wrong, and how far the request had got.
pub(crate) fn fault_of(error: &reqwest::Error, over: Over) -> (Network, Phase) {
    if error.is_builder() {
        return (Network::Misuse, Phase::NothingSent);
    }
    // Before the timeout: a connection that timed out is both, and nothing was sent.
    if error.is_connect() {
        let network = match error {
            _ if error.is_dns() => Network::Dns,
            _ => fault::connecting(error, over),
        };
        return (network, Phase::NothingSent);
    }
    if error.is_timeout() {
        return (Network::Timeout, Phase::Sent);
    }
    if error.is_redirect() {
        return (Network::Protocol, Phase::Sent);
    }
    fault::sending(error)
}

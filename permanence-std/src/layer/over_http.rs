//! Clients that take `http::Request`: hyper-util, tonic, kube, and whatever stands in front of them.

use std::error::Error as StdError;
use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Extensions, Request, Response};
use http_body::Body;
use permanence_core::{Network, Phase, Request as RequestKind, RoutePolicy};
use tower_service::Service;

use super::body::{BoxError, GatedBody};
use super::copy::CopyBody;
use super::exchange::{Transport, exchange};
use super::{BoxFuture, Gate, OwnedOrigin, fault};
use crate::reading::{Asked, Over, origin};
use crate::{Error, Route, Timer};

/// The error of a client behind a [`Gate`], whatever its type is.
///
/// As a source it steps aside: [`Error::source`](StdError::source) of [`Error::Client`] is the client's
/// own error.
pub struct ClientError(BoxError);

impl ClientError {
    pub(crate) fn new(error: impl Into<BoxError>) -> Self {
        ClientError(error.into())
    }

    /// The client's own error.
    #[must_use]
    pub fn into_inner(self) -> BoxError {
        self.0
    }

    pub(crate) fn inner(&self) -> &(dyn StdError + 'static) {
        &*self.0
    }
}

impl fmt::Debug for ClientError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, out)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, out)
    }
}

impl StdError for ClientError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl<S, P, C, K, B, R> Service<Request<B>> for Gate<S, P, C, K>
where
    S: Service<Request<B>, Response = Response<R>, Error: Into<BoxError>> + Clone + Send + 'static,
    S::Future: Send,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
    K: CopyBody<B> + Clone + Send + Sync + 'static,
    B: Send + 'static,
    R: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    type Response = Response<GatedBody<R>>;
    type Error = Error<ClientError>;
    type Future = BoxFuture<Self::Response, Self::Error>;

    /// Always ready: whether the client is matters only once the gate has said yes.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let default = self.origin.as_ref().map(OwnedOrigin::borrowed);
        let origin = origin(request.uri(), request.headers(), default);
        let method = request.method().as_str();
        let handle = match request.extensions().get::<Route>() {
            Some(route) => self.registry.endpoint_on(route, method, origin),
            None => self.registry.endpoint_of(method, origin, request.uri().path()),
        };
        let over = Over::of_scheme(origin.scheme);
        let transport = OverHttp {
            client: self.inner.clone(),
            copies: self.copies.clone(),
            over,
            request: PhantomData,
        };
        Box::pin(exchange(transport, handle, request))
    }
}

struct OverHttp<S, K, B> {
    client: S,
    copies: K,
    over: Over,
    request: PhantomData<fn(B)>,
}

impl<S, K, B, R> Transport for OverHttp<S, K, B>
where
    S: Service<Request<B>, Response = Response<R>, Error: Into<BoxError>> + Send,
    S::Future: Send,
    K: CopyBody<B> + Send,
    B: Send,
    R: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    type Request = Request<B>;
    type Body = R;
    type Error = ClientError;

    async fn send(&mut self, request: Request<B>) -> Result<Response<R>, ClientError> {
        poll_fn(|context| self.client.poll_ready(context).map_err(ClientError::new)).await?;
        self.client.call(request).await.map_err(ClientError::new)
    }

    fn copy(&self, request: &Request<B>) -> Option<Request<B>> {
        let mut copy = Request::new(self.copies.copy(request.body())?);
        *copy.method_mut() = request.method().clone();
        *copy.uri_mut() = request.uri().clone();
        *copy.version_mut() = request.version();
        *copy.headers_mut() = request.headers().clone();
        *copy.extensions_mut() = request.extensions().clone();
        Some(copy)
    }

    fn payload(&self, request: Request<B>) -> Option<u8> {
        self.copies.fingerprint(request.into_body())
    }

    fn asked<'r>(&self, request: &'r Request<B>) -> Asked<'r> {
        Asked {
            method: request.method(),
            headers: request.headers(),
            kind: request.extensions().get::<RequestKind>().copied(),
            url: None,
        }
    }

    /// Nobody follows redirects here.
    fn url(_: &Extensions) -> Option<&str> {
        None
    }

    fn over(&self, _: &Request<B>) -> Over {
        self.over
    }

    fn fault(&self, error: &ClientError, over: Over) -> (Network, Phase) {
        fault::of_call(error.inner(), over)
    }
}

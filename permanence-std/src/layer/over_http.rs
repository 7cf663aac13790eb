//! Clients that take `http::Request`: hyper-util, tonic, kube, and whatever stands in front of them.

use std::error::Error as StdError;
use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Extensions, HeaderMap, Request, Response, Uri};
use http_body::Body;
use permanence_core::{Network, Phase, Request as RequestKind, RoutePolicy};
use tower_service::Service;

use super::body::{BoxError, GatedBody};
use super::copy::CopyBody;
use super::exchange::{Transport, exchange};
use super::reading::{Asked, Over, Sent};
use super::{BoxFuture, Gate, OwnedOrigin, fault};
use crate::{Error, Origin, Route, Timer};

/// The error of a client behind a [`Gate`], whatever its type is.
///
/// As a source it steps aside: [`Error::source`](StdError::source) of [`Error::Client`] is the client's
/// own error.
pub struct ClientError(BoxError);

impl ClientError {
    /// The client's own error.
    #[must_use]
    pub fn into_inner(self) -> BoxError {
        self.0
    }

    pub(super) fn inner(&self) -> &(dyn StdError + 'static) {
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
        let failed = |error: S::Error| ClientError(error.into());
        poll_fn(|context| self.client.poll_ready(context).map_err(failed)).await?;
        self.client.call(request).await.map_err(failed)
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
            over: self.over,
            url: None,
        }
    }

    /// Nobody follows redirects here.
    fn url(_: &Extensions) -> Option<&str> {
        None
    }

    fn fault(&self, error: &ClientError, sent: &Sent) -> (Network, Phase) {
        fault::of_call(error.inner(), sent.over)
    }
}

/// The host of a request: that of its URI, else that of its `Host` header, else that of the gate.
fn origin<'r>(uri: &'r Uri, headers: &'r HeaderMap, default: Option<Origin<'r>>) -> Origin<'r> {
    let scheme = uri.scheme_str();
    if let Some(authority) = uri.authority() {
        let scheme = scheme.or(default.map(|origin| origin.scheme)).unwrap_or("http");
        return Origin { scheme, authority: host(authority.as_str(), scheme) };
    }
    if let Some(origin) = default {
        return origin;
    }
    let named = headers.get(http::header::HOST).and_then(|value| value.to_str().ok());
    let scheme = scheme.unwrap_or("http");
    Origin { scheme, authority: host(named.unwrap_or(""), scheme) }
}

/// An authority without user and password, and without the port that the scheme has anyway.
fn host<'a>(authority: &'a str, scheme: &str) -> &'a str {
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let port = if Over::of_scheme(scheme) == Over::Tls { ":443" } else { ":80" };
    host.strip_suffix(port).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(uri: &str, default: Option<Origin<'static>>) -> (String, String) {
        let headers = HeaderMap::from_iter([(
            http::header::HOST,
            http::HeaderValue::from_static("named.example:80"),
        )]);
        let uri = uri.parse().expect("a URI");
        let Origin { scheme, authority } = origin(&uri, &headers, default);
        (scheme.to_owned(), authority.to_owned())
    }

    fn pair(scheme: &str, authority: &str) -> (String, String) {
        (scheme.to_owned(), authority.to_owned())
    }

    #[test]
    fn an_origin_holds_neither_user_nor_password_nor_the_usual_port() {
        assert_eq!(of("https://u:p@api.example:443/x", None), pair("https", "api.example"));
        assert_eq!(of("http://api.example:443/x", None), pair("http", "api.example:443"));
        assert_eq!(of("http://[::1]:80/x", None), pair("http", "[::1]"));
    }

    #[test]
    fn a_path_alone_goes_to_the_host_of_the_gate_else_to_the_one_that_is_named() {
        let default = Origin { scheme: "https", authority: "kept.example" };
        assert_eq!(of("/v1/feed", Some(default)), pair("https", "kept.example"));
        assert_eq!(of("/v1/feed", None), pair("http", "named.example"));
    }
}

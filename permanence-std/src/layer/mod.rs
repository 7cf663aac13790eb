//! A tower layer in front of a client.

mod body;
mod copy;
mod exchange;
pub(crate) mod fault;
mod grpc;
mod over_http;
#[cfg(feature = "reqwest")]
pub(crate) mod over_reqwest;
mod routed;
mod watch;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use permanence_core::RoutePolicy;
use tower_layer::Layer;

pub use self::body::{BoxError, GatedBody};
pub use self::copy::{Clones, CopyBody, NoCopies};
#[cfg(any(feature = "opentelemetry", feature = "reqwest-middleware"))]
pub(crate) use self::exchange::{Transport, exchange};
pub use self::over_http::ClientError;
pub use self::routed::Routed;
use crate::{Origin, Registry};

/// Puts a [`Gate`] in front of a client.
///
/// Gates of one layer, and of all layers over clones of one registry, share what they learn.
#[derive(Debug)]
pub struct GateLayer<P: RoutePolicy, C, K = NoCopies> {
    registry: Registry<P, C>,
    origin: Option<OwnedOrigin>,
    copies: K,
}

impl<P: RoutePolicy, C> GateLayer<P, C> {
    /// Makes a layer.
    #[must_use]
    pub fn new(registry: Registry<P, C>) -> Self {
        GateLayer { registry, origin: None, copies: NoCopies }
    }
}

impl<P: RoutePolicy, C, K> GateLayer<P, C, K> {
    /// Names the host that requests without one go to: those of gRPC, and of clients that add the
    /// host behind the gate.
    #[must_use]
    pub fn at(self, origin: Origin<'_>) -> Self {
        GateLayer { origin: Some(OwnedOrigin::new(origin)), ..self }
    }

    /// Copies the bodies of requests with `copies`, so that they can be tried again.
    ///
    /// For `reqwest::Request` this is not needed: it tells by itself whether it can be cloned.
    #[must_use]
    pub fn with_copies<L>(self, copies: L) -> GateLayer<P, C, L> {
        GateLayer { registry: self.registry, origin: self.origin, copies }
    }
}

impl<P: RoutePolicy, C, K: Clone> Clone for GateLayer<P, C, K> {
    fn clone(&self) -> Self {
        GateLayer {
            registry: self.registry.clone(),
            origin: self.origin.clone(),
            copies: self.copies.clone(),
        }
    }
}

impl<S, P: RoutePolicy, C, K: Clone> Layer<S> for GateLayer<P, C, K> {
    type Service = Gate<S, P, C, K>;

    fn layer(&self, inner: S) -> Self::Service {
        Gate {
            inner,
            registry: self.registry.clone(),
            origin: self.origin.clone(),
            copies: self.copies.clone(),
        }
    }
}

/// A client that asks before it calls.
///
/// It stands in front of anything that is a `Service<http::Request<_>>` and answers with bodies of
/// `Bytes`, such as the clients of hyper-util, tonic and kube, and with the feature `reqwest` in front
/// of `reqwest::Client` too. A skipped call is [`Error::Skipped`](crate::Error::Skipped) and does not touch the network;
/// whatever the server answers is an `Ok`, as with the bare client.
///
/// Which endpoint a request belongs to is told by a [`Route`](crate::Route) among the extensions of the
/// request (for reqwest by a [`Routed`] request), else by the routes of the registry's settings, else by
/// those of the policy. A request of no known route is gated by its host alone. What kind of request
/// it is, its method and the header `idempotency-key` tell, unless a
/// [`Request`](permanence_core::Request) stands among its extensions: every call of gRPC is a `POST`.
///
/// An outcome is recorded when it is known. A success of a request that may be repeated is one when its
/// body has come to its end, or is dropped; a body that breaks off is a network error. The status of
/// gRPC may stand in the trailers; a call whose answer is dropped before says nothing. Everything else
/// is decided by the head of the answer, and so are probes and writes: an answered write has been acted
/// on. A probe of gRPC is decided by its first message.
///
/// Where a rule of the policy looks into the body of an answer, up to 64 KiB of it are read first (of
/// an event stream its first piece), and handed on unchanged. Headers that the client itself adds to a
/// request are not seen. A request is tried again within the call where the policy offers it, the
/// budget affords it and the request can be copied.
#[derive(Debug)]
pub struct Gate<S, P: RoutePolicy, C, K = NoCopies> {
    inner: S,
    registry: Registry<P, C>,
    origin: Option<OwnedOrigin>,
    copies: K,
}

impl<S, P: RoutePolicy, C, K> Gate<S, P, C, K> {
    /// The registry that the gate asks.
    #[must_use]
    pub fn registry(&self) -> &Registry<P, C> {
        &self.registry
    }
}

impl<S: Clone, P: RoutePolicy, C, K: Clone> Clone for Gate<S, P, C, K> {
    fn clone(&self) -> Self {
        Gate {
            inner: self.inner.clone(),
            registry: self.registry.clone(),
            origin: self.origin.clone(),
            copies: self.copies.clone(),
        }
    }
}

type BoxFuture<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// A host that owns its text.
#[derive(Clone, Debug)]
struct OwnedOrigin {
    scheme: Arc<str>,
    authority: Arc<str>,
}

impl OwnedOrigin {
    fn new(origin: Origin<'_>) -> Self {
        OwnedOrigin { scheme: origin.scheme.into(), authority: origin.authority.into() }
    }

    fn borrowed(&self) -> Origin<'_> {
        Origin { scheme: &self.scheme, authority: &self.authority }
    }
}

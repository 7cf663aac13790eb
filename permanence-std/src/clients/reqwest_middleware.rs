//! A middleware for clients of the crate `reqwest-middleware`.

use std::fmt;

use async_trait::async_trait;
use http::{Extensions, Response};
use permanence_core::{Network, Phase, Request as RequestKind, RoutePolicy};
use reqwest::{Body, Request};
use reqwest_middleware::{Error as StackError, Middleware, Next};

use crate::layer::over_reqwest::{
    asked, fault_of, from_reqwest, into_reqwest, origin, over, payload, url_of,
};
use crate::layer::{Transport, exchange, fault};
use crate::reading::{Asked, Over};
use crate::{Error, Registry, Route, Timer};

/// A middleware that asks before it calls.
///
/// It does what a [`Gate`](crate::Gate) in front of `reqwest::Client` does: see there for when an outcome
/// is recorded and how a request finds its endpoint. A [`Route`] and a
/// [`Request`](permanence_core::Request) kind may be given with the request, by
/// `RequestBuilder::with_extension`. What stands behind it in the stack is part of each try, so that a
/// middleware that signs requests belongs behind it; one that tries again by itself is not needed.
///
/// A skipped call is an error of a middleware; [`skipped_in`](crate::skipped_in) finds the
/// [`Skipped`](crate::Skipped) in it.
///
/// # Examples
///
/// ```
/// # use permanence_std::core::*;
/// # #[derive(Clone, Copy)]
/// # struct Fine;
/// # impl Policy for Fine {
/// #     fn rule(&self, _: &Signal<'_>) -> &Rule { &Rule::SUCCESS }
/// #     fn settings(&self) -> &Settings { &Settings::LITERAL }
/// # }
/// # impl RoutePolicy for Fine {
/// #     type Endpoint = Fine;
/// #     fn endpoint(&self, _: &str, _: &str) -> Fine { Fine }
/// # }
/// # let policy = Fine;
/// use permanence_std::clients::reqwest_middleware::GateMiddleware;
/// use permanence_std::{Registry, SystemClock};
/// use reqwest_middleware::ClientBuilder;
///
/// let registry = Registry::new(policy, SystemClock::new());
/// let client =
///     ClientBuilder::new(reqwest::Client::new()).with(GateMiddleware::new(registry)).build();
/// # let _ = client;
/// ```
pub struct GateMiddleware<P: RoutePolicy, C> {
    registry: Registry<P, C>,
}

impl<P: RoutePolicy, C> GateMiddleware<P, C> {
    /// Makes a middleware; all that share a registry share what they learn.
    #[must_use]
    pub fn new(registry: Registry<P, C>) -> Self {
        GateMiddleware { registry }
    }
}

#[async_trait]
impl<P, C> Middleware for GateMiddleware<P, C>
where
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let (method, url) = (request.method().as_str(), request.url());
        let handle = match extensions.get::<Route>() {
            Some(route) => self.registry.endpoint_on(route, method, origin(url)),
            None => self.registry.endpoint_of(method, origin(url), url.path()),
        };
        let kind = extensions.get::<RequestKind>().copied();
        match exchange(Rest { next, extensions, kind }, handle, request).await {
            Ok(answer) => Ok(into_reqwest(answer)),
            Err(Error::Client(error)) => Err(error),
            // In a shell of its own: the outermost error of a middleware is not among its causes.
            Err(Error::Skipped(skipped)) => {
                Err(StackError::middleware(Error::<reqwest::Error>::Skipped(skipped)))
            }
        }
    }
}

impl<P: RoutePolicy, C> Clone for GateMiddleware<P, C> {
    fn clone(&self) -> Self {
        GateMiddleware { registry: self.registry.clone() }
    }
}

impl<P: RoutePolicy, C> fmt::Debug for GateMiddleware<P, C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GateMiddleware").finish_non_exhaustive()
    }
}

/// What stands behind the gate.
struct Rest<'s, 'e> {
    next: Next<'s>,
    extensions: &'e mut Extensions,
    kind: Option<RequestKind>,
}

impl Transport for Rest<'_, '_> {
    type Request = Request;
    type Body = Body;
    type Error = StackError;

    async fn send(&mut self, request: Request) -> Result<Response<Body>, StackError> {
        self.next.clone().run(request, self.extensions).await.map(from_reqwest)
    }

    fn copy(&self, request: &Request) -> Option<Request> {
        request.try_clone()
    }

    fn payload(&self, request: Request) -> Option<u8> {
        payload(&request)
    }

    fn asked<'r>(&self, request: &'r Request) -> Asked<'r> {
        Asked { kind: self.kind, ..asked(request) }
    }

    fn url(extensions: &Extensions) -> Option<&str> {
        url_of(extensions)
    }

    fn over(&self, request: &Request) -> Over {
        over(request)
    }

    fn fault(&self, error: &StackError, over: Over) -> (Network, Phase) {
        match error {
            StackError::Reqwest(error) => fault_of(error, over),
            StackError::Middleware(error) => match error.downcast_ref() {
                Some(error) => fault_of(error, over),
                None => fault::of_call(&**error, over),
            },
        }
    }
}

//! A gate for the HTTP clients through which OpenTelemetry exports.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Extensions, Request, Response};
use http_body_util::{BodyExt, Full};
use opentelemetry_http::{HttpClient, HttpError};
use permanence_core::{Network, Phase, Request as RequestKind, RoutePolicy};

use crate::layer::{ClientError, Transport, exchange, fault};
use crate::reading::{Asked, Over, fingerprint, origin};
use crate::{Error, Registry, Route, Timer};

/// An [`HttpClient`] that asks before it calls: an exporter whose collector is not there costs a call an
/// interval, and a line an episode.
///
/// What an exporter `POST`s counts as a request that may be repeated, as OTLP has it; a
/// [`Request`](permanence_core::Request) kind among the extensions of a request says otherwise. A skipped
/// call is an error in which [`skipped_in`](crate::skipped_in) finds the [`Skipped`](crate::Skipped); the
/// batch is lost, as it is when the collector is not there.
///
/// An exporter logs its failures by itself, those of skipped calls too: keep its target quiet.
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
/// # #[derive(Debug)]
/// # struct Inner;
/// # #[async_trait::async_trait]
/// # impl opentelemetry_http::HttpClient for Inner {
/// #     async fn send_bytes(
/// #         &self, _: http::Request<opentelemetry_http::Bytes>,
/// #     ) -> Result<http::Response<opentelemetry_http::Bytes>, opentelemetry_http::HttpError> {
/// #         Ok(http::Response::default())
/// #     }
/// # }
/// # let inner = Inner; // a program takes `reqwest::Client`
/// use permanence_std::clients::opentelemetry::GatedHttpClient;
/// use permanence_std::{Registry, RegistrySettings, Route, SystemClock};
///
/// let routes = vec![Route::new("traces", "POST", "/v1/traces")];
/// let settings = RegistrySettings { routes, ..RegistrySettings::default() };
/// let registry = Registry::with_settings(policy, SystemClock::new(), settings);
/// let client = GatedHttpClient::new(registry, inner);
/// // SpanExporter::builder().with_http().with_http_client(client)
/// # let _ = client;
/// ```
pub struct GatedHttpClient<H, P: RoutePolicy, C> {
    client: H,
    registry: Registry<P, C>,
    tries: Tries,
}

/// How often one export is tried.
#[derive(Clone, Copy, Debug)]
enum Tries {
    Once,
    AsThePolicyHasIt,
}

impl<H, P: RoutePolicy, C> GatedHttpClient<H, P, C> {
    /// Puts a gate in front of `client`.
    #[must_use]
    pub fn new(registry: Registry<P, C>, client: H) -> Self {
        GatedHttpClient { client, registry, tries: Tries::Once }
    }

    /// Tries an export again within the call where the policy offers it.
    ///
    /// The pauses are those of the registry's clock: with a [`SystemClock`](crate::SystemClock) they want
    /// an exporter that runs on tokio, which those of a batch processor with a thread of its own do not.
    #[must_use]
    pub fn retrying(self) -> Self {
        GatedHttpClient { tries: Tries::AsThePolicyHasIt, ..self }
    }
}

#[async_trait]
impl<H, P, C> HttpClient for GatedHttpClient<H, P, C>
where
    H: HttpClient,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let origin = origin(request.uri(), request.headers(), None);
        let method = request.method().as_str();
        let handle = match request.extensions().get::<Route>() {
            Some(route) => self.registry.endpoint_on(route, method, origin),
            None => self.registry.endpoint_of(method, origin, request.uri().path()),
        };
        let over = Over::of_scheme(origin.scheme);
        let inner = Inner { client: &self.client, over, tries: self.tries };
        match exchange(inner, handle, request).await {
            Ok(answer) => {
                let (parts, body) = answer.into_parts();
                Ok(Response::from_parts(parts, body.collect().await?.to_bytes()))
            }
            Err(Error::Client(error)) => Err(error.into_inner()),
            Err(Error::Skipped(skipped)) => Err(Box::new(skipped)),
        }
    }
}

impl<H: fmt::Debug, P: RoutePolicy, C> fmt::Debug for GatedHttpClient<H, P, C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GatedHttpClient")
            .field("client", &self.client)
            .field("tries", &self.tries)
            .finish_non_exhaustive()
    }
}

struct Inner<'c, H> {
    client: &'c H,
    over: Over,
    tries: Tries,
}

impl<H: HttpClient> Transport for Inner<'_, H> {
    type Request = Request<Bytes>;
    type Body = Full<Bytes>;
    type Error = ClientError;

    async fn send(
        &mut self,
        request: Request<Bytes>,
    ) -> Result<Response<Full<Bytes>>, ClientError> {
        let answer = self.client.send_bytes(request).await.map_err(ClientError::new)?;
        Ok(answer.map(Full::new))
    }

    fn copy(&self, request: &Request<Bytes>) -> Option<Request<Bytes>> {
        match self.tries {
            Tries::Once => None,
            Tries::AsThePolicyHasIt => Some(request.clone()),
        }
    }

    fn payload(&self, request: Request<Bytes>) -> Option<u8> {
        Some(fingerprint(request.body()))
    }

    fn asked<'r>(&self, request: &'r Request<Bytes>) -> Asked<'r> {
        let named = request.extensions().get::<RequestKind>().copied();
        Asked {
            method: request.method(),
            headers: request.headers(),
            // The specification of OTLP lets a client send a batch again.
            kind: named.or(Some(RequestKind::Idempotent)),
            url: None,
        }
    }

    fn url(_: &Extensions) -> Option<&str> {
        None
    }

    fn over(&self, _: &Request<Bytes>) -> Over {
        self.over
    }

    fn fault(&self, error: &ClientError, over: Over) -> (Network, Phase) {
        #[cfg(feature = "reqwest")]
        if let Some(error) = error.inner().downcast_ref() {
            return crate::layer::over_reqwest::fault_of(error, over);
        }
        fault::of_call(error.inner(), over)
    }
}

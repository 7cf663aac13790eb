//! A gate for ureq's agent, which blocks.

use std::fmt;
use std::io::{self, Cursor, Read};

use bytes::Bytes;
use http::{Request, Response};
use permanence_core::{
    Network, Outcome, Phase, Policy, Request as RequestKind, RoutePolicy, Signal,
};
use ureq::middleware::{Middleware, MiddlewareNext};
use ureq::{Agent, AsSendBody, Body, Error as UreqError, ResponseExt, SendBody, Timeout};

use crate::network::network_of;
use crate::reading::{
    Answered, Asked, MOST_BYTES, Sent, fingerprint, is_good, media, origin, wall_time,
};
use crate::{BlockingTimer, Clock, Error, Handle, OwnedPass, Reaction, Registry, Route};

/// A gate for [`Agent`]: in front of it, by [`run`](Gate::run), or as a middleware within it.
///
/// A [`Route`] and a [`Request`](permanence_core::Request) kind may be given among the extensions of a
/// request; else the routes of the registry and of the policy tell which endpoint it belongs to. When an
/// outcome is recorded is said at `permanence_std::Gate`.
///
/// Two settings of the agent decide how much is seen. By default a status of 400 and above is an error
/// without headers and body: with `http_status_as_error(false)` what the server says about when to come
/// back is heard, and rules that look into bodies apply. With `save_redirect_history(true)` it is known
/// that an answer comes from somewhere else. A time-out of the whole call says nothing about how far it
/// had got, and counts as one after the request was sent; one of the connection alone is
/// `timeout_connect`.
///
/// A body that is watched to its end no longer tells its length and character set by itself; the headers
/// do.
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
/// use permanence_std::clients::ureq::Gate;
/// use permanence_std::{Registry, SystemClock};
///
/// let gate = Gate::new(Registry::new(policy, SystemClock::new()));
/// let agent: ureq::Agent =
///     ureq::Agent::config_builder().http_status_as_error(false).middleware(gate).build().into();
/// # let _ = agent;
/// ```
pub struct Gate<P: RoutePolicy, C> {
    registry: Registry<P, C>,
}

impl<P: RoutePolicy, C> Gate<P, C> {
    /// Makes a gate; all that share a registry share what they learn.
    #[must_use]
    pub fn new(registry: Registry<P, C>) -> Self {
        Gate { registry }
    }
}

impl<P, C> Gate<P, C>
where
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: BlockingTimer + 'static,
{
    /// Makes one call through `agent`, and tries it again within the call where the policy offers it and
    /// the budget affords it. The agent should have no gate of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Skipped`] when there is no call now, and [`Error::Client`] with the agent's own error.
    pub fn run<B: AsSendBody + Clone>(
        &self,
        agent: &Agent,
        request: Request<B>,
    ) -> Result<Response<Body>, Error<UreqError>> {
        let mut pass = self.handle(&request).gate_owned().map_err(Error::Skipped)?;
        pass.handle().deposit();
        loop {
            let is_probe = pass.is_probe();
            let sent = sent(&request, pass.handle().policy());
            let (answer, outcome) =
                decide(quietly(is_probe, || agent.run(request.clone())), sent, &mut pass);
            let answer = answer.map_err(Error::Client);
            let Some(mut outcome) = outcome else { return answer };
            if !is_good(&outcome.signal) {
                outcome.payload = fingerprint_of(request.body().clone());
            }
            let Reaction::Retry(retry) = pass.record(&outcome) else { return answer };
            // A probe is one call and no more.
            if is_probe {
                return answer;
            }
            let Some(pause) = retry.take() else { return answer };
            pass.handle().clock().pause_blocking(pause);
            // In the pause somebody else may have found out more: then the first answer stands.
            if pass.ask_again().is_err() {
                return answer;
            }
        }
    }
}

/// As a middleware the gate cannot try again: a body is there once. A skipped call is
/// [`ureq::Error::Other`]; see [`skipped`] for the [`Skipped`](crate::Skipped) in it.
impl<P, C> Middleware for Gate<P, C>
where
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Clock + 'static,
{
    fn handle(
        &self,
        request: Request<SendBody<'_>>,
        next: MiddlewareNext<'_>,
    ) -> Result<Response<Body>, UreqError> {
        let gated = Gate::handle(self, &request).gate_owned();
        let mut pass = gated.map_err(|skipped| UreqError::Other(Box::new(skipped)))?;
        let sent = sent(&request, pass.handle().policy());
        let answer = quietly(pass.is_probe(), || next.handle(request));
        let (answer, outcome) = decide(answer, sent, &mut pass);
        if let Some(outcome) = outcome {
            // Nobody here can try again.
            let _ = pass.record(&outcome);
        }
        answer
    }
}

/// The skip that an agent's error stands for, if it does: ureq's errors have no causes to look through.
#[must_use]
pub fn skipped(error: &UreqError) -> Option<&crate::Skipped> {
    match error {
        UreqError::Other(error) => error.downcast_ref(),
        _ => None,
    }
}

impl<P: RoutePolicy, C: Clock> Gate<P, C> {
    fn handle<B>(&self, request: &Request<B>) -> Handle<P, C> {
        let origin = origin(request.uri(), request.headers(), None);
        let method = request.method().as_str();
        match request.extensions().get::<Route>() {
            Some(route) => self.registry.endpoint_on(route, method, origin),
            None => self.registry.endpoint_of(method, origin, request.uri().path()),
        }
    }
}

impl<P: RoutePolicy, C> Clone for Gate<P, C> {
    fn clone(&self) -> Self {
        Gate { registry: self.registry.clone() }
    }
}

impl<P: RoutePolicy, C> fmt::Debug for Gate<P, C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Gate").finish_non_exhaustive()
    }
}

fn sent<B, E: Policy>(request: &Request<B>, policy: &E) -> Sent {
    let url = request.uri().to_string();
    let asked = Asked {
        method: request.method(),
        headers: request.headers(),
        kind: request.extensions().get::<RequestKind>().copied(),
        url: Some(&url),
    };
    Sent::of(&asked, policy)
}

/// Makes a call; no library speaks of it if it is a probe.
fn quietly<R>(is_probe: bool, call: impl FnOnce() -> R) -> R {
    #[cfg(feature = "quiet")]
    if is_probe {
        return crate::quiet::probe_sync(call);
    }
    #[cfg(not(feature = "quiet"))]
    let _ = is_probe;
    call()
}

type Answer = Result<Response<Body>, UreqError>;

/// What a try comes to; without an outcome the end of the body decides, and the pass goes with it.
fn decide<P, C>(
    answer: Answer,
    sent: Sent,
    pass: &mut OwnedPass<P, C>,
) -> (Answer, Option<Outcome<'static>>)
where
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Clock + 'static,
{
    let response = match answer {
        Ok(response) => response,
        Err(UreqError::StatusCode(status)) => {
            let answered = Answered {
                signal: Signal::Http(status),
                headers: &http::HeaderMap::new(),
                url: None,
                pieces: &[],
            };
            let outcome = sent.answered(pass.handle().policy(), &answered, || None);
            return (Err(UreqError::StatusCode(status)), Some(outcome));
        }
        Err(error) => {
            let outcome = sent.failed(fault(&error));
            return (Err(error), Some(outcome));
        }
    };
    let status = response.status().as_u16();
    let needs_body = pass.handle().policy().needs_body(status);
    let is_endless = media::is_endless(response.headers());
    let (response, pieces, broken) = match needs_body {
        true if is_endless => peek(response, Peek::FirstPiece),
        true => peek(response, Peek::UpTo(MOST_BYTES as u64)),
        false => (response, Bytes::new(), None),
    };
    let landed =
        response.get_redirect_history().and_then(|history| Some(history.last()?.to_string()));
    let answered = Answered {
        signal: Signal::Http(status),
        headers: response.headers(),
        url: landed.as_deref(),
        pieces: &[pieces],
    };
    let policy = pass.handle().policy();
    let outcome = sent.answered(policy, &answered, || wall_time(pass.handle().clock()));
    if !sent.waits_for_body(policy, &outcome, pass.is_probe()) {
        return (Ok(response), Some(outcome));
    }
    if let Some(fault) = broken {
        return (Ok(response), Some(sent.failed(fault)));
    }
    let is_empty = response.body().content_length() == Some(0);
    if needs_body || is_endless || is_empty {
        return (Ok(response), Some(outcome));
    }
    let watched = pass.hand_over();
    let response =
        with_reader(response, |rest| Watched { rest, call: Some((watched, sent, outcome)) });
    (Ok(response), None)
}

/// How much of a body is read ahead.
enum Peek {
    FirstPiece,
    /// So many bytes at most.
    UpTo(u64),
}

/// Reads the first part of a body, and puts it back in front of the rest.
fn peek(response: Response<Body>, most: Peek) -> (Response<Body>, Bytes, Option<(Network, Phase)>) {
    let (mut seen, mut fault) = (Bytes::new(), None);
    let response = with_reader(response, |mut rest| {
        let (ahead, broken) = read_ahead(&mut rest, most);
        fault = broken.as_ref().map(|error| (body_fault(error), Phase::Sent));
        seen = Bytes::from(ahead);
        Cursor::new(seen.clone()).chain(Breaking(broken)).chain(rest)
    });
    (response, seen, fault)
}

fn read_ahead(rest: &mut impl Read, most: Peek) -> (Vec<u8>, Option<io::Error>) {
    let mut ahead = Vec::new();
    let read = match most {
        Peek::UpTo(most) => rest.take(most).read_to_end(&mut ahead),
        Peek::FirstPiece => {
            ahead.resize(FIRST_PIECE, 0);
            let read = rest.read(&mut ahead);
            ahead.truncate(*read.as_ref().unwrap_or(&0));
            read
        }
    };
    (ahead, read.err())
}

/// Fails once, with the error that was met while the body was read ahead.
struct Breaking(Option<io::Error>);

impl Read for Breaking {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0.take() {
            Some(error) => Err(error),
            None => Ok(0),
        }
    }
}

/// The same answer, its body read through another reader.
fn with_reader<R: Read + Send + Sync + 'static>(
    response: Response<Body>,
    wrap: impl FnOnce(ureq::BodyReader<'static>) -> R,
) -> Response<Body> {
    response.map(|body| {
        // The reader has brought the text into UTF-8, so that the new body must not do it again.
        let builder = match body.mime_type() {
            Some(media_type) => Body::builder().mime_type(media_type),
            None => Body::builder(),
        };
        builder.reader(wrap(body.into_reader()))
    })
}

/// A body whose end decides what the call was.
struct Watched<P: RoutePolicy, C: Clock> {
    rest: ureq::BodyReader<'static>,
    call: Option<(OwnedPass<P, C>, Sent, Outcome<'static>)>,
}

impl<P: RoutePolicy, C: Clock> Watched<P, C> {
    fn end(&mut self, broken: Option<&io::Error>) {
        let Some((mut pass, sent, outcome)) = self.call.take() else { return };
        let outcome = match broken {
            Some(error) => sent.failed((body_fault(error), Phase::Sent)),
            None => outcome,
        };
        // The caller has the answer already: there is no other try.
        let _ = pass.record(&outcome);
    }
}

impl<P: RoutePolicy, C: Clock> Read for Watched<P, C> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(room);
        match &read {
            Ok(0) if !room.is_empty() => self.end(None),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => self.end(Some(error)),
            _ => {}
        }
        read
    }
}

impl<P: RoutePolicy, C: Clock> Drop for Watched<P, C> {
    fn drop(&mut self) {
        self.end(None);
    }
}

/// Why there is no answer, and how far the request had got.
fn fault(error: &UreqError) -> (Network, Phase) {
    match error {
        UreqError::Io(error) => network_of(error),
        UreqError::HostNotFound | UreqError::Timeout(Timeout::Resolve) => {
            (Network::Dns, Phase::NothingSent)
        }
        UreqError::Timeout(Timeout::Connect) => (Network::ConnectTimeout, Phase::NothingSent),
        UreqError::Timeout(_) => (Network::Timeout, Phase::Sent),
        UreqError::ConnectionFailed | UreqError::ConnectProxyFailed(_) => {
            (Network::Other, Phase::NothingSent)
        }
        UreqError::Tls(_) => (Network::TlsHandshake, Phase::NothingSent),
        #[cfg(feature = "rustls")]
        UreqError::Rustls(error) => crate::network::verdict_of_tls(error),
        UreqError::BadUri(_)
        | UreqError::Http(_)
        | UreqError::InvalidProxyUrl
        | UreqError::RequireHttpsOnly(_)
        | UreqError::TlsRequired => (Network::Misuse, Phase::NothingSent),
        // The head is on its way when that is found out.
        UreqError::BodyExceedsLimit(_) => (Network::Misuse, Phase::Sent),
        UreqError::LargeResponseHeader(..)
        | UreqError::Protocol(_)
        | UreqError::RedirectFailed
        | UreqError::TooManyRedirects => (Network::Protocol, Phase::Sent),
        _ => (Network::Other, Phase::Sent),
    }
}

/// Why a body broke off.
fn body_fault(error: &io::Error) -> Network {
    let own = error.get_ref().and_then(|inner| inner.downcast_ref::<UreqError>());
    own.map_or_else(|| network_of(error), fault).0
}

fn fingerprint_of(mut body: impl AsSendBody) -> Option<u8> {
    let mut text = Vec::new();
    let most = u64::try_from(MOST_BYTES).ok()?;
    body.as_body().into_reader().take(most).read_to_end(&mut text).ok()?;
    Some(fingerprint(&text))
}

/// The longest first piece of a stream that is looked into, in bytes.
const FIRST_PIECE: usize = 16 * 1024;

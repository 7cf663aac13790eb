//! One call: asked for, made, learnt from, and perhaps made again.

use std::future::Future;

use bytes::Bytes;
use http::{Extensions, Response};
use http_body::Body;
use permanence_core::{Network, Outcome, Phase, Policy, RoutePolicy, Signal};

use super::body::{BoxError, GatedBody};
use super::watch::{Ending, Watching};
use super::{fault, grpc};
use crate::reading::{Answered, Asked, MOST_BYTES, Over, Sent, is_good, media, wall_time};
use crate::{Clock, Error, Handle, OwnedPass, Reaction, Timer};

/// How one client sends its requests.
pub(crate) trait Transport {
    /// What is sent.
    type Request;
    /// The body of what comes back.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Unpin;
    /// Why nothing comes back.
    type Error;

    fn send(
        &mut self,
        request: Self::Request,
    ) -> impl Future<Output = Result<Response<Self::Body>, Self::Error>> + Send;

    /// A copy to send once more; `None` if there can be none.
    fn copy(&self, request: &Self::Request) -> Option<Self::Request>;

    /// A few bits that tell one payload from another.
    fn payload(&self, request: Self::Request) -> Option<u8>;

    fn asked<'r>(&self, request: &'r Self::Request) -> Asked<'r>;

    /// Where an answer came from, if the client tells.
    fn url(extensions: &Extensions) -> Option<&str>;

    fn over(&self, request: &Self::Request) -> Over;

    fn fault(&self, error: &Self::Error, over: Over) -> (Network, Phase);
}

/// Makes one call through `transport`.
pub(crate) async fn exchange<T, P, C>(
    mut transport: T,
    handle: Handle<P, C>,
    mut request: T::Request,
) -> Result<Response<GatedBody<T::Body>>, Error<T::Error>>
where
    T: Transport,
    P: RoutePolicy + Send + Sync + 'static,
    P::Endpoint: Send + Sync,
    C: Timer + 'static,
{
    let mut pass = handle.gate_owned().map_err(Error::Skipped)?;
    pass.handle().deposit();
    loop {
        // A probe is one call and no more (L7).
        let spare = if pass.is_probe() { None } else { transport.copy(&request) };
        let sent = Sent::of(&transport.asked(&request), pass.handle().policy());
        let over = transport.over(&request);
        let sending = transport.send(request);
        #[cfg(feature = "quiet")]
        let sending = crate::quiet::probe_if(pass.is_probe(), sending);
        let (answer, read) = match sending.await {
            Ok(response) => {
                let (response, read) = read::<T, P, C>(response, &sent, &pass).await;
                (Ok(response), read)
            }
            Err(error) => {
                let outcome = sent.failed(transport.fault(&error, over));
                (Err(Error::Client(error)), Read::Known(outcome))
            }
        };
        let (mut outcome, answer) = match (read, answer) {
            (Read::Open(ending), Ok(mut response)) => {
                let watching = Watching { pass, sent, ending };
                response.body_mut().watch(Box::new(watching));
                return Ok(response);
            }
            (Read::Known(outcome), answer) => (outcome, answer),
            (Read::Open(_), failed) => return failed,
        };
        let (spare, payload) = match spare {
            Some(spare) if !is_good(&outcome.signal) => {
                let payload = transport.copy(&spare).and_then(|copy| transport.payload(copy));
                (Some(spare), payload)
            }
            spare => (spare, None),
        };
        outcome.payload = payload;
        let Reaction::Retry(retry) = pass.record(&outcome) else { return answer };
        let Some(again) = spare else { return answer };
        let Some(pause) = retry.take() else { return answer };
        pass.handle().clock().pause(pause).await;
        // In the pause somebody else may have found out more: then the first answer stands.
        if pass.ask_again().is_err() {
            return answer;
        }
        request = again;
    }
}

/// What the head of an answer comes to.
enum Read {
    /// The outcome.
    Known(Outcome<'static>),
    /// The end of the body decides.
    Open(Ending),
}

async fn read<T, P, C>(
    response: Response<T::Body>,
    sent: &Sent,
    pass: &OwnedPass<P, C>,
) -> (Response<GatedBody<T::Body>>, Read)
where
    T: Transport,
    P: RoutePolicy,
    C: Clock,
{
    let mut response = response.map(GatedBody::new);
    let status = response.status().as_u16();
    if response.status().is_success() && media::is_grpc(response.headers()) {
        let read = match grpc::signal(response.headers()) {
            Some(signal) => Read::Known(known::<T, P, C>(&response, signal, &[], sent, pass)),
            None => Read::Open(Ending::Trailers),
        };
        return (response, read);
    }
    let needs_body = pass.handle().policy().needs_body(status);
    let is_endless = media::is_endless(response.headers());
    let pieces = match needs_body {
        true if is_endless => response.body_mut().read_ahead(1).await,
        true => response.body_mut().read_ahead(MOST_BYTES).await,
        false => Vec::new(),
    };
    let outcome = known::<T, P, C>(&response, Signal::Http(status), &pieces, sent, pass);
    let whole_counts = sent.waits_for_body(pass.handle().policy(), &outcome, pass.is_probe());
    let is_open = !needs_body && !is_endless && !response.body().is_end_stream();
    let read = match response.body().breakage() {
        Some(error) if whole_counts => Read::Known(sent.failed(fault::of_body(error))),
        None if whole_counts && is_open => Read::Open(Ending::Whole(outcome)),
        _ => Read::Known(outcome),
    };
    (response, read)
}

fn known<T, P, C>(
    response: &Response<GatedBody<T::Body>>,
    signal: Signal<'static>,
    pieces: &[Bytes],
    sent: &Sent,
    pass: &OwnedPass<P, C>,
) -> Outcome<'static>
where
    T: Transport,
    P: RoutePolicy,
    C: Clock,
{
    let url = T::url(response.extensions());
    let answered = Answered { signal, headers: response.headers(), url, pieces };
    sent.answered(pass.handle().policy(), &answered, || wall_time(pass.handle().clock()))
}

//! A call that is over when the body of its answer is.

use permanence_core::{Network, Outcome, Phase, RoutePolicy, Signal};

use super::body::{End, Watcher};
use super::{fault, grpc};
use crate::reading::{Answered, Sent, wall_time};
use crate::{Clock, OwnedPass};

/// What the end of a body decides.
#[derive(Debug)]
pub(super) enum Ending {
    /// The status of gRPC stands in the trailers.
    Trailers,
    /// The outcome is this one, unless the body breaks off.
    Whole(Outcome<'static>),
}

/// A call whose answer is being read.
pub(super) struct Watching<P: RoutePolicy, C: Clock> {
    pub(super) pass: OwnedPass<P, C>,
    pub(super) sent: Sent,
    pub(super) ending: Ending,
}

impl<P, C> Watcher for Watching<P, C>
where
    P: RoutePolicy + Send + Sync,
    P::Endpoint: Send + Sync,
    C: Clock,
{
    /// A message of gRPC is what a probe was sent for; a stream may go on for longer than its lease.
    fn piece(&mut self) -> bool {
        let decides = matches!(self.ending, Ending::Trailers) && self.pass.is_probe();
        if decides {
            self.learn(&Outcome::new(Signal::Grpc(0), self.sent.kind));
        }
        decides
    }

    fn end(mut self: Box<Self>, end: End<'_>) {
        let outcome = match (&self.ending, end) {
            (_, End::Broken(error)) => self.sent.failed(fault::of_body(error)),
            (Ending::Whole(outcome), _) => *outcome,
            (Ending::Trailers, End::Trailers(trailers)) => match grpc::signal(trailers) {
                Some(signal) => {
                    let answered = Answered { signal, headers: trailers, url: None, pieces: &[] };
                    let clock = self.pass.handle().clock();
                    self.sent.answered(self.pass.handle().policy(), &answered, || wall_time(clock))
                }
                None => self.no_status(),
            },
            (Ending::Trailers, End::Whole) => self.no_status(),
            // The caller gave up: that says nothing.
            (Ending::Trailers, End::Dropped) => return,
        };
        self.learn(&outcome);
    }
}

impl<P: RoutePolicy, C: Clock> Watching<P, C> {
    /// There is no other try: the caller has the answer already.
    fn learn(&mut self, outcome: &Outcome<'_>) {
        let _ = self.pass.record(outcome);
    }

    /// An answer without the status that the protocol wants.
    fn no_status(&self) -> Outcome<'static> {
        self.sent.failed((Network::Protocol, Phase::Sent))
    }
}

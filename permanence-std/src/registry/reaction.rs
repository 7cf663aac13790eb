//! What the caller does after a call.

use std::fmt;
use std::time::Duration;

use permanence_core::{Remedy, RetryOffer, Span};

/// What the caller does next.
#[derive(Debug)]
#[non_exhaustive]
#[must_use = "it says what to do next"]
pub enum Reaction<'h> {
    /// Drop this payload and go on with the next one.
    Drop,
    /// Go on.
    Proceed,
    /// Apply the remedy, then ask again at once for the same request.
    Renew(Remedy),
    /// The same request may be tried again, if the budget affords it.
    Retry(Retry<'h>),
    /// The fate of this write is unknown and a repeat may act twice: hand it to whoever can look.
    Surface,
    /// Do not repeat this request now; come back on your own cadence, or after this time when you
    /// have none.
    Wait(Option<Duration>),
}

/// An offer to try the same request again within the same call.
#[must_use = "an offer that is not taken is no retry"]
pub struct Retry<'h> {
    offer: RetryOffer,
    fund: &'h dyn Fund,
}

impl<'h> Retry<'h> {
    pub(super) fn new(offer: RetryOffer, fund: &'h dyn Fund) -> Self {
        Retry { offer, fund }
    }

    /// The pause to make before the retry; `None` when the traffic of the last seconds does not
    /// afford one. Then the call ends as it is.
    ///
    /// Ask the gate again before the retry: in the pause somebody else may have found out more.
    #[must_use]
    pub fn take(self) -> Option<Span> {
        self.fund.afford(self.offer)
    }
}

impl fmt::Debug for Retry<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Retry").field(&self.offer).finish()
    }
}

/// What retries are paid from.
pub(super) trait Fund {
    fn afford(&self, offer: RetryOffer) -> Option<Span>;
}

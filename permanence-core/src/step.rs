//! What one input made of a tracker: at most one action and one event.

use crate::{
    BudgetSettings, Counter, Event, Instant, Outcome, Permit, Remedy, RetryBudget, Skip, Span,
};

/// One thing that happens to a tracker.
#[derive(Debug, Eq, PartialEq)]
pub enum Seen<'a> {
    /// Somebody asks whether to call.
    Asked,
    /// A call has come back.
    Finished(Permit, Outcome<'a>),
    /// Something outside has changed: a reload, a new credential, an operator's wish.
    Rechecked,
    /// Everything learned is to be forgotten.
    Reset,
}

/// What one input made of a tracker: at most one action and one event.
#[derive(Debug, Eq, PartialEq)]
#[must_use = "the action says what to do and the event is the only line worth printing"]
pub struct Step {
    /// What the caller does next.
    pub action: Action,
    /// The line to print, if there is one.
    pub event: Option<Event>,
}

impl Step {
    /// Nothing to do and nothing to say.
    pub const QUIET: Step = Step { action: Action::Proceed, event: None };

    pub(crate) const fn silent(action: Action) -> Self {
        Step { action, event: None }
    }
}

/// What the caller does next.
#[derive(Debug, Eq, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Action {
    /// Make the call.
    Call(Permit),
    /// Drop this payload and go on with the next one.
    Drop,
    /// Go on.
    Proceed,
    /// Apply the remedy, then ask again at once for the same request.
    Renew(Remedy),
    /// The same request may be tried again, if the budget affords it.
    Retry(RetryOffer),
    /// Do not call.
    Skip(Skip),
    /// The fate of this write is unknown and a repeat may act twice: hand it to whoever can look.
    Surface,
    /// Do not repeat this request now; come back on your own cadence, or at the instant given when
    /// you have none.
    Wait(Option<Instant>),
}

/// An offer to try the same request again within the same call.
///
/// It becomes a pause only through a budget (L7): see [`RetryOffer::take`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RetryOffer {
    pub(crate) after: Span,
}

impl RetryOffer {
    /// How long to pause first; never longer than the policy's `backoff.max`.
    #[inline]
    #[must_use]
    pub const fn after(self) -> Span {
        self.after
    }

    /// Spends the offer: the pause after which the call is tried again, or `None` when the traffic
    /// does not afford a retry, and then the call is over.
    ///
    /// # Examples
    ///
    /// ```
    /// use permanence_core::{Action, Instant, Policy, RetryBudget, Span};
    ///
    /// fn pause(
    ///     action: Action,
    ///     budget: &mut RetryBudget,
    ///     policy: &impl Policy,
    ///     now: Instant,
    /// ) -> Option<Span> {
    ///     match action {
    ///         Action::Retry(offer) => offer.take(budget, &policy.settings().budget, now),
    ///         _ => None,
    ///     }
    /// }
    /// ```
    #[must_use = "a retry that was paid for should be made"]
    pub fn take<C: Counter>(
        self,
        budget: &mut RetryBudget<C>,
        settings: &BudgetSettings,
        now: Instant,
    ) -> Option<Span> {
        budget.withdraw(settings, now).then_some(self.after)
    }
}

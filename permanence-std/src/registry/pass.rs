//! Leave to make one call.

use std::fmt;

use permanence_core::{Outcome, RoutePolicy};

use super::gate::Permits;
use super::handle::Handle;
use super::reaction::Reaction;
use crate::{Clock, Skipped};

/// Leave to make one call.
///
/// Dropped without [`record`](Pass::record), as by a cancelled future, it counts as a call that the
/// caller gave up: nothing is learned, and a probe does not stay under way.
#[must_use = "a pass that is dropped counts as a call that was given up"]
pub struct Pass<'h, P: RoutePolicy, C: Clock> {
    handle: &'h Handle<P, C>,
    permits: Option<Permits>,
}

impl<'h, P: RoutePolicy, C: Clock> Pass<'h, P, C> {
    pub(super) fn new(handle: &'h Handle<P, C>, permits: Permits) -> Self {
        Pass { handle, permits: Some(permits) }
    }

    /// Tells what became of the call; the lines that this is worth are printed.
    ///
    /// For a success while all is well no clock is read.
    pub fn record(mut self, outcome: &Outcome<'_>) -> Reaction<'h> {
        match self.permits.take() {
            Some(permits) => self.handle.learn(permits, outcome, ""),
            None => Reaction::Proceed,
        }
    }

    /// Tells what became of the call, for a request that the caller has a name for, such as the number
    /// of an order: if nobody knows whether it acted, the name stands in the review journal.
    ///
    /// The name must hold no secret. What is longer than 256 bytes is cut off.
    #[cfg(feature = "state")]
    pub fn record_as(mut self, outcome: &Outcome<'_>, reference: &str) -> Reaction<'h> {
        match self.permits.take() {
            Some(permits) => self.handle.learn(permits, outcome, reference),
            None => Reaction::Proceed,
        }
    }

    /// Whether the call is the one probe of an endpoint or of a host.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        self.permits.as_ref().is_some_and(Permits::are_probes)
    }
}

impl<P: RoutePolicy, C: Clock> Drop for Pass<'_, P, C> {
    fn drop(&mut self) {
        if let Some(permits) = self.permits.take() {
            self.handle.give_up(permits);
        }
    }
}

impl<P: RoutePolicy, C: Clock> fmt::Debug for Pass<'_, P, C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Pass")
            .field("handle", self.handle)
            .field("permits", &self.permits)
            .finish()
    }
}

/// Leave to make one call, together with the handle that gave it: for a call whose outcome is known
/// only when its answer has been read.
///
/// Dropped without [`record`](OwnedPass::record) it counts as a call that the caller gave up, as a
/// [`Pass`] does.
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
/// use permanence_std::{ManualClock, Origin, Reaction, Registry};
///
/// let registry = Registry::new(Fine, ManualClock::new());
/// let handle = registry.other(Origin { scheme: "http", authority: "example.com" });
/// let mut pass = handle.gate_owned().unwrap();
/// let outcome = Outcome::new(Signal::Http(200), Request::Idempotent);
/// assert!(matches!(pass.record(&outcome), Reaction::Proceed));
/// ```
#[must_use = "a pass that is dropped counts as a call that was given up"]
pub struct OwnedPass<P: RoutePolicy, C: Clock> {
    handle: Handle<P, C>,
    permits: Option<Permits>,
}

impl<P: RoutePolicy, C: Clock> OwnedPass<P, C> {
    pub(super) fn new(handle: Handle<P, C>, permits: Permits) -> Self {
        OwnedPass { handle, permits: Some(permits) }
    }

    /// Tells what became of the call, once; what is told after that is not heard.
    pub fn record(&mut self, outcome: &Outcome<'_>) -> Reaction<'_> {
        match self.permits.take() {
            Some(permits) => self.handle.learn(permits, outcome, ""),
            None => Reaction::Proceed,
        }
    }

    /// Asks again, for another try of the same request: to be done after the pause of a
    /// [`Retry`](super::Retry), in which somebody else may have found out more.
    ///
    /// # Errors
    ///
    /// A [`Skipped`] when there is no call now.
    pub fn ask_again(&mut self) -> Result<(), Skipped> {
        if let Some(unused) = self.permits.take() {
            self.handle.give_up(unused);
        }
        self.permits = Some(self.handle.ask()?);
        Ok(())
    }

    /// The pass itself, for whoever will know the outcome; what is left tells nothing more.
    #[cfg(feature = "ureq")]
    pub(crate) fn hand_over(&mut self) -> Self {
        OwnedPass { handle: self.handle.clone(), permits: self.permits.take() }
    }

    /// Whether the call is the one probe of an endpoint or of a host.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        self.permits.as_ref().is_some_and(Permits::are_probes)
    }

    /// The endpoint.
    #[must_use]
    pub fn handle(&self) -> &Handle<P, C> {
        &self.handle
    }
}

impl<P: RoutePolicy, C: Clock> Drop for OwnedPass<P, C> {
    fn drop(&mut self) {
        if let Some(permits) = self.permits.take() {
            self.handle.give_up(permits);
        }
    }
}

impl<P: RoutePolicy, C: Clock> fmt::Debug for OwnedPass<P, C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OwnedPass")
            .field("handle", &self.handle)
            .field("permits", &self.permits)
            .finish()
    }
}

//! Asking an endpoint, its host and its credential at once.

use std::cell::Cell;

use permanence_core::{
    Admission, Instant, Outcome, Permit, Policy, Request, Signal, Skip, Status, Tracker,
};

use super::views::{CredentialView, OriginView};
use crate::Clock;

/// The permits of one call.
#[derive(Debug, Default)]
pub(super) struct Permits {
    pub(super) credential: Option<Permit>,
    pub(super) endpoint: Option<Permit>,
    pub(super) host: Option<Permit>,
}

/// Who said no, and why.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) by: Side,
    pub(super) skip: Skip,
}

/// Those that are asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    Credential,
    Endpoint,
    Host,
}

impl Side {
    /// In the order in which they have a word: from what most depends on.
    const ALL: [Side; 3] = [Side::Host, Side::Credential, Side::Endpoint];
}

/// The trackers of one call; what is not there admits everything.
pub(super) struct Trackers<'t> {
    pub(super) credential: Option<&'t mut Tracker>,
    pub(super) endpoint: Option<&'t mut Tracker>,
    pub(super) host: Option<&'t mut Tracker>,
}

impl Trackers<'_> {
    /// Asks all. Those that will say no come first: none may give away its one probe to a call that
    /// another then forbids.
    pub(super) fn admit<E: Policy>(
        mut self,
        policy: &E,
        time: &LazyTime<'_, impl Clock>,
    ) -> Result<Permits, Refusal> {
        let closed = Side::ALL
            .into_iter()
            .find(|side| self.of(*side).is_some_and(|tracker| is_closed(tracker, time)));
        let others = Side::ALL.into_iter().filter(|side| Some(*side) != closed);
        let mut permits = Permits::default();
        for by in closed.into_iter().chain(others) {
            match self.ask(by, policy, time) {
                None => {}
                Some(Admission::Call(permit)) => *permits.of(by) = Some(permit),
                Some(Admission::Skip(skip)) => {
                    self.release(permits, policy, time.now());
                    return Err(Refusal { by, skip });
                }
            }
        }
        Ok(permits)
    }

    fn ask<E: Policy>(
        &mut self,
        side: Side,
        policy: &E,
        time: &LazyTime<'_, impl Clock>,
    ) -> Option<Admission> {
        let clock = || time.now();
        match side {
            Side::Endpoint => {
                self.endpoint.as_deref_mut().map(|tracker| tracker.admit_with(policy, clock))
            }
            Side::Credential => {
                let view = CredentialView(policy);
                self.credential.as_deref_mut().map(|tracker| tracker.admit_with(&view, clock))
            }
            Side::Host => {
                let view = OriginView(policy);
                self.host.as_deref_mut().map(|tracker| tracker.admit_with(&view, clock))
            }
        }
    }

    fn of(&self, side: Side) -> Option<&Tracker> {
        match side {
            Side::Credential => self.credential.as_deref(),
            Side::Endpoint => self.endpoint.as_deref(),
            Side::Host => self.host.as_deref(),
        }
    }

    /// Hands permits back unused.
    pub(super) fn release<E: Policy>(self, permits: Permits, policy: &E, now: Instant) {
        let given_up = Outcome::new(Signal::Cancelled, Request::Idempotent);
        if let (Some(tracker), Some(permit)) = (self.endpoint, permits.endpoint) {
            let _ = tracker.record(policy, permit, &given_up, now);
        }
        if let (Some(tracker), Some(permit)) = (self.credential, permits.credential) {
            let _ = tracker.record(&CredentialView(policy), permit, &given_up, now);
        }
        if let (Some(tracker), Some(permit)) = (self.host, permits.host) {
            let _ = tracker.record(&OriginView(policy), permit, &given_up, now);
        }
    }
}

impl Permits {
    /// Whether one of them is a probe, that somebody waits for.
    pub(super) fn are_probes(&self) -> bool {
        [&self.credential, &self.endpoint, &self.host].into_iter().flatten().any(Permit::is_probe)
    }

    fn of(&mut self, side: Side) -> &mut Option<Permit> {
        match side {
            Side::Credential => &mut self.credential,
            Side::Endpoint => &mut self.endpoint,
            Side::Host => &mut self.host,
        }
    }
}

/// Whether a tracker admits nothing now.
fn is_closed(tracker: &Tracker, time: &LazyTime<'_, impl Clock>) -> bool {
    match tracker.status() {
        Status::Degraded | Status::Healthy => false,
        Status::Gone => true,
        Status::Deferred | Status::Disabled | Status::Probing => {
            tracker.wake_at().is_some_and(|wake_at| time.now() < wake_at)
        }
    }
}

/// A clock that is read once at most, and only if somebody wants to know.
pub(super) struct LazyTime<'c, C> {
    clock: &'c C,
    read: Cell<Option<Instant>>,
}

impl<'c, C: Clock> LazyTime<'c, C> {
    pub(super) const fn new(clock: &'c C) -> Self {
        LazyTime { clock, read: Cell::new(None) }
    }

    /// Whether anybody wanted to know: nobody does while all is well.
    #[cfg(feature = "state")]
    pub(super) fn was_read(&self) -> bool {
        self.read.get().is_some()
    }

    pub(super) fn now(&self) -> Instant {
        let now = self.read.get().unwrap_or_else(|| self.clock.now());
        self.read.set(Some(now));
        now
    }
}

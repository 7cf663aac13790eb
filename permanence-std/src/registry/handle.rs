//! One endpoint in use: asking, calling, and telling what came of it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use permanence_core::{
    Action, Admission, Class, Outcome, Policy, RoutePolicy, Scope, Signal, Skip, Span, Status,
    Step, Tracker, verdict,
};

#[cfg(feature = "state")]
use permanence_core::Permit;

use super::entry::Entry;
use super::gate::{LazyTime, Permits, Refusal, Side, Trackers};
#[cfg(feature = "state")]
use super::keep::{Occasion, Unknown};
use super::meters::{Decision, EndpointMeters};
use super::pass::{OwnedPass, Pass};
use super::reaction::{Fund, Reaction, Retry};
use super::views::OriginView;
use super::{Member, Shared};
use crate::route::OwnedKey;
use crate::{Clock, Skipped};

/// One endpoint of a registry.
pub struct Handle<P: RoutePolicy, C> {
    shared: Arc<Shared<P, C>>,
    pub(super) entry: Arc<Entry<Member<P::Endpoint>>>,
    policy: Arc<P::Endpoint>,
    host: Option<Arc<Entry<()>>>,
    coverage: Coverage,
}

/// What a handle gates.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Coverage {
    /// The endpoint and its host.
    Endpoint,
    /// The host alone: the entry belongs to several endpoints, and none may stop the others.
    Host,
}

impl<P: RoutePolicy, C: Clock> Handle<P, C> {
    pub(super) fn of_endpoint(
        shared: Arc<Shared<P, C>>,
        entry: Arc<Entry<Member<P::Endpoint>>>,
    ) -> Self {
        let policy = entry.policy.policy.load_full();
        let host = entry.policy.host.get().cloned();
        Handle { shared, entry, policy, host, coverage: Coverage::Endpoint }
    }

    pub(super) fn of_host(
        shared: Arc<Shared<P, C>>,
        others: Arc<Entry<Member<P::Endpoint>>>,
        policy: Arc<P::Endpoint>,
        host: Option<Arc<Entry<()>>>,
    ) -> Self {
        Handle { shared, entry: others, policy, host, coverage: Coverage::Host }
    }

    /// Takes over the policy that the registry has now: for a handle that is kept over a
    /// [`replace_policy`](super::Registry::replace_policy).
    pub fn refresh(&mut self) {
        self.policy = self.entry.policy.policy.load_full();
        if self.coverage == Coverage::Endpoint {
            self.host = self.entry.policy.host.get().cloned();
        }
    }

    /// Asks whether to call now: the host first, then the endpoint.
    ///
    /// While both are healthy no clock is read.
    ///
    /// # Errors
    ///
    /// A [`Skipped`] when there is no call now: a value to act on, not an error to log.
    pub fn gate(&self) -> Result<Pass<'_, P, C>, Skipped> {
        Ok(Pass::new(self, self.ask()?))
    }

    pub(super) fn ask(&self) -> Result<Permits, Skipped> {
        if let Some(permits) = self.calm_permits() {
            self.meters().decided(Decision::Called);
            return Ok(permits);
        }
        let time = LazyTime::new(&self.shared.clock);
        let refusal = match self.with_trackers(|trackers| trackers.admit(self.policy(), &time)) {
            Ok(permits) => {
                let is_probe = permits.are_probes();
                let decision = if is_probe { Decision::Probed } else { Decision::Called };
                self.meters().decided(decision);
                #[cfg(feature = "state")]
                if time.was_read() {
                    self.keep_probes(&permits);
                }
                return Ok(permits);
            }
            Err(refusal) => refusal,
        };
        self.meters().decided(Decision::Skipped);
        Err(self.skipped(refusal, &time))
    }

    /// Asks as [`gate`](Handle::gate) does; the pass keeps the handle, so that it can go wherever the
    /// answer goes.
    ///
    /// # Errors
    ///
    /// A [`Skipped`] when there is no call now.
    pub fn gate_owned(self) -> Result<OwnedPass<P, C>, Skipped> {
        let permits = self.ask()?;
        Ok(OwnedPass::new(self, permits))
    }

    /// Where the endpoint stands; the host is asked by itself: see [`host_status`](Handle::host_status).
    #[must_use]
    pub fn status(&self) -> Status {
        self.entry.lock().status()
    }

    /// Where the host stands; `None` where the policy says nothing about hosts.
    #[must_use]
    pub fn host_status(&self) -> Option<Status> {
        self.host.as_ref().map(|host| host.lock().status())
    }

    /// Something outside has changed: the endpoint and its host are called again at once, by one
    /// probe, if they are in trouble.
    pub fn recheck(&self) {
        let now = self.shared.clock.now();
        self.shared.recheck(&self.entry, now);
        if let Some(host) = &self.host {
            self.shared.recheck(host, now);
        }
    }

    /// The policy as this endpoint sees it.
    #[must_use]
    pub fn policy(&self) -> &P::Endpoint {
        &self.policy
    }

    /// The clock of the registry.
    #[must_use]
    pub fn clock(&self) -> &C {
        &self.shared.clock
    }

    /// Counts one request towards the retries that the traffic affords: whoever takes a
    /// [`Retry`] does so once before the first try.
    pub fn deposit(&self) {
        self.shared.deposit(&self.policy().settings().budget);
    }

    /// Leave to call while all is well: no lock is taken, no clock read and nothing written.
    #[inline]
    fn calm_permits(&self) -> Option<Permits> {
        let host = match &self.host {
            Some(host) => Some(host.calm_permit()?),
            None => None,
        };
        let endpoint = match self.coverage {
            Coverage::Endpoint => Some(self.entry.calm_permit()?),
            Coverage::Host => None,
        };
        Some(Permits { endpoint, host })
    }

    /// What counts the calls: of a request of no known route those of its host.
    #[inline]
    fn meters(&self) -> &EndpointMeters {
        match (self.coverage, &self.host) {
            (Coverage::Host, Some(host)) => &host.meters,
            _ => &self.entry.meters,
        }
    }

    /// Whether a success changes nothing.
    #[inline]
    fn is_calm(&self) -> bool {
        self.host.as_ref().is_none_or(|host| host.is_calm())
            && (self.coverage == Coverage::Host || self.entry.is_calm())
    }

    /// Runs `act` on both trackers; the host is always locked first.
    fn with_trackers<R>(&self, act: impl FnOnce(Trackers<'_>) -> R) -> R {
        let mut host = self.host.as_ref().map(|host| host.lock());
        let mut endpoint = (self.coverage == Coverage::Endpoint).then(|| self.entry.lock());
        act(Trackers { endpoint: endpoint.as_deref_mut(), host: host.as_deref_mut() })
    }

    fn skipped(&self, refusal: Refusal, time: &LazyTime<'_, C>) -> Skipped {
        let Refusal { by, skip: Skip { until, cause } } = refusal;
        let key = match (by, &self.host) {
            (Side::Host, Some(host)) => &host.key,
            _ => &self.entry.key,
        };
        let policy = self.policy();
        let wait_ms = until.map(|until| until.since(time.now()));
        let until_wall =
            until.zip(self.shared.clock.wall()).map(|(until, wall)| wall.time_of(until));
        let reason = cause.reason();
        Skipped {
            endpoint: Arc::clone(key.id()),
            until,
            wait: wait_ms.map(Duration::from_millis),
            until_wall,
            cause,
            reason: match reason.builtin_name() {
                Some(name) => Cow::Borrowed(name),
                None => Cow::Owned(policy.reason_name(reason).to_owned()),
            },
            remedy: policy.cause_rule(cause).remedy,
        }
    }

    /// Tells the trackers, and prints what they have to say.
    pub(super) fn learn(
        &self,
        permits: Permits,
        outcome: &Outcome<'_>,
        reference: &str,
    ) -> Reaction<'_> {
        let policy = self.policy();
        if self.is_calm() && policy.outcome_rule(outcome).is_success() {
            return Reaction::Proceed;
        }
        let time = LazyTime::new(&self.shared.clock);
        let judged = verdict(policy, outcome);
        let about_host = self.host.is_some() && judged.rule.scope == Scope::Origin;
        // A write of unknown fate is about the write, whatever the rule says about hosts.
        let of_host = about_host && judged.class != Class::Ambiguous;
        let host_signal = if about_host && !of_host { Signal::Cancelled } else { outcome.signal };

        let host = self.host.as_ref().zip(permits.host).map(|(host, permit)| {
            let (view, outcome) = (OriginView(policy), Outcome { signal: host_signal, ..*outcome });
            host.lock().record_with(&view, permit, &outcome, || time.now())
        });
        let endpoint = match permits.endpoint {
            // A probe has to come back, also where only the host has been found out.
            Some(permit) if !of_host || permit.is_probe() => {
                Some(self.entry.lock().record_with(policy, permit, outcome, || time.now()))
            }
            Some(_) => None,
            None if self.coverage == Coverage::Host && !of_host => {
                Some(answer_only(&mut self.entry.lock(), policy, outcome, &time))
            }
            None => None,
        };
        #[cfg(feature = "state")]
        if time.was_read() {
            self.keep_lesson(host.as_ref(), endpoint.as_ref(), outcome, reference);
        }
        #[cfg(not(feature = "state"))]
        let _ = reference;
        let has_line = [&host, &endpoint].into_iter().flatten().any(|step| step.event.is_some());
        if !has_line && !judged.rule.is_success() && outcome.signal != Signal::Cancelled {
            self.meters().suppressed();
        }
        let mut action = None;
        if let Some(step) = host {
            if let Some((host, event)) = self.host.as_ref().zip(step.event) {
                self.shared.transition(host, policy, event);
            }
            action = Some(step.action).filter(|_| of_host);
        }
        if let Some(step) = endpoint {
            if let Some(event) = step.event {
                self.shared.transition(&self.entry, policy, event);
            }
            action = action.or(Some(step.action));
        }
        let action = action.unwrap_or(Action::Proceed);
        if matches!(action, Action::Surface) {
            self.meters().ambiguous();
        }
        self.reaction(action, &time)
    }

    /// Writes down that a probe is under way, before it is: a program that is killed meanwhile does
    /// not begin anew.
    #[cfg(feature = "state")]
    fn keep_probes(&self, permits: &Permits) {
        let is_probe = |permit: &Option<Permit>| permit.as_ref().is_some_and(Permit::is_probe);
        if let Some(host) = self.host.as_ref().filter(|_| is_probe(&permits.host)) {
            self.shared.keep(host, Occasion::Transition);
        }
        if is_probe(&permits.endpoint) {
            self.shared.keep(&self.entry, Occasion::Transition);
        }
    }

    /// Writes down what a call has changed, before any line tells of it.
    #[cfg(feature = "state")]
    fn keep_lesson(
        &self,
        host_step: Option<&Step>,
        endpoint_step: Option<&Step>,
        outcome: &Outcome<'_>,
        reference: &str,
    ) {
        let policy = self.policy();
        if let Some((host, step)) = self.host.as_ref().zip(host_step) {
            self.shared.keep(host, Occasion::of(step.event.as_ref()));
            self.shared.keep_episode(&host.key, policy, step.event.as_ref());
        }
        let Some(step) = endpoint_step else { return };
        if self.coverage == Coverage::Endpoint {
            self.shared.keep(&self.entry, Occasion::of(step.event.as_ref()));
            self.shared.keep_episode(&self.entry.key, policy, step.event.as_ref());
        }
        if matches!(step.action, Action::Surface) {
            let key = match (self.coverage, &self.host) {
                (Coverage::Host, Some(host)) => &host.key,
                _ => &self.entry.key,
            };
            let reason = policy.reason_name(verdict(policy, outcome).rule.reason);
            let write = Unknown {
                code: outcome.signal.code(),
                reason,
                event: step.event.as_ref(),
                reference,
            };
            self.shared.keep_write(&key.borrowed(), write);
        }
    }

    /// Hands permits back unused: nobody waits for a call that is no probe.
    pub(super) fn give_up(&self, permits: Permits) {
        if permits.are_probes() {
            let now = self.shared.clock.now();
            self.with_trackers(|trackers| trackers.release(permits, self.policy(), now));
        }
    }

    fn reaction(&self, action: Action, time: &LazyTime<'_, C>) -> Reaction<'_> {
        match action {
            Action::Drop => Reaction::Drop,
            Action::Renew(remedy) => Reaction::Renew(remedy),
            Action::Retry(offer) => Reaction::Retry(Retry::new(offer, self)),
            Action::Surface => Reaction::Surface,
            Action::Wait(until) => {
                Reaction::Wait(until.map(|until| Duration::from_millis(until.since(time.now()))))
            }
            _ => Reaction::Proceed,
        }
    }
}

impl<P: RoutePolicy, C: Clock> Fund for Handle<P, C> {
    fn afford(&self, offer: permanence_core::RetryOffer) -> Option<Span> {
        self.shared.afford(offer, &self.policy().settings().budget)
    }
}

impl<P: RoutePolicy, C> Clone for Handle<P, C> {
    fn clone(&self) -> Self {
        Handle {
            shared: Arc::clone(&self.shared),
            entry: Arc::clone(&self.entry),
            policy: Arc::clone(&self.policy),
            host: self.host.clone(),
            coverage: self.coverage,
        }
    }
}

impl<P: RoutePolicy, C> fmt::Debug for Handle<P, C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key: &OwnedKey = &self.entry.key;
        out.debug_struct("Handle")
            .field("key", &key.borrowed())
            .field("coverage", &self.coverage)
            .finish_non_exhaustive()
    }
}

/// What an outcome means for the caller's own request, where nothing is learned from it.
fn answer_only<E: Policy>(
    tracker: &mut Tracker,
    policy: &E,
    outcome: &Outcome<'_>,
    time: &LazyTime<'_, impl Clock>,
) -> Step {
    let Admission::Call(permit) = tracker.admit_with(policy, || time.now()) else {
        return Step::QUIET;
    };
    // The answer belongs to an episode that is over.
    tracker.reset();
    tracker.record_with(policy, permit, outcome, || time.now())
}

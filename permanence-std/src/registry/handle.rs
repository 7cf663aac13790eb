//! One endpoint in use: asking and calling.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "state")]
use permanence_core::Permit;
use permanence_core::{Policy, RoutePolicy, Skip, Span, Status};

use super::entry::Entry;
use super::gate::{LazyTime, Permits, Refusal, Side, Trackers};
#[cfg(feature = "state")]
use super::keep::Occasion;
use super::meters::{Decision, EndpointMeters};
use super::pass::{OwnedPass, Pass};
use super::reaction::Fund;
use super::{Member, Shared};
use crate::route::OwnedKey;
use crate::{Clock, Skipped};

/// One endpoint of a registry.
pub struct Handle<P: RoutePolicy, C> {
    pub(super) shared: Arc<Shared<P, C>>,
    pub(super) entry: Arc<Entry<Member<P::Endpoint>>>,
    pub(super) policy: Arc<P::Endpoint>,
    pub(super) host: Option<Arc<Entry<()>>>,
    pub(super) credential: Option<Arc<Entry<()>>>,
    pub(super) coverage: Coverage,
}

/// What a handle gates.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Coverage {
    /// The endpoint, its host and its credential.
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
        let credential = entry.policy.credential.get().cloned();
        Handle { shared, entry, policy, host, credential, coverage: Coverage::Endpoint }
    }

    pub(super) fn of_host(
        shared: Arc<Shared<P, C>>,
        others: Arc<Entry<Member<P::Endpoint>>>,
        policy: Arc<P::Endpoint>,
        host: Option<Arc<Entry<()>>>,
    ) -> Self {
        let (entry, credential) = (others, None);
        Handle { shared, entry, policy, host, credential, coverage: Coverage::Host }
    }

    /// Gates the endpoint by a credential too, unless it has one already.
    pub(super) fn call_with(&mut self, name: &str) {
        if self.coverage == Coverage::Host || self.credential.is_some() {
            return;
        }
        if let Some(credential) = self.shared.credential(name) {
            let first = self.entry.policy.credential.get_or_init(|| credential);
            self.credential = Some(Arc::clone(first));
        }
    }

    /// Takes over the policy that the registry has now: for a handle that is kept over a
    /// [`replace_policy`](super::Registry::replace_policy).
    pub fn refresh(&mut self) {
        self.policy = self.entry.policy.policy.load_full();
        if self.coverage == Coverage::Endpoint {
            self.host = self.entry.policy.host.get().cloned();
            self.credential = self.entry.policy.credential.get().cloned();
        }
    }

    /// Asks whether to call now: the host, the credential and the endpoint.
    ///
    /// While all are healthy no clock is read.
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

    /// Where the credential stands; `None` for a route that names none.
    #[must_use]
    pub fn credential_status(&self) -> Option<Status> {
        self.credential.as_ref().map(|credential| credential.lock().status())
    }

    /// Something outside has changed: the endpoint, its host and its credential are called again at
    /// once, by one probe, if they are in trouble.
    pub fn recheck(&self) {
        let now = self.shared.clock.now();
        self.shared.recheck(&self.entry, now);
        for group in [&self.host, &self.credential].into_iter().flatten() {
            self.shared.recheck(group, now);
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
    /// [`Retry`](super::Retry) does so once before the first try.
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
        let credential = match &self.credential {
            Some(credential) => Some(credential.calm_permit()?),
            None => None,
        };
        let endpoint = match self.coverage {
            Coverage::Endpoint => Some(self.entry.calm_permit()?),
            Coverage::Host => None,
        };
        Some(Permits { credential, endpoint, host })
    }

    /// What counts the calls: of a request of no known route those of its host.
    #[inline]
    pub(super) fn meters(&self) -> &EndpointMeters {
        match (self.coverage, &self.host) {
            (Coverage::Host, Some(host)) => &host.meters,
            _ => &self.entry.meters,
        }
    }

    /// Whether a success changes nothing.
    #[inline]
    pub(super) fn is_calm(&self) -> bool {
        self.host.as_ref().is_none_or(|host| host.is_calm())
            && self.credential.as_ref().is_none_or(|credential| credential.is_calm())
            && (self.coverage == Coverage::Host || self.entry.is_calm())
    }

    /// Runs `act` on the trackers, which are always locked in the same order.
    fn with_trackers<R>(&self, act: impl FnOnce(Trackers<'_>) -> R) -> R {
        let mut host = self.host.as_ref().map(|host| host.lock());
        let mut credential = self.credential.as_ref().map(|credential| credential.lock());
        let mut endpoint = (self.coverage == Coverage::Endpoint).then(|| self.entry.lock());
        act(Trackers {
            credential: credential.as_deref_mut(),
            endpoint: endpoint.as_deref_mut(),
            host: host.as_deref_mut(),
        })
    }

    fn skipped(&self, refusal: Refusal, time: &LazyTime<'_, C>) -> Skipped {
        let Refusal { by, skip: Skip { until, cause } } = refusal;
        let key = match (by, &self.host, &self.credential) {
            (Side::Host, Some(host), _) => &host.key,
            (Side::Credential, _, Some(credential)) => &credential.key,
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

    /// Writes down that a probe is under way, before it is: a program that is killed meanwhile does
    /// not begin anew.
    #[cfg(feature = "state")]
    fn keep_probes(&self, permits: &Permits) {
        let is_probe = |permit: &Option<Permit>| permit.as_ref().is_some_and(Permit::is_probe);
        for (group, permit) in
            [(&self.host, &permits.host), (&self.credential, &permits.credential)]
        {
            if let Some(group) = group.as_ref().filter(|_| is_probe(permit)) {
                self.shared.keep(group, Occasion::Transition);
            }
        }
        if is_probe(&permits.endpoint) {
            self.shared.keep(&self.entry, Occasion::Transition);
        }
    }

    /// Hands permits back unused: nobody waits for a call that is no probe.
    pub(super) fn give_up(&self, permits: Permits) {
        if permits.are_probes() {
            let now = self.shared.clock.now();
            self.with_trackers(|trackers| trackers.release(permits, self.policy(), now));
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
            credential: self.credential.clone(),
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

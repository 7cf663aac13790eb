//! Telling an endpoint, its host and its credential what came of a call.

use std::time::Duration;

use permanence_core::{
    Action, Admission, Class, Outcome, Policy, RoutePolicy, Scope, Signal, Step, Tracker, verdict,
};

use super::entry::Entry;
use super::gate::{LazyTime, Permits, Side};
use super::handle::{Coverage, Handle};
#[cfg(feature = "state")]
use super::keep::{Occasion, Unknown};
use super::reaction::{Reaction, Retry};
use super::views::{CredentialView, OriginView};
use crate::Clock;

/// What a host or a credential has made of an outcome.
struct Taught<'h> {
    side: Side,
    entry: &'h Entry<()>,
    step: Step,
}

impl<P: RoutePolicy, C: Clock> Handle<P, C> {
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
        let about = match judged.rule.scope {
            Scope::Origin if self.host.is_some() => Side::Host,
            Scope::Credential if self.credential.is_some() => Side::Credential,
            _ => Side::Endpoint,
        };
        // A write of unknown fate is about the write, whatever the rule says about hosts.
        let of = if judged.class == Class::Ambiguous { Side::Endpoint } else { about };
        let given_up = Outcome { signal: Signal::Cancelled, ..*outcome };
        let seen_by = |side| if about == side && of != side { &given_up } else { outcome };

        let host = self.host.as_deref().zip(permits.host).map(|(entry, permit)| {
            let (view, outcome) = (OriginView(policy), seen_by(Side::Host));
            let step = entry.lock().record_with(&view, permit, outcome, || time.now());
            Taught { side: Side::Host, entry, step }
        });
        let credential = self.credential.as_deref().zip(permits.credential);
        let credential = credential.map(|(entry, permit)| {
            let (view, outcome) = (CredentialView(policy), seen_by(Side::Credential));
            let step = entry.lock().record_with(&view, permit, outcome, || time.now());
            Taught { side: Side::Credential, entry, step }
        });
        let endpoint = match permits.endpoint {
            // A probe has to come back, also where only the host has been found out. What a credential is
            // refused for says nothing about the endpoint.
            Some(permit) if of == Side::Endpoint || permit.is_probe() => {
                let outcome = if of == Side::Credential { &given_up } else { outcome };
                Some(self.entry.lock().record_with(policy, permit, outcome, || time.now()))
            }
            Some(_) => None,
            None if self.coverage == Coverage::Host && of == Side::Endpoint => {
                Some(answer_only(&mut self.entry.lock(), policy, outcome, &time))
            }
            None => None,
        };
        let groups = [host, credential];
        #[cfg(feature = "state")]
        if time.was_read() {
            self.keep_lesson(&groups, endpoint.as_ref(), outcome, reference);
        }
        #[cfg(not(feature = "state"))]
        let _ = reference;
        let steps = groups.iter().flatten().map(|taught| &taught.step).chain(&endpoint);
        let has_line = steps.into_iter().any(|step| step.event.is_some());
        if !has_line && !judged.rule.is_success() && outcome.signal != Signal::Cancelled {
            self.meters().suppressed();
        }
        let mut action = None;
        for Taught { side, entry, step } in groups.into_iter().flatten() {
            if let Some(event) = step.event {
                self.shared.transition(entry, policy, event);
            }
            if side == of {
                action = Some(step.action);
            }
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

    /// Writes down what a call has changed, before any line tells of it.
    #[cfg(feature = "state")]
    fn keep_lesson(
        &self,
        groups: &[Option<Taught<'_>>],
        endpoint_step: Option<&Step>,
        outcome: &Outcome<'_>,
        reference: &str,
    ) {
        let policy = self.policy();
        for Taught { entry, step, .. } in groups.iter().flatten() {
            self.shared.keep(entry, Occasion::of(step.event.as_ref()));
            self.shared.keep_episode(&entry.key, policy, step.event.as_ref());
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

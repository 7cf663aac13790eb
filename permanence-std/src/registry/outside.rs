//! What comes from outside of the calls: rechecks, another policy, another credential, hints.

use std::sync::{Arc, PoisonError};

use permanence_core::{Instant, Policy, Remedy, RoutePolicy, Scope, Span, Tracker};

use super::entry::Entry;
use super::{Member, Registry, Shared};
use crate::{Clock, EndpointKey};

/// How soon a disabled endpoint is called again when a neighbour has recovered.
const HINT_WITHIN: Span = Span::from_secs(120);

impl<P: RoutePolicy, C: Clock> Registry<P, C> {
    /// Something outside has changed, such as a credential: every endpoint and host in trouble is
    /// called again at once, by one probe.
    pub fn recheck(&self) {
        let now = self.shared.clock.now();
        for entry in self.shared.endpoints.all() {
            self.shared.recheck(&entry, now);
        }
        for entry in self.shared.groups() {
            self.shared.recheck(&entry, now);
        }
    }

    /// Every endpoint with this id that is in trouble is called again at once, by one probe, and so is its
    /// host; what that is for is said at [`recheck`](Registry::recheck). How many endpoints have the id is
    /// returned: with none there may be a slip in it.
    pub fn recheck_endpoint(&self, id: &str) -> usize {
        let now = self.shared.clock.now();
        let entries = self.shared.endpoints.all();
        let named = entries.iter().filter(|entry| **entry.key.id() == *id);
        named
            .map(|entry| {
                self.shared.recheck(entry, now);
                for group in [&entry.policy.host, &entry.policy.credential] {
                    if let Some(group) = group.get() {
                        self.shared.recheck(group, now);
                    }
                }
            })
            .count()
    }

    /// From now on `policy` decides. What is known of endpoints stays; those in trouble and those that are
    /// gone are called again at once, by one probe each, since the new policy may see them differently.
    ///
    /// A call that is under way ends under the policy it began with. So does one of a [`Handle`](super::Handle) that was
    /// got before: get it anew, or [`refresh`](super::Handle::refresh) it.
    pub fn replace_policy(&self, policy: P) {
        let shared = &self.shared;
        let replacing = shared.policy_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let policy = Arc::new(policy);
        shared.policy.store(Arc::clone(&policy));
        shared.others.policy.policy.store(Arc::new(policy.endpoint("", "")));
        // Whoever is made from here on is made under the new policy.
        for entry in shared.endpoints.all() {
            let key = entry.key.borrowed();
            entry.policy.policy.store(Arc::new(policy.endpoint(key.method, key.template)));
            shared.find_host(&entry.policy, key.origin);
        }
        drop(replacing);
        self.recheck();
    }

    /// Tells which credential a name of [`Route::with_credential`](crate::Route::with_credential) stands
    /// for now. If it is another one than before, the credential is called again at once, by one probe, and
    /// so is each endpoint with it that waits for a new one. Whether it is another is returned: the first is
    /// not.
    ///
    /// `fingerprint` is any number that changes with the credential and does not give it away, such as the
    /// first bytes of a salted hash. It stays in memory: a program that starts with another credential than
    /// it had, and goes on from a store, calls [`recheck`](Registry::recheck).
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
    /// use std::hash::{BuildHasher, RandomState};
    /// use permanence_std::{ManualClock, Registry};
    ///
    /// let registry = Registry::new(Fine, ManualClock::new());
    /// let salt = RandomState::new();
    /// assert!(!registry.credential_is("model key", salt.hash_one("sk-1")));
    /// assert!(!registry.credential_is("model key", salt.hash_one("sk-1")));
    /// assert!(registry.credential_is("model key", salt.hash_one("sk-2")));
    /// ```
    pub fn credential_is(&self, name: &str, fingerprint: u64) -> bool {
        let shared = &self.shared;
        let Some(credential) = shared.credential(name) else { return false };
        let id = Arc::clone(credential.key.id());
        let mut known = shared.fingerprints.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= shared.credentials.capacity() && !known.contains_key(&id) {
            return false;
        }
        let before = known.insert(id, fingerprint);
        drop(known);
        if before.is_none_or(|before| before == fingerprint) {
            return false;
        }
        let now = shared.clock.now();
        shared.recheck(&credential, now);
        for entry in shared.endpoints.all() {
            let policy = entry.policy.policy.load();
            if entry.policy.is_called_with(&credential)
                && waits_for_another(&entry.lock(), &**policy)
            {
                shared.recheck(&entry, now);
            }
        }
        true
    }
}

/// Whether another credential is what a tracker waits for.
fn waits_for_another<E: Policy>(tracker: &Tracker, policy: &E) -> bool {
    tracker.cause().is_some_and(|cause| {
        let rule = policy.cause_rule(cause);
        rule.remedy == Remedy::Reauth || rule.scope == Scope::Credential
    })
}

impl<E> Member<E> {
    fn is_called_with(&self, credential: &Arc<Entry<()>>) -> bool {
        self.credential.get().is_some_and(|own| Arc::ptr_eq(own, credential))
    }
}

impl<P: RoutePolicy, C: Clock> Shared<P, C> {
    pub(super) fn recheck<E>(&self, entry: &Entry<E>, now: Instant) {
        entry.lock().recheck(now);
        #[cfg(feature = "state")]
        self.keep_recheck(entry);
    }

    /// What is on the same host may work again too.
    pub(super) fn hint_neighbours(&self, recovered: &EndpointKey<'_>, now: Instant) {
        let is_neighbour =
            |key: &EndpointKey<'_>| key.origin == recovered.origin && key != recovered;
        for entry in self.endpoints.those(is_neighbour) {
            entry.hint(now, HINT_WITHIN);
        }
    }
}

//! What a registry keeps of one endpoint.

use std::sync::{Mutex, MutexGuard, PoisonError};

use permanence_core::{Status, Tracker};

use crate::route::{EndpointKey, OwnedKey};

/// One endpoint, or one host: its name, its policy and what is known of it.
#[derive(Debug)]
pub(super) struct Entry<E> {
    pub(super) key: OwnedKey,
    pub(super) policy: E,
    tracker: Mutex<Tracker>,
    /// Locked before the tracker, never while it is.
    #[cfg(feature = "state")]
    pub(super) keeping: Mutex<super::keep::Keeping>,
}

impl<E> Entry<E> {
    pub(super) fn new(key: &EndpointKey<'_>, policy: E, seed: u32) -> Self {
        Entry {
            key: OwnedKey::new(key),
            policy,
            tracker: Mutex::new(Tracker::new(seed)),
            #[cfg(feature = "state")]
            keeping: Mutex::new(super::keep::Keeping::NOTHING),
        }
    }

    /// The tracker; a panic elsewhere cannot have left it half-changed, since it is replaced whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, Tracker> {
        self.tracker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is lost when the entry goes but that the endpoint has succeeded before.
    pub(super) fn is_expendable(&self) -> bool {
        let tracker = self.lock();
        tracker.status() == Status::Healthy && tracker.cause().is_none()
    }
}

//! What a registry keeps of one endpoint.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use permanence_core::{Permit, Status, Tracker};

use crate::route::{EndpointKey, OwnedKey};

/// One endpoint, or one host: its name, its policy and what is known of it.
#[derive(Debug)]
pub(super) struct Entry<E> {
    pub(super) key: OwnedKey,
    pub(super) policy: E,
    tracker: Mutex<Tracker>,
    /// The stamp of a calm tracker and one more; zero while it is not calm. Written under the lock of the
    /// tracker, so that a calm endpoint is asked, and told of a success, without it.
    calm: AtomicU32,
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
            calm: AtomicU32::new(0),
            #[cfg(feature = "state")]
            keeping: Mutex::new(super::keep::Keeping::NOTHING),
        }
    }

    /// The tracker; a panic elsewhere cannot have left it half-changed, since it is replaced whole.
    pub(super) fn lock(&self) -> Locked<'_> {
        let tracker = self.tracker.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { tracker, calm: &self.calm }
    }

    /// Leave to call without a look at the tracker, if it is calm.
    #[inline]
    pub(super) fn calm_permit(&self) -> Option<Permit> {
        let stamp = self.calm.load(Ordering::Acquire).checked_sub(1)?;
        Some(Permit::with_stamp(u16::try_from(stamp).ok()?))
    }

    /// Whether a success changes nothing.
    #[inline]
    pub(super) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Acquire) != 0
    }

    /// Whether nothing is lost when the entry goes but that the endpoint has succeeded before.
    pub(super) fn is_expendable(&self) -> bool {
        let tracker = self.lock();
        tracker.status() == Status::Healthy && tracker.cause().is_none()
    }
}

/// A tracker in use by one thread.
#[derive(Debug)]
pub(super) struct Locked<'e> {
    tracker: MutexGuard<'e, Tracker>,
    calm: &'e AtomicU32,
}

impl Deref for Locked<'_> {
    type Target = Tracker;

    fn deref(&self) -> &Tracker {
        &self.tracker
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }
}

impl Drop for Locked<'_> {
    /// Tells whether the tracker is calm, while the lock is still held.
    fn drop(&mut self) {
        let stamp = self.tracker.calm_stamp();
        let calm = stamp.map_or(0, |stamp| u32::from(stamp).saturating_add(1));
        if self.calm.load(Ordering::Relaxed) != calm {
            self.calm.store(calm, Ordering::Release);
        }
    }
}

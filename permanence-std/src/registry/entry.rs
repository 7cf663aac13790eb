//! What a registry keeps of one endpoint.

use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use permanence_core::{Instant, Permit, Span, Status, Tracker};

use super::meters::EndpointMeters;
use super::sync::{AtomicU32, Mutex, MutexGuard};
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
    /// The episode in which the entry has had its hint, and one more; zero before the first. It is read and
    /// written under the lock of the tracker.
    hinted: AtomicU32,
    pub(super) meters: EndpointMeters,
    /// Locked before the tracker, never while it is.
    #[cfg(feature = "state")]
    pub(super) keeping: Mutex<super::keep::Keeping>,
}

impl<E> Entry<E> {
    pub(super) fn new(key: &EndpointKey<'_>, policy: E, seed: u32) -> Self {
        let key = OwnedKey::new(key);
        let meters = EndpointMeters::new(key.id());
        Entry::with_meters(key, policy, seed, meters)
    }

    /// An entry that stands for many endpoints, and is not counted as one of them.
    pub(super) fn of_many(key: &EndpointKey<'_>, policy: E) -> Self {
        Entry::with_meters(OwnedKey::new(key), policy, 0, EndpointMeters::none())
    }

    fn with_meters(key: OwnedKey, policy: E, seed: u32, meters: EndpointMeters) -> Self {
        Entry {
            key,
            policy,
            meters,
            tracker: Mutex::new(Tracker::new(seed)),
            calm: AtomicU32::new(0),
            hinted: AtomicU32::new(0),
            #[cfg(feature = "state")]
            keeping: Mutex::new(super::keep::Keeping::NOTHING),
        }
    }

    /// The tracker; a panic elsewhere cannot have left it half-changed, since it is replaced whole.
    pub(super) fn lock(&self) -> Locked<'_, E> {
        let tracker = self.tracker.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { tracker, entry: self }
    }

    /// Brings the next probe forward, once in an episode.
    pub(super) fn hint(&self, now: Instant, within: Span) {
        let mut tracker = self.lock();
        let episode = u32::from(tracker.episode().number()).saturating_add(1);
        if tracker.status() == Status::Disabled && self.hinted.load(Ordering::Relaxed) != episode {
            self.hinted.store(episode, Ordering::Relaxed);
            tracker.hint(now, within);
        }
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
pub(super) struct Locked<'e, E> {
    tracker: MutexGuard<'e, Tracker>,
    entry: &'e Entry<E>,
}

impl<E> Deref for Locked<'_, E> {
    type Target = Tracker;

    fn deref(&self) -> &Tracker {
        &self.tracker
    }
}

impl<E> DerefMut for Locked<'_, E> {
    fn deref_mut(&mut self) -> &mut Tracker {
        &mut self.tracker
    }
}

impl<E> Drop for Locked<'_, E> {
    /// Tells whether the tracker is calm, and where it stands, while the lock is still held.
    fn drop(&mut self) {
        let stamp = self.tracker.calm_stamp();
        let calm = stamp.map_or(0, |stamp| u32::from(stamp).saturating_add(1));
        if self.entry.calm.load(Ordering::Relaxed) != calm {
            self.entry.calm.store(calm, Ordering::Release);
        }
        self.entry.meters.show(self.tracker.status());
    }
}

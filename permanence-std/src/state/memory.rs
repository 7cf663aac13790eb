//! A store in memory, for tests and for programs that only want to share one.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use permanence_core::{Span, Timestamp};

use super::book::Book;
use super::record::{push_bounded, push_episode};
use super::{
    Episode, Generation, Kept, Lease, Store, StoreError, Stored, StoredKey, Surfaced, Swap,
};
use crate::EndpointKey;

/// A store that lasts as long as the process.
///
/// Everybody who shares one store also shares its leases.
///
/// # Examples
///
/// ```
/// use permanence_std::state::{Generation, Kept, MemoryStore, Store, Swap};
/// use permanence_std::{EndpointKey, Origin};
/// # use permanence_std::core::{Instant, Tracker};
///
/// let store = MemoryStore::new();
/// let origin = Origin { scheme: "http", authority: "example.com" };
/// let key = EndpointKey { id: "feed", method: "GET", origin, template: "/v1/feed" };
/// let kept = Kept { snapshot: Tracker::new(7).snapshot(Instant::ZERO), taken_at: None };
///
/// let swap = store.compare_and_swap(&key, Generation::ABSENT, &kept)?;
/// assert_eq!(swap, Swap::Stored(Generation::from_number(1)));
/// assert_eq!(store.load()?.len(), 1);
/// # Ok::<(), permanence_std::state::StoreError>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    book: Book,
    episodes: VecDeque<Episode>,
    writes: VecDeque<Surfaced>,
}

impl MemoryStore {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        MemoryStore::default()
    }

    /// The last 256 episodes that are over, the oldest first.
    #[must_use]
    pub fn history(&self) -> Vec<Episode> {
        self.lock().episodes.iter().cloned().collect()
    }

    /// The last 256 writes of unknown fate, the oldest first.
    #[must_use]
    pub fn review(&self) -> Vec<Surfaced> {
        self.lock().writes.iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn load(&self) -> Result<Vec<Stored>, StoreError> {
        let places = self.lock().book.places.clone();
        Ok(Book { places, ..Book::default() }.all())
    }

    fn compare_and_swap(
        &self,
        key: &EndpointKey<'_>,
        expected: Generation,
        kept: &Kept,
    ) -> Result<Swap, StoreError> {
        self.lock().book.swap(StoredKey::new(key), expected, kept)
    }

    fn try_lease(
        &self,
        key: &EndpointKey<'_>,
        ttl: Span,
        now: Timestamp,
    ) -> Result<Lease, StoreError> {
        self.lock().book.lease(StoredKey::new(key), 0, ttl, now)
    }

    fn close_episode(&self, episode: &Episode) -> Result<(), StoreError> {
        push_episode(&mut self.lock().episodes, episode.clone());
        Ok(())
    }

    fn surface(&self, write: &Surfaced) -> Result<(), StoreError> {
        push_bounded(&mut self.lock().writes, write.clone());
        Ok(())
    }
}

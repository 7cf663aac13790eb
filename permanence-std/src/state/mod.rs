//! State that survives: what is known of each endpoint, kept outside the process.
//!
//! A [`Store`] keeps the snapshot of each endpoint under its key. [`StateFile`] is one in the user's
//! state directory, shared by any number of processes; [`MemoryStore`] is one for tests. A registry
//! that is made with [`Registry::with_state`](crate::Registry::with_state) loads it when it starts and
//! writes to it on transitions and probes, never for a healthy call.

mod book;
mod error;
mod file;
mod key;
mod memory;
mod record;
mod trouble;

use std::fmt;
use std::sync::Arc;

use permanence_core::{Snapshot, Span, Timestamp};

pub use self::error::{Corruption, PlaceError, StoreError};
pub use self::file::StateFile;
pub use self::key::StoredKey;
pub use self::memory::MemoryStore;
pub use self::record::{Episode, Surfaced};
pub use self::trouble::StateTrouble;
use crate::EndpointKey;

/// Where the state of endpoints is kept: a file, memory, or a service on the network.
///
/// All that is asked of a store is to replace one small value if it is still the one that was read,
/// so that several processes can share it and none of them undoes what another has learnt. A store
/// over the network writes the [`Generation`] into its record, and uses whatever its service has (an
/// etag, a revision, a transaction) to make the swap one act.
///
/// Calls come on transitions and probes only. They come from within the caller's call, outside all
/// locks but that of the endpoint; a store that may take longer than a disk should queue.
pub trait Store: fmt::Debug + Send + Sync {
    /// Everything there is, in any order.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the store cannot be read. The program then starts with nothing known.
    fn load(&self) -> Result<Vec<Stored>, StoreError>;

    /// Puts `kept` in the place of `key`, if that still has the generation `expected`:
    /// [`Generation::ABSENT`] where there should be nothing.
    ///
    /// When it returns [`Swap::Stored`], `kept` survives the end of the process and of the machine,
    /// as far as the store can promise.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the store cannot be written; nothing has changed then.
    fn compare_and_swap(
        &self,
        key: &EndpointKey<'_>,
        expected: Generation,
        kept: &Kept,
    ) -> Result<Swap, StoreError>;

    /// Asks to be the only one that probes `key` for the next `ttl`.
    ///
    /// A registry does not ask: each process makes its own probes. It is for programs that want one of
    /// them to probe for all.
    ///
    /// A lease that this store holds already is prolonged. One that lapsed, or that ends later than
    /// `ttl` from `now` since a clock was stepped, is free.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the store cannot be written; nobody has got a new lease then.
    fn try_lease(
        &self,
        key: &EndpointKey<'_>,
        ttl: Span,
        now: Timestamp,
    ) -> Result<Lease, StoreError>;

    /// Adds an episode that is over to the history; a store may keep none.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the store cannot be written.
    fn close_episode(&self, episode: &Episode) -> Result<(), StoreError> {
        let _ = episode;
        Ok(())
    }

    /// Adds a write of unknown fate to the review journal; a store may keep none.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the store cannot be written.
    fn surface(&self, write: &Surfaced) -> Result<(), StoreError> {
        let _ = write;
        Ok(())
    }

    /// What was found unreadable and was set aside since the last question.
    fn take_quarantined(&self) -> Option<Quarantined> {
        None
    }
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn load(&self) -> Result<Vec<Stored>, StoreError> {
        S::load(self)
    }

    fn compare_and_swap(
        &self,
        key: &EndpointKey<'_>,
        expected: Generation,
        kept: &Kept,
    ) -> Result<Swap, StoreError> {
        S::compare_and_swap(self, key, expected, kept)
    }

    fn try_lease(
        &self,
        key: &EndpointKey<'_>,
        ttl: Span,
        now: Timestamp,
    ) -> Result<Lease, StoreError> {
        S::try_lease(self, key, ttl, now)
    }

    fn close_episode(&self, episode: &Episode) -> Result<(), StoreError> {
        S::close_episode(self, episode)
    }

    fn surface(&self, write: &Surfaced) -> Result<(), StoreError> {
        S::surface(self, write)
    }

    fn take_quarantined(&self) -> Option<Quarantined> {
        S::take_quarantined(self)
    }
}

/// How often the place of a key has been written: each swap makes it one more.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Generation(u64);

impl Generation {
    /// The generation of a place where there is nothing.
    pub const ABSENT: Generation = Generation(0);

    /// Makes a generation from its number.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Generation(number)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The generation after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Generation(self.0.saturating_add(1))
    }
}

/// What is kept of one endpoint.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Kept {
    /// Its tracker.
    pub snapshot: Snapshot,
    /// The wall time of the snapshot, in whole seconds; `None` where the clock knew none.
    pub taken_at: Option<Timestamp>,
}

impl Kept {
    /// The time since the snapshot, in milliseconds, as `Tracker::restore` takes it.
    ///
    /// It is zero where a wall time is missing and where the clock was set back, so that a wait goes
    /// on from where it was; it is at most [`Kept::MOST_ELAPSED_MS`], so that a clock that was set far
    /// ahead makes no span of decades. Wall times are whole seconds: one is taken off, so that no
    /// probe comes early.
    #[must_use]
    pub fn elapsed_ms(&self, now: Option<Timestamp>) -> u64 {
        let (Some(taken_at), Some(now)) = (self.taken_at, now) else { return 0 };
        let seconds = now.seconds_since(taken_at).saturating_sub(1);
        seconds.saturating_mul(1_000).min(Kept::MOST_ELAPSED_MS)
    }

    /// A year: longer than any wait.
    pub const MOST_ELAPSED_MS: u64 = 366 * 86_400_000;
}

/// One place of a store.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Stored {
    /// Of what endpoint.
    pub key: StoredKey,
    /// How often it was written.
    pub generation: Generation,
    /// What is kept.
    pub kept: Kept,
}

/// What came of a compare-and-swap.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use = "a swap that lost has written nothing"]
pub enum Swap {
    /// Somebody else was there first; this is what stands there now, if anything does.
    Lost(Option<(Generation, Kept)>),
    /// It is written, and this is its generation.
    Stored(Generation),
}

/// What came of asking for a lease.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use = "whoever was refused a lease does not probe"]
pub enum Lease {
    /// It is ours until then.
    Granted(Timestamp),
    /// Somebody else has it until then.
    Held(Timestamp),
}

/// A file that could not be read as what it should be, and was set aside.
#[derive(Clone, Debug)]
pub struct Quarantined {
    /// Where it was.
    pub path: std::path::PathBuf,
    /// Where it is now; `None` where it could not be moved.
    pub moved_to: Option<std::path::PathBuf>,
    /// What was found.
    pub found: Corruption,
}

impl fmt::Display for Quarantined {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.found)?;
        match &self.moved_to {
            Some(moved_to) => write!(out, "; set aside as {}", moved_to.display()),
            None => out.write_str("; it could not be set aside"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(taken_at: Option<u64>) -> Kept {
        Kept { snapshot: [0; 52], taken_at: taken_at.map(Timestamp::from_unix_seconds) }
    }

    #[test]
    fn elapsed_time_is_never_negative_never_early_and_never_decades() {
        let now = Some(Timestamp::from_unix_seconds(1_000_000));
        assert_eq!(kept(Some(996_400)).elapsed_ms(now), 3_599_000);
        assert_eq!(kept(Some(1_000_000)).elapsed_ms(now), 0);
        assert_eq!(kept(Some(1_000_001)).elapsed_ms(now), 0);
        assert_eq!(kept(Some(0)).elapsed_ms(Some(Timestamp::MAX)), Kept::MOST_ELAPSED_MS);
        assert_eq!(kept(None).elapsed_ms(now), 0);
        assert_eq!(kept(Some(5)).elapsed_ms(None), 0);
    }
}

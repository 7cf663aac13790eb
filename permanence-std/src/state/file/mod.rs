//! A store in a file.

mod guarded;
mod pages;
mod place;
mod text;

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use permanence_core::{Span, Timestamp};

use self::guarded::{Change, Guarded};
use self::pages::{History, Review};
use self::place::beside;
use super::book::{Book, check_length};
use super::record::{push_bounded, push_episode};
use super::{
    Corruption, Episode, Generation, Kept, Lease, PlaceError, Quarantined, Store, StoreError,
    Stored, StoredKey, Surfaced, Swap,
};
use crate::EndpointKey;

/// A store in a file, for any number of processes of one machine and user.
///
/// Beside the state file `NAME.state` stand `NAME.state.history`, the last 256 episodes that are over;
/// `NAME.state.review`, the last 256 writes of unknown fate; and `NAME.state.lock`. They are text, and
/// for their owner alone (mode 0600). Each has at most 4,096 lines of a kind, and holds no secret:
/// names, templates and hosts, without users and queries.
///
/// A write replaces a file as a whole: temporary file, fsync, rename, fsync of the directory, all
/// under the lock. Whatever kills the process or the machine, there is the old text or the new one. It
/// takes as long as the disk takes, and blocks the caller; a lock that others hold is waited for, up
/// to two seconds. A network file system may not lock between machines.
///
/// A file that cannot be read as what it should be (cut off, changed, too large, of another version)
/// is set aside beside it as `.corrupt-1` to `.corrupt-4`, and a new one begins; see
/// [`Store::take_quarantined`].
#[derive(Debug)]
pub struct StateFile {
    book: Guarded<Book>,
    history: Guarded<History>,
    review: Guarded<Review>,
    /// Who has the leases that are taken through this value.
    holder: u64,
}

impl StateFile {
    /// The state file of this name in the user's state directory: `$XDG_STATE_HOME` or
    /// `~/.local/state`, and there `permanence/NAME.state`.
    ///
    /// Nothing is read or made yet. Give each program a name of its own; its processes share it.
    ///
    /// # Errors
    ///
    /// A [`PlaceError`] where there is no such directory, and for a name that is no plain file name.
    pub fn named(name: &str) -> Result<Self, PlaceError> {
        Ok(StateFile::at(place::named(name)?))
    }

    /// The state file with this path; its directory is made when it is first written.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let lock = beside(&path, ".lock");
        StateFile {
            history: Guarded::new(beside(&path, ".history"), lock.clone()),
            review: Guarded::new(beside(&path, ".review"), lock.clone()),
            book: Guarded::new(path, lock),
            holder: RandomState::new().hash_one(std::process::id()),
        }
    }

    /// The path of the state file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.book.path()
    }

    /// The last 256 episodes that are over, the oldest first.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the file cannot be read.
    pub fn history(&self) -> Result<Vec<Episode>, StoreError> {
        Ok(self.history.read()?.0.into())
    }

    /// The last 256 writes of unknown fate, the oldest first.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the file cannot be read.
    pub fn review(&self) -> Result<Vec<Surfaced>, StoreError> {
        Ok(self.review.read()?.0.into())
    }

    /// Takes writes whose fate has been found out off the review journal: those for which
    /// `is_settled` says so. The number of them comes back.
    ///
    /// # Errors
    ///
    /// A [`StoreError`] where the file cannot be written; nothing is taken off then.
    pub fn settle(&self, is_settled: impl Fn(&Surfaced) -> bool) -> Result<usize, StoreError> {
        self.review.update(|review| {
            let before = review.0.len();
            review.0.retain(|write| !is_settled(write));
            let settled = before.saturating_sub(review.0.len());
            Ok(if settled == 0 { Change::Leave(0) } else { Change::Write(settled) })
        })
    }
}

impl Store for StateFile {
    fn load(&self) -> Result<Vec<Stored>, StoreError> {
        Ok(self.book.read()?.all())
    }

    fn compare_and_swap(
        &self,
        key: &EndpointKey<'_>,
        expected: Generation,
        kept: &Kept,
    ) -> Result<Swap, StoreError> {
        self.book.update(|book| {
            Ok(match book.swap(StoredKey::new(key), expected, kept)? {
                lost @ Swap::Lost(_) => Change::Leave(lost),
                stored @ Swap::Stored(_) => Change::Write(stored),
            })
        })
    }

    fn try_lease(
        &self,
        key: &EndpointKey<'_>,
        ttl: Span,
        now: Timestamp,
    ) -> Result<Lease, StoreError> {
        self.book.update(|book| {
            Ok(match book.lease(StoredKey::new(key), self.holder, ttl, now)? {
                held @ Lease::Held(_) => Change::Leave(held),
                granted @ Lease::Granted(_) => Change::Write(granted),
            })
        })
    }

    fn close_episode(&self, episode: &Episode) -> Result<(), StoreError> {
        check_length(&episode.key)?;
        self.history.update(|history| {
            push_episode(&mut history.0, episode.clone());
            Ok(Change::Write(()))
        })
    }

    fn surface(&self, write: &Surfaced) -> Result<(), StoreError> {
        check_length(&write.key)?;
        self.review.update(|review| {
            push_bounded(&mut review.0, write.clone());
            Ok(Change::Write(()))
        })
    }

    fn take_quarantined(&self) -> Option<Quarantined> {
        let book = self.book.take_set_aside();
        book.or_else(|| self.history.take_set_aside()).or_else(|| self.review.take_set_aside())
    }
}

//! What a registry keeps in a store: on transitions and probes, and never for a healthy call.

use std::sync::{Arc, Once, PoisonError};

use permanence_core::{
    Event, EventKind, Instant, Policy, RestoreError, RoutePolicy, Status, Timestamp, Tracker,
};

use super::entry::Entry;
use super::sync::MutexGuard;
use super::views::knows_origins;
use super::{Registry, Shared};
use crate::report::LineSink;
use crate::route::{OwnedKey, is_credential};
use crate::state::{
    Episode, Generation, Kept, StateTrouble, Store, StoreError, Stored, StoredKey, Surfaced, Swap,
};
use crate::{Clock, EndpointKey};

/// A store, and what has been said of it.
#[derive(Debug)]
pub(super) struct Keeper {
    store: Box<dyn Store>,
    failure_told: Once,
    quarantine_told: Once,
}

/// What is known of the place of one entry in the store.
#[derive(Debug)]
pub(super) struct Keeping {
    generation: Generation,
    gate: Gate,
}

impl Keeping {
    pub(super) const NOTHING: Keeping =
        Keeping { generation: Generation::ABSENT, gate: Gate::Open };
}

/// Whether the store would have a program that starts make its calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Gate {
    Open,
    Shut,
}

impl Gate {
    const fn of(status: Status) -> Self {
        match status {
            Status::Disabled | Status::Gone | Status::Probing => Gate::Shut,
            Status::Deferred | Status::Degraded | Status::Healthy => Gate::Open,
        }
    }
}

/// Why an entry might be worth writing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Occasion {
    /// A transition, or a probe.
    Transition,
    /// Something was learnt that no line tells of: it is written if it opened or shut the gate.
    Silence,
}

impl Occasion {
    pub(super) const fn of(event: Option<&Event>) -> Self {
        match event {
            Some(_) => Occasion::Transition,
            None => Occasion::Silence,
        }
    }
}

/// How often a swap is tried while other processes write the same place.
const ATTEMPTS: usize = 16;
/// By how many seconds another process can know more: a write takes no longer. A time further ahead
/// is that of another clock, or of this one before it was set back.
const NEWER_AT_MOST: u64 = 10;
/// The longest reference of a write, in bytes.
const LONGEST_REFERENCE: usize = 256;

impl Keeper {
    pub(super) fn new(store: Box<dyn Store>) -> Self {
        Keeper { store, failure_told: Once::new(), quarantine_told: Once::new() }
    }

    /// Writes what is known of `entry`. Of two processes that do so at once the later one wins; it
    /// knows more.
    fn keep<E>(
        &self,
        entry: &Entry<E>,
        occasion: Occasion,
        clock: &impl Clock,
    ) -> Result<(), StoreError> {
        // Held until it is written, so that what was learnt last is what stays.
        let mut keeping = entry.keeping();
        let tracker = *entry.lock();
        let gate = Gate::of(tracker.status());
        if occasion == Occasion::Silence && gate == keeping.gate {
            return Ok(());
        }
        let (now, taken_at) = present(clock);
        let kept = Kept { snapshot: tracker.snapshot(now), taken_at };
        let key = entry.key.borrowed();
        for _ in 0..ATTEMPTS {
            match self.store.compare_and_swap(&key, keeping.generation, &kept)? {
                Swap::Stored(generation) => {
                    *keeping = Keeping { generation, gate };
                    break;
                }
                Swap::Lost(None) => keeping.generation = Generation::ABSENT,
                Swap::Lost(Some((generation, found))) => {
                    keeping.generation = generation;
                    if is_newer(&found, &kept) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Says what went wrong, each kind of thing once: a store that fails goes on failing.
    fn tell(&self, result: Result<(), StoreError>, sink: &dyn LineSink) {
        if let Err(error) = result {
            self.failure_told.call_once(|| sink.state(&StateTrouble::NotKept(&error)));
        }
        if let Some(quarantined) = self.store.take_quarantined() {
            let trouble = StateTrouble::Quarantined(&quarantined);
            self.quarantine_told.call_once(|| sink.state(&trouble));
        }
    }
}

/// Whether another process wrote `found` while we were about to write `ours`.
fn is_newer(found: &Kept, ours: &Kept) -> bool {
    let (Some(theirs), Some(ours)) = (found.taken_at, ours.taken_at) else { return false };
    (1..=NEWER_AT_MOST).contains(&theirs.seconds_since(ours))
}

/// The present instant, and the wall time that it is.
fn present(clock: &impl Clock) -> (Instant, Option<Timestamp>) {
    // First the wall time, so that it is not a second too early for being a moment ahead.
    let wall = clock.wall();
    let now = clock.now();
    (now, wall.map(|wall| wall.time_of(now)))
}

fn wall_time(clock: &impl Clock, now: Instant) -> Option<Timestamp> {
    clock.wall().map(|wall| wall.time_of(now))
}

impl<E> Entry<E> {
    fn keeping(&self) -> MutexGuard<'_, Keeping> {
        self.keeping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: RoutePolicy, C: Clock> Shared<P, C> {
    pub(super) fn keep<E>(&self, entry: &Entry<E>, occasion: Occasion) {
        if let Some(keeper) = &self.keeper {
            keeper.tell(keeper.keep(entry, occasion, &self.clock), &*self.sink);
        }
    }

    /// Writes that an endpoint is called again soon, if that is news: nothing else would bring back one
    /// that is gone.
    pub(super) fn keep_recheck<E>(&self, entry: &Entry<E>) {
        let is_shut = Gate::of(entry.lock().status()) == Gate::Shut;
        let is_kept = !std::ptr::addr_eq(entry, Arc::as_ptr(&self.others));
        if is_shut && is_kept {
            self.keep(entry, Occasion::Transition);
        }
    }

    /// Writes the end of an episode into the history.
    pub(super) fn keep_episode(&self, key: &OwnedKey, policy: &dyn Policy, event: Option<&Event>) {
        let ended = event.filter(|event| event.kind == EventKind::Recovered);
        let (Some(keeper), Some(event)) = (&self.keeper, ended) else { return };
        let cause = event.previous.unwrap_or(event.cause);
        let episode = Episode {
            key: StoredKey::new(&key.borrowed()),
            id: event.episode,
            closed_at: wall_time(&self.clock, event.at),
            code: cause.code().to_string().into(),
            reason: policy.reason_name(cause.reason()).into(),
            ended_by: event.cause.code().to_string().into(),
            lasted_ms: event.lasted_ms,
            probes: event.probes,
            skipped: event.skipped,
            reentries: event.reentries,
        };
        keeper.tell(keeper.store.close_episode(&episode), &*self.sink);
    }

    /// Writes a write of unknown fate into the review journal.
    pub(super) fn keep_write(&self, key: &EndpointKey<'_>, write: Unknown<'_>) {
        let Some(keeper) = &self.keeper else { return };
        let operation = write.event.filter(|event| event.kind == EventKind::Ambiguous);
        let surfaced = Surfaced {
            key: StoredKey::new(key),
            at: present(&self.clock).1,
            code: write.code.to_string().into(),
            reason: write.reason.into(),
            operation: operation.map(|event| event.episode),
            reference: shortened(write.reference).into(),
        };
        keeper.tell(keeper.store.surface(&surfaced), &*self.sink);
    }
}

/// What is known of a write of unknown fate.
pub(super) struct Unknown<'a> {
    pub(super) code: permanence_core::SignalCode,
    pub(super) reason: &'a str,
    pub(super) event: Option<&'a Event>,
    pub(super) reference: &'a str,
}

fn shortened(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_REFERENCE)).unwrap_or("")
}

impl<P: RoutePolicy, C: Clock> Registry<P, C> {
    /// Takes over what the store knows; those in trouble first, should there be more than places.
    pub(super) fn load(&self) {
        let shared = &self.shared;
        let Some(keeper) = &shared.keeper else { return };
        let loaded = keeper.store.load();
        if let Err(error) = &loaded {
            shared.sink.state(&StateTrouble::NotLoaded(error));
        }
        keeper.tell(Ok(()), &*shared.sink);
        let (now, wall) = present(&shared.clock);
        let mut refused = Vec::<RestoreError>::new();
        let restored = loaded.unwrap_or_default().into_iter().filter_map(|stored| {
            let Stored { key, generation, kept } = stored;
            match Tracker::restore(&kept.snapshot, now, kept.elapsed_ms(wall)) {
                Ok(tracker) => Some((key, generation, tracker)),
                Err(error) => {
                    refused.push(error);
                    None
                }
            }
        });
        let mut restored = restored.collect::<Vec<_>>();
        restored.sort_by_key(|(_, _, tracker)| Gate::of(tracker.status()) == Gate::Open);
        for (key, generation, tracker) in restored {
            let keeping = Keeping { generation, gate: Gate::of(tracker.status()) };
            self.settle(&key, keeping, tracker);
        }
        if let Some(first) = refused.first() {
            let trouble = StateTrouble::NotRestored { count: refused.len(), first: *first };
            shared.sink.state(&trouble);
        }
    }

    /// Puts a restored tracker in its place, if there is room.
    fn settle(&self, key: &StoredKey, keeping: Keeping, tracker: Tracker) {
        let key = key.borrowed();
        if is_credential(&key) {
            if let Some(entry) = self.shared.credential(key.id) {
                put(&entry, keeping, tracker);
            }
        } else if key == key.origin.key() {
            let knows = knows_origins(&**self.shared.others.policy.policy.load());
            if let Some(entry) = knows.then(|| self.shared.host(key.origin)).flatten() {
                put(&entry, keeping, tracker);
            }
        } else if let Some(entry) = self.entry(&key) {
            put(&entry, keeping, tracker);
        }
    }
}

fn put<E>(entry: &Arc<Entry<E>>, keeping: Keeping, tracker: Tracker) {
    *entry.keeping() = keeping;
    *entry.lock() = tracker;
}

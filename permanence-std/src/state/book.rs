//! All that a store keeps of endpoints, and the rules of writing to it.

use std::collections::BTreeMap;

use permanence_core::{Instant, Snapshot, Span, Status, Timestamp, Tracker};

use super::{Generation, Kept, Lease, StoreError, Stored, StoredKey, Swap};

/// The places of a store.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) places: BTreeMap<StoredKey, Place>,
    pub(super) leases: BTreeMap<StoredKey, Holding>,
}

/// One place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) generation: Generation,
    pub(super) kept: Kept,
}

/// A lease that was granted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holding {
    pub(super) holder: u64,
    pub(super) until: Timestamp,
}

/// The longest key, in bytes, so that a file stays bounded.
pub(super) const LONGEST_KEY: usize = 1_024;

/// The most places, and the most leases.
pub(super) const CAPACITY: usize = 4_096;

impl Book {
    pub(super) fn all(self) -> Vec<Stored> {
        let stored = |(key, Place { generation, kept })| Stored { key, generation, kept };
        self.places.into_iter().map(stored).collect()
    }

    pub(super) fn swap(
        &mut self,
        key: StoredKey,
        expected: Generation,
        kept: &Kept,
    ) -> Result<Swap, StoreError> {
        let found = self.places.get(&key).copied();
        if found.map_or(Generation::ABSENT, |place| place.generation) != expected {
            return Ok(Swap::Lost(found.map(|place| (place.generation, place.kept))));
        }
        check_length(&key)?;
        if found.is_none() && self.places.len() >= CAPACITY && !self.vacate() {
            return Err(StoreError::Full(CAPACITY));
        }
        let generation = expected.next();
        self.places.insert(key, Place { generation, kept: *kept });
        Ok(Swap::Stored(generation))
    }

    pub(super) fn lease(
        &mut self,
        key: StoredKey,
        holder: u64,
        ttl: Span,
        now: Timestamp,
    ) -> Result<Lease, StoreError> {
        check_length(&key)?;
        // A part of a second counts as a whole one, so that no lease is shorter than it should be.
        let until = now.saturating_add_seconds(u64::from(ttl.as_millis()).div_ceil(1_000));
        self.leases.retain(|_, holding| holding.until > now);
        if let Some(held) = self.leases.get(&key) {
            // Who holds one for longer than it can be held has another clock than ours.
            if held.holder != holder && held.until <= until {
                return Ok(Lease::Held(held.until));
            }
        }
        if self.leases.len() >= CAPACITY && !self.leases.contains_key(&key) {
            return Err(StoreError::Full(CAPACITY));
        }
        self.leases.insert(key, Holding { holder, until });
        Ok(Lease::Granted(until))
    }

    /// Forgets the healthy endpoint that was written longest ago, if there is one.
    fn vacate(&mut self) -> bool {
        let healthy = self.places.iter().filter(|(_, place)| is_healthy(&place.kept.snapshot));
        let Some((key, _)) = healthy.min_by_key(|(_, place)| place.kept.taken_at) else {
            return false;
        };
        let key = key.clone();
        self.places.remove(&key);
        true
    }
}

/// Long keys are refused, so that a file stays bounded.
pub(super) fn check_length(key: &StoredKey) -> Result<(), StoreError> {
    let length = key.len();
    if length > LONGEST_KEY { Err(StoreError::KeyTooLong(length)) } else { Ok(()) }
}

fn is_healthy(snapshot: &Snapshot) -> bool {
    // What cannot be restored is of no use to anybody.
    Tracker::restore(snapshot, Instant::ZERO, 0)
        .map_or(true, |tracker| tracker.status() == Status::Healthy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndpointKey, Origin};

    const HERE: Origin<'static> = Origin { scheme: "http", authority: "here" };

    fn key(template: &str) -> StoredKey {
        StoredKey::new(&EndpointKey { id: "x", method: "GET", origin: HERE, template })
    }

    fn healthy(taken_at: u64) -> Kept {
        let snapshot = Tracker::new(7).snapshot(Instant::ZERO);
        Kept { snapshot, taken_at: Some(Timestamp::from_unix_seconds(taken_at)) }
    }

    #[test]
    fn a_swap_of_an_older_generation_loses_and_is_told_what_stands_there() {
        let mut book = Book::default();
        let first = book.swap(key("/a"), Generation::ABSENT, &healthy(1)).unwrap();
        assert_eq!(first, Swap::Stored(Generation::from_number(1)));
        let late = book.swap(key("/a"), Generation::ABSENT, &healthy(2)).unwrap();
        assert_eq!(late, Swap::Lost(Some((Generation::from_number(1), healthy(1)))));
        let gone = book.swap(key("/b"), Generation::from_number(3), &healthy(2)).unwrap();
        assert_eq!(gone, Swap::Lost(None));
    }

    #[test]
    fn the_oldest_healthy_endpoint_makes_room_and_no_other() {
        let mut book = Book::default();
        for at in 0..4_096 {
            let at = if at == 17 { 3 } else { 1_000 + at };
            let swap = book.swap(key(&format!("/{at}")), Generation::ABSENT, &healthy(at));
            assert_eq!(swap.unwrap(), Swap::Stored(Generation::from_number(1)));
        }
        let swap = book.swap(key("/new"), Generation::ABSENT, &healthy(9_000)).unwrap();
        assert_eq!(swap, Swap::Stored(Generation::from_number(1)));
        assert!(!book.places.contains_key(&key("/3")));
        assert_eq!(book.places.len(), 4_096);
    }

    #[test]
    fn one_holder_at_a_time_has_a_lease_until_it_lapses() {
        let (mut book, ttl) = (Book::default(), Span::from_secs(60));
        let mut ask = |holder, at| {
            book.lease(key("/a"), holder, ttl, Timestamp::from_unix_seconds(at)).unwrap()
        };
        assert_eq!(ask(1, 1_000), Lease::Granted(Timestamp::from_unix_seconds(1_060)));
        assert_eq!(ask(2, 1_059), Lease::Held(Timestamp::from_unix_seconds(1_060)));
        assert_eq!(ask(2, 1_060), Lease::Granted(Timestamp::from_unix_seconds(1_120)));
        assert_eq!(ask(2, 1_090), Lease::Granted(Timestamp::from_unix_seconds(1_150)));
        // The clock was set back by half an hour: nobody waits longer than a lease lasts.
        assert_eq!(ask(1, 10), Lease::Granted(Timestamp::from_unix_seconds(70)));
    }
}

//! A fixed number of places for endpoints, and the rule for when they are all taken.

use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::entry::Entry;
use super::sync::RwLock;
use crate::route::EndpointKey;

/// Entries by key, at most `capacity` of them.
///
/// When all places are taken a healthy entry that nobody holds makes room. One that is in trouble
/// is never dropped: its trouble would be met and told anew.
#[derive(Debug)]
pub(super) struct Table<E> {
    places: RwLock<Places<E>>,
    capacity: usize,
    hasher: DefaultHashBuilder,
}

#[derive(Debug)]
struct Places<E> {
    entries: Vec<Arc<Entry<E>>>,
    index: HashTable<usize>,
    /// Where the search for an expendable entry goes on.
    hand: usize,
}

/// How many entries are looked at in search of one that can go: a bound on the work of one call.
const SEARCH: usize = 16;

impl<E> Table<E> {
    pub(super) fn new(capacity: usize) -> Self {
        let places = Places { entries: Vec::new(), index: HashTable::new(), hand: 0 };
        Table { places: RwLock::new(places), capacity, hasher: DefaultHashBuilder::default() }
    }

    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// The entry for `key`, made by `make` if there is none; `None` when there is no room for it.
    pub(super) fn entry(
        &self,
        key: &EndpointKey<'_>,
        make: impl FnOnce() -> Entry<E>,
    ) -> Option<Arc<Entry<E>>> {
        let hash = self.hasher.hash_one(key);
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = places.find(hash, key) {
            return Some(found);
        }
        drop(places);
        let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = places.find(hash, key) {
            return Some(found);
        }
        let hash_of = |entry: &Entry<E>| self.hasher.hash_one(entry.key.borrowed());
        let place = places.vacate(self.capacity, hash_of)?;
        Some(places.settle(place, Arc::new(make()), hash_of))
    }

    /// Every entry whose key is of interest.
    pub(super) fn those(&self, wanted: impl Fn(&EndpointKey<'_>) -> bool) -> Vec<Arc<Entry<E>>> {
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
        places.entries.iter().filter(|entry| wanted(&entry.key.borrowed())).cloned().collect()
    }

    /// Every entry there is.
    pub(super) fn all(&self) -> Vec<Arc<Entry<E>>> {
        self.places.read().unwrap_or_else(PoisonError::into_inner).entries.clone()
    }
}

impl<E> Places<E> {
    fn find(&self, hash: u64, key: &EndpointKey<'_>) -> Option<Arc<Entry<E>>> {
        let place = self.index.find(hash, |place| {
            self.entries.get(*place).is_some_and(|entry| entry.key.borrowed() == *key)
        })?;
        self.entries.get(*place).cloned()
    }

    /// A place that is free, or that has been freed.
    fn vacate(&mut self, capacity: usize, hash_of: impl Fn(&Entry<E>) -> u64) -> Option<usize> {
        let count = self.entries.len();
        if count < capacity {
            return Some(count);
        }
        for _ in 0..SEARCH.min(count) {
            let place = self.hand % count;
            self.hand = place.wrapping_add(1);
            let Some(entry) = self.entries.get(place) else { continue };
            // The table's own reference is the only one, and nobody can get another now.
            if Arc::strong_count(entry) == 1 && entry.is_expendable() {
                let hash = hash_of(entry);
                if let Ok(old) = self.index.find_entry(hash, |other| *other == place) {
                    old.remove();
                }
                return Some(place);
            }
        }
        None
    }

    fn settle(
        &mut self,
        place: usize,
        entry: Arc<Entry<E>>,
        hash_of: impl Fn(&Entry<E>) -> u64,
    ) -> Arc<Entry<E>> {
        let hash = hash_of(&entry);
        match self.entries.get_mut(place) {
            Some(old) => *old = Arc::clone(&entry),
            None => self.entries.push(Arc::clone(&entry)),
        }
        let Places { entries, index, .. } = self;
        index.insert_unique(hash, place, |other| {
            entries.get(*other).map_or(0, |entry| hash_of(entry))
        });
        entry
    }
}

#[cfg(test)]
mod tests {
    use permanence_core::{Instant, Outcome, Policy, Request, Rule, Settings, Signal};

    use super::*;
    use crate::route::Origin;

    /// 404 stops calls at once; everything else is well.
    struct Absent;

    const ABSENT: Rule = Rule {
        class: permanence_core::Class::Permanent,
        reason: permanence_core::Reason::RESOURCE_ABSENT,
        disable_after: core::num::NonZeroU16::new(1),
        ..Rule::SUCCESS
    };

    impl Policy for Absent {
        fn rule(&self, signal: &Signal<'_>) -> &Rule {
            if *signal == Signal::Http(404) { &ABSENT } else { &Rule::SUCCESS }
        }

        fn settings(&self) -> &Settings {
            &Settings::LITERAL
        }
    }

    fn key(template: &str) -> EndpointKey<'_> {
        let origin = Origin { scheme: "http", authority: "example.com" };
        EndpointKey { id: "x", method: "GET", origin, template }
    }

    fn take(table: &Table<()>, template: &str) -> Option<Arc<Entry<()>>> {
        table.entry(&key(template), || Entry::new(&key(template), (), 7))
    }

    fn fail(entry: &Entry<()>) {
        let mut tracker = entry.lock();
        let permit = tracker.admit(&Absent, Instant::ZERO).permit().expect("it is healthy");
        let outcome = Outcome::new(Signal::Http(404), Request::Idempotent);
        let _ = tracker.record(&Absent, permit, &outcome, Instant::ZERO);
    }

    #[test]
    fn one_key_has_one_entry() {
        let table = Table::new(2);
        let first = take(&table, "/a").expect("there is room");
        let again = take(&table, "/a").expect("it is there");
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(table.all().len(), 1);
    }

    #[test]
    fn a_healthy_entry_makes_room_and_a_disabled_one_does_not() {
        let table = Table::new(2);
        fail(&take(&table, "/broken").expect("there is room"));
        take(&table, "/well").expect("there is room");
        for template in ["/c", "/d", "/e"] {
            take(&table, template).expect("a healthy one goes");
        }
        let broken = take(&table, "/broken").expect("it has stayed");
        assert_eq!(broken.lock().status(), permanence_core::Status::Gone);
        assert_eq!(table.all().len(), 2);
    }

    #[test]
    fn there_is_no_room_among_entries_in_trouble_or_in_use() {
        let table = Table::new(2);
        fail(&take(&table, "/broken").expect("there is room"));
        let held = take(&table, "/held").expect("there is room");
        assert!(take(&table, "/c").is_none());
        drop(held);
        assert!(take(&table, "/c").is_some());
    }
}

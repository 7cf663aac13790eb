//! A registry whose state survives it.
#![cfg(feature = "state")]
#![allow(missing_docs, clippy::panic, clippy::unwrap_used)]

mod support;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use permanence_core::{
    Instant, Network, Outcome, Policy, Reprobe, Request, RoutePolicy, Rule, Settings, Signal, Span,
    Status, Timestamp, Tracker, WallClock,
};
use permanence_std::state::{
    Generation, Kept, Lease, MemoryStore, StateFile, Store, StoreError, Stored, StoredKey, Swap,
};
use permanence_std::{
    Clock, EndpointKey, Handle, Line, LineSink, ManualClock, Origin, Registry, RegistrySettings,
};
use support::{CountingClock, Few, HOUR, Lines};

const HERE: Origin<'static> = Origin { scheme: "http", authority: "127.0.0.1:8787" };
/// Midnight of 2026-01-05.
const MIDNIGHT: u64 = 1_767_571_200;
const ABSENT: Outcome<'static> = Outcome::new(Signal::Http(404), Request::Idempotent);
const WELL: Outcome<'static> = Outcome::new(Signal::Http(204), Request::Idempotent);
const DEAD: Outcome<'static> = Outcome::new(Signal::Network(Network::Refused), Request::Idempotent);
const UNKNOWN: Outcome<'static> = Outcome::new(Signal::Network(Network::Timeout), Request::Unkeyed);

type Reg = Registry<Few, ManualClock>;

/// A program that starts `hour` hours after midnight.
fn start(store: &Arc<impl Store + 'static>, lines: &Lines, hour: u64) -> Reg {
    let clock = ManualClock::starting_at(Timestamp::from_unix_seconds(MIDNIGHT + hour * 3_600));
    Registry::with_state(Few, clock, lines.settings(), Arc::clone(store))
}

fn status(registry: &Reg) -> Handle<Few, ManualClock> {
    registry.endpoint_of("PUT", HERE, "/api/agents/17/status")
}

fn call(handle: &Handle<Few, ManualClock>, outcome: &Outcome<'_>) {
    drop(handle.gate().expect("it is admitted").record(outcome));
}

#[test]
fn a_restart_neither_calls_nor_says_again_what_was_known() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    call(&status(&start(&store, &lines, 0)), &ABSENT);
    assert_eq!(lines.count(), 1);

    let lines = Lines::default();
    let registry = start(&store, &lines, 1);
    let skipped = status(&registry).gate().unwrap_err();
    // Wall times are whole seconds: the probe comes a second late rather than early.
    assert_eq!(skipped.wait.unwrap().as_secs(), 2 * 3_600 + 1);
    assert_eq!(
        lines.all(),
        ["WARN  STILL status: 404 resource-absent 59m59s; next 03:00Z ep=1e2f"]
    );
    registry.clock().advance(Span::from_secs(2 * 3_600 + 1));
    call(&status(&registry), &WELL);
    assert_eq!(lines.count(), 2);
}

#[test]
fn a_recovery_survives_too_and_the_endpoint_stays_proven() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    call(&status(&registry), &ABSENT);
    registry.clock().advance(Span::from_secs(3 * 3_600));
    call(&status(&registry), &WELL);

    let lines = Lines::default();
    let registry = start(&store, &lines, 4);
    assert_eq!(status(&registry).status(), Status::Healthy);
    assert!(status(&registry).gate().is_ok());
    assert_eq!(lines.all(), [""; 0]);
    let kept = store.load().unwrap()[0].kept;
    assert!(Tracker::restore(&kept.snapshot, Instant::ZERO, 0).unwrap().is_proven());
}

#[test]
fn a_recovery_that_finds_no_room_for_a_line_is_kept_all_the_same() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
    let mut healthy = false;
    // It flaps until its lines are used up, and is last seen healthy.
    for _ in 0..20 {
        while feed.status() != Status::Disabled {
            call(&feed, &ABSENT);
        }
        registry.clock().set(Instant::from_millis(0));
        feed.recheck();
        call(&feed, &WELL);
        healthy = feed.status() == Status::Healthy;
    }
    assert!(healthy && lines.count() <= 4, "{:?}", lines.all());
    let again = start(&store, &Lines::default(), 0);
    assert_eq!(again.endpoint_of("GET", HERE, "/v1/feed").status(), Status::Healthy);
}

#[test]
fn a_dead_host_stays_one_episode_over_a_restart() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    for _ in 0..4 {
        call(&status(&registry), &DEAD);
    }
    assert_eq!(status(&registry).host_status(), Some(Status::Disabled));

    let lines = Lines::default();
    let again = start(&store, &lines, 0);
    assert_eq!(again.endpoint_of("GET", HERE, "/v1/feed").host_status(), Some(Status::Disabled));
    assert!(again.other(HERE).gate().is_err());
    assert_eq!(lines.count(), 1, "{:?}", lines.all());
}

#[test]
fn a_probe_is_written_down_before_it_is_made() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    call(&status(&registry), &ABSENT);
    registry.clock().advance(Span::from_secs(3 * 3_600));
    let feed = status(&registry);
    let probe = feed.gate().unwrap();
    assert!(probe.is_probe());
    // The program is killed here, and started again a minute later.
    let again = start(&store, &Lines::default(), 3);
    again.clock().advance(Span::from_secs(60));
    assert!(status(&again).gate().is_err());
    drop(probe);
}

#[test]
fn a_clock_that_was_stepped_neither_hastens_a_probe_nor_holds_it_up() {
    for (restart, wait) in [
        // Set back by a day: the wait goes on from where it was.
        (MIDNIGHT - 86_400, 3 * 3_600),
        (MIDNIGHT, 3 * 3_600),
        (MIDNIGHT + 1, 3 * 3_600),
        (MIDNIGHT + 2, 3 * 3_600 - 1),
        (MIDNIGHT + 3 * 3_600, 1),
        (MIDNIGHT + 3 * 3_600 + 1, 0),
        // Set forward by a century: due at once.
        (MIDNIGHT + 3_155_760_000, 0),
    ] {
        let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
        call(&status(&start(&store, &lines, 0)), &ABSENT);
        let clock = ManualClock::starting_at(Timestamp::from_unix_seconds(restart));
        let again = Registry::with_state(Few, clock, lines.settings(), store);
        let found =
            status(&again).gate().map_or_else(|skipped| skipped.wait.unwrap().as_secs(), |_| 0);
        assert_eq!(found, wait, "at {restart}");
    }
}

#[test]
fn a_clock_that_knows_no_wall_time_waits_on_from_where_it_was() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let settings = || lines.settings();
    let registry = Registry::with_state(Few, ManualClock::new(), settings(), Arc::clone(&store));
    call(&status(&registry), &ABSENT);
    let again = Registry::with_state(Few, ManualClock::new(), settings(), store);
    assert_eq!(status(&again).gate().unwrap_err().wait.unwrap().as_secs(), 3 * 3_600);
}

/// A clock that goes on by a millisecond whenever it is read.
#[derive(Clone, Debug, Default)]
struct Ticking(Arc<AtomicU32>);

impl Clock for Ticking {
    fn now(&self) -> Instant {
        Instant::from_millis(self.0.fetch_add(1, Ordering::Relaxed).into())
    }

    fn wall(&self) -> Option<WallClock> {
        let time = Timestamp::from_unix_seconds(MIDNIGHT);
        Some(WallClock { at: self.now(), time })
    }
}

#[test]
fn the_wall_time_of_a_snapshot_is_not_a_second_too_early() {
    let (store, settings) = (Arc::new(MemoryStore::new()), Lines::default().settings());
    let registry = Registry::with_state(Few, Ticking::default(), settings, Arc::clone(&store));
    let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
    drop(feed.gate().unwrap().record(&ABSENT));
    let taken_at = store.load().unwrap()[0].kept.taken_at;
    assert_eq!(taken_at, Some(Timestamp::from_unix_seconds(MIDNIGHT)));
}

#[test]
fn an_episode_that_is_over_stands_in_the_history() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    call(&status(&registry), &ABSENT);
    registry.clock().advance(Span::from_secs(3 * 3_600));
    assert!(store.history().is_empty());
    call(&status(&registry), &WELL);
    let [episode] = &store.history()[..] else { panic!("one episode is over") };
    assert_eq!(episode.key.borrowed().template, "/api/agents/{id}/status");
    assert_eq!((&*episode.code, &*episode.reason), ("404", "resource-absent"));
    assert_eq!(&*episode.ended_by, "204");
    assert_eq!((episode.lasted_ms, episode.probes, episode.skipped), (10_800_000, 1, 0));
    assert_eq!(episode.closed_at, Some(Timestamp::from_unix_seconds(MIDNIGHT + 10_800)));
}

#[test]
fn every_write_of_unknown_fate_stands_in_the_journal_also_those_without_a_line() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    let pay = registry.endpoint_of("POST", HERE, "/v1/charges");
    for order in 1..=10 {
        drop(pay.gate().unwrap().record_as(&UNKNOWN, &format!("order {order}")));
        registry.clock().advance(Span::from_secs(60));
    }
    let review = store.review();
    assert_eq!(review.len(), 10);
    let lines = lines.all();
    let operations = review.iter().filter_map(|write| write.operation).collect::<Vec<_>>();
    let told = lines.iter().filter(|line| line.contains("AMBIGUOUS")).collect::<Vec<_>>();
    assert_eq!((operations.len(), told.len()), (2, 2), "{lines:?}");
    for (line, operation) in told.into_iter().zip(operations) {
        assert!(line.ends_with(&format!("op={operation}")), "{line}");
    }
    assert_eq!((&*review[9].code, &*review[9].reason), ("timeout", "network"));
    assert_eq!(&*review[9].reference, "order 10");
    assert_eq!(review[9].key.borrowed().template, "/v1/charges");
    assert_eq!(review[9].at, Some(Timestamp::from_unix_seconds(MIDNIGHT + 540)));
}

/// A store that counts, and that can be made to fail.
#[derive(Debug, Default)]
struct Counted {
    inner: MemoryStore,
    writes: AtomicU32,
    fails: std::sync::atomic::AtomicBool,
}

impl Store for Counted {
    fn load(&self) -> Result<Vec<Stored>, StoreError> {
        if self.fails.load(Ordering::Relaxed) {
            Err(StoreError::Full(0))
        } else {
            self.inner.load()
        }
    }

    fn compare_and_swap(
        &self,
        key: &EndpointKey<'_>,
        expected: Generation,
        kept: &Kept,
    ) -> Result<Swap, StoreError> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        if self.fails.load(Ordering::Relaxed) {
            return Err(StoreError::Full(0));
        }
        self.inner.compare_and_swap(key, expected, kept)
    }

    fn try_lease(
        &self,
        key: &EndpointKey<'_>,
        ttl: Span,
        now: Timestamp,
    ) -> Result<Lease, StoreError> {
        self.inner.try_lease(key, ttl, now)
    }
}

#[test]
fn a_healthy_endpoint_reads_no_clock_and_writes_nothing() {
    let (store, clock) = (Arc::new(Counted::default()), CountingClock::default());
    let settings = Lines::default().settings();
    let registry = Registry::with_state(Few, clock.clone(), settings, Arc::clone(&store));
    let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
    drop(feed.gate().unwrap().record(&WELL));
    let reads = clock.reads();
    for _ in 0..1_000 {
        drop(feed.gate().unwrap().record(&WELL));
    }
    assert_eq!(clock.reads(), reads);
    assert_eq!(store.writes.load(Ordering::Relaxed), 0);
}

#[test]
fn a_day_of_404_is_eight_writes() {
    let (store, lines) = (Arc::new(Counted::default()), Lines::default());
    let registry = start(&store, &lines, 0);
    let feed = status(&registry);
    let mut calls = 0;
    for _ in 0..1_440 {
        if let Ok(pass) = feed.gate() {
            drop(pass.record(&ABSENT));
            calls += 1;
        }
        registry.clock().advance(Span::from_secs(60));
    }
    // One when it is disabled, and one for each probe.
    assert_eq!((calls, store.writes.load(Ordering::Relaxed)), (8, 8));
}

/// A sink that keeps what is said of the store.
#[derive(Clone, Debug, Default)]
struct Troubles(Arc<Mutex<Vec<String>>>);

impl LineSink for Troubles {
    fn line(&self, _: &Line<'_>) {}

    fn state(&self, trouble: &permanence_std::state::StateTrouble<'_>) {
        self.0.lock().unwrap().push(trouble.to_string());
    }
}

impl Troubles {
    fn settings(&self) -> RegistrySettings {
        RegistrySettings { sink: Box::new(self.clone()), ..Lines::default().settings() }
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[test]
fn a_store_that_fails_costs_one_line_and_is_written_when_it_works_again() {
    let (store, troubles) = (Arc::new(Counted::default()), Troubles::default());
    store.fails.store(true, Ordering::Relaxed);
    let registry =
        Registry::with_state(Few, support::clock(), troubles.settings(), Arc::clone(&store));
    let feed = status(&registry);
    for _ in 0..3 {
        call(&feed, &ABSENT);
        registry.clock().advance(Span::from_secs(3 * 3_600));
    }
    let full = "all 0 places are taken by endpoints in trouble";
    let not_loaded = format!("STATE not loaded: {full}; starting with nothing known");
    assert_eq!(troubles.all(), [not_loaded, format!("STATE not kept: {full}")]);
    store.fails.store(false, Ordering::Relaxed);
    call(&feed, &ABSENT);
    assert_eq!(store.inner.load().unwrap().len(), 1);
}

#[test]
fn a_directory_that_cannot_be_written_costs_one_line_and_the_program_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    // For the owner of the machine no mode is read-only; what is no directory stops everybody.
    let file = StateFile::at(directory.path().join("state/reporter.state"));
    let troubles = Troubles::default();
    let registry = Registry::with_state(Few, support::clock(), troubles.settings(), file);
    std::fs::write(directory.path().join("state"), "a file").unwrap();
    for template in ["/a", "/b", "/c"] {
        let key = EndpointKey { id: "a", method: "GET", origin: HERE, template };
        call(&registry.endpoint(&key), &ABSENT);
        assert!(registry.endpoint(&key).gate().is_err());
    }
    let said = troubles.all();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("STATE not kept: cannot make "), "{said:?}");
}

#[test]
fn a_corrupt_file_costs_one_line_and_the_program_starts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reporter.state");
    std::fs::write(&path, "not ours").unwrap();
    let troubles = Troubles::default();
    let registry =
        Registry::with_state(Few, support::clock(), troubles.settings(), StateFile::at(&path));
    call(&status(&registry), &ABSENT);
    let path = path.display();
    assert_eq!(
        troubles.all(),
        [format!(
            "STATE unreadable: {path}: the first line is not that of such a file; \
             set aside as {path}.corrupt-1; starting with nothing known"
        )]
    );
}

#[test]
fn a_snapshot_of_another_version_costs_one_line_and_its_endpoint_starts_anew() {
    let (store, troubles) = (Arc::new(MemoryStore::new()), Troubles::default());
    let origin = HERE;
    let key = EndpointKey { id: "feed", method: "GET", origin, template: "/v1/feed" };
    let kept = Kept { snapshot: [9; 52], taken_at: None };
    assert!(matches!(store.compare_and_swap(&key, Generation::ABSENT, &kept), Ok(Swap::Stored(_))));
    let registry =
        Registry::with_state(Few, support::clock(), troubles.settings(), Arc::clone(&store));
    assert_eq!(
        troubles.all(),
        ["STATE of 1 endpoints not restored: the checksum of the snapshot does not match"]
    );
    call(&registry.endpoint(&key), &ABSENT);
    assert_eq!(store.load().unwrap()[0].generation, Generation::from_number(2));
}

#[test]
fn those_in_trouble_find_room_first() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    call(&status(&registry), &ABSENT);
    for template in ["/a", "/b", "/c"] {
        let key = EndpointKey { id: "a", method: "GET", origin: HERE, template };
        let endpoint = registry.endpoint(&key);
        call(&endpoint, &ABSENT);
        endpoint.recheck();
        call(&endpoint, &WELL);
    }
    let capacity = std::num::NonZeroUsize::MIN;
    let settings = RegistrySettings { capacity, ..lines.settings() };
    let again = Registry::with_state(Few, support::clock(), settings, store);
    assert_eq!(status(&again).status(), Status::Disabled);
}

#[test]
fn of_two_programs_the_one_that_learnt_last_is_believed() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let (ours, theirs) = (start(&store, &lines, 0), start(&store, &lines, 0));
    call(&status(&ours), &ABSENT);
    call(&status(&theirs), &ABSENT);
    assert_eq!(store.load().unwrap()[0].generation, Generation::from_number(2));
    theirs.clock().advance(HOUR);
    status(&theirs).recheck();
    call(&status(&theirs), &WELL);
    assert_eq!(status(&start(&store, &lines, 1)).status(), Status::Healthy);
}

#[test]
fn a_key_with_a_secret_is_not_kept_with_it() {
    let (store, lines) = (Arc::new(MemoryStore::new()), Lines::default());
    let registry = start(&store, &lines, 0);
    let origin = Origin { scheme: "http", authority: "me:SECRET@127.0.0.1:8787" };
    let key = EndpointKey { id: "feed", method: "GET", origin, template: "/v1/feed?key=SECRET" };
    call(&registry.endpoint(&key), &ABSENT);
    let stored = store.load().unwrap();
    assert_eq!(stored[0].key, StoredKey::new(&key));
    assert!(!format!("{stored:?}").contains("SECRET"));
}

#[test]
fn a_recheck_of_what_is_gone_outlives_the_program_that_asked_for_it() {
    let (store, lines) = (Arc::new(Counted::default()), Lines::default());
    let registry = Registry::with_state(Retired, support::clock(), lines.settings(), store.clone());
    let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
    drop(feed.gate().unwrap().record(&ABSENT));
    let again = || {
        Registry::with_state(Retired, support::clock(), lines.settings(), store.clone())
            .endpoint_of("GET", HERE, "/v1/feed")
    };
    assert_eq!(again().status(), Status::Gone);
    again().recheck();
    assert!(again().gate().unwrap().is_probe());
    // What is well is not written by a recheck.
    let writes = store.writes.load(Ordering::Relaxed);
    registry.endpoint_of("PUT", HERE, "/api/agents/17/status").recheck();
    registry.other(HERE).recheck();
    assert_eq!(store.writes.load(Ordering::Relaxed), writes);
}

/// 404 stops the calls for good.
#[derive(Clone, Copy, Debug)]
struct Retired;

impl Policy for Retired {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        const RETIRED: Rule = Rule { reprobe: Reprobe::Never, ..support::ABSENT };
        if *signal == Signal::Http(404) { &RETIRED } else { &Rule::SUCCESS }
    }

    fn settings(&self) -> &Settings {
        &Settings::LITERAL
    }
}

impl RoutePolicy for Retired {
    type Endpoint = Retired;

    fn endpoint(&self, _: &str, _: &str) -> Retired {
        Retired
    }
}

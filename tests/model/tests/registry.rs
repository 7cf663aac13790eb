//! What holds whatever the order in which threads ask, learn, look up and reload.
//!
//! Each model is run under random schedules and under schedules with few switches at unlikely places
//! (probabilistic concurrency testing), with seeds that are always the same.

use std::num::{NonZeroU16, NonZeroUsize};
use std::sync::Arc;

use permanence_std::core::{
    Class, Network, Outcome, Policy, Reason, Reprobe, Request, RoutePolicy, Rule, Scope, Settings,
    Signal, Span, Status,
};
use permanence_std::state::MemoryStore;
use permanence_std::{
    EndpointKey, Handle, LineFn, ManualClock, Origin, Reaction, Registry, RegistrySettings,
};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::{Config, Runner, thread};

const HOURS_3: Span = Span::from_secs(3 * 3_600);
const EVERY_3H: Reprobe = Reprobe::Every { interval: HOURS_3, ramp: None };
const ABSENT: Rule = Rule {
    reason: Reason::RESOURCE_ABSENT,
    class: Class::Permanent,
    disable_after: NonZeroU16::new(1),
    reprobe: EVERY_3H,
    ..Rule::SUCCESS
};
const DEAD_HOST: Rule = Rule {
    reason: Reason::NETWORK,
    class: Class::Transient,
    scope: Scope::Origin,
    disable_after: NonZeroU16::new(1),
    reprobe: EVERY_3H,
    ..Rule::SUCCESS
};

/// Whether the absence of a route matters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum View {
    Strict,
    Lenient,
}

impl Policy for View {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        match (self, signal) {
            (View::Strict, Signal::Http(404)) => &ABSENT,
            (_, Signal::Network(Network::Refused)) => &DEAD_HOST,
            (_, Signal::Cancelled) => &Rule::IGNORED,
            _ => &Rule::SUCCESS,
        }
    }

    fn settings(&self) -> &Settings {
        &Settings::LITERAL
    }
}

impl RoutePolicy for View {
    type Endpoint = View;

    fn endpoint(&self, _: &str, _: &str) -> View {
        *self
    }
}

type Kept = Arc<std::sync::Mutex<Vec<String>>>;

/// One registry, its lines, and how to call.
#[derive(Clone)]
struct Bench {
    registry: Registry<View, ManualClock>,
    lines: Kept,
}

impl Bench {
    fn new(capacity: usize) -> Bench {
        let lines = Kept::default();
        let kept = Arc::clone(&lines);
        let settings = RegistrySettings {
            capacity: NonZeroUsize::new(capacity).expect("room for one"),
            seed: 7,
            sink: Box::new(LineFn::new(move |line| {
                kept.lock().expect("no model panics here").push(line.text());
            })),
            ..RegistrySettings::default()
        };
        let (clock, store) = (ManualClock::new(), Arc::new(MemoryStore::new()));
        Bench { registry: Registry::with_state(View::Strict, clock, settings, store), lines }
    }

    /// An endpoint that has worked.
    fn calm(capacity: usize) -> Bench {
        let bench = Bench::new(capacity);
        assert!(meet(&bench.feed(), 200));
        bench
    }

    /// An endpoint whose probe is due.
    fn due() -> Bench {
        let bench = Bench::calm(4);
        assert!(meet(&bench.feed(), 404));
        bench.registry.clock().advance(HOURS_3);
        bench.registry.clock().advance(HOURS_3);
        bench
    }

    fn endpoint(&self, template: &str) -> Handle<View, ManualClock> {
        let origin = Origin { scheme: "http", authority: "example.com" };
        self.registry.endpoint(&EndpointKey { id: template, method: "GET", origin, template })
    }

    fn feed(&self) -> Handle<View, ManualClock> {
        self.endpoint("/feed")
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("no model panics here").clone()
    }
}

fn answered(code: u16) -> Outcome<'static> {
    Outcome::new(Signal::Http(code), Request::Idempotent)
}

/// Makes one call, if there is leave for it.
fn meet(handle: &Handle<View, ManualClock>, code: u16) -> bool {
    handle.gate().map(|pass| drop(pass.record(&answered(code)))).is_ok()
}

fn run(model: impl Fn() + Send + Sync + 'static) {
    let schedules = std::env::var("PERMANENCE_SCHEDULES").ok().and_then(|text| text.parse().ok());
    let schedules = schedules.unwrap_or(10_000);
    let model = Arc::new(model);
    let again = Arc::clone(&model);
    let random = RandomScheduler::new_from_seed(0x5eed, schedules);
    Runner::new(random, Config::default()).run(move || model());
    let few = PctScheduler::new_from_seed(0x5eed, 3, schedules);
    Runner::new(few, Config::default()).run(move || again());
}

/// Runs one thread for each act and waits for all of them.
fn together<const N: usize>(acts: [Box<dyn FnOnce() + Send>; N]) {
    for thread in acts.map(thread::spawn) {
        thread.join().expect("no thread panics");
    }
}

#[test]
fn of_all_who_ask_one_makes_the_probe() {
    run(|| {
        let bench = Bench::due();
        let passes = Arc::new(AtomicUsize::new(0));
        let held = Arc::new(Mutex::new(Vec::new()));
        let ask = || {
            let (feed, passes, held) = (bench.feed(), Arc::clone(&passes), Arc::clone(&held));
            Box::new(move || {
                if let Ok(pass) = feed.gate_owned() {
                    passes.fetch_add(1, Ordering::SeqCst);
                    held.lock().expect("no thread panics").push(pass);
                }
            }) as Box<dyn FnOnce() + Send>
        };
        together([ask(), ask(), ask()]);
        assert_eq!(passes.load(Ordering::SeqCst), 1);
        held.lock().expect("no thread panics").clear();
        bench.registry.clock().advance(HOURS_3);
        assert!(bench.feed().gate().is_ok(), "a probe that was given up is free again");
    });
}

#[test]
fn a_failure_that_was_told_is_known_to_all_who_ask_after_it() {
    run(|| {
        let bench = Bench::calm(4);
        let told = Arc::new(AtomicUsize::new(0));
        let (failing, asking) = (bench.feed(), bench.feed());
        let (tells, sees) = (Arc::clone(&told), told);
        together([
            Box::new(move || {
                assert!(meet(&failing, 404));
                tells.store(1, Ordering::SeqCst);
            }),
            Box::new(move || {
                let was_told = sees.load(Ordering::SeqCst) == 1;
                let asked = asking.gate();
                assert!(!(was_told && asked.is_ok()), "a call that everybody knew to be in vain");
                if let Ok(pass) = asked {
                    // It began before it was told, and its answer is late.
                    drop(pass.record(&answered(200)));
                }
            }),
        ]);
        assert_eq!(bench.feed().status(), Status::Disabled);
        assert_eq!(bench.lines().len(), 1, "{:?}", bench.lines());
    });
}

#[test]
fn what_many_learn_at_once_is_one_episode_and_one_line() {
    run(|| {
        let bench = Bench::calm(4);
        let act = |code| {
            let feed = bench.feed();
            Box::new(move || {
                let _ = meet(&feed, code);
            }) as Box<dyn FnOnce() + Send>
        };
        together([act(404), act(200), act(404)]);
        assert_eq!(bench.feed().status(), Status::Disabled);
        assert_eq!(bench.lines().len(), 1, "{:?}", bench.lines());
    });
}

#[test]
fn an_answer_after_the_lease_has_lapsed_teaches_nothing() {
    run(|| {
        let bench = Bench::due();
        let late = bench.feed().gate_owned().expect("the probe is due");
        bench.registry.clock().advance(HOURS_3);
        let second = bench.feed().gate_owned().expect("the lease has lapsed");
        let [mut late, mut second] = [late, second];
        together([
            Box::new(move || drop_reaction(late.record(&answered(200)))),
            Box::new(move || drop_reaction(second.record(&answered(404)))),
        ]);
        assert_eq!(bench.feed().status(), Status::Disabled);
        assert_eq!(bench.lines().len(), 1, "{:?}", bench.lines());
    });
}

fn drop_reaction(reaction: Reaction<'_>) {
    let _ = reaction;
}

#[test]
fn a_recheck_and_a_probe_that_ends_leave_one_probe_and_an_open_way_back() {
    run(|| {
        let bench = Bench::due();
        let mut probe = bench.feed().gate_owned().expect("the probe is due");
        let (registry, asking) = (bench.registry.clone(), bench.feed());
        together([
            Box::new(move || drop_reaction(probe.record(&answered(404)))),
            Box::new(move || registry.recheck()),
            Box::new(move || drop(asking.gate())),
        ]);
        bench.registry.recheck();
        let first = bench.feed().gate_owned().expect("one probe");
        assert!(bench.feed().gate().is_err(), "and no second");
        drop(first);
        bench.registry.clock().advance(HOURS_3);
        assert!(meet(&bench.feed(), 200));
        assert_eq!(bench.feed().status(), Status::Healthy);
    });
}

#[test]
fn a_policy_that_is_replaced_decides_for_all_who_come_after_it() {
    run(|| {
        let bench = Bench::calm(4);
        let (registry, failing, adding) = (bench.registry.clone(), bench.feed(), bench.clone());
        together([
            Box::new(move || registry.replace_policy(View::Lenient)),
            Box::new(move || {
                let _ = meet(&failing, 404);
            }),
            Box::new(move || drop(adding.endpoint("/new").gate())),
        ]);
        for template in ["/feed", "/new"] {
            assert_eq!(*bench.endpoint(template).policy(), View::Lenient, "{template}");
        }
        bench.registry.recheck();
        assert!(meet(&bench.feed(), 404));
        assert_eq!(bench.feed().status(), Status::Healthy);
    });
}

#[test]
fn one_key_is_one_endpoint_and_a_full_table_drops_nobody_in_use() {
    run(|| {
        let bench = Bench::new(2);
        let failing = |template: &'static str| {
            let bench = bench.clone();
            Box::new(move || {
                let _ = meet(&bench.endpoint(template), 404);
            }) as Box<dyn FnOnce() + Send>
        };
        together([failing("/a"), failing("/a"), failing("/b")]);
        let other = bench.endpoint("/c");
        assert!(meet(&other, 404) && meet(&other, 404), "what has no room is not stopped");
        for template in ["/a", "/b"] {
            assert_eq!(bench.endpoint(template).status(), Status::Disabled, "{template}");
        }
        assert_eq!(bench.lines().len(), 2, "{:?}", bench.lines());
    });
}

#[test]
fn a_host_and_its_routes_neither_wait_for_each_other_nor_give_two_probes() {
    run(|| {
        let bench = Bench::calm(4);
        let refused = Outcome::new(Signal::Network(Network::Refused), Request::Idempotent);
        drop(bench.feed().gate().expect("healthy").record(&refused));
        let other = bench.endpoint("/other");
        assert!(other.gate().is_err(), "the host is dead for all");
        bench.registry.clock().advance(HOURS_3);
        bench.registry.clock().advance(HOURS_3);
        let probes = Arc::new(AtomicUsize::new(0));
        let held = Arc::new(Mutex::new(Vec::new()));
        let ask = |handle: Handle<View, ManualClock>| {
            let (probes, held) = (Arc::clone(&probes), Arc::clone(&held));
            Box::new(move || {
                if let Ok(pass) = handle.gate_owned() {
                    probes.fetch_add(1, Ordering::SeqCst);
                    held.lock().expect("no thread panics").push(pass);
                }
            }) as Box<dyn FnOnce() + Send>
        };
        together([ask(bench.feed()), ask(other), ask(bench.feed())]);
        assert_eq!(probes.load(Ordering::SeqCst), 1);
        let mut probe = held.lock().expect("no thread panics").pop().expect("one probe");
        drop_reaction(probe.record(&answered(200)));
        assert_eq!(bench.feed().host_status(), Some(Status::Healthy));
        assert!(bench.feed().gate().is_ok());
    });
}

//! One registry under many threads.

mod support;

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use permanence_core::{Outcome, Request, Signal, Span, Status};
use permanence_std::Origin;
use support::{Lines, registry};

const HERE: Origin<'static> = Origin { scheme: "http", authority: "127.0.0.1:8787" };
const THREADS: usize = 8;

#[test]
fn of_many_threads_one_makes_the_probe() {
    let registry = registry(&Lines::default());
    let absent = Outcome::new(Signal::Http(404), Request::Idempotent);
    let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
    drop(feed.gate().expect("healthy").record(&absent));
    for round in 1..=20 {
        registry.clock().advance(Span::from_secs(3 * 3_600));
        let (start, end) = (Barrier::new(THREADS), Barrier::new(THREADS));
        let probes = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    start.wait();
                    let handle = registry.endpoint_of("GET", HERE, "/v1/feed");
                    let pass = handle.gate();
                    probes.fetch_add(usize::from(pass.is_ok()), Ordering::Relaxed);
                    // Nobody gives up before everybody has asked.
                    end.wait();
                });
            }
        });
        assert_eq!(probes.into_inner(), 1, "round {round}");
    }
}

#[test]
fn threads_that_meet_a_new_key_share_one_endpoint_and_one_line() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
                if let Ok(pass) = feed.gate() {
                    drop(pass.record(&Outcome::new(Signal::Http(404), Request::Idempotent)));
                }
            });
        }
    });
    assert_eq!(registry.endpoint_of("GET", HERE, "/v1/feed").status(), Status::Disabled);
    assert_eq!(lines.count(), 1, "{:?}", lines.all());
}

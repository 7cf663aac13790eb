//! What a recorder of the crate `metrics` is told.
#![cfg(feature = "metrics")]
#![allow(clippy::panic)]

mod support;

use std::collections::BTreeMap;

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use permanence_core::{Network, Outcome, Request, Signal, Span};
use permanence_std::{Handle, ManualClock, Origin, metrics as names};
use support::{Few, Lines, registry, small_registry};

const HERE: Origin<'static> = Origin { scheme: "http", authority: "127.0.0.1:8787" };

/// What has been counted, by `name{label=value,..}`.
#[derive(Debug)]
struct Counted {
    snapshotter: Snapshotter,
    sums: BTreeMap<String, f64>,
}

impl Counted {
    /// Takes over what has been counted since the last look, after which the recorder begins anew.
    fn look(&mut self) {
        for (key, _, text, value) in self.snapshotter.snapshot().into_vec() {
            assert!(text.is_some(), "{key:?} is described");
            let labels =
                key.key().labels().map(|label| format!("{}={}", label.key(), label.value()));
            let name = format!("{}{{{}}}", key.key().name(), labels.collect::<Vec<_>>().join(","));
            let value = match value {
                DebugValue::Counter(count) => f64::from(u32::try_from(count).expect("a small one")),
                DebugValue::Gauge(value) => value.into_inner(),
                DebugValue::Histogram(_) => panic!("{name} is no histogram"),
            };
            *self.sums.entry(name).or_default() += value;
        }
    }

    fn of(&self, name: &str) -> f64 {
        self.sums.get(name).copied().unwrap_or_else(|| panic!("{name} in {self:#?}"))
    }

    /// The statuses of one endpoint that are not zero.
    fn statuses(&self, endpoint: &str) -> Vec<(&str, f64)> {
        let start = format!("{}{{endpoint={endpoint},status=", names::STATUS);
        let those = self.sums.iter().filter_map(|(name, value)| {
            let status = name.strip_prefix(&start)?.strip_suffix('}')?;
            (*value != 0.0).then_some((status, *value))
        });
        those.collect()
    }

    fn calls(&self, endpoint: &str) -> [f64; 3] {
        ["called", "probed", "skipped"].map(|decision| {
            self.of(&format!("{}{{endpoint={endpoint},decision={decision}}}", names::CALLS))
        })
    }
}

fn counting(act: impl FnOnce(&mut Counted)) {
    let recorder = DebuggingRecorder::new();
    let mut counted = Counted { snapshotter: recorder.snapshotter(), sums: BTreeMap::new() };
    metrics::with_local_recorder(&recorder, || act(&mut counted));
}

fn meet(handle: &Handle<Few, ManualClock>, signal: Signal<'static>, request: Request) {
    if let Ok(pass) = handle.gate() {
        drop(pass.record(&Outcome::new(signal, request)));
    }
}

#[test]
fn a_day_of_404_is_counted_as_it_is() {
    counting(|counted| {
        let registry = registry(&Lines::default());
        let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
        for _minute in 0..1_440 {
            meet(&feed, Signal::Http(404), Request::Idempotent);
            registry.clock().advance(Span::from_secs(60));
        }
        counted.look();
        assert_eq!(counted.calls("feed"), [1.0, 7.0, 1_432.0]);
        assert_eq!(counted.statuses("feed"), [("disabled", 1.0)]);
        assert_eq!(counted.of("permanence.lines.suppressed{endpoint=feed}"), 7.0);
        let disabled = "permanence.endpoint.transitions{endpoint=feed,event=DISABLED}";
        assert_eq!(counted.of(disabled), 1.0);

        meet(&feed, Signal::Http(200), Request::Idempotent);
        counted.look();
        assert_eq!(counted.statuses("feed"), [("healthy", 1.0)]);
        let recovered = "permanence.endpoint.transitions{endpoint=feed,event=RECOVERED}";
        assert_eq!(counted.of(recovered), 1.0);
    });
}

#[test]
fn a_probe_that_is_under_way_shows() {
    counting(|counted| {
        let registry = registry(&Lines::default());
        let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
        meet(&feed, Signal::Http(404), Request::Idempotent);
        registry.recheck();
        let probe = feed.gate().expect("one probe");
        counted.look();
        assert_eq!(counted.statuses("feed"), [("probing", 1.0)]);
        drop(probe);
        counted.look();
        assert_eq!(counted.statuses("feed"), [("disabled", 1.0)]);
    });
}

#[test]
fn a_host_is_counted_by_its_authority_and_so_are_its_requests_of_no_route() {
    counting(|counted| {
        let registry = registry(&Lines::default());
        let other = registry.endpoint_of("GET", HERE, "/somewhere/else");
        for _ in 0..6 {
            meet(&other, Signal::Network(Network::Refused), Request::Idempotent);
        }
        counted.look();
        assert_eq!(counted.calls(HERE.authority), [4.0, 0.0, 2.0]);
        assert_eq!(counted.statuses(HERE.authority), [("disabled", 1.0)]);
        assert!(counted.sums.keys().all(|name| !name.contains("somewhere")), "{counted:?}");
        assert!(counted.sums.keys().all(|name| !name.contains("=others")), "{counted:?}");
    });
}

#[test]
fn writes_of_unknown_fate_and_the_budget_are_counted() {
    counting(|counted| {
        let registry = registry(&Lines::default());
        let pay = registry.endpoint_of("POST", HERE, "/v1/charges");
        for _ in 0..3 {
            pay.deposit();
            meet(&pay, Signal::Http(500), Request::Unkeyed);
        }
        counted.look();
        assert_eq!(counted.of("permanence.writes.ambiguous{endpoint=pay}"), 3.0);
        assert!(counted.of("permanence.budget.balance{}") > 0.0, "{counted:?}");
    });
}

#[test]
fn an_endpoint_that_loses_its_place_and_a_registry_that_ends_stand_nowhere() {
    counting(|counted| {
        let registry = small_registry(&Lines::default(), 1);
        meet(
            &registry.endpoint_of("GET", HERE, "/v1/feed"),
            Signal::Http(200),
            Request::Idempotent,
        );
        counted.look();
        assert_eq!(counted.statuses("feed"), [("healthy", 1.0)]);
        meet(
            &registry.endpoint_of("POST", HERE, "/v1/charges"),
            Signal::Http(200),
            Request::Unkeyed,
        );
        counted.look();
        assert_eq!(
            (counted.statuses("feed"), counted.statuses("pay")),
            (vec![], vec![("healthy", 1.0)])
        );
        drop(registry);
        counted.look();
        assert!(
            ["pay", HERE.authority].iter().all(|id| counted.statuses(id).is_empty()),
            "{counted:?}"
        );
    });
}

#[test]
fn endpoints_of_one_id_are_counted_together() {
    counting(|counted| {
        let registry = registry(&Lines::default());
        let there = Origin { authority: "127.0.0.1:8788", ..HERE };
        let [one, other] =
            [HERE, there].map(|origin| registry.endpoint_of("GET", origin, "/v1/feed"));
        meet(&one, Signal::Http(404), Request::Idempotent);
        meet(&other, Signal::Http(200), Request::Idempotent);
        counted.look();
        assert_eq!(counted.statuses("feed"), [("disabled", 1.0), ("healthy", 1.0)]);
    });
}

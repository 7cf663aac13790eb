//! Lines as tracing events.
#![cfg(feature = "tracing")]

mod support;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use permanence_core::{EventKind, Outcome, Request, Signal};
use permanence_std::{Line, LineFn, LineSink, Origin, Registry, RegistrySettings, TracingSink};
use support::{Few, Lines, clock};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

const HERE: Origin<'static> = Origin { scheme: "http", authority: "127.0.0.1:8787" };

/// Keeps the events of the target `permanence`.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<(Level, Fields)>>>);

#[derive(Clone, Debug, Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "permanence"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.0.lock().expect("no test panics here").push((*event.metadata().level(), fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A route that is absent for a day, asked for once a minute, and then there.
fn absent_for_a_day(registry: &Registry<Few, permanence_std::ManualClock>) {
    let status = registry.endpoint_of("PUT", HERE, "/api/agents/17/status");
    for minute in 0..=1_440 {
        let code = if minute < 1_440 { 404 } else { 204 };
        if let Ok(pass) = status.gate() {
            drop(pass.record(&Outcome::new(Signal::Http(code), Request::Idempotent)));
        }
        registry.clock().advance(permanence_core::Span::from_secs(60));
    }
}

#[test]
fn a_day_of_404_and_its_end_are_two_events() {
    let kept = Kept::default();
    let settings = RegistrySettings { sink: Box::new(TracingSink), ..Lines::default().settings() };
    let registry = Registry::with_settings(Few, clock(), settings);
    tracing::subscriber::with_default(kept.clone(), || absent_for_a_day(&registry));
    let events = kept.0.lock().unwrap().clone();
    let levels: Vec<Level> = events.iter().map(|(level, _)| *level).collect();
    assert_eq!(levels, [Level::WARN, Level::INFO]);
}

#[test]
fn an_event_has_the_line_as_its_message_and_its_parts_as_fields() {
    let kept = Kept::default();
    let lines = Lines::default();
    let settings = RegistrySettings { sink: Box::new(TracingSink), ..Lines::default().settings() };
    let registry = Registry::with_settings(Few, clock(), settings);
    tracing::subscriber::with_default(kept.clone(), || absent_for_a_day(&registry));
    absent_for_a_day(&Registry::with_settings(Few, clock(), lines.settings()));
    let events = kept.0.lock().unwrap().clone();
    let messages: Vec<&str> = events.iter().map(|(_, fields)| &*fields.0["message"]).collect();
    assert_eq!(messages, lines.all());
    let (_, disabled) = &events[0];
    for (field, value) in [
        ("event", "DISABLED"),
        ("endpoint", "status"),
        ("method", "PUT"),
        ("target_path", "127.0.0.1:8787/api/agents/{id}/status"),
        ("code", "404"),
        ("reason", "resource-absent"),
        ("next_in_ms", "10800000"),
        ("skipped", "0"),
    ] {
        assert_eq!(disabled.0[field], value, "{field}");
    }
    assert_eq!(events[1].1.0["skipped"], "1432");
    assert_eq!(events[0].1.0["episode"], events[1].1.0["episode"]);
}

#[test]
fn every_kind_of_line_is_one_event_with_its_text_and_all_fields() {
    const FIELDS: [&str; 11] = [
        "code",
        "endpoint",
        "episode",
        "event",
        "lasted_ms",
        "message",
        "method",
        "probes",
        "reason",
        "skipped",
        "target_path",
    ];
    let taken = Arc::new(Mutex::new(None));
    let sink = Arc::clone(&taken);
    let settings = RegistrySettings {
        sink: Box::new(LineFn::new(move |line| *sink.lock().unwrap() = Some(*line.event))),
        ..Lines::default().settings()
    };
    absent_for_a_day(&Registry::with_settings(Few, clock(), settings));
    let taken = taken.lock().unwrap().expect("there were two lines");

    let kept = Kept::default();
    let endpoint = permanence_core::Endpoint { id: "feed", method: "GET", target: "here/v1/feed" };
    let kinds = [
        (EventKind::Ambiguous, Level::ERROR),
        (EventKind::Changed, Level::WARN),
        (EventKind::Degraded, Level::WARN),
        (EventKind::Disabled, Level::WARN),
        (EventKind::Gone, Level::ERROR),
        (EventKind::Recovered, Level::INFO),
        (EventKind::Rejected, Level::WARN),
        (EventKind::Still, Level::WARN),
    ];
    tracing::subscriber::with_default(kept.clone(), || {
        for (kind, level) in kinds {
            let event = permanence_core::Event { kind, ..taken };
            let line = Line { event: &event, endpoint, policy: &Few, wall: None };
            TracingSink.line(&line);
            let (told, fields) = kept.0.lock().unwrap().pop().expect("one event");
            assert_eq!((told, &*fields.0["event"]), (level, kind.name()));
            assert_eq!(fields.0["message"], line.text());
            let names: Vec<&str> =
                fields.0.keys().copied().filter(|name| *name != "next_in_ms").collect();
            assert_eq!(names, FIELDS, "{kind:?}");
        }
    });
    assert!(kept.0.lock().unwrap().is_empty());
}

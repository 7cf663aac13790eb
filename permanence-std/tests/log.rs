//! Lines as records of the crate `log`.
#![cfg(feature = "log")]

mod support;

use std::sync::{Mutex, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};
use permanence_core::{Outcome, Request, Signal, Span};
use permanence_std::{Origin, Registry, RegistrySettings, TracingSink};
use support::{Few, Lines, clock};

struct Kept(Mutex<Vec<(Level, String)>>);

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

impl Kept {
    fn all(&self) -> Vec<(Level, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Log for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "permanence"
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push((record.level(), record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

#[test]
fn a_program_without_a_subscriber_gets_each_line_and_its_fields_as_a_record() {
    log::set_logger(&KEPT).expect("nobody else is here");
    log::set_max_level(LevelFilter::Trace);
    let lines = Lines::default();
    let sinks: [Box<dyn permanence_std::LineSink>; 2] = [Box::new(TracingSink), lines.sink()];
    for sink in sinks {
        let settings = RegistrySettings { sink, ..lines.settings() };
        let registry = Registry::with_settings(Few, clock(), settings);
        let here = Origin { scheme: "http", authority: "127.0.0.1:8787" };
        let feed = registry.endpoint_of("GET", here, "/v1/feed");
        for code in [404, 404, 200] {
            drop(
                feed.gate()
                    .expect("well, or a probe")
                    .record(&Outcome::new(Signal::Http(code), Request::Idempotent)),
            );
            registry.clock().advance(Span::from_secs(3 * 3_600));
        }
    }
    let (kept, lines) = (KEPT.all(), lines.all());
    let levels: Vec<Level> = kept.iter().map(|(level, _)| *level).collect();
    assert_eq!(levels, [Level::Warn, Level::Info]);
    for ((_, record), line) in kept.iter().zip(&lines) {
        assert!(record.starts_with(line), "{record}");
        assert!(record.contains(" endpoint=\"feed\" "), "{record}");
    }
}

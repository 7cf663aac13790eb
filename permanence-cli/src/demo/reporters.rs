//! The two reporters: both report at every tick, one of them through a gate.

use std::sync::{Arc, Mutex, PoisonError};

use permanence_core::{Event, Timestamp};
use permanence_spec::LoadedPolicy;
use permanence_std::{
    Error as GateError, Gate, GateLayer, LineFn, ManualClock, Registry, RegistrySettings, Route,
};
use reqwest::Url;
use tower_layer::Layer;
use tower_service::Service;

use super::Error;
use super::laws::Watch;
use super::plan::Plan;
use super::tally::Tally;
use super::wire::{Wire, report};

/// Calls at every tick and logs every failure.
#[derive(Debug)]
pub(super) struct Naive {
    wire: Wire,
    url: Url,
    pub(super) tally: Tally,
    pub(super) first_line: Option<String>,
    pub(super) last_line: Option<String>,
}

impl Naive {
    pub(super) fn new(url: Url, port: u16) -> Result<Self, Error> {
        let wire = Wire::new("naive", port).map_err(Error::Client)?;
        Ok(Naive { wire, url, tally: Tally::default(), first_line: None, last_line: None })
    }

    pub(super) async fn tick(&mut self, plan: &Plan, tick: u32) -> Result<(), Error> {
        let answer = self.wire.call(report(&self.url)).await.map_err(Error::Client)?;
        self.tally.calls = self.wire.calls();
        if answer.status().is_success() {
            self.tally.succeed(plan, tick);
            return Ok(());
        }
        let line = format!("WARN  status report failed: PUT {}: {}", self.url, answer.status());
        self.tally.log(&line);
        self.first_line.get_or_insert_with(|| line.clone());
        self.last_line = Some(line);
        Ok(())
    }
}

/// Calls when it is worth while and prints what is news.
#[derive(Debug)]
pub(super) struct Gated {
    gate: Gate<Wire, LoadedPolicy, ManualClock>,
    wire: Wire,
    url: Url,
    said: Arc<Mutex<Said>>,
    pub(super) tally: Tally,
    pub(super) watch: Watch,
}

/// The lines of the gate and what they are about.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) lines: Vec<String>,
    pub(super) events: Vec<Event>,
}

impl Gated {
    pub(super) fn new(
        policy: LoadedPolicy,
        seed: u64,
        started: Timestamp,
        url: Url,
        port: u16,
    ) -> Result<Self, Error> {
        let said = Arc::new(Mutex::new(Said::default()));
        let hearing = Arc::clone(&said);
        let settings = RegistrySettings {
            routes: vec![Route::new("status", "PUT", "/api/agents/{id}/status")],
            seed,
            sink: Box::new(LineFn::new(move |line| {
                let mut said = hearing.lock().unwrap_or_else(PoisonError::into_inner);
                said.lines.push(line.text());
                said.events.push(*line.event);
            })),
            ..RegistrySettings::default()
        };
        let clock = ManualClock::starting_at(started);
        let registry = Registry::with_settings(policy, clock, settings);
        let wire = Wire::new("permanence", port).map_err(Error::Client)?;
        Ok(Gated {
            gate: GateLayer::new(registry).layer(wire.clone()),
            wire,
            url,
            said,
            tally: Tally::default(),
            watch: Watch::default(),
        })
    }

    pub(super) fn clock(&self) -> &ManualClock {
        self.gate.registry().clock()
    }

    pub(super) async fn tick(&mut self, plan: &Plan, tick: u32) -> Result<(), Error> {
        let now = permanence_std::Clock::now(self.clock());
        match self.gate.call(report(&self.url)).await {
            Ok(answer) => {
                self.watch.called(now);
                if answer.status().is_success() {
                    self.tally.succeed(plan, tick);
                }
            }
            Err(GateError::Skipped(skipped)) => {
                self.watch.skipped(skipped.until);
                self.tally.skip(plan, tick);
            }
            Err(GateError::Client(error)) => return Err(Error::Client(error)),
            Err(_) => {}
        }
        self.tally.calls = self.wire.calls();
        Ok(())
    }

    /// What was said, counted.
    pub(super) fn said(&mut self) -> Said {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for line in &said.lines {
            self.tally.log(line);
        }
        said
    }
}

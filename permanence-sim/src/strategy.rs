//! How a reporter decides whether to call.

use permanence_core::{
    Action, Admission, Endpoint, Event, Instant, Outcome, Policy, Request, RetryBudget, Timestamp,
    Tracker, WallClock, write_text,
};

use crate::server::{Answer, Server};
use crate::{STARTS_AT, TICK_MS};

/// One line of a log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Line {
    /// When it was written, in milliseconds since the start.
    pub at_ms: u64,
    /// What it says.
    pub text: String,
}

/// What one tick came to.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tick {
    /// Calls made, retries within the tick included.
    pub calls: u64,
    /// When the first call succeeded.
    pub succeeded_at: Option<u64>,
    /// What was logged.
    pub lines: Vec<Line>,
}

/// Something that decides at each tick whether to call, and what to log.
pub trait Strategy {
    /// Plays one tick against the server.
    fn tick(&mut self, now_ms: u64, server: &Server) -> Tick;
}

/// Calls at every tick and logs every failure.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Strategy for Naive {
    fn tick(&mut self, now_ms: u64, server: &Server) -> Tick {
        let answer = server.answer(now_ms);
        let failure = match answer {
            Answer::Status(200..=299) => None,
            Answer::Status(status) => Some(format!("HTTP status {status}")),
            Answer::None(network) => Some(network.name().to_owned()),
        };
        let lines = failure.map(|failure| Line {
            at_ms: now_ms,
            text: format!(
                "{} WARN reporter: status report failed: PUT http://{TARGET}: {failure}",
                wall(now_ms)
            ),
        });
        Tick {
            calls: 1,
            succeeded_at: answer.is_success().then_some(now_ms),
            lines: lines.into_iter().collect(),
        }
    }
}

/// Calls as a policy says, through the real machine.
#[derive(Debug)]
pub struct Permanence<P> {
    policy: P,
    tracker: Tracker,
    budget: RetryBudget,
}

impl<P: Policy> Permanence<P> {
    /// Makes a reporter with this policy; the seed places its probes and pauses.
    pub fn new(policy: P, seed: u32) -> Self {
        Permanence { policy, tracker: Tracker::new(seed), budget: RetryBudget::new() }
    }

    fn line(&self, event: &Event, now_ms: u64) -> Line {
        let endpoint = Endpoint { id: "status", method: "PUT", target: TARGET };
        let clock = WallClock { at: Instant::ZERO, time: Timestamp::from_unix_seconds(STARTS_AT) };
        let mut text = format!("{} ", wall(now_ms));
        // Writing to a string cannot fail.
        let _ = write_text(event, &endpoint, &self.policy, Some(clock), &mut text);
        Line { at_ms: now_ms, text }
    }
}

impl<P: Policy> Strategy for Permanence<P> {
    fn tick(&mut self, now_ms: u64, server: &Server) -> Tick {
        let mut tick = Tick::default();
        let mut at_ms = now_ms;
        self.budget.deposit(&self.policy.settings().budget, Instant::from_millis(at_ms));
        loop {
            let now = Instant::from_millis(at_ms);
            let Admission::Call(permit) = self.tracker.admit(&self.policy, now) else { break };
            let answer = server.answer(at_ms);
            tick.calls += 1;
            if answer.is_success() && tick.succeeded_at.is_none() {
                tick.succeeded_at = Some(at_ms);
            }
            let outcome = Outcome::new(answer.signal(), Request::Idempotent);
            let step = self.tracker.record(&self.policy, permit, &outcome, now);
            if let Some(event) = step.event {
                tick.lines.push(self.line(&event, at_ms));
            }
            let Action::Retry(offer) = step.action else { break };
            let settings = &self.policy.settings().budget;
            let Some(pause) = offer.take(&mut self.budget, settings, now) else { break };
            at_ms += u64::from(pause.as_millis());
            if at_ms >= now_ms + TICK_MS {
                break;
            }
        }
        tick
    }
}

/// The time of a line as a log writes it.
fn wall(now_ms: u64) -> String {
    let time = Timestamp::from_unix_seconds(STARTS_AT + now_ms / 1_000);
    let civil = time.civil();
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second
    )
}

const TARGET: &str = "127.0.0.1:8787/api/agents/{id}/status";

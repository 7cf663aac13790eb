//! One endpoint under a case's policy: the tracker, its lines, and what was counted.

use permanence_core::{
    Action, Admission, Instant, Permit, Request, RestoreError, Signal, Snapshot, Status, Tracker,
};

use super::answer::Answer;
use super::lines::{Line, event_name};
use super::observed::Observed;
use super::policy::CasePolicy;

/// One endpoint under a case's policy.
pub(super) struct Bench<'p> {
    policy: &'p CasePolicy,
    seed: u32,
    tracker: Tracker,
    request: Request,
    method: String,
    target: String,
    lines: Vec<Line>,
    acts: Vec<&'static str>,
    probes: u64,
    calls: u64,
}

/// A moment, by the clock of the tracker and by that of the case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now: Instant,
    pub(super) shown: u64,
}

impl Moment {
    pub(super) fn at(millis: u64) -> Self {
        Moment { now: Instant::from_millis(millis), shown: millis }
    }
}

impl<'p> Bench<'p> {
    pub(super) fn new(policy: &'p CasePolicy, seed: u32, method: &str, request: Request) -> Self {
        Bench {
            policy,
            seed,
            tracker: Tracker::new(seed),
            request,
            method: method.to_owned(),
            target: TARGET.to_owned(),
            lines: Vec::new(),
            acts: Vec::new(),
            probes: 0,
            calls: 0,
        }
    }

    /// The same endpoint somewhere else.
    pub(super) fn at_target(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    /// Asks; a permit is a call.
    pub(super) fn poll(&mut self, moment: Moment) -> Option<Permit> {
        let Admission::Call(permit) = self.tracker.admit(self.policy, moment.now) else {
            return None;
        };
        self.calls += 1;
        self.probes += u64::from(permit.is_probe());
        Some(permit)
    }

    /// Tells what became of a call.
    pub(super) fn report(&mut self, permit: Permit, answer: &Answer, moment: Moment) -> Action {
        let answer = answer.clone().for_request(&self.method, &[]);
        let outcome = answer.outcome(self.request);
        let step = self.tracker.record(self.policy, permit, &outcome, moment.now);
        if let Some(event) = step.event {
            self.lines.push(Line {
                at: moment.shown,
                event: event_name(event.kind),
                level: event.kind.level(),
                text: super::forms::log_render::line(
                    &event,
                    &self.method,
                    &self.target,
                    self.policy,
                ),
                skipped: event.skipped,
            });
        }
        // A cancellation has no act of its own.
        if answer.signal != Signal::Cancelled {
            self.acts.extend(act_name(&step.action));
        }
        step.action
    }

    pub(super) fn recheck(&mut self, moment: Moment) {
        self.tracker.recheck(moment.now);
    }

    pub(super) fn reset(&mut self) {
        self.tracker.reset();
    }

    /// The tracker as bytes.
    pub(super) fn export(&self, moment: Moment) -> Snapshot {
        self.tracker.snapshot(moment.now)
    }

    /// Takes the tracker of a snapshot, under a clock that now says `now`, `off_ms` later.
    pub(super) fn import(
        &mut self,
        snapshot: &Snapshot,
        now: Instant,
        off_ms: u64,
    ) -> Result<(), RestoreError> {
        self.tracker = Tracker::restore(snapshot, now, off_ms)?;
        Ok(())
    }

    /// Loses the tracker, as a device does that goes off.
    pub(super) fn forget(&mut self) {
        self.tracker = Tracker::new(self.seed);
    }

    pub(super) fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    pub(super) fn is_shut(&self) -> bool {
        matches!(self.tracker.status(), Status::Disabled | Status::Probing | Status::Gone)
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Everything that was counted.
    pub(super) fn observe(self) -> Observed {
        let mut observed = Observed::default();
        observed.set_number("calls", self.calls);
        observed.set_number("probes", self.probes);
        observed.set("final_state", self.tracker.status().name());
        observed.set_list("actions", self.acts);
        observed.set_lines(self.lines);
        observed
    }
}

fn act_name(action: &Action) -> Option<&'static str> {
    match action {
        Action::Drop => Some("drop_payload"),
        Action::Renew(_) => Some("renew"),
        Action::Retry(_) => Some("retry"),
        Action::Surface => Some("surface"),
        Action::Wait(_) => Some("wait"),
        _ => None,
    }
}

/// Where the calls of a case go.
const TARGET: &str = "api.example.test/api/agents/{id}/status";

//! Runs a history and keeps every moment of it.

use permanence_core::{Admission, Event, Instant, Outcome, Permit, Policy, Skip, Step, Tracker};

use crate::{Input, Move};

/// What the machine answered to a question.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Asked {
    /// A call of the ordinary run.
    Call,
    /// The probe of a disabled endpoint.
    Probe,
    /// No call.
    Skip(Skip),
}

/// What the machine made of one input.
#[derive(Debug, PartialEq)]
pub enum Told {
    /// The answer to a question.
    Asked(Asked),
    /// The answer to a finished call; whether that call was a probe stands first.
    Answered(bool, Outcome<'static>, Step),
    /// Nothing to tell.
    Nothing,
}

/// One moment: the machine before and after one input.
#[derive(Debug, PartialEq)]
pub struct Moment {
    /// What the clock says.
    pub now: Instant,
    /// How far the clock has moved forward in all, steps back left out.
    pub forward_ms: u64,
    /// The machine before.
    pub before: Tracker,
    /// The machine after.
    pub after: Tracker,
    /// What it told.
    pub told: Told,
    /// Whether something outside has changed.
    pub outside: bool,
}

impl Moment {
    /// The line that was printed.
    #[must_use]
    pub fn event(&self) -> Option<Event> {
        match &self.told {
            Told::Answered(_, _, step) => step.event,
            _ => None,
        }
    }
}

/// One endpoint, its calls in flight and its clock.
#[derive(Debug)]
pub struct World {
    /// The machine.
    pub tracker: Tracker,
    /// What the clock says.
    pub now: Instant,
    forward_ms: u64,
    in_flight: Vec<Permit>,
}

impl World {
    /// A world whose clock starts at a day, so that it can step back.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        World {
            tracker: Tracker::new(seed),
            now: Instant::from_millis(86_400_000),
            forward_ms: 0,
            in_flight: Vec::new(),
        }
    }

    /// Lets one thing happen.
    pub fn step<P: Policy>(&mut self, policy: &P, what: Move) -> Moment {
        let millis = self.now.as_millis().saturating_add_signed(what.clock);
        self.now = Instant::from_millis(millis);
        self.forward_ms += u64::try_from(what.clock).unwrap_or(0);
        let before = self.tracker;
        let told = self.apply(policy, what.input);
        Moment {
            now: self.now,
            forward_ms: self.forward_ms,
            before,
            after: self.tracker,
            told,
            outside: matches!(what.input, Input::Recheck | Input::Reset),
        }
    }

    fn apply<P: Policy>(&mut self, policy: &P, input: Input) -> Told {
        match input {
            Input::Ask => Told::Asked(self.ask(policy)),
            Input::Answer(which, outcome) => match self.take(which) {
                Some(permit) => {
                    let probe = permit.is_probe();
                    let step = self.tracker.record(policy, permit, &outcome, self.now);
                    Told::Answered(probe, outcome, step)
                }
                None => Told::Nothing,
            },
            Input::Lose(which) => {
                let _ = self.take(which);
                Told::Nothing
            }
            Input::Recheck => {
                self.tracker.recheck(self.now);
                Told::Nothing
            }
            Input::Reset => {
                self.tracker.reset();
                Told::Nothing
            }
            Input::Restart => {
                let bytes = self.tracker.snapshot(self.now);
                self.tracker = Tracker::restore(&bytes, self.now, 0).expect("a snapshot restores");
                Told::Nothing
            }
        }
    }

    fn ask<P: Policy>(&mut self, policy: &P) -> Asked {
        match self.tracker.admit(policy, self.now) {
            Admission::Call(permit) => {
                let asked = if permit.is_probe() { Asked::Probe } else { Asked::Call };
                self.in_flight.push(permit);
                asked
            }
            Admission::Skip(skip) => Asked::Skip(skip),
        }
    }

    fn take(&mut self, which: usize) -> Option<Permit> {
        if self.in_flight.is_empty() {
            return None;
        }
        // The newest first, so that most calls come back in order.
        let place = self.in_flight.len() - 1 - which.min(self.in_flight.len() - 1);
        Some(self.in_flight.remove(place))
    }
}

/// Runs a whole history.
pub fn run<P: Policy>(policy: &P, seed: u32, history: &[Move]) -> Vec<Moment> {
    let mut world = World::new(seed);
    history.iter().map(|what| world.step(policy, *what)).collect()
}

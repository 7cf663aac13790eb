//! A driver with a cadence against a server that changes with time.

use permanence_core::{Action, Policy, RetryBudget, Signal};
use toml::Value;

use super::super::answer::Answer;
use super::super::bench::{Bench, Moment};
use super::super::fields::{Fields, Halt};
use super::super::observed::Observed;
use super::super::policy::CasePolicy;
use super::request;

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let policy = CasePolicy::from_input(input)?;
    let (method, request) = request(input)?;
    let driver = match input.text("driver")? {
        None | Some("tick") => Driver::Tick,
        Some("eager") => Driver::Eager,
        Some(other) => return Err(Halt::out_of_reach(format!("driver {other:?} not understood"))),
    };
    let tick = input.required_number("tick_ms")?;
    let end = input.required_number("for_ms")?;
    match end.checked_div(tick) {
        None => return Err(Halt::mismatch("input.tick_ms is 0")),
        Some(ticks) if ticks > MOST_TICKS => {
            return Err(Halt::out_of_reach(format!("{ticks} ticks are too many")));
        }
        Some(_) => {}
    }
    let mut simulation = Simulation {
        bench: Bench::new(&policy, 1, &method, request),
        policy: &policy,
        server: Server::from_fields(input)?,
        budget: RetryBudget::new(),
    };
    simulation.run(driver, tick, end);
    Ok(simulation.bench.observe())
}

/// A minute or so of work.
const MOST_TICKS: u64 = 100_000_000;

/// When the driver asks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Driver {
    /// At ticks, and at the instant that the tracker names.
    Eager,
    /// At ticks only.
    Tick,
}

/// What the server answers, from which moment on.
struct Server {
    phases: Vec<Phase>,
    calls: usize,
}

struct Phase {
    from: u64,
    /// By the number of the call, and over again.
    answers: Vec<Answer>,
}

impl Server {
    fn from_fields(input: &Fields<'_>) -> Result<Self, Halt> {
        let mut phases = Vec::new();
        for entry in input.required_tables("server")? {
            let from = entry.number("from_ms")?.unwrap_or(0);
            let answers = match entry.list("cycle")? {
                Some(cycle) => cycle
                    .iter()
                    .map(|value| cycle_answer(&entry, value))
                    .collect::<Result<Vec<_>, _>>()?,
                None => vec![Answer::from_fields(&entry)?],
            };
            if answers.is_empty() {
                return Err(entry.missing("cycle"));
            }
            entry.finish()?;
            phases.push(Phase { from, answers });
        }
        phases.sort_by_key(|phase| phase.from);
        if phases.first().is_none_or(|phase| phase.from > 0) {
            return Err(Halt::mismatch("input.server has no answer at 0"));
        }
        Ok(Server { phases, calls: 0 })
    }

    /// The answer to the next call.
    fn answer(&mut self, at: u64) -> Answer {
        let number = self.calls;
        self.calls += 1;
        self.phases
            .iter()
            .rev()
            .find(|phase| phase.from <= at)
            .and_then(|phase| phase.answers.iter().cycle().nth(number % phase.answers.len()))
            .cloned()
            // There is a phase from zero on, and none is without an answer.
            .unwrap_or(Answer::new(Signal::Cancelled))
    }
}

fn cycle_answer(entry: &Fields<'_>, value: &Value) -> Result<Answer, Halt> {
    match value {
        Value::String(text) => Answer::parse(text)?.with_companions(entry),
        Value::Table(table) => {
            let fields = Fields::new("input.server.cycle", table);
            let answer = Answer::from_fields(&fields)?;
            fields.finish()?;
            Ok(answer)
        }
        _ => Err(entry.unfit("cycle", "a list of texts", value)),
    }
}

struct Simulation<'p> {
    bench: Bench<'p>,
    policy: &'p CasePolicy,
    server: Server,
    budget: RetryBudget<u32>,
}

impl Simulation<'_> {
    fn run(&mut self, driver: Driver, tick: u64, end: u64) {
        let mut next_tick = 0;
        // Where asking was of no use, so that only a later instant or a tick leads on.
        let mut in_vain_at = None;
        let mut now = 0;
        loop {
            let wake_at = match driver {
                Driver::Eager => self.bench.tracker().wake_at(),
                Driver::Tick => None,
            };
            let wake = wake_at
                .map(|instant| instant.as_millis().max(now))
                .filter(|wake| in_vain_at.is_none_or(|vain| *wake > vain))
                .filter(|wake| *wake < next_tick);
            now = wake.unwrap_or(next_tick);
            if now >= end {
                return;
            }
            let called = if wake.is_none() {
                next_tick = now.saturating_add(tick);
                self.call_on_cadence(now)
            } else {
                self.retry(now)
            };
            in_vain_at = (!called).then_some(now);
        }
    }

    fn call_on_cadence(&mut self, now: u64) -> bool {
        let called = self.call(now);
        if called {
            self.budget.deposit(&self.policy.settings().budget, Moment::at(now).now);
        }
        called
    }

    /// A call that is not at a tick: it has to be afforded, unless it is a probe.
    fn retry(&mut self, now: u64) -> bool {
        let budget = &self.policy.settings().budget;
        let afforded = self.bench.is_shut() || self.budget.withdraw(budget, Moment::at(now).now);
        afforded && self.call(now)
    }

    /// Asks, calls and reports; whether a call was made.
    fn call(&mut self, now: u64) -> bool {
        let moment = Moment::at(now);
        let Some(permit) = self.bench.poll(moment) else { return false };
        let answer = self.server.answer(now);
        let action = self.bench.report(permit, &answer, moment);
        if matches!(action, Action::Renew(_)) {
            // The remedy is applied, and the request is made once more at once.
            self.bench.recheck(moment);
            if let Some(permit) = self.bench.poll(moment) {
                let answer = self.server.answer(now);
                self.bench.report(permit, &answer, moment);
            }
        }
        true
    }
}

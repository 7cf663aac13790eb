//! Explicit events, one after another.

use std::collections::BTreeMap;

use permanence_core::{Instant, Permit, Signal, TickExtender};
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
    let clock = match input.number("clock_bits")? {
        None | Some(64) => Clock::Wide,
        Some(32) => Clock::Ticks(TickExtender::new()),
        Some(bits) => {
            return Err(Halt::out_of_reach(format!("clock of {bits} bits not understood")));
        }
    };
    let mut trace = Trace {
        bench: Bench::new(&policy, 1, &method, request),
        clock,
        polls: Vec::new(),
        calls: BTreeMap::new(),
        last: String::new(),
    };
    for event in input.required_tables("events")? {
        trace.happen(&event)?;
        event.finish()?;
    }
    let mut observed = trace.bench.observe();
    observed.set_list("polls", trace.polls);
    Ok(observed)
}

/// How the times of the events are meant.
enum Clock {
    /// Readings of a counter that wraps.
    Ticks(TickExtender),
    Wide,
}

impl Clock {
    fn instant(&mut self, millis: u64) -> Result<Instant, Halt> {
        match self {
            Clock::Wide => Ok(Instant::from_millis(millis)),
            Clock::Ticks(extender) => u32::try_from(millis)
                .map(|ticks| extender.extend(ticks))
                .map_err(|_| Halt::mismatch(format!("t_ms {millis} does not fit 32 bits"))),
        }
    }
}

struct Trace<'p> {
    bench: Bench<'p>,
    clock: Clock,
    polls: Vec<Value>,
    /// The calls by their names; one that has been reported has no permit any more.
    calls: BTreeMap<String, Option<Permit>>,
    last: String,
}

impl Trace<'_> {
    fn happen(&mut self, event: &Fields<'_>) -> Result<(), Halt> {
        let shown = event.required_number("t_ms")?;
        let moment = Moment { now: self.clock.instant(shown)?, shown };
        match event.required_text("do")? {
            "poll" => self.poll(event.text("tok")?, moment),
            "report" => {
                let answer = Answer::from_fields(event)?;
                self.report(event.text("tok")?, &answer, moment)?;
            }
            "cancelled" => {
                self.report(event.text("tok")?, &Answer::new(Signal::Cancelled), moment)?;
            }
            "reset" => self.bench.reset(),
            "reload" | "renewed" | "hint_wake" => self.bench.recheck(moment),
            "snapshot_restart" => self.restart(event, moment)?,
            other => return Err(Halt::out_of_reach(format!("event {other:?} not understood"))),
        }
        Ok(())
    }

    fn poll(&mut self, token: Option<&str>, moment: Moment) {
        let permit = self.bench.poll(moment);
        self.polls.push(if permit.is_some() { "call" } else { "skip" }.into());
        if permit.is_some() {
            let unnamed = format!("call {}", self.polls.len());
            self.last = token.map_or(unnamed, str::to_owned);
            self.calls.insert(self.last.clone(), permit);
        }
    }

    fn report(&mut self, token: Option<&str>, answer: &Answer, moment: Moment) -> Result<(), Halt> {
        let name = token.unwrap_or(&self.last);
        let at = moment.shown;
        let call = self.calls.get_mut(name).ok_or_else(|| {
            Halt::mismatch(format!("the report at {at} is about no call that was admitted"))
        })?;
        // A permit is spent once: a second report of a call has nothing to say it with.
        if let Some(permit) = call.take() {
            self.bench.report(permit, answer, moment);
        }
        Ok(())
    }

    fn restart(&mut self, event: &Fields<'_>, moment: Moment) -> Result<(), Halt> {
        let then = event.required_number("new_t_ms")?;
        let off = event.number("off_ms")?.unwrap_or(0);
        if let Clock::Ticks(extender) = &mut self.clock {
            *extender = TickExtender::new();
        }
        let then = self.clock.instant(then)?;
        let snapshot = self.bench.export(moment);
        // Permits do not survive the process.
        self.calls.values_mut().for_each(|call| *call = None);
        self.bench
            .import(&snapshot, then, off)
            .map_err(|error| Halt::mismatch(format!("restart at {}: {error}", moment.shown)))
    }
}

//! One endpoint along a script, once or boot by boot.

use permanence_core::{Permit, Snapshot};

use super::super::answer::Answer;
use super::super::bench::{Bench, Moment};
use super::super::fields::{Fields, Halt};
use super::super::observed::Observed;
use super::super::policy::CasePolicy;
use super::super::script::{Amount, Script, Step, Verb};
use super::request;

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let policy = CasePolicy::from_input(input)?;
    let (method, request) = request(input)?;
    let script = Script::parse(input.required_text("script")?)?;
    let mut scripted = Scripted {
        bench: Bench::new(&policy, 1, &method, request),
        clock: 0,
        past: 0,
        permit: None,
        snapshot: None,
    };
    for boot in 0..script.boots.unwrap_or(1) {
        if boot > 0 {
            scripted.power_up();
        }
        for step in &script.steps {
            scripted.take(step)?;
        }
    }
    Ok(scripted.bench.observe())
}

struct Scripted<'p> {
    bench: Bench<'p>,
    /// Milliseconds since the boot.
    clock: u64,
    /// Milliseconds of the boots before.
    past: u64,
    permit: Option<Permit>,
    snapshot: Option<Snapshot>,
}

impl Scripted<'_> {
    fn moment(&self) -> Moment {
        Moment { shown: self.past.saturating_add(self.clock), ..Moment::at(self.clock) }
    }

    /// The memory of the boot before is lost, and the clock starts at zero.
    fn power_up(&mut self) {
        self.past = self.past.saturating_add(self.clock);
        self.clock = 0;
        self.permit = None;
        self.bench.forget();
    }

    fn take(&mut self, step: &Step) -> Result<(), Halt> {
        if let Some(at) = step.at {
            self.clock = at;
        }
        let answer = step.out.as_deref().map(Answer::parse).transpose()?;
        let Some(repeat) = step.repeat else {
            let Amount::Times(times) = step.amount else {
                return Err(Halt::out_of_reach(format!("script: {:?} until refused", step.verb)));
            };
            for _ in 0..times {
                self.act(step.verb, answer.as_ref())?;
            }
            return Ok(());
        };
        let start = self.clock;
        let mut passed = repeat.every;
        while passed <= repeat.lasting {
            self.clock = start.saturating_add(passed);
            self.act(step.verb, answer.as_ref())?;
            passed = passed.saturating_add(repeat.every);
        }
        self.clock = start.saturating_add(repeat.lasting);
        Ok(())
    }

    fn act(&mut self, verb: Verb, answer: Option<&Answer>) -> Result<(), Halt> {
        let moment = self.moment();
        match verb {
            Verb::Pass | Verb::Reboot => {}
            Verb::Poll => {
                self.permit = self.bench.poll(moment);
                self.report(answer, moment);
            }
            Verb::Report => self.report(answer, moment),
            Verb::Restore => {
                if let Some(snapshot) = &self.snapshot {
                    self.bench.import(snapshot, moment.now, 0).map_err(|error| {
                        Halt::mismatch(format!("restore at {}: {error}", moment.shown))
                    })?;
                }
            }
            Verb::Run(span) => self.clock = self.clock.saturating_add(span),
            Verb::Save => self.snapshot = Some(self.bench.export(moment)),
            Verb::Deposit | Verb::Withdraw => {
                return Err(Halt::out_of_reach(format!("script: {verb:?} of an endpoint")));
            }
        }
        Ok(())
    }

    /// A poll that was told to skip leaves nothing to report.
    fn report(&mut self, answer: Option<&Answer>, moment: Moment) {
        if let Some(answer) = answer
            && let Some(permit) = self.permit.take()
        {
            self.bench.report(permit, answer, moment);
        }
    }
}

//! A retry budget along a script.

use permanence_core::{BudgetSettings, Instant, RetryBudget};

use super::super::fields::{Fields, Halt};
use super::super::observed::Observed;
use super::super::policy::budget;
use super::super::script::{Amount, Script, Step, Verb};

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let empty = toml::Table::new();
    let changes = input.table("policy")?.unwrap_or_else(|| Fields::new("policy", &empty));
    let mut purse = Purse {
        settings: budget(&changes)?,
        budget: RetryBudget::new(),
        clock: 0,
        granted: Vec::new(),
    };
    changes.finish()?;
    let script = Script::parse(input.required_text("script")?)?;
    for step in &script.steps {
        purse.take(step)?;
    }
    let mut observed = Observed::default();
    for (name, granted) in ORDINALS.iter().zip(&purse.granted) {
        observed.set_number(&format!("granted_{name}"), *granted);
    }
    observed.set_number("granted", purse.granted.iter().sum());
    Ok(observed)
}

const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// Withdrawals of one step come to an end here, though the budget were without one.
const MOST_GRANTED: u64 = 1_000_000;

struct Purse {
    settings: BudgetSettings,
    budget: RetryBudget<u32>,
    clock: u64,
    /// What each withdrawing step of the script was granted.
    granted: Vec<u64>,
}

impl Purse {
    fn take(&mut self, step: &Step) -> Result<(), Halt> {
        if let Some(at) = step.at {
            self.clock = at;
        }
        if step.verb == Verb::Withdraw {
            self.granted.push(0);
        }
        let Some(repeat) = step.repeat else { return self.act(step) };
        let start = self.clock;
        let mut passed = repeat.every;
        while passed <= repeat.lasting {
            self.clock = start.saturating_add(passed);
            self.act(step)?;
            passed = passed.saturating_add(repeat.every);
        }
        self.clock = start.saturating_add(repeat.lasting);
        Ok(())
    }

    fn act(&mut self, step: &Step) -> Result<(), Halt> {
        let now = Instant::from_millis(self.clock);
        match (step.verb, step.amount) {
            (Verb::Pass, _) => {}
            (Verb::Run(span), _) => self.clock = self.clock.saturating_add(span),
            (Verb::Deposit, Amount::Times(times)) => {
                (0..times).for_each(|_| self.budget.deposit(&self.settings, now));
            }
            (Verb::Withdraw, amount) => {
                let most = match amount {
                    Amount::Times(times) => times,
                    Amount::UntilRefused => MOST_GRANTED,
                };
                let mut granted = 0;
                while granted < most && self.budget.withdraw(&self.settings, now) {
                    granted += 1;
                }
                if let Some(last) = self.granted.last_mut() {
                    *last += granted;
                }
            }
            (verb, _) => {
                return Err(Halt::out_of_reach(format!("script: {verb:?} of a budget")));
            }
        }
        Ok(())
    }
}

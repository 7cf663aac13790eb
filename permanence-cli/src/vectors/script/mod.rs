//! The small language of `script` fields: clauses of verbs, numbers and spans.

mod clause;
mod crowd;
mod token;

use self::clause::Clause;
pub(super) use self::crowd::{Crowd, Subject};
use self::token::{Token, tokenize};
use super::fields::Halt;

/// A script.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Script {
    pub(super) steps: Vec<Step>,
    /// How often all steps run, each time from a clock of zero.
    pub(super) boots: Option<u64>,
}

/// One step of a script.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Step {
    /// The clock before the step, where the script sets it.
    pub(super) at: Option<u64>,
    pub(super) verb: Verb,
    pub(super) amount: Amount,
    /// What is reported.
    pub(super) out: Option<String>,
    pub(super) repeat: Option<Repeat>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Verb {
    Deposit,
    /// Nothing but the clock.
    Pass,
    Poll,
    Reboot,
    Report,
    Restore,
    Run(u64),
    Save,
    Withdraw,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Amount {
    Times(u64),
    UntilRefused,
}

/// Once each `every`, first one period in, for `lasting` milliseconds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Repeat {
    pub(super) every: u64,
    pub(super) lasting: u64,
}

impl Script {
    /// Reads a script; what is not understood is named.
    pub(super) fn parse(text: &str) -> Result<Self, Halt> {
        let mut script = Script::default();
        let tokens = tokenize(text);
        let is_end = |token: &Token| matches!(token, Token::Sign(';' | ','));
        for clause in tokens.split(is_end) {
            Clause::new(clause).read(&mut script).map_err(|what| {
                Halt::out_of_reach(format!("script: {what} not understood in {text:?}"))
            })?;
        }
        Ok(script)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(verb: Verb) -> Step {
        Step { at: None, verb, amount: Amount::Times(1), out: None, repeat: None }
    }

    #[test]
    fn clauses_have_a_verb_a_time_and_a_repeat() {
        let script =
            Script::parse("t=5 s: poll, report 404; then poll every 2 min for 1 day").unwrap();
        let repeat = Some(Repeat { every: 120_000, lasting: 86_400_000 });
        assert_eq!(
            script.steps,
            [
                Step { at: Some(5_000), ..step(Verb::Poll) },
                Step { out: Some("404".to_owned()), ..step(Verb::Report) },
                Step { repeat, ..step(Verb::Poll) },
            ]
        );
    }

    #[test]
    fn a_stretch_of_time_is_a_start_and_a_duration() {
        let script = Script::parse("t=10..20 s: deposit 2 every 100 ms, withdraw until refused");
        let steps = script.unwrap().steps;
        let repeat = Some(Repeat { every: 100, lasting: 10_000 });
        let deposit =
            Step { at: Some(10_000), amount: Amount::Times(2), repeat, ..step(Verb::Deposit) };
        assert_eq!(steps, [deposit, Step { amount: Amount::UntilRefused, ..step(Verb::Withdraw) }]);
    }

    #[test]
    fn boots_repeat_the_whole_script() {
        let script = Script::parse(
            "each boot: restore snapshot, poll, if call then report 404, run 60 s, save snapshot, \
             reboot (clock back to 0); 1 440 boots",
        );
        let script = script.unwrap();
        assert_eq!(script.boots, Some(1_440));
        let verbs: Vec<Verb> = script.steps.iter().map(|step| step.verb).collect();
        assert_eq!(
            verbs,
            [Verb::Restore, Verb::Poll, Verb::Report, Verb::Run(60_000), Verb::Save, Verb::Reboot]
        );
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let Err(Halt::OutOfReach(detail)) = Script::parse("poll; dance 3 times") else {
            panic!("dancing is not in the grammar")
        };
        assert!(detail.starts_with("script: \"dance\" not understood"), "{detail}");
        assert!(Script::parse("poll every 60 s").is_err());
    }
}

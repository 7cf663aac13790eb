//! One clause of a script, word by word.

use super::token::{Token, unit, whole};
use super::{Amount, Repeat, Script, Step, Verb};

/// The tokens of one clause, and what has been read of it.
pub(super) struct Clause<'t> {
    tokens: &'t [Token],
    verb: Option<Verb>,
    at: Option<u64>,
    amount: Amount,
    out: Option<String>,
    every: Option<u64>,
    lasting: Option<u64>,
}

impl<'t> Clause<'t> {
    pub(super) fn new(tokens: &'t [Token]) -> Self {
        Clause {
            tokens,
            verb: None,
            at: None,
            amount: Amount::Times(1),
            out: None,
            every: None,
            lasting: None,
        }
    }

    /// Reads the clause and adds its step; the error is what was not understood.
    pub(super) fn read(mut self, script: &mut Script) -> Result<(), String> {
        while let Some(token) = self.next() {
            match token {
                Token::Word(word) => self.read_word(&word.to_ascii_lowercase(), script)?,
                Token::Number(number) => self.read_number(*number, script)?,
                Token::Sign(':' | '=' | '/' | '<' | '>') => {}
                Token::Sign(sign) => return Err(format!("{sign:?}")),
                Token::To => return Err("\"..\"".to_owned()),
            }
        }
        let repeat = match (self.every, self.lasting) {
            (Some(every), Some(lasting)) if every > 0 => Some(Repeat { every, lasting }),
            (None, _) => None,
            _ => return Err("a repeat without end".to_owned()),
        };
        if let (Some(Verb::Report), Some(last)) = (self.verb, script.steps.last_mut()) {
            // A report after repeated polls is about each of them.
            if last.verb == Verb::Poll && last.repeat.is_some() && last.out.is_none() {
                last.out = self.out;
                return Ok(());
            }
        }
        let verb = match (self.verb, self.at) {
            (Some(verb), _) => verb,
            (None, Some(_)) => Verb::Pass,
            (None, None) => return Ok(()),
        };
        if verb == Verb::Report && self.out.is_none() {
            return Err("a report of nothing".to_owned());
        }
        let Clause { at, amount, out, .. } = self;
        script.steps.push(Step { at, verb, amount, out, repeat });
        Ok(())
    }

    fn next(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn peek_number(&self) -> Option<f64> {
        match self.tokens.first() {
            Some(Token::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn peek_word(&self) -> Option<String> {
        match self.tokens.first() {
            Some(Token::Word(word)) => Some(word.to_ascii_lowercase()),
            _ => None,
        }
    }

    fn read_word(&mut self, word: &str, script: &mut Script) -> Result<(), String> {
        match word {
            "t" => self.read_time(),
            "at" if self.peek_number().is_some() => self.read_time(),
            "poll" | "polls" | "ask" => self.set_verb(Verb::Poll),
            "report" | "reports" | "answered" | "answering" => self.read_report(),
            "deposit" | "deposits" => self.set_counted(Verb::Deposit),
            "withdraw" | "withdraws" => self.set_counted(Verb::Withdraw),
            "run" | "runs" | "wait" | "waits" | "sleep" => {
                let span = self.read_span().ok_or_else(|| format!("the span of {word:?}"))?;
                self.set_verb(Verb::Run(span))
            }
            "restore" | "restores" => self.set_verb(Verb::Restore),
            "save" | "saves" | "export" => self.set_verb(Verb::Save),
            "reboot" | "reboots" => self.set_verb(Verb::Reboot),
            "never" | "no" => {
                self.tokens = &[];
                Ok(())
            }
            "if" | "when" => match self.next() {
                Some(Token::Word(word)) if matches!(word.as_str(), "call" | "called") => Ok(()),
                _ => Err(format!("what {word:?} asks for")),
            },
            "until" => match self.next() {
                Some(Token::Word(word)) if matches!(word.as_str(), "refused" | "empty") => {
                    self.amount = Amount::UntilRefused;
                    Ok(())
                }
                _ => Err("the end of \"until\"".to_owned()),
            },
            "each" | "every" if self.peek_word().as_deref() == Some("boot") => {
                self.next();
                script.boots = script.boots.or(Some(1));
                Ok(())
            }
            "every" => {
                self.every = Some(self.read_span().ok_or("the span of \"every\"")?);
                Ok(())
            }
            "for" => {
                self.lasting = Some(self.read_span().ok_or("the span of \"for\"")?);
                Ok(())
            }
            "then" | "and" | "again" | "all" | "at" | "one" | "instant" | "the" | "a" | "of"
            | "snapshot" | "state" | "clock" | "back" | "to" | "once" | "each" | "time"
            | "same" | "with" | "result" | "in" | "times" => Ok(()),
            _ => Err(format!("{word:?}")),
        }
    }

    fn set_verb(&mut self, verb: Verb) -> Result<(), String> {
        match self.verb.replace(verb) {
            None => Ok(()),
            Some(other) => Err(format!("{verb:?} beside {other:?}")),
        }
    }

    fn set_counted(&mut self, verb: Verb) -> Result<(), String> {
        self.set_verb(verb)?;
        if let Some(number) = self.peek_number() {
            self.next();
            self.amount = Amount::Times(whole(number));
        }
        Ok(())
    }

    /// What is reported; beside a poll it is about that poll.
    fn read_report(&mut self) -> Result<(), String> {
        self.out = match self.next() {
            Some(Token::Number(number)) => Some(whole(*number).to_string()),
            Some(Token::Word(word)) => Some(word.clone()),
            _ => return Err("a report of nothing".to_owned()),
        };
        if self.verb != Some(Verb::Poll) {
            self.set_verb(Verb::Report)?;
        }
        Ok(())
    }

    fn read_number(&mut self, number: f64, script: &mut Script) -> Result<(), String> {
        match self.peek_word().as_deref() {
            Some("boots" | "boot" | "reboots") => script.boots = Some(whole(number)),
            Some("times" | "x") => self.amount = Amount::Times(whole(number)),
            _ => return Err(format!("the number {number}")),
        }
        self.next();
        Ok(())
    }

    /// A number and its unit, in milliseconds.
    fn read_span(&mut self) -> Option<u64> {
        let number = self.peek_number()?;
        self.next();
        let factor = self.peek_word().and_then(|word| unit(&word));
        if factor.is_some() {
            self.next();
        }
        Some(whole(number * factor.unwrap_or(1.0)))
    }

    /// A point in time, or a stretch of it: the second number's unit goes for both.
    fn read_time(&mut self) -> Result<(), String> {
        if self.tokens.first() == Some(&Token::Sign('=')) {
            self.next();
        }
        let number = self.peek_number().ok_or("the time of \"t\"")?;
        if self.tokens.get(1) != Some(&Token::To) {
            self.at = self.read_span();
            return Ok(());
        }
        self.next();
        self.next();
        let end = self.peek_number().ok_or("the end of a stretch")?;
        let end_ms = self.read_span().ok_or("the end of a stretch")?;
        // The unit went into the end only.
        let factor = if end > 0.0 { end_ms as f64 / end } else { 1.0 };
        let start_ms = whole(number * factor);
        self.at = Some(start_ms);
        self.lasting = Some(end_ms.saturating_sub(start_ms));
        Ok(())
    }
}

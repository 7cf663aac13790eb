//! The small language of `script` fields: clauses of verbs, numbers and spans.

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

/// A script about many endpoints: groups of them and what they answer.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Crowd {
    pub(super) groups: Vec<Group>,
}

/// Endpoints that answer alike.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Group {
    pub(super) subject: Subject,
    pub(super) out: String,
    pub(super) times: u64,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Subject {
    /// So many keys, each another one.
    Distinct(u64),
    Named(String),
}

impl Subject {
    /// How many keys there are.
    pub(super) fn count(&self) -> u64 {
        match self {
            Subject::Distinct(count) => *count,
            Subject::Named(_) => 1,
        }
    }

    /// The path of one of them.
    pub(super) fn template(&self, number: u64) -> String {
        match self {
            Subject::Distinct(_) => format!("/distinct/{number}"),
            Subject::Named(name) => format!("/{name}"),
        }
    }
}

impl Crowd {
    /// Reads a script such as `100 distinct URLs, each answered 404 once, then key 'a' answered 200`:
    /// a number or `key NAME` names the subject, and `answered OUT` closes its group.
    pub(super) fn parse(text: &str) -> Result<Self, Halt> {
        let mut crowd = Crowd::default();
        let mut subject = None;
        let tokens = tokenize(text);
        let mut rest = tokens.iter();
        let not_understood =
            |what: &str| Halt::out_of_reach(format!("script: {what} not understood in {text:?}"));
        while let Some(token) = rest.next() {
            let word = match token {
                Token::Number(number) => {
                    subject = Some(Subject::Distinct(whole(*number)));
                    continue;
                }
                Token::Word(word) => word.to_ascii_lowercase(),
                _ => continue,
            };
            match word.as_str() {
                "key" | "endpoint" => match rest.next() {
                    Some(Token::Word(name)) => subject = Some(Subject::Named(name.clone())),
                    _ => return Err(not_understood("a key without a name")),
                },
                "answered" | "answering" | "report" => {
                    let out = match rest.next() {
                        Some(Token::Number(number)) => whole(*number).to_string(),
                        Some(Token::Word(word)) => word.clone(),
                        _ => return Err(not_understood("an answer of nothing")),
                    };
                    let times = match rest.as_slice() {
                        [Token::Number(times), Token::Word(word), ..]
                            if matches!(word.as_str(), "times" | "x") =>
                        {
                            rest.next();
                            whole(*times)
                        }
                        _ => 1,
                    };
                    let subject =
                        subject.take().ok_or_else(|| not_understood("an answer to nobody"))?;
                    crowd.groups.push(Group { subject, out, times });
                }
                _ => {}
            }
        }
        match subject {
            Some(_) => Err(not_understood("a group without an answer")),
            None => Ok(crowd),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Sign(char),
    /// Two dots between the ends of a stretch.
    To,
    Word(String),
}

/// Cuts a script into words, numbers and signs; what stands in parentheses is a remark.
fn tokenize(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let at = |place: usize| letters.get(place).copied().unwrap_or(' ');
    let mut tokens = Vec::new();
    let mut place = 0;
    while place < letters.len() {
        let letter = at(place);
        if letter == '(' {
            while place < letters.len() && at(place) != ')' {
                place += 1;
            }
            place += 1;
        } else if letter.is_ascii_digit() {
            let mut digits = String::new();
            loop {
                let next = at(place);
                let starts_group = matches!(next, ' ' | '_' | ',')
                    && (1..=3).all(|ahead| at(place + ahead).is_ascii_digit())
                    && !at(place + 4).is_ascii_digit();
                if next.is_ascii_digit() || (next == '.' && at(place + 1).is_ascii_digit()) {
                    digits.push(next);
                } else if !starts_group {
                    break;
                }
                place += 1;
            }
            if let Ok(number) = digits.parse() {
                tokens.push(Token::Number(number));
            } else {
                tokens.push(Token::Word(digits));
            }
        } else if letter == '.' && at(place + 1) == '.' {
            tokens.push(Token::To);
            place += 2;
        } else if letter.is_alphanumeric() || letter == '_' {
            let mut word = String::new();
            while at(place).is_alphanumeric() || at(place) == '_' {
                word.push(at(place));
                place += 1;
            }
            tokens.push(Token::Word(word));
        } else {
            if !letter.is_whitespace() && !matches!(letter, '\'' | '"' | '-' | '.') {
                tokens.push(Token::Sign(letter));
            }
            place += 1;
        }
    }
    tokens
}

/// Milliseconds in a unit.
fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "ms" | "millis" | "millisecond" | "milliseconds" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
        "m" | "min" | "mins" | "minute" | "minutes" => 60e3,
        "h" | "hour" | "hours" => 3_600e3,
        "d" | "day" | "days" => 86_400e3,
        "w" | "week" | "weeks" => 604_800e3,
        _ => return None,
    })
}

/// A number of a script as a whole one; scripts have neither signs nor numbers past 2^53.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// The tokens of one clause, and what has been read of it.
struct Clause<'t> {
    tokens: &'t [Token],
    verb: Option<Verb>,
    at: Option<u64>,
    amount: Amount,
    out: Option<String>,
    every: Option<u64>,
    lasting: Option<u64>,
}

impl<'t> Clause<'t> {
    fn new(tokens: &'t [Token]) -> Self {
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
    fn read(mut self, script: &mut Script) -> Result<(), String> {
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
    fn a_crowd_is_groups_of_keys_and_their_answers() {
        let text =
            "1 000 distinct /a/<id>/b URLs, each answered 404 2 times, then key 'c' answered 200";
        let groups = Crowd::parse(text).unwrap().groups;
        let distinct = Group { subject: Subject::Distinct(1_000), out: "404".to_owned(), times: 2 };
        let named =
            Group { subject: Subject::Named("c".to_owned()), out: "200".to_owned(), times: 1 };
        assert_eq!(groups, [distinct, named]);
        assert!(Crowd::parse("10 distinct URLs").is_err());
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

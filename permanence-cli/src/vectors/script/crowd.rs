//! Scripts about many endpoints.

use super::super::fields::Halt;
use super::token::{Token, tokenize, whole};

/// A script about many endpoints: groups of them and what they answer.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(in super::super) struct Crowd {
    pub(in super::super) groups: Vec<Group>,
}

/// Endpoints that answer alike.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in super::super) struct Group {
    pub(in super::super) subject: Subject,
    pub(in super::super) out: String,
    pub(in super::super) times: u64,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(in super::super) enum Subject {
    /// So many keys, each another one.
    Distinct(u64),
    Named(String),
}

impl Subject {
    /// How many keys there are.
    pub(in super::super) fn count(&self) -> u64 {
        match self {
            Subject::Distinct(count) => *count,
            Subject::Named(_) => 1,
        }
    }

    /// The path of one of them.
    pub(in super::super) fn template(&self, number: u64) -> String {
        match self {
            Subject::Distinct(_) => format!("/distinct/{number}"),
            Subject::Named(name) => format!("/{name}"),
        }
    }
}

impl Crowd {
    /// Reads a script such as `100 distinct URLs, each answered 404 once, then key 'a' answered 200`:
    /// a number or `key NAME` names the subject, and `answered OUT` closes its group.
    pub(in super::super) fn parse(text: &str) -> Result<Self, Halt> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}

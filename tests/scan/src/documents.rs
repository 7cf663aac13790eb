//! Documents as they come, broken ones, and probes of every kind.

use permanence_core::{Literal, Probe, Segment, Target, Test};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A document of few names and letters, so that much of it is alike; blanks and escapes at will.
pub fn document() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        3 => text(),
        1 => select(&["null", "true", "false", "0", "-0", "1", "10", "1.5", "-1e+3", "1E2"][..])
            .prop_map(String::from),
    ];
    let inside = scalar.prop_recursive(5, 24, 4, |value| {
        let list =
            prop::collection::vec((blank(), value.clone(), blank()), 0..4).prop_map(|values| {
                joined('[', values.iter().map(|(l, v, r)| format!("{l}{v}{r}")), ']')
            });
        let members =
            prop::collection::vec((blank(), text(), blank(), value), 0..4).prop_map(|m| {
                joined(
                    '{',
                    m.iter().map(|(l, name, r, value)| format!("{l}{name}{r}:{l}{value}{r}")),
                    '}',
                )
            });
        prop_oneof![list, members]
    });
    (blank(), inside, blank()).prop_map(|(left, value, right)| format!("{left}{value}{right}"))
}

/// A document with a few bytes replaced, left out or put in.
pub fn broken_document() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<Index>(), 0..3_u8, prop_oneof![4 => select(BYTES), 1 => any::<u8>()]);
    (document(), prop::collection::vec(change, 1..3)).prop_map(|(document, changes)| {
        let mut bytes = document.into_bytes();
        for (place, kind, byte) in changes {
            let place = place.index(bytes.len() + 1);
            match kind {
                0 if place < bytes.len() => bytes[place] = byte,
                1 if place < bytes.len() => drop(bytes.remove(place)),
                _ => bytes.insert(place, byte),
            }
        }
        bytes
    })
}

/// A probe of a JSON place that owns what it is about.
#[derive(Clone, Debug)]
pub struct Question {
    /// The place.
    pub pointer: Vec<Segment<'static>>,
    kind: u8,
    texts: Vec<&'static str>,
    literals: Vec<Literal<'static>>,
}

impl Question {
    /// The probe itself.
    #[must_use]
    pub fn probe(&self) -> Probe<'_> {
        let test = match self.kind {
            0 => Test::Exists,
            1 => Test::Has(&self.texts),
            2 => Test::Prefix(&self.texts),
            _ => Test::Equal(&self.literals),
        };
        Probe { target: Target::Json(&self.pointer), test }
    }
}

/// Probes of every kind, about the names and letters of the documents.
pub fn question() -> impl Strategy<Value = Question> {
    let segment = prop_oneof![
        2 => Just(Segment::Any),
        2 => select(&[0, 1, 2, 10][..]).prop_map(Segment::Index),
        3 => select(TEXTS).prop_map(Segment::Key),
    ];
    let literal = prop_oneof![
        2 => select(TEXTS).prop_map(Literal::Text),
        1 => select(&["true", "false", "0", "-0", "1", "10", "1.5", "1E2"][..]).prop_map(Literal::Bare),
    ];
    (
        prop::collection::vec(segment, 0..4),
        0..5_u8,
        prop::collection::vec(select(TEXTS), 1..4),
        prop::collection::vec(literal, 1..4),
    )
        .prop_map(|(pointer, kind, texts, literals)| Question {
            pointer,
            kind,
            texts,
            literals,
        })
}

fn joined(open: char, parts: impl Iterator<Item = String>, close: char) -> String {
    format!("{open}{}{close}", parts.collect::<Vec<_>>().join(","))
}

fn blank() -> impl Strategy<Value = &'static str> {
    prop_oneof![8 => Just(""), 1 => select(&[" ", "\n", "\t\r"][..])]
}

/// A JSON string of a few characters, each in one of its forms.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(CHARACTERS), 0..5)
        .prop_map(|parts| format!("\"{}\"", parts.concat()))
}

const CHARACTERS: &[&str] = &[
    "a",
    "a",
    "a",
    "b",
    "b",
    "\\u0061",
    "0",
    "1",
    "2",
    "é",
    "\\u00e9",
    "\\u00E9",
    "😀",
    "\\ud83d\\ude00",
    "\\\"",
    "\\\\",
    "\\/",
    "/",
    "\\n",
    "{",
    "]",
    ",",
    ":",
];
const TEXTS: &[&str] = &[
    "", "a", "b", "aa", "ab", "ba", "aab", "aba", "abab", "0", "1", "é", "😀", "a\"", "\\", "/",
    "\n", "true", "10",
];
const BYTES: &[u8] = b"\"\\[]{}:,0123456789.-+eEtrufalsn \n\x00\x1f\x80\xc3\xa9\xff";

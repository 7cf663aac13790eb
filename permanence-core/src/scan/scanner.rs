//! The scanner of bodies.

use super::found::{Document, Found, Scalar};
use super::lanes::{BODY, Lanes, MET, NOWHERE, Which};
use super::progress::{Moment, Progress};
use super::questions::{Questions, Source};
use super::utf8::Utf8;
use super::{BODY_BYTES, DEPTH};
use crate::{DelaySource, Probe, Segment, Target, Test};

/// Reads a body once, in pieces, and answers the probes about it.
///
/// [`Target::Json`] probes look at the value at their place: at a text with its escapes resolved, at
/// a number, `true` or `false` as it is written. Texts pass [`Test::Equal`] by
/// [`Literal::Text`](crate::Literal::Text) only, the others by [`Literal::Bare`](crate::Literal::Bare)
/// only. A container exists and is nothing else; a `null` does not exist. Of several values at one
/// place, be it through `*` or through a name that is there twice, one is enough. [`Target::Body`]
/// probes look at the first [`BODY_BYTES`](super::BODY_BYTES) from the first byte that is not blank.
///
/// Where the body ceases to be JSON, its JSON probes keep the answers that they have; a scalar that
/// is cut off, or that holds a lone surrogate, is equal to nothing. Values below
/// [`DEPTH`](super::DEPTH) containers and elements beyond the first 65,534 are passed over. Probes
/// that are not about a body, and those past [`Bits::MAX`](crate::Bits::MAX), are never answered.
#[derive(Clone, Debug)]
pub struct Scanner<'p> {
    pub(super) questions: Questions<'p>,
    pub(super) lanes: Lanes,
    /// For each open container the number of the element, or the name of the member as a number.
    pub(super) numbers: [u16; DEPTH],
    pub(super) scalar: Scalar,
    pub(super) progress: Progress,
    pub(super) body_progress: Progress,
    pub(super) body_left: u16,
    /// The open containers, innermost lowest: 1 for an array.
    pub(super) arrays: u16,
    pub(super) depth: u8,
    /// How many containers are open below the last one that is looked into.
    pub(super) deeper: u16,
    pub(super) state: State,
    /// The digits of an escape so far, and above them those of the escape before.
    pub(super) unit: u32,
    pub(super) source: Source,
    pub(super) utf8: Utf8,
    /// Whether the scalar that is being read is the server's time.
    pub(super) keeping: bool,
}

/// Where in the grammar the scanner is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum State {
    After,
    Broken,
    Colon,
    Escape,
    FirstElement,
    FirstMember,
    Hex(u8),
    Member,
    Number(Part),
    PassOver,
    PassOverEscape,
    PassOverText,
    Text,
    Value,
    Word(u8),
}

/// The part of a number that was read last.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Part {
    Dot,
    Exponent,
    ExponentDigit,
    ExponentSign,
    Fraction,
    Minus,
    Whole,
    /// The last letter of a word: nothing can follow.
    WordEnd,
    Zero,
}

/// The state is this small whatever the number of probes.
const _: () = assert!(size_of::<Scanner<'static>>() <= 192);

impl<'p> Scanner<'p> {
    /// Makes a scanner that answers these probes and keeps the scalar where `delay` says, if that is
    /// a [`DelaySource::Json`].
    #[must_use]
    pub fn new(probes: &'p [Probe<'p>], delay: Option<DelaySource<'p>>) -> Self {
        let delay: Option<&'p [Segment<'p>]> = match delay {
            Some(DelaySource::Json(pointer, _)) => Some(pointer),
            _ => None,
        };
        let questions = Questions { probes, delay };
        let mut lanes = Lanes::new(probes.len());
        for (lane, state) in lanes.each(Which::ALL) {
            if questions.pointer(lane).is_some() {
                *state = 0;
            } else if questions.probe(lane).is_some_and(|probe| probe.target == Target::Body) {
                *state = NOWHERE | BODY;
            }
        }
        Scanner {
            questions,
            lanes,
            numbers: [0; DEPTH],
            scalar: Scalar::NONE,
            progress: Progress::START,
            body_progress: Progress::START,
            body_left: BODY_BYTES,
            arrays: 0,
            depth: 0,
            deeper: 0,
            state: State::Value,
            unit: 0,
            source: Source::Nothing,
            utf8: Utf8::new(),
            keeping: false,
        }
    }

    /// Takes the next piece of the body; its bounds mean nothing.
    pub fn feed(&mut self, piece: &[u8]) {
        for byte in piece {
            self.utf8.hear(*byte);
            self.hear_body(*byte);
            self.hear_json(*byte);
        }
    }

    /// Answers, now that the body is over or nobody reads on.
    #[must_use]
    pub fn finish(mut self) -> Found {
        if self.depth == 0 && self.ends_bare() {
            self.end_scalar();
        }
        let document = match self.state {
            State::After if self.depth == 0 => Document::Complete,
            State::Broken => Document::Malformed,
            State::Value if self.depth == 0 => Document::Empty,
            _ => Document::Truncated,
        };
        if self.body_left > 0 {
            let (questions, lanes) = (&self.questions, &mut self.lanes);
            self.body_progress.pass(questions, Source::Body, lanes, Moment::End);
        }
        if self.keeping {
            self.scalar = Scalar::NONE;
        }
        Found {
            bits: self.lanes.bits(),
            document,
            is_utf8: self.utf8.is_valid(),
            scalar: self.scalar,
        }
    }

    fn hear_body(&mut self, byte: u8) {
        let first = self.body_left == BODY_BYTES;
        if self.body_left == 0 || (first && is_blank(byte)) {
            return;
        }
        self.body_left = self.body_left.saturating_sub(1);
        let (questions, lanes) = (&self.questions, &mut self.lanes);
        if first {
            for (lane, state) in lanes.each(Which::marked(BODY)) {
                if questions.probe(lane).is_some_and(|probe| probe.test == Test::Exists) {
                    *state = MET | NOWHERE;
                }
            }
            self.body_progress.pass(questions, Source::Body, lanes, Moment::Midway);
        }
        self.body_progress.hear(questions, Source::Body, lanes, byte);
    }
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

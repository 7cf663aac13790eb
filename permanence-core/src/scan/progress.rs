//! How much of a text has been seen, without keeping it.
//!
//! The longest end of the bytes so far with which one of the texts begins is all that matters for
//! what can still be found (Aho and Corasick, 1975). It need not be copied: that text itself holds
//! it, so that two small numbers and a length stand for any number of bytes.

use super::lanes::{BODY, Lanes, MET, READING};
use super::questions::{Questions, Source};
use crate::Test;

/// The longest end of the bytes so far with which a text begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// The text that begins so: its lane.
    lane: u8,
    /// Whether that end is everything that has been read.
    whole: bool,
    /// The text that begins so: its place among the texts of the lane.
    place: u16,
    len: u16,
}

/// When a test is asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Moment {
    End,
    Midway,
}

impl Progress {
    /// Nothing read yet.
    pub(super) const START: Progress = Progress { lane: 0, whole: true, place: 0, len: 0 };

    /// Takes one more byte and marks the lanes whose test it passes.
    pub(super) fn hear(
        &mut self,
        questions: &Questions<'_>,
        source: Source,
        lanes: &mut Lanes,
        byte: u8,
    ) {
        let seen = self.seen(questions, source);
        let mut start = 0_usize;
        while let Some(end) = seen.get(start..) {
            let whole = self.whole;
            if (whole || !matches!(source, Source::Key(_)))
                && self.begin(questions, source, lanes, end, byte)
            {
                return self.pass(questions, source, lanes, Moment::Midway);
            }
            if whole {
                self.whole = false;
                give_up(questions, source, lanes);
            }
            start = start.saturating_add(1);
        }
        self.len = 0;
    }

    /// Marks the lanes whose test is passed by what has been read.
    pub(super) fn pass(
        &self,
        questions: &Questions<'_>,
        source: Source,
        lanes: &mut Lanes,
        moment: Moment,
    ) {
        if let Source::Key(_) = source {
            // A name is only on the way to a test.
            return;
        }
        let seen = self.seen(questions, source);
        for (lane, state) in lanes.each(source.lanes()) {
            let passes = match questions.probe(lane).map(|probe| probe.test) {
                Some(Test::Equal(literals)) if self.whole && moment == Moment::End => {
                    literals.iter().any(|literal| source.comparable(literal) == Some(seen))
                }
                Some(Test::Has(texts)) => texts.iter().any(|text| seen.ends_with(text.as_bytes())),
                Some(Test::Prefix(texts)) if self.whole => {
                    texts.iter().any(|text| text.as_bytes() == seen)
                }
                _ => false,
            };
            if passes {
                *state = *state & !(READING | BODY) | MET;
            }
        }
    }

    /// Whether everything that has been read is this text.
    pub(super) fn is(&self, questions: &Questions<'_>, source: Source, text: &str) -> bool {
        self.whole && self.seen(questions, source) == text.as_bytes()
    }

    fn seen<'p>(&self, questions: &Questions<'p>, source: Source) -> &'p [u8] {
        let text = questions.text(source, self.lane, self.place);
        text.and_then(|text| text.get(..usize::from(self.len))).unwrap_or_default()
    }

    /// Finds a text that goes on with `byte` after `seen`.
    fn begin(
        &mut self,
        questions: &Questions<'_>,
        source: Source,
        lanes: &mut Lanes,
        seen: &[u8],
        byte: u8,
    ) -> bool {
        for (lane, _) in lanes.each(source.lanes()) {
            for place in 0..=u16::MAX {
                let Some(text) = questions.text(source, lane, place) else { break };
                if text.get(seen.len()) == Some(&byte) && text.starts_with(seen) {
                    let len = u16::try_from(seen.len()).unwrap_or(u16::MAX).saturating_add(1);
                    *self = Progress { lane, whole: self.whole, place, len };
                    return true;
                }
            }
        }
        false
    }
}

/// Lets those lanes go that wanted everything that is read to be something.
fn give_up(questions: &Questions<'_>, source: Source, lanes: &mut Lanes) {
    for (lane, state) in lanes.each(source.lanes()) {
        if !matches!(source, Source::Key(_))
            && !matches!(questions.probe(lane).map(|probe| probe.test), Some(Test::Has(_)))
        {
            *state &= !(READING | BODY);
        }
    }
}

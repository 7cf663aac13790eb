//! How much of a text has been seen, without keeping it.
//!
//! The longest end of the bytes so far with which one of the texts begins is all that matters for
//! what can still be found (Aho and Corasick, 1975). It need not be copied: that text itself holds
//! it, so that two small numbers and a length stand for any number of bytes.

use super::levels::{Lanes, bit};
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

    /// Takes one more byte, and from `lanes` those that nothing can be done for any longer; hands out
    /// the lanes whose test is passed now.
    pub(super) fn hear(
        &mut self,
        questions: Questions<'_>,
        source: Source,
        lanes: &mut u64,
        byte: u8,
    ) -> u64 {
        let seen = self.seen(questions, source);
        for start in 0..=seen.len() {
            if let Some(next) = begun(questions, source, *lanes, seen.get(start..), byte) {
                *self = Progress { whole: self.whole, ..next };
                return self.passed(questions, source, *lanes, Moment::Midway);
            }
            if self.whole {
                self.whole = false;
                *lanes &= searching(questions, source, *lanes);
            }
        }
        self.len = 0;
        0
    }

    /// The lanes whose test is passed by what has been read; a name is only on the way to a test.
    pub(super) fn passed(
        self,
        questions: Questions<'_>,
        source: Source,
        lanes: u64,
        moment: Moment,
    ) -> u64 {
        if let Source::Key(_) = source {
            return 0;
        }
        let seen = self.seen(questions, source);
        let passes = |lane: &u8| {
            let texts = questions.texts(source, *lane);
            match questions.test(*lane) {
                Some(Test::Equal(_)) => {
                    self.whole && moment == Moment::End && texts.any(|text| text == seen)
                }
                Some(Test::Has(_)) => texts.any(|text| seen.ends_with(text)),
                Some(Test::Prefix(_)) => self.whole && texts.any(|text| text == seen),
                Some(Test::Exists) | None => false,
            }
        };
        Lanes(lanes).filter(passes).fold(0, |passed, lane| passed | bit(lane))
    }

    /// Whether everything that has been read is this text.
    pub(super) fn is(self, questions: Questions<'_>, source: Source, text: &str) -> bool {
        self.whole && self.seen(questions, source) == text.as_bytes()
    }

    fn seen<'p>(self, questions: Questions<'p>, source: Source) -> &'p [u8] {
        let text = questions.texts(source, self.lane).nth(usize::from(self.place));
        text.and_then(|text| text.get(..usize::from(self.len))).unwrap_or_default()
    }
}

/// A text that goes on with `byte` after `seen`.
fn begun(
    questions: Questions<'_>,
    source: Source,
    lanes: u64,
    seen: Option<&[u8]>,
    byte: u8,
) -> Option<Progress> {
    let seen = seen?;
    for lane in Lanes(lanes) {
        let texts = questions.texts(source, lane);
        for place in 0..texts.count() {
            let Some(text) = texts.nth(place) else { continue };
            if text.get(seen.len()) == Some(&byte) && text.starts_with(seen) {
                let place = u16::try_from(place).ok()?;
                let len = u16::try_from(seen.len().saturating_add(1)).ok()?;
                return Some(Progress { lane, whole: true, place, len });
            }
        }
    }
    None
}

/// The lanes that look for texts anywhere.
fn searching(questions: Questions<'_>, source: Source, lanes: u64) -> u64 {
    if let Source::Key(_) = source {
        return 0;
    }
    Lanes(lanes)
        .filter(|lane| matches!(questions.test(*lane), Some(Test::Has(_))))
        .fold(0, |searching, lane| searching | bit(lane))
}

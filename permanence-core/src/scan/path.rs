//! Values, the way to them, and their bytes.

use super::lanes::{DELAY, MET, READING, Which};
use super::progress::{Moment, Progress};
use super::questions::Source;
use super::scanner::{Scanner, State};
use crate::{Segment, Test};

impl Scanner<'_> {
    /// A value begins. A member has come here by its name; an element comes now.
    pub(super) fn enter(&mut self, source: Source) {
        if self.in_array() {
            self.descend();
        }
        (self.source, self.progress) = (source, Progress::START);
        if source == Source::Nothing {
            return;
        }
        let level = usize::from(self.depth);
        for (lane, state) in self.lanes.each(Which::at(self.depth)) {
            if self.questions.pointer(lane).is_none_or(|pointer| pointer.len() != level) {
                continue;
            }
            let probe = self.questions.probe(lane);
            if probe.is_some_and(|probe| probe.test == Test::Exists) {
                *state |= MET;
            } else if source == Source::Container {
                continue;
            } else if lane == DELAY {
                self.keeping = self.scalar.is_none();
            } else if *state & MET == 0 {
                *state |= READING;
            }
        }
        self.pass(Moment::Midway);
    }

    /// Moves the lanes one level further whose segment the element or the member meets.
    fn descend(&mut self) {
        let Some(level) = self.depth.checked_sub(1) else { return };
        let number = self.numbers.get(usize::from(level)).copied();
        let source = Source::Key(level);
        let in_array = self.in_array();
        for (lane, state) in self.lanes.each(Which::at(level)) {
            let meets = match self.questions.segment(lane, level) {
                Some(Segment::Any) => true,
                Some(Segment::Index(index)) => Some(index) == number && index < NO_DIGIT,
                Some(Segment::Key(name)) => {
                    !in_array && self.progress.is(&self.questions, source, name)
                }
                None => false,
            };
            *state = state.saturating_add(u8::from(meets));
        }
    }

    /// A value is over.
    pub(super) fn leave(&mut self) {
        for (_, state) in self.lanes.each(Which::at(self.depth)) {
            // No lane is further out than at the top.
            *state = state.saturating_sub(u8::from(self.depth > 0));
        }
        if self.in_array() {
            if let Some(number) = self.innermost() {
                *number = number.saturating_add(1);
            }
        }
    }

    pub(super) fn end_scalar(&mut self) {
        self.pass(Moment::End);
        for (_, state) in self.lanes.each(Which::marked(READING)) {
            *state &= !READING;
        }
        self.keeping = false;
        self.state = State::After;
        self.leave();
    }

    pub(super) fn begin_key(&mut self) -> State {
        self.source = Source::Key(self.depth.saturating_sub(1));
        self.progress = Progress::START;
        if let Some(number) = self.innermost() {
            *number = NO_DIGIT;
        }
        State::Text
    }

    pub(super) fn end_text(&mut self) -> State {
        if let Source::Key(_) = self.source {
            self.descend();
            return State::Colon;
        }
        self.end_scalar();
        State::After
    }

    pub(super) fn hear_text(&mut self, byte: u8) {
        if self.keeping {
            self.scalar.push(byte);
        }
        if let Source::Key(_) = self.source {
            if let Some(number) = self.innermost() {
                *number = with_digit(*number, byte);
            }
        }
        self.progress.hear(&self.questions, self.source, &mut self.lanes, byte);
    }

    /// A unit of UTF-16, as UTF-8. The first half of a pair gives the first two bytes and the second
    /// half the others, so that half a pair alone gives what is in no text.
    pub(super) fn hear_unit(&mut self) {
        let (before, unit) = (self.unit >> 16, self.unit & 0xffff);
        match unit {
            0x0000..=0x007f => return self.hear_bits(0, unit),
            0x0080..=0x07ff => self.hear_bits(0xc0, unit >> 6),
            0xd800..=0xdbff => {
                let high = (unit & 0x3ff).saturating_add(0x40);
                self.hear_bits(0xf0, high >> 8);
                return self.hear_bits(0x80, high >> 2 & 0x3f);
            }
            0xdc00..=0xdfff => self.hear_bits(0x80, (before & 3) << 4 | unit >> 6 & 0xf),
            _ => {
                self.hear_bits(0xe0, unit >> 12);
                self.hear_bits(0x80, unit >> 6 & 0x3f);
            }
        }
        self.hear_bits(0x80, unit & 0x3f);
    }

    fn pass(&mut self, moment: Moment) {
        self.progress.pass(&self.questions, self.source, &mut self.lanes, moment);
    }

    fn hear_bits(&mut self, lead: u8, bits: u32) {
        self.hear_text(lead | u8::try_from(bits).unwrap_or(0));
    }

    /// Whether the innermost container is an array.
    pub(super) fn in_array(&self) -> bool {
        self.depth > 0 && self.arrays & 1 == 1
    }

    /// The number of the element or member of the innermost container.
    fn innermost(&mut self) -> Option<&mut u16> {
        self.numbers.get_mut(usize::from(self.depth.checked_sub(1)?))
    }
}

/// A name as a number, one more byte of it read; leading zeros make it none.
fn with_digit(number: u16, byte: u8) -> u16 {
    match (number, byte) {
        (NO_DIGIT, b'0'..=b'9') => u16::from(byte & 0xf),
        (1.., b'0'..=b'9') => {
            let longer = number.saturating_mul(10).saturating_add(u16::from(byte & 0xf));
            if longer < NO_DIGIT { longer } else { NO_NUMBER }
        }
        _ => NO_NUMBER,
    }
}

/// A name that is no number, or too large a one.
const NO_NUMBER: u16 = u16::MAX;
/// A name of which nothing has been read.
const NO_DIGIT: u16 = u16::MAX - 1;

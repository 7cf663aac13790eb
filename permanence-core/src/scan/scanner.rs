//! The scanner of bodies.

use super::found::{Document, Found, Scalar};
use super::grammar::{Event, Grammar};
use super::levels::{Lanes, Levels, bit};
use super::progress::{Moment, Progress};
use super::questions::{Questions, Source};
use super::utf8::Utf8;
use super::{BODY_BYTES, DEPTH};
use crate::{Bits, DelaySource, Probe, Segment, Target, Test};

/// Reads a body once, in pieces, and answers the probes about it.
///
/// [`Target::Json`] probes look at the value at their place: at a text with its escapes resolved, at
/// a number, `true` or `false` as it is written. Texts pass [`Test::Equal`] by
/// [`Literal::Text`](crate::Literal::Text) only, the others by [`Literal::Bare`](crate::Literal::Bare)
/// only. A container exists and is nothing else; a `null` does not exist. Of several values at one place, be it through
/// `*` or through a name that is there twice, one is enough. [`Target::Body`] probes look at the first
/// [`BODY_BYTES`](super::BODY_BYTES) from the first byte that is not blank.
///
/// Where the body ceases to be JSON, its JSON probes keep the answers that they have; a cut-off scalar is
/// equal to nothing. A lone surrogate reads as U+FFFD, bytes that are not UTF-8 as themselves. Values below
/// [`DEPTH`](super::DEPTH) containers and elements beyond the first 65,534 are passed over.
///
/// A place of a server's time counts as a probe: with 64 others there is no room for it.
#[derive(Clone, Debug)]
pub struct Scanner<'p> {
    questions: Questions<'p>,
    levels: Levels,
    /// The probes that were answered with yes.
    bits: u64,
    /// The lanes that the scalar or the name that is being read can still do something for.
    reading: u64,
    /// The lanes that the body as text can still do something for.
    body: u64,
    /// For each open container the number of the element, or the name of the member as a number.
    numbers: [u16; DEPTH],
    scalar: Scalar,
    progress: Progress,
    body_progress: Progress,
    grammar: Grammar,
    /// The first half of a surrogate pair, or 0.
    surrogate: u16,
    body_left: u16,
    utf8: Utf8,
    source: Source,
    keeping: bool,
}

/// The state is this small whatever the number of probes.
const _: () = assert!(size_of::<Scanner<'static>>() <= 192);

impl<'p> Scanner<'p> {
    /// Makes a scanner for these probes; those that are not about a body, and those past
    /// [`Bits::MAX`], are never answered. A `delay` that is not [`DelaySource::Json`] is not looked for.
    #[must_use]
    pub fn new(probes: &'p [Probe<'p>], delay: Option<DelaySource<'p>>) -> Self {
        let delay = match delay {
            Some(DelaySource::Json(pointer, _)) => Some(pointer),
            _ => None,
        };
        let questions = Questions { probes, delay };
        let (mut json, mut body) = (0, 0);
        for lane in 0..=questions.delay_lane() {
            if questions.pointer(lane).is_some() {
                json |= bit(lane);
            } else if let Some(Probe { target: Target::Body, .. }) = probes.get(usize::from(lane)) {
                body |= bit(lane);
            }
        }
        let mut levels = Levels::NOWHERE;
        levels.set(json, 0);
        Scanner {
            questions,
            levels,
            bits: 0,
            reading: 0,
            body,
            numbers: [0; DEPTH],
            scalar: Scalar::NONE,
            progress: Progress::START,
            body_progress: Progress::START,
            grammar: Grammar::new(),
            surrogate: 0,
            body_left: BODY_BYTES,
            utf8: Utf8::new(),
            source: Source::Text,
            keeping: false,
        }
    }

    /// Takes the next piece of the body; its bounds mean nothing.
    pub fn feed(&mut self, piece: &[u8]) {
        for byte in piece {
            self.utf8.hear(*byte);
            self.hear_body(*byte);
            let event = self.grammar.step(*byte);
            self.hear_event(event);
            if event == Event::BareEnd {
                let event = self.grammar.step(*byte);
                self.hear_event(event);
            }
        }
    }

    /// Answers, now that the body is over or nobody reads on.
    #[must_use]
    pub fn finish(mut self) -> Found {
        let document = if self.grammar.is_complete() {
            Document::Complete
        } else if self.grammar.is_empty() {
            Document::Empty
        } else if self.grammar.is_broken() {
            Document::Malformed
        } else {
            Document::Truncated
        };
        if document == Document::Complete && self.grammar.ends_bare() {
            self.end_scalar();
        }
        if self.body_left > 0 && self.body_left < BODY_BYTES {
            let questions = self.questions;
            self.bits |= self.body_progress.passed(questions, Source::Body, self.body, Moment::End);
        }
        Found {
            bits: Bits::from_mask(self.bits),
            document,
            is_utf8: self.utf8.is_valid(),
            scalar: if self.keeping { Scalar::NONE } else { self.scalar },
        }
    }

    fn hear_body(&mut self, byte: u8) {
        let first = self.body_left == BODY_BYTES;
        if self.body_left == 0 || (first && matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            return;
        }
        self.body_left = self.body_left.saturating_sub(1);
        let (questions, source) = (self.questions, Source::Body);
        if first {
            let there = existing(questions, self.body);
            let passed = self.body_progress.passed(questions, source, self.body, Moment::Midway);
            self.answer(there | passed);
        }
        if self.body != 0 {
            let passed = self.body_progress.hear(questions, source, &mut self.body, byte);
            self.answer(passed);
        }
    }

    fn hear_event(&mut self, event: Event) {
        match event {
            Event::Nothing => {}
            Event::Bare(byte) => self.hear_text(byte),
            Event::Text(byte) => {
                self.hear_surrogate();
                self.hear_text(byte);
            }
            Event::Unit(unit) => self.hear_unit(unit),
            Event::BareStart(byte) => {
                self.begin_scalar(Source::Bare);
                self.hear_text(byte);
            }
            Event::NullStart => {
                self.enter(self.grammar.depth());
                (self.source, self.reading) = (Source::Bare, 0);
            }
            Event::TextStart => self.begin_scalar(Source::Text),
            Event::TextEnd => {
                self.hear_surrogate();
                self.end_scalar();
            }
            Event::BareEnd => self.end_scalar(),
            Event::KeyStart => self.begin_key(),
            Event::KeyEnd => {
                self.hear_surrogate();
                self.end_key();
            }
            Event::Open => self.open(),
            Event::PassOver => {
                let level = self.grammar.depth();
                self.enter(level);
                self.answer(existing(self.questions, self.targets(level)));
            }
            Event::Close | Event::PassedOver => self.leave(),
        }
    }

    fn answer(&mut self, lanes: u64) {
        self.bits |= lanes;
        self.reading &= !lanes;
        self.body &= !lanes;
    }
}

/// Values and the way to them.
impl Scanner<'_> {
    /// A value begins that stands in this many containers. A member has come here by its name; an
    /// element comes now.
    fn enter(&mut self, level: u8) {
        if self.grammar.is_element(level) {
            self.descend(level.saturating_sub(1));
        }
    }

    /// Moves the lanes at `level` one further whose segment the element or the name meets.
    fn descend(&mut self, level: u8) {
        let (questions, progress) = (self.questions, self.progress);
        let number = self.numbers.get(usize::from(level)).copied().unwrap_or(NO_NUMBER);
        let is_element = self.grammar.is_element(level.saturating_add(1));
        let met = |lane: &u8| match questions.segment(*lane, level) {
            Some(Segment::Any) => true,
            Some(Segment::Index(index)) => index == number && number < NO_NUMBER,
            Some(Segment::Key(name)) => {
                !is_element && progress.is(questions, Source::Key(level), name)
            }
            None => false,
        };
        let met = Lanes(self.levels.at(level)).filter(met).fold(0, |met, lane| met | bit(lane));
        self.levels.set(met, level.saturating_add(1));
    }

    /// A value is over.
    fn leave(&mut self) {
        let level = self.grammar.depth();
        let Some(outside) = level.checked_sub(1) else { return };
        self.levels.set(self.levels.at(level), outside);
        if self.grammar.is_element(level) {
            if let Some(number) = self.numbers.get_mut(usize::from(outside)) {
                *number = number.saturating_add(1).min(NO_NUMBER);
            }
        }
    }

    fn open(&mut self) {
        let level = self.grammar.depth().saturating_sub(1);
        self.enter(level);
        self.answer(existing(self.questions, self.targets(level)));
        if let Some(number) = self.numbers.get_mut(usize::from(level)) {
            *number = 0;
        }
    }

    /// The lanes whose place is here.
    fn targets(&self, level: u8) -> u64 {
        let here = |lane: &u8| {
            self.questions.pointer(*lane).is_some_and(|path| path.len() == usize::from(level))
        };
        Lanes(self.levels.at(level)).filter(here).fold(0, |targets, lane| targets | bit(lane))
    }

    fn begin_scalar(&mut self, source: Source) {
        let level = self.grammar.depth();
        self.enter(level);
        let targets = self.targets(level);
        let delay = bit(self.questions.delay_lane());
        self.keeping = targets & delay != 0 && self.scalar.is_none();
        (self.source, self.progress) = (source, Progress::START);
        self.reading = targets & !delay & !self.bits;
        let there = existing(self.questions, self.reading);
        let passed = self.progress.passed(self.questions, source, self.reading, Moment::Midway);
        self.answer(there | passed);
    }

    fn end_scalar(&mut self) {
        let passed = self.progress.passed(self.questions, self.source, self.reading, Moment::End);
        self.answer(passed);
        self.reading = 0;
        self.keeping = false;
        self.leave();
    }

    fn begin_key(&mut self) {
        let level = self.grammar.depth().saturating_sub(1);
        (self.source, self.progress) = (Source::Key(level), Progress::START);
        self.reading = self.levels.at(level);
        if let Some(number) = self.numbers.get_mut(usize::from(level)) {
            *number = NO_DIGIT;
        }
    }

    fn end_key(&mut self) {
        self.reading = 0;
        self.descend(self.grammar.depth().saturating_sub(1));
    }
}

/// Text, byte by byte.
impl Scanner<'_> {
    fn hear_text(&mut self, byte: u8) {
        if self.keeping {
            self.scalar.push(byte);
        }
        if let Source::Key(level) = self.source {
            if let Some(number) = self.numbers.get_mut(usize::from(level)) {
                *number = with_digit(*number, byte);
            }
        }
        if self.reading == 0 {
            return;
        }
        let (questions, source) = (self.questions, self.source);
        let passed = self.progress.hear(questions, source, &mut self.reading, byte);
        self.answer(passed);
    }

    /// A unit of UTF-16; two may make one character.
    fn hear_unit(&mut self, unit: u16) {
        let (high, low) = (core::mem::take(&mut self.surrogate), unit & 0x3ff);
        match unit {
            0xdc00..=0xdfff if high != 0 => {
                let code = u32::from(high & 0x3ff) << 10 | u32::from(low);
                self.hear_char(code.saturating_add(0x1_0000));
            }
            _ => {
                if high != 0 {
                    self.hear_char(REPLACEMENT);
                }
                match unit {
                    0xd800..=0xdbff => self.surrogate = unit,
                    0xdc00..=0xdfff => self.hear_char(REPLACEMENT),
                    _ => self.hear_char(u32::from(unit)),
                }
            }
        }
    }

    /// Half a pair that stayed alone.
    fn hear_surrogate(&mut self) {
        if core::mem::take(&mut self.surrogate) != 0 {
            self.hear_char(REPLACEMENT);
        }
    }

    fn hear_char(&mut self, code: u32) {
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            self.hear_text(byte);
        }
    }
}

/// The lanes that ask for nothing but a value.
fn existing(questions: Questions<'_>, lanes: u64) -> u64 {
    Lanes(lanes)
        .filter(|lane| questions.test(*lane) == Some(Test::Exists))
        .fold(0, |existing, lane| existing | bit(lane))
}

/// A name as a number, one more byte of it read; leading zeros make it none.
fn with_digit(number: u16, byte: u8) -> u16 {
    let digit = match byte {
        b'0'..=b'9' => u16::from(byte.saturating_sub(b'0')),
        _ => return NO_NUMBER,
    };
    match number {
        NO_DIGIT => digit,
        0 | NO_NUMBER => NO_NUMBER,
        _ => number.saturating_mul(10).saturating_add(digit).min(NO_NUMBER),
    }
}

/// A name that is no number, or too large a one.
const NO_NUMBER: u16 = u16::MAX - 1;
/// A name of which nothing has been read.
const NO_DIGIT: u16 = u16::MAX;
const REPLACEMENT: u32 = 0xfffd;

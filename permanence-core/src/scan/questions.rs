//! The probes as the scanner sees them: lanes, each with a place and with texts to look for.

use crate::{Bits, Literal, Probe, Segment, Target, Test};

/// The probes, and the place of a server's time as one lane more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Questions<'p> {
    pub(super) probes: &'p [Probe<'p>],
    pub(super) delay: Option<&'p [Segment<'p>]>,
}

/// What bytes are read as; it decides which texts they are compared with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Source {
    /// A number, `true` or `false`.
    Bare,
    /// The body as it came.
    Body,
    /// The name of a member: the segments with this number.
    Key(u8),
    /// A JSON string.
    Text,
}

impl<'p> Questions<'p> {
    /// How many probes there are, at most [`Bits::MAX`].
    pub(super) fn count(self) -> u8 {
        u8::try_from(self.probes.len().min(Bits::MAX)).unwrap_or(0)
    }

    /// The lane of the server's time; one past the last where there is no room for it.
    pub(super) fn delay_lane(self) -> u8 {
        self.count()
    }

    pub(super) fn test(self, lane: u8) -> Option<Test<'p>> {
        self.probes.get(usize::from(lane)).map(|probe| probe.test)
    }

    /// The place of a lane in a JSON body.
    pub(super) fn pointer(self, lane: u8) -> Option<&'p [Segment<'p>]> {
        match self.probes.get(usize::from(lane)) {
            Some(Probe { target: Target::Json(pointer), .. }) => Some(pointer),
            Some(_) => None,
            None => self.delay.filter(|_| lane == self.delay_lane()),
        }
    }

    pub(super) fn segment(self, lane: u8, level: u8) -> Option<Segment<'p>> {
        self.pointer(lane)?.get(usize::from(level)).copied()
    }

    /// The texts that a lane compares with what it reads from `source`.
    pub(super) fn texts(self, source: Source, lane: u8) -> Texts<'p> {
        if let Source::Key(level) = source {
            return match self.segment(lane, level) {
                Some(Segment::Key(name)) => Texts::One(name),
                _ => Texts::None,
            };
        }
        match self.test(lane) {
            Some(Test::Equal(literals)) => Texts::Literals(literals, source),
            Some(Test::Has(texts) | Test::Prefix(texts)) => Texts::Plain(texts),
            Some(Test::Exists) | None => Texts::None,
        }
    }
}

/// A list of texts, whatever it is kept in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Texts<'p> {
    Literals(&'p [Literal<'p>], Source),
    None,
    One(&'p str),
    Plain(&'p [&'p str]),
}

impl<'p> Texts<'p> {
    pub(super) fn count(self) -> usize {
        match self {
            Texts::Literals(literals, _) => literals.len(),
            Texts::None => 0,
            Texts::One(_) => 1,
            Texts::Plain(texts) => texts.len(),
        }
    }

    /// The text at `place`; none where it is of a kind that is not read here.
    pub(super) fn nth(self, place: usize) -> Option<&'p [u8]> {
        let text = match self {
            Texts::Literals(literals, source) => match *literals.get(place)? {
                Literal::Bare(text) if source != Source::Text => text,
                Literal::Text(text) if source != Source::Bare => text,
                _ => return None,
            },
            Texts::None => return None,
            Texts::One(text) => text,
            Texts::Plain(texts) => texts.get(place)?,
        };
        Some(text.as_bytes())
    }

    /// Whether one of them passes.
    pub(super) fn any(self, passes: impl Fn(&[u8]) -> bool) -> bool {
        (0..self.count()).any(|place| self.nth(place).is_some_and(&passes))
    }
}

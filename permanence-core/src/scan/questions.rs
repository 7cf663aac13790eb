//! The probes as the scanner sees them: lanes, each with a place and with texts to look for.

use super::lanes::{BODY, DELAY, READING, Which};
use crate::{Literal, Probe, Segment, Target, Test};

/// The probes, and the place of a server's time as one lane more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Questions<'p> {
    pub(super) probes: &'p [Probe<'p>],
    pub(super) delay: Option<&'p [Segment<'p>]>,
}

/// What bytes are read as; it decides what they are compared with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Source {
    /// A number, `true` or `false`.
    Bare,
    /// The body as it came.
    Body,
    /// An array or an object.
    Container,
    /// The name of a member of a container at this level.
    Key(u8),
    /// Something that nobody asks for.
    Nothing,
    /// A JSON string.
    Text,
}

impl<'p> Questions<'p> {
    /// The probe of a lane; the first lane has none.
    pub(super) fn probe(&self, lane: u8) -> Option<&'p Probe<'p>> {
        self.probes.get(usize::from(lane.checked_sub(1)?))
    }

    /// The place of a lane in a JSON body.
    pub(super) fn pointer(&self, lane: u8) -> Option<&'p [Segment<'p>]> {
        if lane == DELAY {
            return self.delay;
        }
        match self.probe(lane)?.target {
            Target::Json(pointer) => Some(pointer),
            _ => None,
        }
    }

    pub(super) fn segment(&self, lane: u8, level: u8) -> Option<Segment<'p>> {
        self.pointer(lane)?.get(usize::from(level)).copied()
    }

    /// One of the texts that a lane compares with what it reads.
    pub(super) fn text(&self, source: Source, lane: u8, place: u16) -> Option<&'p [u8]> {
        let at = usize::from(place);
        let text = if let Source::Key(level) = source {
            match self.segment(lane, level) {
                Some(Segment::Key(name)) if place == 0 => name,
                _ => return None,
            }
        } else {
            match self.probe(lane)?.test {
                Test::Equal(literals) => match literals.get(at)? {
                    Literal::Bare(text) | Literal::Text(text) => text,
                },
                Test::Has(texts) | Test::Prefix(texts) => texts.get(at)?,
                Test::Exists => return None,
            }
        };
        Some(text.as_bytes())
    }
}

impl Source {
    /// The lanes that read it.
    pub(super) const fn lanes(self) -> Which {
        match self {
            Source::Bare | Source::Container | Source::Nothing | Source::Text => {
                Which::marked(READING)
            }
            Source::Body => Which::marked(BODY),
            Source::Key(level) => Which::at(level),
        }
    }

    /// The text of a literal that may be equal to it; in JSON the kinds are kept apart.
    pub(super) fn comparable<'p>(self, literal: &Literal<'p>) -> Option<&'p [u8]> {
        match *literal {
            Literal::Bare(text) if self != Source::Text => Some(text.as_bytes()),
            Literal::Text(text) if self != Source::Bare => Some(text.as_bytes()),
            _ => None,
        }
    }
}

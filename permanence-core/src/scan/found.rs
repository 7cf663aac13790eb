//! What a scanner has found.

use super::DELAY_BYTES;
use crate::retry_after::{Reference, ServerDelay, in_unit};
use crate::{Bits, DelayUnit};

/// What a body told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Found {
    /// The probes of the body that were answered with yes.
    pub bits: Bits,
    /// Whether the body was a JSON document.
    pub document: Document,
    /// Whether the body was UTF-8 to its last byte.
    pub is_utf8: bool,
    pub(super) scalar: Scalar,
}

impl Found {
    /// The scalar where the server's time stands, escapes resolved; `None` where there is none, or one
    /// that is too long ([`DELAY_BYTES`](super::DELAY_BYTES)).
    #[must_use]
    pub fn scalar(&self) -> Option<&[u8]> {
        let scalar = self.scalar.bytes.get(..usize::from(self.scalar.len))?;
        (!scalar.is_empty()).then_some(scalar)
    }

    /// The time that the server named at that place.
    ///
    /// # Examples
    ///
    /// ```
    /// use permanence_core::retry_after::Reference;
    /// use permanence_core::scan::Scanner;
    /// use permanence_core::{DelaySource, DelayUnit, Segment};
    ///
    /// let source = DelaySource::Json(&[Segment::Key("retry_after")], DelayUnit::Seconds);
    /// let mut scanner = Scanner::new(&[], Some(source));
    /// scanner.feed(br#"{"message":"slow down","retry_after":0.65}"#);
    /// let delay = scanner.finish().delay(DelayUnit::Seconds, Reference::NONE);
    /// assert_eq!(delay.map(|delay| delay.as_millis()), Some(650));
    /// ```
    #[must_use]
    pub fn delay(&self, unit: DelayUnit, reference: Reference) -> Option<ServerDelay> {
        in_unit(self.scalar()?, unit, reference)
    }
}

/// Whether a body was a JSON document.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Document {
    /// It was one, from the first byte to the last.
    Complete,
    /// There was nothing but blanks.
    Empty,
    /// It was not JSON, or ceased to be; what stood before that has been looked at.
    Malformed,
    /// It was JSON as far as it went.
    Truncated,
}

/// A short scalar.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Scalar {
    bytes: [u8; DELAY_BYTES],
    /// How many of them count; more than there are for a scalar that did not fit.
    len: u8,
}

impl Scalar {
    pub(super) const NONE: Scalar = Scalar { bytes: [0; DELAY_BYTES], len: 0 };

    pub(super) const fn is_none(self) -> bool {
        self.len == 0
    }

    pub(super) fn push(&mut self, byte: u8) {
        let place = usize::from(self.len);
        self.len = match self.bytes.get_mut(place) {
            Some(free) => {
                *free = byte;
                self.len.saturating_add(1)
            }
            None => u8::MAX,
        };
    }
}

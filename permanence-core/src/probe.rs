//! What a policy asks of an answer beyond its status.

/// One question about an answer or its request.
///
/// A policy has at most [`Bits::MAX`] of them; the answers are [`Bits`], in the order of the
/// questions, and only those reach the machine: it never sees a header or a body (SPEC 4.3).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Probe<'p> {
    /// What is looked at.
    pub target: Target<'p>,
    /// What is asked of it.
    pub test: Test<'p>,
}

/// What a probe looks at.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Target<'p> {
    /// The first bytes of the body, as text.
    Body,
    /// The media type of the answer, without its parameters.
    ContentType,
    /// A header of the answer; the name is lower case.
    Header(&'p str),
    /// The scalar at this place of a JSON body.
    Json(&'p [Segment<'p>]),
    /// The method of the request.
    Method,
    /// The `location` of a redirect that nobody followed, or the URL that one has led to.
    Redirect,
    /// A header of the request; the name is lower case.
    RequestHeader(&'p str),
}

/// One step of a JSON pointer (RFC 6901), with `*` for every element or member.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Segment<'p> {
    /// Every element of an array and every member of an object.
    Any,
    /// The element with this number, or the member with this number as its name.
    Index(u16),
    /// The member with this name, escapes resolved.
    Key(&'p str),
}

/// What a probe asks; of several literals one is enough.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Test<'p> {
    /// It is one of these.
    Equal(&'p [Literal<'p>]),
    /// It is there at all; a JSON `null` is not.
    Exists,
    /// It contains one of these.
    Has(&'p [&'p str]),
    /// It begins with one of these.
    Prefix(&'p [&'p str]),
}

/// What a scalar is compared with.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Literal<'p> {
    /// A JSON number, `true` or `false`, as it is written.
    Bare(&'p str),
    /// A text: a JSON string, or the value of a header.
    Text(&'p str),
}

/// Which probes were answered with yes: bit `i` for probe `i`.
///
/// # Examples
///
/// ```
/// use permanence_core::Bits;
///
/// let bits = Bits::NONE.with(3);
/// assert!(bits.has(3) && !bits.has(2));
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Bits(u64);

impl Bits {
    /// No probe.
    pub const NONE: Bits = Bits(0);
    /// The most probes that a policy may have.
    pub const MAX: usize = 64;

    /// Makes bits from a mask.
    #[inline]
    #[must_use]
    pub const fn from_mask(mask: u64) -> Self {
        Bits(mask)
    }

    /// The mask.
    #[inline]
    #[must_use]
    pub const fn mask(self) -> u64 {
        self.0
    }

    /// The same with one more; a place past the last is no probe.
    #[inline]
    #[must_use]
    pub const fn with(self, place: usize) -> Self {
        // A place below 64 fits 32 bits.
        #[expect(clippy::as_conversions)]
        match 1_u64.checked_shl(if place < Self::MAX { place as u32 } else { u32::MAX }) {
            Some(bit) => Bits(self.0 | bit),
            None => self,
        }
    }

    /// Whether a probe was answered with yes.
    #[inline]
    #[must_use]
    pub const fn has(self, place: usize) -> bool {
        self.with(place).0 == self.0 && place < Self::MAX
    }

    /// Everything in either.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Bits) -> Self {
        Bits(self.0 | other.0)
    }
}

/// What a rule about more than the status makes of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Refinement<'p> {
    /// The name of the rule, such as `openai.quota`.
    pub id: &'p str,
    /// The row that it leads to.
    pub rule: &'p crate::Rule,
    /// Whether a peer that answered so acted on the request, if the signal alone misleads: a refusal
    /// that comes with status 200 did not.
    pub processed: Option<crate::Processed>,
    /// Where the server's time stands, if not in `retry-after` and its relatives.
    pub delay: Option<DelaySource<'p>>,
}

/// Where a server's time stands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum DelaySource<'p> {
    /// Always this long.
    Const(crate::Span),
    /// A header of the answer, read in this unit; the name is lower case.
    Header(&'p str, DelayUnit),
    /// A scalar of a JSON body, read in this unit.
    Json(&'p [Segment<'p>], DelayUnit),
}

/// How a server's time is written.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum DelayUnit {
    /// Seconds with a unit, as protobuf writes a duration: `3.5s`.
    Duration,
    /// Seconds since 1970.
    Epoch,
    /// Milliseconds.
    Millis,
    /// As `retry-after`: seconds, or a date.
    RetryAfter,
    /// Seconds, perhaps with a fraction.
    Seconds,
}

//! The states, and the few bits that a tracker keeps beside them.

/// Where an endpoint stands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Status {
    /// The server named a time; nothing is called before it.
    Deferred,
    /// Transient failures in a row; the caller's cadence goes on.
    Degraded,
    /// Calls have stopped until the next probe.
    Disabled,
    /// Calls have stopped until a reload or a recheck.
    Gone,
    /// Calls go on.
    Healthy,
    /// The one probe of a disabled endpoint is under way.
    Probing,
}

impl Status {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Status::Deferred => "deferred",
            Status::Degraded => "degraded",
            Status::Disabled => "disabled",
            Status::Gone => "gone",
            Status::Healthy => "healthy",
            Status::Probing => "probing",
        }
    }
}

/// The states of the machine: those of [`Status`], with the finer differences that it needs.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub(super) enum State {
    /// Healthy, proven and with nothing to remember: the next success changes nothing.
    Calm = 0,
    /// Healthy with something to remember.
    Healthy = 1,
    /// An open episode of transient failures.
    Degraded = 2,
    /// The server named a time, or the pacing holds calls back; no episode is open.
    Holding = 3,
    /// The same in an open episode.
    Deferred = 4,
    /// An open episode; calls have stopped.
    Disabled = 5,
    /// The same with a probe under way.
    Probing = 6,
    /// An open episode without probes.
    Gone = 7,
}

impl State {
    const ALL: [State; 8] = [
        State::Calm,
        State::Healthy,
        State::Degraded,
        State::Holding,
        State::Deferred,
        State::Disabled,
        State::Probing,
        State::Gone,
    ];

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    pub(super) const fn as_byte(self) -> u8 {
        // The discriminant of a `repr(u8)` enum.
        #[expect(clippy::as_conversions)]
        {
            self as u8
        }
    }

    #[inline]
    pub(super) const fn is_calm(self) -> bool {
        matches!(self, State::Calm)
    }

    /// Whether `admit` has to look at the clock.
    #[inline]
    pub(super) const fn is_gated(self) -> bool {
        !matches!(self, State::Calm | State::Healthy | State::Degraded)
    }

    /// Whether an episode is open.
    pub(super) const fn is_open(self) -> bool {
        !matches!(self, State::Calm | State::Healthy | State::Holding)
    }

    pub(super) const fn status(self) -> Status {
        match self {
            State::Calm | State::Healthy => Status::Healthy,
            State::Degraded => Status::Degraded,
            State::Holding | State::Deferred => Status::Deferred,
            State::Disabled => Status::Disabled,
            State::Probing => Status::Probing,
            State::Gone => Status::Gone,
        }
    }
}

/// A count of lines and five flags in one byte.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Marks(u8);

impl Marks {
    const LINES: u8 = 0b0000_0111;
    const PROVEN: u8 = 0b0000_1000;
    const UNSAID: u8 = 0b0001_0000;
    const RECENT: u8 = 0b0010_0000;
    const FINGERPRINT: u8 = 0b0100_0000;
    const ANNOUNCED: u8 = 0b1000_0000;

    pub(super) const NEW: Marks = Marks(0);

    pub(super) const fn from_byte(byte: u8) -> Self {
        Marks(byte)
    }

    pub(super) const fn as_byte(self) -> u8 {
        self.0
    }

    /// Lines since the last quiet window.
    pub(super) const fn lines(self) -> u8 {
        self.0 & Self::LINES
    }

    pub(super) fn set_lines(&mut self, lines: u8) {
        self.0 = (self.0 & !Self::LINES) | (lines & Self::LINES);
    }

    /// Whether the endpoint has ever succeeded.
    pub(super) const fn is_proven(self) -> bool {
        self.0 & Self::PROVEN != 0
    }

    pub(super) fn set_proven(&mut self) {
        self.0 |= Self::PROVEN;
    }

    /// Whether a line about the present state was held back.
    pub(super) const fn is_unsaid(self) -> bool {
        self.0 & Self::UNSAID != 0
    }

    pub(super) fn set_unsaid(&mut self, unsaid: bool) {
        self.0 = if unsaid { self.0 | Self::UNSAID } else { self.0 & !Self::UNSAID };
    }

    /// Whether the last line about the state said that something is wrong.
    pub(super) const fn is_announced(self) -> bool {
        self.0 & Self::ANNOUNCED != 0
    }

    pub(super) fn set_announced(&mut self, announced: bool) {
        self.0 = if announced { self.0 | Self::ANNOUNCED } else { self.0 & !Self::ANNOUNCED };
    }

    /// Whether an episode has ended since the last quiet window.
    pub(super) const fn is_recent(self) -> bool {
        self.0 & Self::RECENT != 0
    }

    pub(super) fn set_recent(&mut self, recent: bool) {
        self.0 = if recent { self.0 | Self::RECENT } else { self.0 & !Self::RECENT };
    }

    /// Whether the tracker's `run` is the fingerprint of a payload.
    pub(super) const fn is_fingerprint(self) -> bool {
        self.0 & Self::FINGERPRINT != 0
    }

    pub(super) fn set_fingerprint(&mut self, fingerprint: bool) {
        self.0 = if fingerprint { self.0 | Self::FINGERPRINT } else { self.0 & !Self::FINGERPRINT };
    }
}

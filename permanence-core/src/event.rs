//! The few things worth a line.

use core::fmt;

use crate::{Instant, Reason, Signal, SignalCode, SignalKind, Span};

/// What an endpoint failed with: the signal and the row that it fell into.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Cause {
    number: u16,
    kind: SignalKind,
    reason: Reason,
}

impl Cause {
    /// Makes a cause from its parts.
    #[inline]
    #[must_use]
    pub const fn new(code: SignalCode, reason: Reason) -> Self {
        Cause { number: code.number(), kind: code.kind(), reason }
    }

    /// The kind and the number of the signal.
    #[inline]
    #[must_use]
    pub const fn code(self) -> SignalCode {
        SignalCode::new(self.kind, self.number)
    }

    /// The signal, without a provider's code.
    #[must_use]
    pub fn signal(self) -> Signal<'static> {
        self.code().signal()
    }

    /// The row of the table.
    #[inline]
    #[must_use]
    pub const fn reason(self) -> Reason {
        self.reason
    }

    /// Whether there was no answer at all.
    #[inline]
    #[must_use]
    pub const fn is_network(self) -> bool {
        matches!(self.kind, SignalKind::Network)
    }
}

/// The short name of an episode, printed as four hexadecimal digits.
///
/// # Examples
///
/// ```
/// use permanence_core::EpisodeId;
///
/// assert_eq!(format!("{}", EpisodeId::from_number(0x7f3a)), "7f3a");
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct EpisodeId(u16);

impl EpisodeId {
    /// Makes an id from its number.
    #[inline]
    #[must_use]
    pub const fn from_number(number: u16) -> Self {
        EpisodeId(number)
    }

    /// The number.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for EpisodeId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::digits::write_hex4(out, self.0)
    }
}

/// One transition of an endpoint that is worth a line.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// When.
    pub at: Instant,
    /// What it happened with: the failure, or the answer that ended it.
    pub cause: Cause,
    /// What it was before, where that is news.
    pub previous: Option<Cause>,
    /// The episode that the line belongs to.
    pub episode: EpisodeId,
    /// How long the episode has lasted, in milliseconds; 0 in a line about a single request.
    pub lasted_ms: u64,
    /// When the endpoint is called again, if that is not at once.
    pub next_at: Option<Instant>,
    /// The interval of the probes that follow; where the first comes sooner, the waits grow up to it.
    pub every: Span,
    /// Failures in a row.
    pub streak: u16,
    /// Probes made in this episode.
    pub probes: u16,
    /// Calls skipped in this episode.
    pub skipped: u32,
    /// How often the episode has been reopened within the flap window; 255 means at least that.
    pub reentries: u8,
    /// Whether the policy only observes: the line says what would have happened.
    pub observed: bool,
}

/// What happened.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum EventKind {
    /// A write of unknown fate was not repeated.
    Ambiguous,
    /// A disabled endpoint fails for another reason now.
    Changed,
    /// Transient failures in a row, or a long wait that the server asked for.
    Degraded,
    /// Calls have stopped.
    Disabled,
    /// Calls have stopped for good.
    Gone,
    /// The episode is over.
    Recovered,
    /// A payload was refused.
    Rejected,
    /// The endpoint is still disabled.
    Still,
}

impl EventKind {
    /// The word that opens the line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::Ambiguous => "AMBIGUOUS",
            EventKind::Changed => "CHANGED",
            EventKind::Degraded => "DEGRADED",
            EventKind::Disabled => "DISABLED",
            EventKind::Gone => "GONE",
            EventKind::Recovered => "RECOVERED",
            EventKind::Rejected => "REJECTED",
            EventKind::Still => "STILL",
        }
    }

    /// How loud the line is.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            EventKind::Ambiguous | EventKind::Gone => Level::Error,
            EventKind::Recovered => Level::Info,
            EventKind::Changed
            | EventKind::Degraded
            | EventKind::Disabled
            | EventKind::Rejected
            | EventKind::Still => Level::Warn,
        }
    }
}

/// How loud a line is.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "UPPERCASE"))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Level {
    /// Somebody has to look.
    Error,
    /// Good news.
    Info,
    /// Something has changed for the worse.
    Warn,
}

impl Level {
    /// The name in a line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Error => "ERROR",
            Level::Info => "INFO",
            Level::Warn => "WARN",
        }
    }
}

//! The numbers of a policy that do not depend on the signal.

use core::num::NonZeroU8;

use crate::{Backoff, BudgetSettings, Jitter, Span};

/// The numbers of a policy that do not depend on the signal (SPEC 5.4).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Settings {
    /// The pauses between in-call retries.
    pub backoff: Backoff,
    /// How many retries the traffic affords.
    pub budget: BudgetSettings,
    /// How many permanent answers in a row are asked at most of an endpoint that has succeeded and
    /// failed by turns within the flap window; 1 asks no more than the rule does.
    pub confirm_max: NonZeroU8,
    /// Lines of one endpoint are counted within this window: at most
    /// [`LINES_PER_WINDOW`](crate::LINES_PER_WINDOW); zero counts nothing.
    pub flap_window: Span,
    /// Whether the answers are enforced.
    pub mode: Mode,
    /// How many transient failures in a row are worth a line and end in-call retries.
    pub notice_after: NonZeroU8,
    /// Whether a caller with a fast cadence is held back between transient failures.
    pub pacing: Pacing,
    /// How long a probe may take before it counts as lost.
    pub probe_lease: Span,
    /// The least time between two reminders of one disabled endpoint; `None` for none.
    pub reminder: Option<Span>,
    /// How much later than due a probe may come, in per cent of its wait, so that a fleet does not
    /// probe in step.
    pub reprobe_spread: Percent,
    /// The longest time that a server may name.
    pub retry_after_max: Span,
}

impl Settings {
    /// The language's literal defaults: what a policy file means that says nothing but its codes
    /// (SPEC 5.4). No ramp, no spread, no damping; a line for the first failure of each episode.
    pub const LITERAL: Settings = Settings {
        backoff: Backoff {
            base: Span::from_millis(500),
            max: Span::from_millis(30_000),
            jitter: Jitter::Full,
        },
        budget: BudgetSettings::FINAGLE,
        confirm_max: NonZeroU8::MIN,
        flap_window: Span::ZERO,
        mode: Mode::Enforce,
        notice_after: NonZeroU8::MIN,
        pacing: Pacing::Advise,
        probe_lease: Span::from_secs(60),
        reminder: None,
        reprobe_spread: Percent::ZERO,
        retry_after_max: Span::from_secs(86_400),
    };
}

/// Whether the answers of a tracker are enforced.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Mode {
    /// A skip is a skip.
    Enforce,
    /// Everything is admitted; the lines say what would have happened.
    Observe,
}

/// Whether a caller with a fast cadence is held back between transient failures.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Pacing {
    /// The back-off is advice ([`wake_at`](crate::Tracker::wake_at)); the caller's cadence goes on.
    Advise,
    /// Calls are skipped until the back-off has passed.
    Hold,
}

/// A share between 0 and 100 per cent.
///
/// # Examples
///
/// ```
/// use permanence_core::Percent;
///
/// assert_eq!(Percent::new(10).map(Percent::value), Some(10));
/// assert_eq!(Percent::new(101), None);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Percent(u8);

impl Percent {
    /// Nothing.
    pub const ZERO: Percent = Percent(0);

    /// Makes a share; `None` above 100.
    #[must_use]
    pub const fn new(value: u8) -> Option<Self> {
        if value > 100 { None } else { Some(Percent(value)) }
    }

    /// Makes a share; above 100 it is 100.
    #[must_use]
    pub const fn saturating(value: u8) -> Self {
        if value > 100 { Percent(100) } else { Percent(value) }
    }

    /// The share in per cent.
    #[inline]
    #[must_use]
    pub const fn value(self) -> u8 {
        self.0
    }
}

//! Time as plain numbers, passed in and never read.

/// A point in time: milliseconds since an epoch that the caller chooses.
///
/// The epoch may be the boot of a device, the start of a process or 1970; every instant given to one
/// [`Tracker`](crate::Tracker) must share it. A clock that steps back or stands still breaks no law
/// (SPEC 3.3). Arithmetic saturates.
///
/// # Examples
///
/// A span is added, and a later instant is measured against an earlier one:
///
/// ```
/// use permanence_core::{Instant, Span};
///
/// let opened_at = Instant::from_millis(1_000);
/// let probe_at = opened_at.saturating_add(Span::from_secs(60));
/// assert_eq!(probe_at.as_millis(), 61_000);
/// assert_eq!(probe_at.since(opened_at), 60_000);
/// assert_eq!(opened_at.since(probe_at), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Instant(u64);

impl Instant {
    /// The epoch.
    pub const ZERO: Instant = Instant(0);
    /// The last instant there is, 584 million years after the epoch.
    pub const MAX: Instant = Instant(u64::MAX);

    /// Makes an instant from milliseconds since the epoch.
    #[inline]
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Instant(millis)
    }

    /// Milliseconds since the epoch.
    #[inline]
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The instant `span` later, or [`Instant::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, span: Span) -> Self {
        // A widening cast; `u64::from` is not const.
        #[expect(clippy::as_conversions)]
        Instant(self.0.saturating_add(span.0 as u64))
    }

    /// The instant `span` earlier, or [`Instant::ZERO`].
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, span: Span) -> Self {
        #[expect(clippy::as_conversions)]
        Instant(self.0.saturating_sub(span.0 as u64))
    }

    /// Milliseconds from `earlier` to `self`; 0 when `earlier` is the later one.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Instant) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The span from `earlier` to `self`, between [`Span::ZERO`] and [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn span_since(self, earlier: Instant) -> Span {
        Span::from_millis_saturating(self.since(earlier))
    }
}

/// A length of time in milliseconds, at most 49.7 days.
///
/// Intervals of a policy are shorter still, below 2^31 ms, so that a 32-bit millisecond counter can
/// carry them (SPEC 5.4).
///
/// # Examples
///
/// A long span saturates:
///
/// ```
/// use permanence_core::Span;
///
/// assert_eq!(Span::from_secs(3 * 3600).as_millis(), 10_800_000);
/// assert_eq!(Span::from_secs(u32::MAX), Span::MAX);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Span(u32);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// The longest span, 2^32 - 1 ms.
    pub const MAX: Span = Span(u32::MAX);

    /// Makes a span from milliseconds.
    #[inline]
    #[must_use]
    pub const fn from_millis(millis: u32) -> Self {
        Span(millis)
    }

    /// Makes a span from milliseconds, or [`Span::MAX`] when they do not fit.
    #[inline]
    #[must_use]
    pub const fn from_millis_saturating(millis: u64) -> Self {
        #[expect(clippy::as_conversions)]
        if millis > u32::MAX as u64 { Span::MAX } else { Span(millis as u32) }
    }

    /// Makes a span from whole seconds, or [`Span::MAX`] when they do not fit.
    #[inline]
    #[must_use]
    pub const fn from_secs(seconds: u32) -> Self {
        Span(seconds.saturating_mul(1_000))
    }

    /// Milliseconds.
    #[inline]
    #[must_use]
    pub const fn as_millis(self) -> u32 {
        self.0
    }

    /// Whether this is no time at all.
    #[inline]
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum, or [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Span) -> Self {
        Span(self.0.saturating_add(other.0))
    }

    /// The difference, or [`Span::ZERO`].
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Span) -> Self {
        Span(self.0.saturating_sub(other.0))
    }

    /// Twice the span, or [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn doubled(self) -> Self {
        Span(self.0.saturating_mul(2))
    }
}

/// Turns a 32-bit millisecond counter that wraps every 49.7 days into instants that do not.
///
/// Readings less than 2^31 ms ahead of the last one move time forward, across the wrap too; all
/// others are small steps back. It must be read at least once in 24.8 days.
///
/// # Examples
///
/// A counter wraps between two readings:
///
/// ```
/// use permanence_core::TickExtender;
///
/// let mut ticks = TickExtender::new();
/// let before = ticks.extend(u32::MAX);
/// let after = ticks.extend(4);
/// assert_eq!(after.since(before), 5);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TickExtender {
    last: Option<u64>,
}

impl TickExtender {
    /// Makes an extender that has seen no reading.
    #[must_use]
    pub const fn new() -> Self {
        TickExtender { last: None }
    }

    /// The instant that the reading `ticks` stands for.
    pub fn extend(&mut self, ticks: u32) -> Instant {
        let Some(last) = self.last else {
            self.last = Some(u64::from(ticks));
            return Instant(u64::from(ticks));
        };
        let base = last & !u64::from(u32::MAX);
        // The low word of the last reading; the mask makes the conversion lossless.
        let low = u32::try_from(last & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        let ahead = ticks.wrapping_sub(low);
        let now = if ahead < 1 << 31 {
            last.saturating_add(u64::from(ahead))
        } else {
            let back = u64::from(low.wrapping_sub(ticks));
            last.checked_sub(back).unwrap_or(base.saturating_add(u64::from(ticks)))
        };
        self.last = Some(now);
        Instant(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapping_counter_goes_forward_across_the_wrap() {
        let mut ticks = TickExtender::new();
        assert_eq!(ticks.extend(4_294_963_200).as_millis(), 4_294_963_200);
        assert_eq!(ticks.extend(0).as_millis(), 1 << 32);
        assert_eq!(ticks.extend(10_795_904).as_millis(), (1 << 32) + 10_795_904);
    }

    #[test]
    fn a_small_step_back_stays_small() {
        let mut ticks = TickExtender::new();
        ticks.extend(1_000);
        assert_eq!(ticks.extend(900).as_millis(), 900);
        assert_eq!(ticks.extend(1_100).as_millis(), 1_100);
    }

    #[test]
    fn spans_and_instants_saturate() {
        assert_eq!(Instant::MAX.saturating_add(Span::MAX), Instant::MAX);
        assert_eq!(Instant::ZERO.saturating_sub(Span::MAX), Instant::ZERO);
        assert_eq!(Span::from_millis_saturating(1 << 40), Span::MAX);
        assert_eq!(Span::MAX.doubled(), Span::MAX);
    }
}

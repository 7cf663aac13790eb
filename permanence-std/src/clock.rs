//! Clocks: where instants and wall times come from.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use permanence_core::{Instant, Span, Timestamp, WallClock};

/// Where instants and wall times come from.
///
/// One registry reads one clock; instants of two clocks mean nothing to each other.
pub trait Clock: Send + Sync {
    /// The present instant.
    ///
    /// It should not go back; where it does, no wait grows longer than the interval that set it.
    fn now(&self) -> Instant;

    /// An instant and the wall time that it is; `None` where nobody knows the wall time, and then
    /// lines tell spans instead of times of day.
    fn wall(&self) -> Option<WallClock>;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Instant {
        C::now(self)
    }

    fn wall(&self) -> Option<WallClock> {
        C::wall(self)
    }
}

/// The clock of the operating system: milliseconds since it was made.
///
/// It stands on [`std::time::Instant`], which on Linux does not count the time that the machine is
/// suspended: a probe that falls due during a suspend comes that much later, never earlier. Wall
/// times are read anew for each line and may be stepped without harm.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    made_at: std::time::Instant,
}

impl SystemClock {
    /// Makes a clock whose epoch is now.
    #[must_use]
    pub fn new() -> Self {
        SystemClock { made_at: std::time::Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> Instant {
        let millis = self.made_at.elapsed().as_millis();
        Instant::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
    }

    fn wall(&self) -> Option<WallClock> {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let time = Timestamp::from_unix_seconds(since_epoch.as_secs());
        Some(WallClock { at: self.now(), time })
    }
}

/// A clock that stands still until somebody moves it: for tests and simulations.
///
/// Clones share one time.
///
/// # Examples
///
/// ```
/// use permanence_core::{Instant, Span};
/// use permanence_std::{Clock, ManualClock};
///
/// let clock = ManualClock::new();
/// let same = clock.clone();
/// clock.advance(Span::from_secs(60));
/// assert_eq!(same.now(), Instant::from_millis(60_000));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualClock {
    millis: Arc<AtomicU64>,
    started: Option<Timestamp>,
}

impl ManualClock {
    /// Makes a clock that stands at the epoch and knows no wall time.
    #[must_use]
    pub fn new() -> Self {
        ManualClock::default()
    }

    /// Makes a clock whose epoch is the wall time `started`.
    #[must_use]
    pub fn starting_at(started: Timestamp) -> Self {
        ManualClock { started: Some(started), ..ManualClock::default() }
    }

    /// Moves the clock forward.
    pub fn advance(&self, span: Span) {
        self.millis.fetch_add(u64::from(span.as_millis()), Ordering::Relaxed);
    }

    /// Sets the clock; back as well, as a clock that is stepped does.
    pub fn set(&self, now: Instant) {
        self.millis.store(now.as_millis(), Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        Instant::from_millis(self.millis.load(Ordering::Relaxed))
    }

    fn wall(&self) -> Option<WallClock> {
        self.started.map(|time| WallClock { at: Instant::ZERO, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_it_is_moved() {
        let clock = ManualClock::new();
        assert_eq!(clock.now(), Instant::ZERO);
        assert_eq!(clock.wall(), None);
        clock.advance(Span::from_millis(5));
        clock.advance(Span::from_millis(7));
        assert_eq!(clock.now(), Instant::from_millis(12));
        clock.set(Instant::from_millis(3));
        assert_eq!(clock.now(), Instant::from_millis(3));
    }

    #[test]
    fn the_wall_time_of_a_manual_clock_is_that_of_its_epoch() {
        let started = Timestamp::from_unix_seconds(1_767_571_200);
        let clock = ManualClock::starting_at(started);
        clock.advance(Span::from_secs(60));
        assert_eq!(clock.wall(), Some(WallClock { at: Instant::ZERO, time: started }));
    }

    #[test]
    fn the_system_clock_knows_both_times() {
        let clock = SystemClock::new();
        let wall = clock.wall().expect("the machine's clock is past 1970");
        assert!(wall.time > Timestamp::from_unix_seconds(1_700_000_000));
        assert!(clock.now() >= wall.at);
    }
}

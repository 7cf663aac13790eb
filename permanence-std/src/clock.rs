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
/// It counts the time that the machine is suspended wherever the platform has such a clock
/// (`CLOCK_BOOTTIME` on Linux and Android, `CLOCK_MONOTONIC` on Apple's systems): a probe that falls
/// due while a laptop sleeps is made when it wakes. Elsewhere it stands on [`std::time::Instant`],
/// and where that one does not count a suspend, the probe comes that much later, never earlier. Wall
/// times are read anew for each line and may be stepped without harm.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    made_at: running::Moment,
}

impl SystemClock {
    /// Makes a clock whose epoch is now.
    #[must_use]
    pub fn new() -> Self {
        SystemClock { made_at: running::Moment::now() }
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

/// Time that runs on through a suspend, where the platform tells it.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod running {
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    #[cfg(not(target_vendor = "apple"))]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(target_vendor = "apple")]
    const CLOCK: ClockId = ClockId::Monotonic;

    /// A moment, as the time since one that the system chose.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Moment(pub(super) Duration);

    impl Moment {
        #[inline]
        pub(super) fn now() -> Self {
            let read = clock_gettime(CLOCK);
            let seconds = u64::try_from(read.tv_sec).unwrap_or(0);
            let nanos = u32::try_from(read.tv_nsec).unwrap_or(0);
            Moment(Duration::new(seconds, nanos))
        }

        /// The time since this moment; zero if the clock went back.
        #[inline]
        pub(super) fn elapsed(self) -> Duration {
            Moment::now().0.saturating_sub(self.0)
        }
    }
}

/// Time as the standard library tells it.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod running {
    pub(super) use std::time::Instant as Moment;
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

    /// `/proc/uptime` tells the time since boot with every suspend counted, in hundredths of a second.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_clock_counts_suspends_as_the_uptime_does() {
        let uptime = || {
            let text = std::fs::read_to_string("/proc/uptime").expect("Linux tells its uptime");
            let seconds = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
            std::time::Duration::from_secs_f64(seconds.expect("it begins with the seconds"))
        };
        let before = uptime();
        let now = running::Moment::now().0 + std::time::Duration::from_millis(10);
        let after = uptime() + std::time::Duration::from_millis(20);
        assert!(before <= now && now <= after, "{now:?} is not between {before:?} and {after:?}");
    }
}

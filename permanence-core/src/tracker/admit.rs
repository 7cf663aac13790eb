//! Asking: what is admitted while calls are gated (SPEC 3.3).

use super::lesson::Scene;
use super::{State, Tracker};
use crate::permit::Purpose;
use crate::{Admission, Instant, Mode, Permit, Reprobe, Rule, Settings, Skip, Span};

/// The re-probe interval where the policy has none: the language's own default.
pub(super) const INTERVAL_OF_NOTHING: Span = Span::from_secs(3 * 3_600);

impl Tracker {
    #[inline]
    pub(super) fn cadence_permit(&self) -> Permit {
        Permit { stamp: self.stamp, purpose: Purpose::Cadence }
    }

    /// Asks in a state in which the time decides; `None` when a probe is due.
    #[inline]
    pub(super) fn admit_gated(&mut self, settings: &Settings, now: Instant) -> Option<Admission> {
        if self.state != State::Gone {
            self.bound_wait(now);
            if now >= self.until {
                let permit = self.cadence_permit();
                return (!self.is_shut()).then_some(Admission::Call(permit));
            }
        }
        self.skipped = self.skipped.saturating_add(1);
        if settings.mode == Mode::Observe {
            let permit = Permit { stamp: self.stamp, purpose: Purpose::Observed };
            return Some(Admission::Call(permit));
        }
        let until = (self.state != State::Gone).then_some(self.until);
        Some(Admission::Skip(Skip { until, cause: self.cause }))
    }

    /// No wait exceeds the one that set it, also after the clock has stepped back (L2).
    #[inline]
    pub(super) fn bound_wait(&mut self, now: Instant) {
        if self.until.since(now) > u64::from(self.wait.as_millis()) {
            self.until = now.saturating_add(self.wait);
        }
    }

    /// Hands out the one probe, and plans for the case that it never comes back: the wait grows as
    /// if it had failed.
    pub(super) fn open_probe(&mut self, held: &Rule, settings: &Settings, now: Instant) -> Permit {
        let wait = self.next_wait(held.reprobe, &Scene { settings, now });
        self.state = State::Probing;
        self.stamp = self.stamp.wrapping_add(1);
        self.probes = self.probes.saturating_add(1);
        self.wait_from(now, wait);
        Permit { stamp: self.stamp, purpose: Purpose::Probe }
    }

    /// Nothing is due for `wait` from now on.
    #[inline(never)]
    pub(super) fn wait_from(&mut self, now: Instant, wait: Span) {
        self.wait = wait;
        self.until = now.saturating_add(wait);
    }

    /// The wait after the present one: the interval, or on the way there twice as long after every
    /// second probe. While the endpoint wavers the wait does not grow: its next success is near.
    pub(super) fn next_wait(&mut self, reprobe: Reprobe, scene: &Scene<'_>) -> Span {
        let Reprobe::Every { interval, ramp } = reprobe else { return INTERVAL_OF_NOTHING };
        let proven = self.marks.is_proven();
        let (first, steps) = match ramp.filter(|_| proven) {
            None if self.streak == 0 => (scene.settings.backoff.max, 1),
            None => return interval,
            Some(ramp) if self.is_wavering(scene) => return ramp,
            Some(ramp) => (ramp, self.probes & 1),
        };
        let first = first.max(Span::from_millis(1));
        if self.wait < first {
            return first.min(interval);
        }
        // The step that the last wait stood on, without the spread on top of it.
        let mut step = first;
        while step.doubled() <= self.wait && step < interval {
            step = step.doubled();
        }
        if steps == 1 { step.doubled().min(interval) } else { step.min(interval) }
    }
}

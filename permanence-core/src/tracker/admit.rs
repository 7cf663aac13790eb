//! Asking: what is admitted while calls are gated (SPEC 3.3).

use super::lesson::Scene;
use super::{State, Tracker};
use crate::chance;
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
    pub(super) fn admit_gated(&mut self, settings: &Settings, now: Instant) -> Option<Admission> {
        if self.state != State::Gone {
            // The exact bound is rarely worth its arithmetic: never longer than the wait, mostly.
            if self.until.since(now) > u64::from(self.wait.as_millis()) {
                self.bound_wait(settings, now);
            }
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
        Some(Admission::Skip(Skip { until, cause: self.present_cause() }))
    }

    /// No wait exceeds the interval that set it and its spread, also after the clock has stepped back
    /// (L2).
    #[cold]
    pub(super) fn bound_wait(&mut self, settings: &Settings, now: Instant) {
        let longest = self.wait.saturating_add(self.spread(settings));
        self.until = self.until.min(now.saturating_add(longest));
    }

    /// Hands out the one probe, and plans for the case that it never comes back: the wait grows as
    /// if it had failed.
    pub(super) fn open_probe(&mut self, held: &Rule, settings: &Settings, now: Instant) -> Permit {
        self.wait = self.next_wait(held.reprobe, &Scene { settings, now });
        self.state = State::Probing;
        self.stamp = self.stamp.wrapping_add(1);
        self.probes = self.probes.saturating_add(1);
        self.until = now.saturating_add(self.wait);
        Permit { stamp: self.stamp, purpose: Purpose::Probe }
    }

    /// The wait after the present one: the interval, or on the way there twice as long after every
    /// second probe. While the endpoint wavers the wait does not grow: its next success is near.
    pub(super) fn next_wait(&mut self, reprobe: Reprobe, scene: &Scene<'_>) -> Span {
        let Reprobe::Every { interval, ramp } = reprobe else { return INTERVAL_OF_NOTHING };
        let proven = self.marks.is_proven();
        match ramp.filter(|_| proven) {
            None if self.streak == 0 => {
                self.wait.doubled().max(scene.settings.backoff.max).min(interval)
            }
            None => interval,
            Some(ramp) if self.is_wavering(scene) => ramp,
            Some(ramp) if self.probes & 1 == 0 => self.wait.max(ramp).min(interval),
            Some(ramp) => self.wait.doubled().max(ramp).min(interval),
        }
    }

    /// The most that a probe may come later than its wait.
    pub(super) fn spread(&self, settings: &Settings) -> Span {
        chance::share_of(self.wait, settings.reprobe_spread)
    }
}

//! Asking: what is admitted while calls are gated (SPEC 3.3).

use super::{State, Tracker};
use crate::permit::Purpose;
use crate::{Admission, Instant, Mode, Permit, Settings, Skip, Span};

impl Tracker {
    #[inline]
    pub(super) fn cadence_permit(&self) -> Permit {
        Permit { stamp: self.stamp, purpose: Purpose::Cadence }
    }

    /// Asks in a state in which the time decides.
    pub(super) fn admit_gated(&mut self, settings: &Settings, now: Instant) -> Admission {
        if self.state != State::Gone {
            self.bound_wait(settings, now);
            if now >= self.until {
                return Admission::Call(self.open_gate(settings, now));
            }
        }
        self.skipped = self.skipped.saturating_add(1);
        if settings.mode == Mode::Observe {
            return Admission::Call(Permit { stamp: self.stamp, purpose: Purpose::Observed });
        }
        let until = (self.state != State::Gone).then_some(self.until);
        Admission::Skip(Skip { until, cause: self.present_cause() })
    }

    /// No wait exceeds the interval that set it, also after the clock has stepped back (L2).
    pub(super) fn bound_wait(&mut self, settings: &Settings, now: Instant) {
        let longest = match self.state {
            State::Probing => self.probe_span(settings),
            State::Disabled => self.wait.saturating_add(self.spread(settings)),
            _ => self.wait,
        };
        if self.until.since(now) > u64::from(longest.as_millis()) {
            self.until = now.saturating_add(longest);
        }
    }

    fn open_gate(&mut self, settings: &Settings, now: Instant) -> Permit {
        if !matches!(self.state, State::Disabled | State::Probing) {
            return self.cadence_permit();
        }
        self.state = State::Probing;
        self.stamp = self.stamp.wrapping_add(1);
        self.probes = self.probes.saturating_add(1);
        self.until = now.saturating_add(self.probe_span(settings));
        Permit { stamp: self.stamp, purpose: Purpose::Probe }
    }

    /// The most that a probe may come later than its wait.
    pub(super) fn spread(&self, settings: &Settings) -> Span {
        let percent = u32::from(settings.reprobe_spread.value());
        Span::from_millis((self.wait.as_millis() / 100).saturating_mul(percent))
    }

    /// From the start of a probe to the next one, if it never comes back.
    pub(super) fn probe_span(&self, settings: &Settings) -> Span {
        self.wait.max(settings.probe_lease)
    }
}

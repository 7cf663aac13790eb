//! Out to bytes and back, with remaining times (SPEC 3.9).

use super::episode::age;
use super::{Marks, State, Tracker};
use crate::snapshot::{Reader, SNAPSHOT_LEN, Snapshot, Writer, checksum};
use crate::{Cause, Instant, Reason, RestoreError, SignalCode, SignalKind, Span};

impl Tracker {
    /// The tracker as bytes.
    ///
    /// It is worth writing when a step had an event and when a probe was admitted; between those
    /// only counts change.
    ///
    /// # Examples
    ///
    /// A device is off for an hour and its clock restarts at zero:
    ///
    /// ```
    /// use permanence_core::{Instant, Settings, Tracker};
    ///
    /// let tracker = Tracker::new(7);
    /// let bytes = tracker.snapshot(Instant::from_millis(90_000));
    /// let restored =
    ///     Tracker::restore(&bytes, Instant::ZERO, 3_600_000).unwrap();
    /// assert_eq!(restored.status(), tracker.status());
    /// assert!(Tracker::restore(b"torn", Instant::ZERO, 0).is_err());
    /// ```
    #[must_use]
    pub fn snapshot(&self, now: Instant) -> Snapshot {
        let mut bytes = [0; SNAPSHOT_LEN];
        let Some((body, sum)) = bytes.split_last_chunk_mut::<4>() else { return bytes };
        let mut out = Writer::new(body);
        out.put(&[
            VERSION,
            self.state.as_byte(),
            self.marks.as_byte(),
            self.cause.code().kind().as_byte(),
        ]);
        out.put(&self.cause.code().number().to_le_bytes());
        out.put(&[self.cause.reason().number(), self.run, self.reentries, 0]);
        for field in [self.episode, self.stamp, self.streak, self.probes] {
            out.put(&field.to_le_bytes());
        }
        out.put(&self.skipped.to_le_bytes());
        out.put(&self.wait.as_millis().to_le_bytes());
        let remaining = match self.until {
            Instant::ZERO => NONE,
            until => {
                i64::from_le_bytes(until.as_millis().wrapping_sub(now.as_millis()).to_le_bytes())
            }
        };
        out.put(&remaining.to_le_bytes());
        out.put(&age(self.since, now).to_le_bytes());
        let line_age = age(self.line_at, now).min(LONGEST_AGE).to_le_bytes();
        out.put(line_age.first_chunk::<6>().unwrap_or(&[0; 6]));
        *sum = checksum(body).to_le_bytes();
        bytes
    }

    /// The tracker that `bytes` hold, under a clock that now says `now`.
    ///
    /// `elapsed_ms` is the time since the snapshot was taken, by a clock that both ends share; zero
    /// where there is none, and then a wait goes on from where it was. No wait can come out longer
    /// than the one that went in.
    ///
    /// # Errors
    ///
    /// Anything that [`snapshot`](Tracker::snapshot) did not write: see [`RestoreError`].
    pub fn restore(bytes: &[u8], now: Instant, elapsed_ms: u64) -> Result<Self, RestoreError> {
        if bytes.len() != SNAPSHOT_LEN {
            return Err(RestoreError::Length(bytes.len()));
        }
        let Some((body, sum)) = bytes.split_last_chunk::<4>() else {
            return Err(RestoreError::Length(bytes.len()));
        };
        if checksum(body) != u32::from_le_bytes(*sum) {
            return Err(RestoreError::Checksum);
        }
        let mut fields = Reader::new(body);
        let [version, state, marks, kind] = fields.take();
        if version != VERSION {
            return Err(RestoreError::Version(version));
        }
        let kind = SignalKind::from_byte(kind).ok_or(RestoreError::Value)?;
        let number = fields.take_u16();
        let [reason, run, reentries, _] = fields.take();
        let mut tracker = Tracker {
            state: State::from_byte(state).ok_or(RestoreError::Value)?,
            marks: Marks::from_byte(marks),
            cause: Cause::new(SignalCode::new(kind, number), Reason::from_number(reason)),
            run,
            reentries,
            episode: fields.take_u16(),
            stamp: fields.take_u16(),
            streak: fields.take_u16(),
            probes: fields.take_u16(),
            skipped: fields.take_u32(),
            wait: Span::from_millis(fields.take_u32()),
            ..Tracker::new(0)
        };
        let remaining = i64::from_le_bytes(fields.take());
        if remaining != NONE {
            let left = remaining.saturating_sub_unsigned(elapsed_ms);
            // On an open gate zero means that there is no such instant; a millisecond of advice does
            // no harm. At a shut gate it would be a millisecond too late for a clock of zero.
            let least = u64::from(!tracker.state.is_gated());
            let until = now.as_millis().saturating_add_signed(left).max(least);
            tracker.until = Instant::from_millis(until);
        }
        let age = u64::from_le_bytes(fields.take()).saturating_add(elapsed_ms);
        tracker.since = before(now, age);
        let [b0, b1, b2, b3, b4, b5] = fields.take();
        let line_age = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, 0, 0]);
        tracker.line_at = before(now, line_age.saturating_add(elapsed_ms));
        tracker.bound_wait(now);
        Ok(tracker)
    }
}

/// The instant `age` milliseconds before `now`, wrapped where that is before the epoch.
fn before(now: Instant, age: u64) -> Instant {
    Instant::from_millis(now.as_millis().wrapping_sub(age.min(u64::MAX / 2)))
}

const VERSION: u8 = 1;
const NONE: i64 = i64::MIN;
const LONGEST_AGE: u64 = (1 << 48) - 1;

#[cfg(test)]
mod tests {
    use crate::{Admission, Instant, Policy, Rule, Settings, Signal, Tracker};

    struct NotFound;

    impl Policy for NotFound {
        fn rule(&self, signal: &Signal<'_>) -> &Rule {
            const ABSENT: Rule = Rule {
                class: crate::Class::Permanent,
                reason: crate::Reason::RESOURCE_ABSENT,
                disable_after: core::num::NonZeroU16::new(1),
                reprobe: crate::Reprobe::Every { interval: crate::Span::from_secs(60), ramp: None },
                ..Rule::SUCCESS
            };
            if *signal == Signal::Http(404) { &ABSENT } else { &Rule::SUCCESS }
        }

        fn settings(&self) -> &Settings {
            &Settings::LITERAL
        }
    }

    #[test]
    fn a_probe_that_is_due_is_due_under_a_clock_of_zero() {
        let mut tracker = Tracker::new(7);
        let permit = tracker.admit(&NotFound, Instant::ZERO).permit().unwrap();
        let absent = crate::Outcome::new(Signal::Http(404), crate::Request::Idempotent);
        let _ = tracker.record(&NotFound, permit, &absent, Instant::ZERO);

        let bytes = tracker.snapshot(Instant::from_millis(60_000));
        let mut restored = Tracker::restore(&bytes, Instant::ZERO, 0).unwrap();
        assert_eq!(restored.wake_at(), Some(Instant::ZERO));
        assert!(matches!(restored.admit(&NotFound, Instant::ZERO), Admission::Call(_)));
    }
}

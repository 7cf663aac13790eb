//! Episodes and their lines: one opens, one closes, and never too many (L3, L4; SPEC 3.6).

use super::{State, Tracker};
use crate::{
    Cause, EpisodeId, Event, EventKind, Instant, LINES_PER_WINDOW, Mode, Reason, Settings,
    SignalCode, Span,
};

/// Lines about single requests leave this many of the window's lines to the endpoint itself.
const LINES_KEPT_FOR_STATE: u8 = 2;

impl Tracker {
    pub(super) fn present_cause(&self) -> Cause {
        Cause::new(SignalCode::new(self.kind, self.number), self.reason)
    }

    pub(super) fn set_cause(&mut self, code: SignalCode, reason: Reason) {
        self.kind = code.kind();
        self.number = code.number();
        self.reason = reason;
    }

    /// Opens an episode, or reopens the last one if it ended within the flap window.
    pub(super) fn open_episode(&mut self, settings: &Settings, now: Instant) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.marks.is_recent() && !self.is_quiet_since_line(settings, now) {
            self.reentries = self.reentries.saturating_add(1);
            return;
        }
        // A full-period sequence over 16 bits, so that an id comes back as late as possible.
        self.episode = self.episode.wrapping_mul(25_173).wrapping_add(13_849);
        self.since = now;
        self.skipped = 0;
        self.probes = 0;
        self.reentries = 0;
        self.marks.set_recent(false);
        self.marks.set_unsaid(false);
    }

    /// Closes the episode; the line, if there is room for one, comes back.
    pub(super) fn close_episode(
        &mut self,
        cause: Cause,
        settings: &Settings,
        now: Instant,
    ) -> Option<Event> {
        self.stamp = self.stamp.wrapping_add(1);
        let was = self.present_cause();
        self.until = Instant::ZERO;
        self.wait = Span::ZERO;
        self.marks.set_recent(!settings.flap_window.is_zero());
        if !self.marks.is_announced() {
            // Nobody has been told of an episode, so that there is nothing to take back.
            self.marks.set_unsaid(false);
            return None;
        }
        let event =
            Event { previous: Some(was), ..self.event(EventKind::Recovered, settings, now) };
        self.say(Event { cause, next_at: None, ..event }, settings, now)
    }

    /// A line about the state of the endpoint: printed, or held back until a quiet window has
    /// passed.
    pub(super) fn say(&mut self, event: Event, settings: &Settings, now: Instant) -> Option<Event> {
        let room = self.room_for_line(LINES_PER_WINDOW, settings, now);
        // What finds no room prolongs the window, so that a flapping endpoint stays silent until it
        // has been calm for as long.
        self.line_at = now;
        self.marks.set_unsaid(!room);
        if room {
            self.marks.set_announced(event.kind != EventKind::Recovered);
        }
        room.then_some(event)
    }

    /// A line about one request: printed while there is room to spare, else only counted.
    pub(super) fn note(
        &mut self,
        event: Event,
        settings: &Settings,
        now: Instant,
    ) -> Option<Event> {
        let most = LINES_PER_WINDOW.saturating_sub(LINES_KEPT_FOR_STATE);
        self.room_for_line(most, settings, now).then_some(event)
    }

    /// The line that was held back, once a quiet window has passed.
    pub(super) fn overdue_line(
        &mut self,
        kind: EventKind,
        settings: &Settings,
        now: Instant,
    ) -> Option<Event> {
        if !self.marks.is_unsaid() || !self.is_quiet_since_line(settings, now) {
            return None;
        }
        self.say(self.event(kind, settings, now), settings, now)
    }

    /// Takes one line of the window, if there are fewer than `most` in it.
    fn room_for_line(&mut self, most: u8, settings: &Settings, now: Instant) -> bool {
        if !settings.flap_window.is_zero() {
            if self.is_quiet_since_line(settings, now) {
                self.marks.set_lines(0);
            }
            let lines = self.marks.lines();
            if lines >= most {
                return false;
            }
            self.marks.set_lines(lines.saturating_add(1));
        }
        self.line_at = now;
        true
    }

    /// The end of an episode whose closing line was held back, once a quiet window has passed.
    pub(super) fn overdue_recovery(
        &mut self,
        cause: Cause,
        settings: &Settings,
        now: Instant,
    ) -> Option<Event> {
        let line = self.overdue_line(EventKind::Recovered, settings, now)?;
        Some(Event { cause, next_at: None, ..line })
    }

    /// Whether the flap window has passed since the last line.
    pub(super) fn is_quiet_since_line(&mut self, settings: &Settings, now: Instant) -> bool {
        self.age_of_line(now) >= u64::from(settings.flap_window.as_millis())
    }

    /// Milliseconds since the last line; one from the future counts as printed just now.
    fn age_of_line(&mut self, now: Instant) -> u64 {
        let age = age(self.line_at, now);
        if age == 0 {
            self.line_at = now;
        }
        age
    }

    /// The line that a reminder is, if one is due.
    pub(super) fn reminder_line(&mut self, settings: &Settings, now: Instant) -> Option<Event> {
        let reminder = settings.reminder?;
        if self.age_of_line(now) < u64::from(reminder.as_millis()) {
            return None;
        }
        self.say(self.event(EventKind::Still, settings, now), settings, now)
    }

    pub(super) fn standing_event(&self, settings: &Settings, now: Instant) -> Option<Event> {
        let kind = match self.state {
            State::Disabled | State::Probing => EventKind::Still,
            State::Gone => EventKind::Gone,
            _ => return None,
        };
        Some(self.event(kind, settings, now))
    }

    /// What there is to say about the present state.
    pub(super) fn event(&self, kind: EventKind, settings: &Settings, now: Instant) -> Event {
        Event {
            kind,
            at: now,
            cause: self.present_cause(),
            previous: None,
            episode: EpisodeId::from_number(self.episode),
            lasted_ms: age(self.since, now),
            next_at: self
                .state
                .is_gated()
                .then_some(self.until)
                .filter(|_| self.state != State::Gone),
            every: self.wait,
            streak: self.streak,
            probes: self.probes,
            skipped: self.skipped,
            reentries: self.reentries,
            observed: settings.mode == Mode::Observe,
        }
    }
}

/// Milliseconds from `then` to `now`; 0 when `then` is the later one.
///
/// Instants of the past may lie before the epoch, since a restored tracker can be older than the
/// clock it is restored under: they have wrapped.
pub(super) fn age(then: Instant, now: Instant) -> u64 {
    let age = now.as_millis().wrapping_sub(then.as_millis());
    if age > u64::MAX / 2 { 0 } else { age }
}

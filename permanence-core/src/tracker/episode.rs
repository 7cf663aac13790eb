//! Episodes and their lines: one opens, one closes, and never too many (L3, L4; SPEC 3.6).

use super::lesson::{Lesson, Scene};
use super::{State, Tracker};
use crate::chance::{high_half, low_word};
use crate::{
    Cause, EpisodeId, Event, EventKind, Instant, LINES_PER_WINDOW, Mode, Reason, Reprobe, Settings,
    Span,
};

/// Lines about single requests leave this many of the window's lines to the endpoint itself.
const LINES_KEPT_FOR_STATE: u8 = 2;

impl Tracker {
    /// Opens an episode, or reopens the last one if it ended within the flap window.
    pub(super) fn open_episode(&mut self, scene: &Scene<'_>) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.marks.is_recent() && !self.is_quiet_since_line(scene) {
            self.reentries = self.reentries.saturating_add(1);
            return;
        }
        // A full-period sequence over 16 bits, so that an id comes back as late as possible.
        self.episode = self.episode.wrapping_mul(25_173).wrapping_add(13_849);
        self.since = scene.now;
        self.skipped = 0;
        self.probes = 0;
        self.reentries = 0;
        self.marks.set_recent(false);
        self.marks.set_unsaid(false);
    }

    /// Closes the episode; the line, if there is room for one, comes back.
    pub(super) fn close_episode(&mut self, scene: &Scene<'_>) -> Option<EventKind> {
        self.stamp = self.stamp.wrapping_add(1);
        self.marks.set_recent(!scene.settings.flap_window.is_zero());
        if !self.marks.is_announced() {
            // Nobody has been told of an episode, so that there is nothing to take back.
            self.marks.set_unsaid(false);
            return None;
        }
        self.say(EventKind::Recovered, scene)
    }

    /// A line about the state of the endpoint: printed, or held back until a quiet window has
    /// passed.
    pub(super) fn say(&mut self, kind: EventKind, scene: &Scene<'_>) -> Option<EventKind> {
        let room = self.room_for_line(LINES_PER_WINDOW, scene);
        // What finds no room prolongs the window, so that a flapping endpoint stays silent until it
        // has been calm for as long.
        self.line_at = scene.now;
        self.marks.set_unsaid(!room);
        if room {
            self.marks.set_announced(kind != EventKind::Recovered);
        }
        room.then_some(kind)
    }

    /// A line about one request: printed while there is room to spare, else only counted.
    pub(super) fn note(&mut self, kind: EventKind, scene: &Scene<'_>) -> Option<EventKind> {
        let most = LINES_PER_WINDOW.saturating_sub(LINES_KEPT_FOR_STATE);
        self.room_for_line(most, scene).then_some(kind)
    }

    /// The line that was held back, once a quiet window has passed.
    pub(super) fn overdue_line(&mut self, kind: EventKind, scene: &Scene<'_>) -> Option<EventKind> {
        if !self.marks.is_unsaid() || !self.is_quiet_since_line(scene) {
            return None;
        }
        self.say(kind, scene)
    }

    /// The line that a reminder is, if one is due.
    pub(super) fn reminder_line(&mut self, scene: &Scene<'_>) -> Option<EventKind> {
        let reminder = scene.settings.reminder?;
        if self.age_of_line(scene) < reminder {
            return None;
        }
        self.say(EventKind::Still, scene)
    }

    /// Takes one line of the window, if there are fewer than `most` in it.
    fn room_for_line(&mut self, most: u8, scene: &Scene<'_>) -> bool {
        if !scene.settings.flap_window.is_zero() {
            if self.is_quiet_since_line(scene) {
                self.marks.set_lines(0);
            }
            let lines = self.marks.lines();
            if lines >= most {
                return false;
            }
            self.marks.set_lines(lines.saturating_add(1));
        }
        self.line_at = scene.now;
        true
    }

    /// Whether the flap window has passed since the last line.
    pub(super) fn is_quiet_since_line(&mut self, scene: &Scene<'_>) -> bool {
        self.age_of_line(scene) >= scene.settings.flap_window
    }

    /// The time since the last line; one from the future counts as printed just now.
    fn age_of_line(&mut self, scene: &Scene<'_>) -> Span {
        let age = age(self.line_at, scene.now);
        if age == 0 {
            self.line_at = scene.now;
        }
        Span::from_millis_saturating(age)
    }

    pub(super) fn standing_event(&self, settings: &Settings, now: Instant) -> Option<Event> {
        let kind = match self.state {
            State::Disabled | State::Probing => EventKind::Still,
            State::Gone => EventKind::Gone,
            _ => return None,
        };
        let scene = Scene { settings, now };
        Some(self.event(About { kind, cause: self.cause, was: None }, Span::ZERO, &scene))
    }

    /// What there is to say about what a call has just brought; `was` is the cause before it.
    pub(super) fn event_about(&self, kind: EventKind, was: Cause, lesson: &Lesson<'_>) -> Event {
        // What is said of a single request, and of the end of an episode, is said of the answer.
        let answer = matches!(kind, EventKind::Ambiguous | EventKind::Recovered);
        let cause = if answer { lesson.cause() } else { self.cause };
        let news = matches!(kind, EventKind::Changed | EventKind::Recovered)
            && was.reason() != Reason::SUCCESS;
        let every = match lesson.rule.reprobe {
            Reprobe::Every { interval, .. }
                if matches!(kind, EventKind::Changed | EventKind::Disabled) =>
            {
                interval
            }
            _ => Span::ZERO,
        };
        self.event(About { kind, cause, was: news.then_some(was) }, every, &lesson.scene)
    }

    fn event(&self, about: About, every: Span, scene: &Scene<'_>) -> Event {
        let About { kind, cause, was } = about;
        let ambiguous = kind == EventKind::Ambiguous;
        let waits = self.state.is_gated()
            && self.state != State::Gone
            && !ambiguous
            && kind != EventKind::Recovered;
        // An operation has a name of its own.
        let operation = self.draw() ^ low_word(scene.now.as_millis());
        let number = if ambiguous { high_half(operation) } else { self.episode };
        // A line about a single request is about no span.
        let single = matches!(kind, EventKind::Ambiguous | EventKind::Rejected);
        Event {
            kind,
            at: scene.now,
            cause,
            previous: was,
            episode: EpisodeId::from_number(number),
            lasted_ms: if single { 0 } else { age(self.since, scene.now) },
            next_at: if waits { Some(self.until) } else { None },
            every,
            streak: self.streak,
            probes: self.probes,
            skipped: self.skipped,
            reentries: self.reentries,
            observed: scene.settings.mode == Mode::Observe,
        }
    }
}

/// What a line is about.
struct About {
    kind: EventKind,
    cause: Cause,
    was: Option<Cause>,
}

/// Milliseconds from `then` to `now`; 0 when `then` is the later one.
///
/// Instants of the past may lie before the epoch, since a restored tracker can be older than the
/// clock it is restored under: they have wrapped.
pub(super) fn age(then: Instant, now: Instant) -> u64 {
    let age = now.as_millis().wrapping_sub(then.as_millis());
    if age > u64::MAX / 2 { 0 } else { age }
}

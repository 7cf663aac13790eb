//! Learning from a probe: what the one call of a disabled endpoint has found (SPEC 3.7).

use super::admit::INTERVAL_OF_NOTHING;
use super::record::{Lesson, interval};
use super::{State, Tracker};
use crate::{Action, Class, Event, EventKind, Instant, Reprobe, Rule, Settings, Span, Step};

/// What a probe has found.
enum Finding {
    Changed,
    Healed,
    Moving,
    Nothing,
    Same,
}

impl Tracker {
    pub(super) fn learn_from_probe(
        &mut self,
        lesson: &Lesson<'_>,
        held: &Rule,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        match self.finding(lesson, held) {
            // The wait goes on as if the probe had lapsed.
            Finding::Nothing => {
                self.wait = self.probe_span(settings);
                self.state = State::Disabled;
                Step::QUIET
            }
            Finding::Healed if lesson.class == Class::Success => {
                self.succeed(lesson, settings, now)
            }
            Finding::Healed => self.heal_into_failure(lesson, settings, now),
            Finding::Same => self.stay(lesson, settings, now),
            Finding::Changed => self.change(lesson, settings, now),
            Finding::Moving => self.move_on(lesson, held, settings, now),
        }
    }

    fn finding(&self, lesson: &Lesson<'_>, rule: &Rule) -> Finding {
        let held = self.present_cause();
        // Any answer ends an episode of a network that did not answer.
        let unreachable = held.is_network() && rule.class == Class::Transient;
        let same_reason = held.reason() == lesson.rule.reason;
        match lesson.class {
            Class::Ignored => Finding::Nothing,
            Class::Success => Finding::Healed,
            Class::Permanent if same_reason && held.code() == lesson.code => Finding::Same,
            Class::Permanent if lesson.is_payload() && same_reason => Finding::Same,
            Class::Permanent if lesson.is_payload() => Finding::Moving,
            Class::Permanent if lesson.rule.disable_after.is_none() => Finding::Moving,
            Class::Permanent => Finding::Changed,
            Class::Ambiguous | Class::Transient if same_reason => Finding::Same,
            Class::Ambiguous | Class::Transient if unreachable && lesson.answered => {
                Finding::Healed
            }
            Class::Ambiguous | Class::Transient => Finding::Moving,
        }
    }

    /// The same cause: silent, and a full interval again.
    fn stay(&mut self, lesson: &Lesson<'_>, settings: &Settings, now: Instant) -> Step {
        let moved = self.streak == 0;
        self.set_cause(lesson.code, lesson.rule.reason);
        self.streak = self.streak.saturating_add(1);
        // The wait has grown when the probe was admitted, unless the world was moving then.
        let wait =
            if moved { self.next_wait(lesson.rule.reprobe, settings, now) } else { self.wait };
        let kind = self.shut(lesson.rule, wait, EventKind::Disabled, settings, now);
        if lesson.class != Class::Permanent {
            self.heed(lesson.hint, now);
        }
        let event = match self.overdue_line(kind, settings, now) {
            Some(event) => Some(event),
            None => self.reminder_line(settings, now),
        };
        self.answer(lesson, event, settings, now)
    }

    /// Another permanent cause: still disabled, and that is news.
    fn change(&mut self, lesson: &Lesson<'_>, settings: &Settings, now: Instant) -> Step {
        let previous = Some(self.present_cause());
        self.set_cause(lesson.code, lesson.rule.reason);
        self.streak = 1;
        self.wait = Span::ZERO;
        let wait = self.next_wait(lesson.rule.reprobe, settings, now);
        let kind = self.shut(lesson.rule, wait, EventKind::Changed, settings, now);
        let every = interval(lesson.rule.reprobe);
        let event = Event { previous, every, ..self.event(kind, settings, now) };
        let event = self.say(event, settings, now);
        self.answer(lesson, event, settings, now)
    }

    /// Any other answer: nothing has recovered, but the world is moving, so the next probe comes
    /// soon.
    fn move_on(
        &mut self,
        lesson: &Lesson<'_>,
        held: &Rule,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        let (interval, ramp) = match held.reprobe {
            Reprobe::Every { interval, ramp } => (interval, ramp),
            Reprobe::Never => (INTERVAL_OF_NOTHING, None),
        };
        let soon = ramp.unwrap_or(settings.backoff.max);
        let wait = if self.streak == 0 { self.wait } else { soon };
        self.streak = 0;
        self.shut_for(wait.min(interval), settings, now);
        self.heed(lesson.hint, now);
        let event = self.overdue_line(EventKind::Disabled, settings, now);
        self.answer(lesson, event, settings, now)
    }

    /// The host answers again, though not well: the network episode is over, and what came back is
    /// the first failure of its own kind.
    fn heal_into_failure(
        &mut self,
        lesson: &Lesson<'_>,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        let event = self.close_episode(lesson.cause(), settings, now);
        self.set_cause(lesson.code, lesson.rule.reason);
        self.streak = 1;
        self.set_run(1);
        self.wait = settings.backoff.delay(0, Span::ZERO, self.draw()).max(lesson.hint);
        self.until = now.saturating_add(self.wait);
        self.state = if lesson.hint.is_zero() { State::Healthy } else { State::Holding };
        self.answer(lesson, event, settings, now)
    }

    /// A time that the server named is a floor under the wait.
    fn heed(&mut self, hint: Span, now: Instant) {
        if hint > self.wait && self.state == State::Disabled {
            self.wait = hint;
            self.until = self.until.max(now.saturating_add(hint));
        }
    }

    fn answer(
        &mut self,
        lesson: &Lesson<'_>,
        event: Option<Event>,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        match lesson.class {
            Class::Ambiguous => {
                let event = match event {
                    Some(event) => Some(event),
                    None => self.note_ambiguous(lesson, settings, now),
                };
                Step { action: Action::Surface, event }
            }
            _ if lesson.is_payload() => Step { action: Action::Drop, event },
            _ => Step { action: Action::Wait(self.wake_at()), event },
        }
    }

    pub(super) fn recheck_at(&mut self, now: Instant) {
        match self.state {
            State::Calm | State::Healthy | State::Degraded => {}
            State::Holding | State::Deferred => self.until = now,
            State::Disabled | State::Gone | State::Probing => {
                self.state = State::Disabled;
                self.until = now;
            }
        }
    }
}

//! Learning from a probe: what the one call of a disabled endpoint has found (SPEC 3.7).

use super::admit::INTERVAL_OF_NOTHING;
use super::lesson::{Lesson, Told};
use super::{State, Tracker};
use crate::{Class, EventKind, Reprobe, Rule, Span};

/// What a probe has found.
enum Finding {
    Changed,
    Healed,
    Moving,
    Nothing,
    Same,
}

impl Tracker {
    pub(super) fn learn_from_probe(&mut self, lesson: &Lesson<'_>, held: &Rule) -> Told {
        let said = match self.finding(lesson, held) {
            // The wait goes on as if the probe had lapsed.
            Finding::Nothing => {
                self.state = State::Disabled;
                None
            }
            Finding::Healed if lesson.class == Class::Success => return self.succeed(lesson),
            Finding::Healed => self.heal_into_failure(lesson),
            Finding::Same => self.stay(lesson),
            Finding::Changed => self.change(lesson),
            Finding::Moving => self.move_on(lesson, held),
        };
        if said.is_some() {
            return Told { todo: lesson.todo(), said };
        }
        self.answer_late(lesson)
    }

    fn finding(&self, lesson: &Lesson<'_>, rule: &Rule) -> Finding {
        let held = self.cause;
        let same_reason = held.reason() == lesson.rule.reason;
        match lesson.class {
            Class::Ignored => Finding::Nothing,
            Class::Success => Finding::Healed,
            Class::Permanent => {
                let payload = lesson.is_payload();
                if same_reason && (payload || held.code() == lesson.code) {
                    Finding::Same
                } else if payload || lesson.rule.disable_after.is_none() {
                    Finding::Moving
                } else {
                    Finding::Changed
                }
            }
            Class::Ambiguous | Class::Transient if same_reason => Finding::Same,
            // Any answer ends an episode of a network that did not answer.
            Class::Ambiguous | Class::Transient
                if lesson.answered && held.is_network() && rule.class == Class::Transient =>
            {
                Finding::Healed
            }
            Class::Ambiguous | Class::Transient => Finding::Moving,
        }
    }

    /// The same cause: silent, and a full interval again.
    fn stay(&mut self, lesson: &Lesson<'_>) -> Option<EventKind> {
        let moved = self.streak == 0;
        self.cause = lesson.cause();
        self.streak = self.streak.saturating_add(1);
        // The wait has grown when the probe was admitted, unless the world was moving then.
        let wait =
            if moved { self.next_wait(lesson.rule.reprobe, &lesson.scene) } else { self.wait };
        let kind = self.shut(lesson, wait.max(lesson.floor()), EventKind::Disabled);
        match self.overdue_line(kind, &lesson.scene) {
            None => self.reminder_line(&lesson.scene),
            said => said,
        }
    }

    /// Another permanent cause: still disabled, and that is news.
    fn change(&mut self, lesson: &Lesson<'_>) -> Option<EventKind> {
        self.cause = lesson.cause();
        self.streak = 1;
        self.wait = Span::ZERO;
        let wait = self.next_wait(lesson.rule.reprobe, &lesson.scene);
        let kind = self.shut(lesson, wait, EventKind::Changed);
        self.say(kind, &lesson.scene)
    }

    /// Any other answer: nothing has recovered, but the world is moving, so the next probe comes
    /// soon.
    fn move_on(&mut self, lesson: &Lesson<'_>, held: &Rule) -> Option<EventKind> {
        let (interval, ramp) = match held.reprobe {
            Reprobe::Every { interval, ramp } => (interval, ramp),
            Reprobe::Never => (INTERVAL_OF_NOTHING, None),
        };
        let soon = ramp.unwrap_or(lesson.scene.settings.backoff.max);
        let wait = if self.streak == 0 { self.wait } else { soon };
        self.streak = 0;
        self.shut_for(wait.min(interval).max(lesson.floor()), &lesson.scene);
        self.overdue_line(EventKind::Disabled, &lesson.scene)
    }

    /// The host answers again, though not well: the network episode is over, and what came back is
    /// the first failure of its own kind.
    fn heal_into_failure(&mut self, lesson: &Lesson<'_>) -> Option<EventKind> {
        let said = self.close_episode(&lesson.scene);
        self.cause = lesson.cause();
        self.streak = 1;
        self.set_run(1);
        self.wait = Span::ZERO;
        self.pause(lesson);
        self.state = if lesson.hint.is_zero() { State::Healthy } else { State::Holding };
        said
    }
}

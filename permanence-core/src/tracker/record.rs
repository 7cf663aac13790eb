//! Learning from a call in the ordinary run of things (SPEC 3.4, 3.5).

use super::lesson::{Judged, Lesson, Scene, Todo, Told};
use super::{State, Tracker};
use crate::permit::Purpose;
use crate::{
    Action, Cause, Class, Directive, EventKind, Instant, Mode, Pacing, Permit, Reprobe, Retry,
    RetryOffer, Rule, Span, Step,
};

impl Tracker {
    /// Learns, and says in one place what came of it: the machine inside passes two small enums
    /// around, which keeps it small on a chip.
    pub(super) fn learn(&mut self, permit: &Permit, lesson: &Lesson<'_>, held: &Rule) -> Step {
        let was = self.cause;
        let told = self.take_in(permit, lesson, held);
        let event = told.said.map(|kind| self.event_about(kind, was, lesson));
        Step { action: self.action(told.todo, lesson), event }
    }

    fn take_in(&mut self, permit: &Permit, lesson: &Lesson<'_>, held: &Rule) -> Told {
        if !self.is_current(permit, &lesson.scene) {
            return self.answer_late(lesson);
        }
        if permit.is_probe() {
            return self.learn_from_probe(lesson, held);
        }
        match lesson.class {
            Class::Ignored => Told::NOTHING,
            Class::Success => self.succeed(lesson),
            Class::Permanent => self.fail_for_good(lesson),
            Class::Ambiguous if !lesson.is_evidence() => self.answer_late(lesson),
            Class::Ambiguous | Class::Transient => self.fail_in_passing(lesson),
        }
    }

    fn action(&self, todo: Todo, lesson: &Lesson<'_>) -> Action {
        match todo {
            Todo::Drop => Action::Drop,
            Todo::Proceed => Action::Proceed,
            Todo::Renew => Action::Renew(lesson.rule.remedy),
            Todo::Retry => Action::Retry(RetryOffer { after: self.wait }),
            Todo::RetryAtOnce => Action::Retry(RetryOffer { after: lesson.hint }),
            Todo::Surface => Action::Surface,
            Todo::Wait => {
                let now = lesson.scene.now;
                Action::Wait(self.wake_at().filter(|until| *until > now))
            }
        }
    }

    /// Whether the permit is of the present episode, and its lease, if it is one, has not lapsed: a
    /// probe may take as long as the lease, or as the wait if that is shorter.
    fn is_current(&self, permit: &Permit, scene: &Scene<'_>) -> bool {
        let purpose_holds = match permit.purpose {
            Purpose::Observed => false,
            Purpose::Cadence => !self.is_shut(),
            Purpose::Probe => {
                let left = self.until.span_since(scene.now);
                let lease = scene.settings.probe_lease;
                self.state == State::Probing
                    && scene.now <= self.until
                    && left.saturating_add(lease) >= self.wait
            }
        };
        purpose_holds && permit.stamp == self.stamp
    }

    /// The state stays; what the answer means for the caller's own request is told. An ambiguous
    /// one is handed to whoever can look.
    pub(super) fn answer_late(&mut self, lesson: &Lesson<'_>) -> Told {
        let said = match lesson.class {
            Class::Ambiguous => self.note(EventKind::Ambiguous, &lesson.scene),
            _ => None,
        };
        Told { todo: lesson.todo(), said }
    }

    pub(super) fn succeed(&mut self, lesson: &Lesson<'_>) -> Told {
        let said = if self.state.is_open() {
            self.close_episode(&lesson.scene)
        } else {
            self.overdue_line(EventKind::Recovered, &lesson.scene)
        };
        self.marks.set_proven();
        self.cause = Cause::default();
        self.until = Instant::ZERO;
        self.wait = Span::ZERO;
        self.streak = 0;
        self.set_run(0);
        self.state = if self.marks.is_unsaid() { State::Healthy } else { State::Calm };
        Told { todo: Todo::Proceed, said }
    }

    /// A failure that may pass by itself.
    pub(super) fn fail_in_passing(&mut self, lesson: &Lesson<'_>) -> Told {
        let settings = lesson.scene.settings;
        self.count_failure(lesson);
        let run = if self.marks.is_fingerprint() { 0 } else { self.run };
        self.set_run(run.saturating_add(1));
        if lesson.judged == Judged::ByPolicy && self.is_spent(lesson.rule) {
            return self.disable(lesson);
        }
        self.pause(lesson);

        let was_open = self.state.is_open();
        let long = lesson.hint > settings.backoff.max;
        let opens = !was_open && (self.run >= settings.notice_after.get() || long);
        if opens {
            self.open_episode(&lesson.scene);
        } else if !lesson.hint.is_zero() {
            self.stamp = self.stamp.wrapping_add(1);
        }
        let gated = !lesson.hint.is_zero() || settings.pacing == Pacing::Hold;
        self.state = match (was_open || opens, gated) {
            (true, true) => State::Deferred,
            (true, false) => State::Degraded,
            (false, true) => State::Holding,
            (false, false) => State::Healthy,
        };
        let mut said = None;
        if opens {
            said = self.say(EventKind::Degraded, &lesson.scene);
        } else if was_open {
            said = self.overdue_line(EventKind::Degraded, &lesson.scene);
        }
        if lesson.class != Class::Ambiguous {
            return Told { todo: self.offer(lesson), said };
        }
        if said.is_none() && self.run == 1 {
            said = self.note(EventKind::Ambiguous, &lesson.scene);
        }
        Told { todo: Todo::Surface, said }
    }

    /// The back-off of the run, or the time that the server named if that is longer.
    pub(super) fn pause(&mut self, lesson: &Lesson<'_>) {
        let attempt = u32::from(self.run.saturating_sub(1));
        let pause = lesson.scene.settings.backoff.delay(attempt, self.wait, self.draw());
        self.wait_from(lesson.scene.now, pause.max(lesson.hint));
    }

    /// A retry within the call is offered for blips only: not in an episode, not beyond the longest
    /// back-off (L7).
    fn offer(&self, lesson: &Lesson<'_>) -> Todo {
        let settings = lesson.scene.settings;
        let unwelcome = self.state.is_open()
            || self.wait > settings.backoff.max
            || settings.mode == Mode::Observe
            || matches!(lesson.directive, Some(Directive::DoNotRetry));
        if unwelcome {
            return Todo::Wait;
        }
        match lesson.rule.retry {
            Retry::Once if self.run == 1 => Todo::RetryAtOnce,
            Retry::Backoff | Retry::Once => Todo::Retry,
            _ if matches!(lesson.directive, Some(Directive::Retry)) => Todo::Retry,
            Retry::Cadence | Retry::Never | Retry::Renew => Todo::Wait,
        }
    }

    /// A failure that repeating cannot help.
    fn fail_for_good(&mut self, lesson: &Lesson<'_>) -> Told {
        let fingerprint = lesson.payload.filter(|_| lesson.is_payload());
        let known = fingerprint.is_some()
            && self.cause.reason() == lesson.rule.reason
            && self.marks.is_fingerprint()
            && fingerprint == Some(self.run);
        if !known {
            self.count_failure(lesson);
        }
        self.set_run(0);
        if let Some(fingerprint) = fingerprint {
            self.run = fingerprint;
            self.marks.set_fingerprint(true);
        }
        let wavers = self.is_wavering(&lesson.scene);
        if self.is_confirmed(lesson, wavers) {
            return self.disable(lesson);
        }
        if wavers {
            // It is not calm yet: the window begins anew.
            self.line_at = lesson.scene.now;
        }
        self.state = if self.state.is_open() { State::Degraded } else { State::Healthy };
        self.wait_from(lesson.scene.now, lesson.scene.settings.backoff.max);
        let first = self.streak == 1 && !known;
        if lesson.is_payload() {
            let said = if first { self.note(EventKind::Rejected, &lesson.scene) } else { None };
            return Told { todo: Todo::Drop, said };
        }
        let renews = first && lesson.rule.retry == Retry::Renew && lesson.repeatable;
        Told { todo: if renews { Todo::Renew } else { Todo::Wait }, said: None }
    }

    /// Streaks count consecutive outcomes of one reason.
    fn count_failure(&mut self, lesson: &Lesson<'_>) {
        if self.cause.reason() != lesson.rule.reason {
            self.streak = 0;
        }
        self.cause = lesson.cause();
        self.streak = self.streak.saturating_add(1);
    }

    /// Whether the streak has reached the threshold of its rule.
    fn is_spent(&self, rule: &Rule) -> bool {
        rule.disable_after.is_some_and(|threshold| self.streak >= threshold.get())
    }

    /// The same for a permanent rule, whose threshold rises where one failure has proved little: for
    /// a remedy that was given one try, and on an endpoint that wavers.
    fn is_confirmed(&self, lesson: &Lesson<'_>, wavers: bool) -> bool {
        let renewed = if lesson.rule.retry == Retry::Renew { 2 } else { 1 };
        let most = if wavers { u16::from(lesson.scene.settings.confirm_max.get()) } else { 1 };
        self.is_spent(lesson.rule) && self.streak >= renewed && self.streak >= most
    }

    /// Whether an episode has ended, and none has been calm since for a flap window.
    pub(super) fn is_wavering(&mut self, scene: &Scene<'_>) -> bool {
        self.marks.is_proven() && self.marks.is_recent() && !self.is_quiet_since_line(scene)
    }

    /// Stops the calls.
    fn disable(&mut self, lesson: &Lesson<'_>) -> Told {
        if self.state.is_open() {
            self.stamp = self.stamp.wrapping_add(1);
        } else {
            self.open_episode(&lesson.scene);
        }
        self.set_run(0);
        self.wait = Span::ZERO;
        let wait = self.next_wait(lesson.rule.reprobe, &lesson.scene);
        let kind = self.shut(lesson, wait, EventKind::Disabled);
        Told { todo: lesson.todo(), said: self.say(kind, &lesson.scene) }
    }

    /// Closes the gate for `wait`, or for good; `kind` or [`EventKind::Gone`] comes back.
    pub(super) fn shut(&mut self, lesson: &Lesson<'_>, wait: Span, kind: EventKind) -> EventKind {
        if lesson.rule.reprobe == Reprobe::Never {
            self.state = State::Gone;
            self.wait = Span::ZERO;
            self.until = Instant::ZERO;
            return EventKind::Gone;
        }
        self.shut_for(wait, &lesson.scene);
        kind
    }

    /// Closes the gate for `wait` and up to the spread on top, never less.
    pub(super) fn shut_for(&mut self, wait: Span, scene: &Scene<'_>) {
        self.state = State::Disabled;
        let most = crate::chance::share_of(wait, scene.settings.reprobe_spread);
        let spread = crate::chance::up_to(most, self.draw());
        self.wait_from(scene.now, wait.saturating_add(spread));
    }
}

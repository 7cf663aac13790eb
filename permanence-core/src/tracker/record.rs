//! Learning from a call in the ordinary run of things (SPEC 3.4, 3.5).

use super::{State, Tracker};
use crate::permit::Purpose;
use crate::policy::guarded_class;
use crate::{
    Action, Cause, Class, Directive, EpisodeId, Event, EventKind, Instant, Mode, Outcome, Pacing,
    Permit, Phase, Policy, Processed, Reprobe, Retry, RetryOffer, Rule, Scope, Settings,
    SignalCode, Span, Step, processed,
};

/// One finished call as the machine sees it: judged, and without its policy.
pub(super) struct Lesson<'p> {
    pub(super) code: SignalCode,
    /// The class that counts, after the server's word and the guard of unkeyed writes.
    pub(super) class: Class,
    pub(super) rule: &'p Rule,
    /// Whether the rule's own class stands, so that its threshold counts.
    judged: Judged,
    pub(super) answered: bool,
    /// Whether the same request may be sent once more (L5).
    repeatable: bool,
    pub(super) hint: Span,
    directive: Option<Directive>,
    payload: Option<u8>,
}

/// Who judged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Judged {
    /// The server took a permanent answer back: try again.
    ByServer,
    ByPolicy,
}

impl<'p> Lesson<'p> {
    fn new<P: Policy + ?Sized>(policy: &P, outcome: &Outcome<'_>, rule: &'p Rule) -> Self {
        let settings = policy.settings();
        let pardoned =
            rule.class == Class::Permanent && matches!(outcome.directive, Some(Directive::Retry));
        let judged = if pardoned { Judged::ByServer } else { Judged::ByPolicy };
        let class = if pardoned { Class::Transient } else { rule.class };
        let processed = processed(policy, outcome);
        Lesson {
            code: outcome.signal.code(),
            class: guarded_class(class, processed, outcome),
            rule,
            judged,
            answered: outcome.phase == Phase::Answered,
            repeatable: outcome.request.is_repeatable() || processed == Processed::No,
            hint: outcome.server_delay.unwrap_or(Span::ZERO).min(settings.retry_after_max),
            directive: outcome.directive,
            payload: outcome.payload,
        }
    }

    pub(super) const fn cause(&self) -> Cause {
        Cause::new(self.code, self.rule.reason)
    }

    pub(super) fn is_payload(&self) -> bool {
        self.class == Class::Permanent && self.rule.scope == Scope::Payload
    }
}

impl Tracker {
    /// The thin generic rim: everything that depends on the type of the policy.
    pub(super) fn record_news<P: Policy + ?Sized>(
        &mut self,
        policy: &P,
        permit: Permit,
        outcome: &Outcome<'_>,
        rule: &Rule,
        now: Instant,
    ) -> Step {
        let lesson = Lesson::new(policy, outcome, rule);
        let held = if permit.is_probe() { policy.cause_rule(self.present_cause()) } else { rule };
        self.learn(permit, &lesson, held, policy.settings(), now)
    }

    fn learn(
        &mut self,
        permit: Permit,
        lesson: &Lesson<'_>,
        held: &Rule,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        if !self.is_current(&permit, settings, now) {
            return self.answer_late(lesson, settings, now);
        }
        if permit.is_probe() {
            return self.learn_from_probe(lesson, held, settings, now);
        }
        match lesson.class {
            Class::Ignored => Step::QUIET,
            Class::Success => self.succeed(lesson, settings, now),
            Class::Transient => self.fail_in_passing(lesson, settings, now),
            Class::Ambiguous if lesson.answered => self.fail_in_passing(lesson, settings, now),
            Class::Ambiguous => self.surface(lesson, settings, now),
            Class::Permanent => self.fail_for_good(lesson, settings, now),
        }
    }

    /// Whether the permit is of the present episode, and its lease, if it is one, has not lapsed.
    fn is_current(&self, permit: &Permit, settings: &Settings, now: Instant) -> bool {
        match permit.purpose {
            Purpose::Observed => false,
            Purpose::Cadence => permit.stamp == self.stamp && !self.is_shut(),
            Purpose::Probe => {
                let began_at = self.until.saturating_sub(self.probe_span(settings));
                permit.stamp == self.stamp
                    && self.state == State::Probing
                    && now.since(began_at) <= u64::from(settings.probe_lease.as_millis())
            }
        }
    }

    /// The state stays; what the answer means for the caller's own request is told.
    fn answer_late(&mut self, lesson: &Lesson<'_>, settings: &Settings, now: Instant) -> Step {
        match lesson.class {
            Class::Ambiguous => self.surface(lesson, settings, now),
            Class::Success | Class::Ignored => Step::QUIET,
            _ if lesson.is_payload() => Step::silent(Action::Drop),
            _ => Step::silent(Action::Wait(self.wake_at().filter(|until| *until > now))),
        }
    }

    pub(super) fn succeed(
        &mut self,
        lesson: &Lesson<'_>,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        let event = if self.state.is_open() {
            self.close_episode(lesson.cause(), settings, now)
        } else {
            self.overdue_recovery(lesson.cause(), settings, now)
        };
        self.marks.set_proven();
        self.clear_failures();
        self.state = if self.marks.is_unsaid() { State::Healthy } else { State::Calm };
        Step { action: Action::Proceed, event }
    }

    fn clear_failures(&mut self) {
        self.set_cause(SignalCode::default(), crate::Reason::SUCCESS);
        self.until = Instant::ZERO;
        self.wait = Span::ZERO;
        self.streak = 0;
        self.set_run(0);
    }

    /// A failure that may pass by itself.
    pub(super) fn fail_in_passing(
        &mut self,
        lesson: &Lesson<'_>,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        self.count_failure(lesson);
        let run = if self.marks.is_fingerprint() { 0 } else { self.run };
        self.set_run(run.saturating_add(1));
        if lesson.judged == Judged::ByPolicy && self.is_spent(lesson.rule) {
            return self.disable(lesson, settings, now);
        }
        let attempt = u32::from(self.run.saturating_sub(1));
        let pause = settings.backoff.delay(attempt, self.wait, self.draw());
        self.wait = pause.max(lesson.hint);
        self.until = now.saturating_add(self.wait);

        let was_open = self.state.is_open();
        let long = lesson.hint > settings.backoff.max;
        let opens = !was_open && (self.run >= settings.notice_after.get() || long);
        if opens {
            self.open_episode(settings, now);
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
        let event = if opens {
            self.say(self.event(EventKind::Degraded, settings, now), settings, now)
        } else if was_open {
            self.overdue_line(EventKind::Degraded, settings, now)
        } else {
            None
        };
        if lesson.class == Class::Ambiguous {
            let first = self.run == 1 && event.is_none();
            let event = if first { self.note_ambiguous(lesson, settings, now) } else { event };
            return Step { action: Action::Surface, event };
        }
        Step { action: self.offer(lesson, settings), event }
    }

    /// A retry within the call is offered for blips only: not in an episode, not beyond the longest
    /// back-off (L7).
    fn offer(&self, lesson: &Lesson<'_>, settings: &Settings) -> Action {
        let wait = Action::Wait(Some(self.until));
        let unwelcome = self.state.is_open()
            || self.wait > settings.backoff.max
            || settings.mode == Mode::Observe
            || matches!(lesson.directive, Some(Directive::DoNotRetry));
        if unwelcome {
            return wait;
        }
        let asked = matches!(lesson.directive, Some(Directive::Retry));
        match lesson.rule.retry {
            Retry::Once if self.run == 1 => Action::Retry(RetryOffer { after: lesson.hint }),
            Retry::Backoff | Retry::Once => Action::Retry(RetryOffer { after: self.wait }),
            _ if asked => Action::Retry(RetryOffer { after: self.wait }),
            Retry::Cadence | Retry::Never | Retry::Renew => wait,
        }
    }

    /// A failure that repeating cannot help.
    fn fail_for_good(&mut self, lesson: &Lesson<'_>, settings: &Settings, now: Instant) -> Step {
        let known = lesson.is_payload()
            && lesson.payload.is_some()
            && self.reason == lesson.rule.reason
            && self.marks.is_fingerprint()
            && lesson.payload == Some(self.run);
        if !known {
            self.count_failure(lesson);
        }
        match lesson.payload.filter(|_| lesson.is_payload()) {
            Some(fingerprint) => self.set_fingerprint(fingerprint),
            None => self.set_run(0),
        }
        if self.is_confirmed(lesson.rule, settings, now) {
            return self.disable(lesson, settings, now);
        }
        if self.is_wavering(settings, now) {
            // It is not calm yet: the window begins anew.
            self.line_at = now;
        }
        self.state = if self.state.is_open() { State::Degraded } else { State::Healthy };
        self.wait = settings.backoff.max;
        self.until = now.saturating_add(self.wait);
        if lesson.is_payload() {
            let event = if self.streak == 1 && !known {
                self.note(self.event(EventKind::Rejected, settings, now), settings, now)
            } else {
                None
            };
            return Step { action: Action::Drop, event };
        }
        if lesson.rule.retry == Retry::Renew && self.streak == 1 && lesson.repeatable {
            return Step::silent(Action::Renew(lesson.rule.remedy));
        }
        Step::silent(Action::Wait(Some(self.until)))
    }

    /// Streaks count consecutive outcomes of one reason.
    fn count_failure(&mut self, lesson: &Lesson<'_>) {
        if self.reason != lesson.rule.reason {
            self.streak = 0;
        }
        self.set_cause(lesson.code, lesson.rule.reason);
        self.streak = self.streak.saturating_add(1);
    }

    /// Whether the streak has reached the threshold of its rule.
    fn is_spent(&self, rule: &Rule) -> bool {
        rule.disable_after.is_some_and(|threshold| self.streak >= threshold.get())
    }

    /// The same for a permanent rule, whose threshold rises where one failure has proved little: for
    /// a remedy that was given one try, and on an endpoint that has succeeded and failed by turns
    /// within the flap window.
    fn is_confirmed(&mut self, rule: &Rule, settings: &Settings, now: Instant) -> bool {
        let Some(threshold) = rule.disable_after else { return false };
        let mut asked = threshold.get();
        if rule.retry == Retry::Renew {
            asked = asked.max(2);
        }
        let most = u16::from(settings.confirm_max.get());
        if asked < most && self.is_wavering(settings, now) {
            asked = most;
        }
        self.streak >= asked
    }

    /// Whether an episode has ended, and none has been calm since for a flap window.
    pub(super) fn is_wavering(&mut self, settings: &Settings, now: Instant) -> bool {
        self.marks.is_proven() && self.marks.is_recent() && !self.is_quiet_since_line(settings, now)
    }

    /// Stops the calls.
    fn disable(&mut self, lesson: &Lesson<'_>, settings: &Settings, now: Instant) -> Step {
        if self.state.is_open() {
            self.stamp = self.stamp.wrapping_add(1);
        } else {
            self.open_episode(settings, now);
        }
        self.set_run(0);
        self.wait = Span::ZERO;
        let wait = self.next_wait(lesson.rule.reprobe, settings, now);
        let kind = self.shut(lesson.rule, wait, EventKind::Disabled, settings, now);
        let every = interval(lesson.rule.reprobe);
        let event = Event { every, ..self.event(kind, settings, now) };
        let event = self.say(event, settings, now);
        let action = match lesson.class {
            Class::Ambiguous => Action::Surface,
            _ if lesson.is_payload() => Action::Drop,
            _ => Action::Wait(self.wake_at()),
        };
        Step { action, event }
    }

    /// Closes the gate for `wait`, or for good; `kind` or [`EventKind::Gone`] comes back.
    pub(super) fn shut(
        &mut self,
        rule: &Rule,
        wait: Span,
        kind: EventKind,
        settings: &Settings,
        now: Instant,
    ) -> EventKind {
        if rule.reprobe == Reprobe::Never {
            self.state = State::Gone;
            self.wait = Span::ZERO;
            self.until = Instant::ZERO;
            return EventKind::Gone;
        }
        self.shut_for(wait, settings, now);
        kind
    }

    /// Closes the gate for `wait` and up to the spread on top, never less.
    pub(super) fn shut_for(&mut self, wait: Span, settings: &Settings, now: Instant) {
        self.state = State::Disabled;
        self.wait = wait;
        let spread = crate::chance::up_to(self.spread(settings), self.draw());
        self.until = now.saturating_add(wait).saturating_add(spread);
    }

    /// A write of unknown fate: the endpoint has learnt nothing, whoever made the call has to look.
    pub(super) fn surface(
        &mut self,
        lesson: &Lesson<'_>,
        settings: &Settings,
        now: Instant,
    ) -> Step {
        let event = self.note_ambiguous(lesson, settings, now);
        Step { action: Action::Surface, event }
    }

    pub(super) fn note_ambiguous(
        &mut self,
        lesson: &Lesson<'_>,
        settings: &Settings,
        now: Instant,
    ) -> Option<Event> {
        let operation = self.draw() ^ crate::chance::low_word(now.as_millis());
        let event = Event {
            cause: lesson.cause(),
            episode: EpisodeId::from_number(crate::chance::high_half(operation)),
            next_at: None,
            ..self.event(EventKind::Ambiguous, settings, now)
        };
        self.note(event, settings, now)
    }
}

/// The longest wait between probes.
pub(super) fn interval(reprobe: Reprobe) -> Span {
    match reprobe {
        Reprobe::Every { interval, .. } => interval,
        Reprobe::Never => Span::ZERO,
    }
}

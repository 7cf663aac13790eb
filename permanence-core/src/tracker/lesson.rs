//! One finished call as the machine sees it: judged, and without its policy.

use crate::policy::{counted_class, is_pardoned};
use crate::{
    Cause, Class, Directive, EventKind, Instant, Outcome, Phase, Policy, Processed, Retry, Rule,
    Scope, Settings, SignalCode, Span, processed,
};

/// The numbers of the policy and the present instant.
pub(super) struct Scene<'p> {
    pub(super) settings: &'p Settings,
    pub(super) now: Instant,
}

/// One finished call, judged; the small fields first, as in the tracker.
#[repr(C)]
pub(super) struct Lesson<'p> {
    /// The class that counts, after the server's word and the guard of unkeyed writes.
    pub(super) class: Class,
    /// Who judged: the threshold of a rule counts only where its own class stands.
    pub(super) judged: Judged,
    pub(super) answered: bool,
    /// Whether the same request may be sent once more (L5).
    pub(super) repeatable: bool,
    pub(super) directive: Option<Directive>,
    pub(super) payload: Option<u8>,
    pub(super) code: SignalCode,
    /// The time that the server named, capped; zero for none.
    pub(super) hint: Span,
    pub(super) rule: &'p Rule,
    pub(super) scene: Scene<'p>,
}

/// Who judged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Judged {
    ByPolicy,
    /// The server took a permanent answer back: try again.
    ByServer,
}

impl<'p> Lesson<'p> {
    pub(super) fn new<P: Policy + ?Sized>(
        policy: &'p P,
        outcome: &Outcome<'_>,
        rule: &'p Rule,
        now: Instant,
    ) -> Self {
        let settings = policy.settings();
        let processed = processed(policy, outcome);
        Lesson::judge(Scene { settings, now }, outcome, rule, processed)
    }

    fn judge(
        scene: Scene<'p>,
        outcome: &Outcome<'_>,
        rule: &'p Rule,
        processed: Processed,
    ) -> Self {
        let pardoned = is_pardoned(rule, outcome);
        let judged = if pardoned { Judged::ByServer } else { Judged::ByPolicy };
        let most = scene.settings.retry_after_max;
        Lesson {
            scene,
            rule,
            hint: outcome.server_delay.unwrap_or(Span::ZERO).min(most),
            code: outcome.signal.code(),
            class: counted_class(rule, processed, outcome),
            judged,
            answered: outcome.phase == Phase::Answered,
            repeatable: outcome.request.is_repeatable() || processed == Processed::No,
            directive: outcome.directive,
            payload: outcome.payload,
        }
    }

    pub(super) const fn cause(&self) -> Cause {
        Cause::new(self.code, self.rule.reason)
    }

    /// The time that the server named is a floor under the wait for the next probe; with a permanent
    /// answer it means nothing.
    pub(super) fn floor(&self) -> Span {
        if self.class == Class::Permanent { Span::ZERO } else { self.hint }
    }

    /// Whether an ambiguous outcome says something about the endpoint: only an answer does, and not
    /// one about this request alone.
    pub(super) fn is_evidence(&self) -> bool {
        self.answered && self.rule.retry != Retry::Never
    }

    pub(super) fn is_payload(&self) -> bool {
        self.class == Class::Permanent && self.rule.scope == Scope::Payload
    }

    /// What the outcome means for the caller's own request, whatever it means for the endpoint.
    pub(super) fn todo(&self) -> Todo {
        match self.class {
            Class::Ambiguous => Todo::Surface,
            Class::Ignored | Class::Success => Todo::Proceed,
            Class::Permanent if self.is_payload() => Todo::Drop,
            Class::Permanent | Class::Transient => Todo::Wait,
        }
    }
}

/// An action before its numbers are filled in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Todo {
    Drop,
    Proceed,
    Renew,
    Retry,
    RetryAtOnce,
    Surface,
    Wait,
}

/// A step before it is written out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Told {
    pub(super) todo: Todo,
    pub(super) said: Option<EventKind>,
}

impl Told {
    pub(super) const NOTHING: Told = Told { todo: Todo::Proceed, said: None };
}

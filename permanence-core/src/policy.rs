//! How a policy answers: a total function from signals to rules.

use crate::{
    Bits, Cause, Class, Directive, Network, Outcome, Phase, Probe, Processed, Reason, Refinement,
    Retry, Rule, Settings, Signal,
};

/// A policy as one endpoint sees it: a total function from signals to rules, and a few numbers.
///
/// A generated policy and a loaded one both implement it; the machine takes it as an argument, so
/// that a reload loses no episode (SPEC 5).
pub trait Policy {
    /// The row of the table that `signal` falls into.
    fn rule(&self, signal: &Signal<'_>) -> &Rule;

    /// The numbers that do not depend on the signal.
    fn settings(&self) -> &Settings;

    /// The row that a remembered cause fell into.
    ///
    /// A cause keeps no provider code: a policy that knows some finds their row by the reason.
    fn cause_rule(&self, cause: Cause) -> &Rule {
        self.rule(&cause.signal())
    }

    /// The questions that this policy asks of answers, at most [`Bits::MAX`]; none by default.
    fn probes(&self) -> &[Probe<'_>] {
        &[]
    }

    /// Whether the body of an answer with this status can decide anything; others need no scan.
    fn needs_body(&self, status: u16) -> bool {
        let _ = status;
        false
    }

    /// The first rule about more than the status that the outcome meets; it goes before every row.
    #[inline]
    fn refinement(&self, signal: &Signal<'_>, bits: Bits) -> Option<Refinement<'_>> {
        let _ = (signal, bits);
        None
    }

    /// The row that an outcome falls into: that of its first rule, else that of its signal.
    #[inline]
    fn outcome_rule(&self, outcome: &Outcome<'_>) -> &Rule {
        match self.refinement(&outcome.signal, outcome.bits) {
            Some(refinement) => refinement.rule,
            None => self.rule(&outcome.signal),
        }
    }

    /// Whether a peer that answered with `signal` acted on the request.
    ///
    /// It is asked only of answers; where there is none the phase decides ([`processed`]).
    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        default_processed(signal)
    }

    /// Whether a peer acted on a request that it answered: what the first rule that the outcome meets
    /// says, else what its signal says.
    #[inline]
    fn outcome_processed(&self, outcome: &Outcome<'_>) -> Processed {
        match self.refinement(&outcome.signal, outcome.bits) {
            Some(Refinement { processed: Some(processed), .. }) => processed,
            _ => self.answered_processed(&outcome.signal),
        }
    }

    /// The name of a reason that the policy itself has named.
    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        let _ = reason;
        None
    }

    /// The name of any reason; `unknown` for one that this policy never heard of.
    fn reason_name(&self, reason: Reason) -> &str {
        match reason.builtin_name() {
            Some(name) => name,
            None => self.custom_reason_name(reason).unwrap_or("unknown"),
        }
    }
}

impl<P: Policy + ?Sized> Policy for &P {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        P::rule(self, signal)
    }

    fn settings(&self) -> &Settings {
        P::settings(self)
    }

    fn cause_rule(&self, cause: Cause) -> &Rule {
        P::cause_rule(self, cause)
    }

    fn probes(&self) -> &[Probe<'_>] {
        P::probes(self)
    }

    fn needs_body(&self, status: u16) -> bool {
        P::needs_body(self, status)
    }

    #[inline]
    fn refinement(&self, signal: &Signal<'_>, bits: Bits) -> Option<Refinement<'_>> {
        P::refinement(self, signal, bits)
    }

    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        P::answered_processed(self, signal)
    }

    #[inline]
    fn outcome_processed(&self, outcome: &Outcome<'_>) -> Processed {
        P::outcome_processed(self, outcome)
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        P::custom_reason_name(self, reason)
    }
}

/// A policy for several endpoints, told apart by route templates (SPEC 5.5).
pub trait RoutePolicy {
    /// The policy as one endpoint sees it.
    type Endpoint: Policy;

    /// The policy for a request; a path that matches no template gets the policy without overrides.
    ///
    /// `path` may be a real path or the template itself.
    fn endpoint(&self, method: &str, path: &str) -> Self::Endpoint;

    /// The template of the route that a request belongs to; `None` where the policy names none.
    fn template(&self, method: &str, path: &str) -> Option<&str> {
        let _ = (method, path);
        None
    }
}

/// Whether the peer acted on the request: the second axis of a classification, beside the class.
///
/// Nothing sent: no. Sent and not answered: unknown. Answered: what the policy says.
#[must_use]
pub fn processed<P: Policy + ?Sized>(policy: &P, outcome: &Outcome<'_>) -> Processed {
    match outcome.phase {
        Phase::NothingSent => Processed::No,
        Phase::Sent => Processed::Unknown,
        Phase::Answered => policy.outcome_processed(outcome),
    }
}

/// What answers mean where a policy does not say: RFC 9110 section 15 for whole hundreds, the gRPC
/// status list, RFC 7252 section 5.9 for CoAP.
#[must_use]
pub const fn default_processed(signal: &Signal<'_>) -> Processed {
    match *signal {
        Signal::Http(status) | Signal::Provider { status, .. } => match status {
            200..=299 => Processed::Yes,
            300..=499 => Processed::No,
            _ => Processed::Unknown,
        },
        Signal::Unusable { .. } => Processed::Yes,
        Signal::Grpc(code) => match code {
            0 => Processed::Yes,
            3 | 5..=7 | 9..=12 | 16 => Processed::No,
            _ => Processed::Unknown,
        },
        Signal::Coap(byte) => match byte >> 5 {
            2 => Processed::Yes,
            4 => Processed::No,
            _ => Processed::Unknown,
        },
        Signal::Network(Network::RefusedStream) => Processed::No,
        Signal::Network(_) | Signal::Cancelled => Processed::Unknown,
    }
}

/// A policy's judgement of one outcome, on both axes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Verdict<'p> {
    /// The row that the signal fell into.
    pub rule: &'p Rule,
    /// The class that counts: a permanent answer that the server itself takes back is transient; an
    /// unkeyed write of unknown fate is ambiguous whatever its row says, and a repeatable request of
    /// unknown fate is merely transient (L5).
    pub class: Class,
    /// Whether the peer acted on the request.
    pub processed: Processed,
}

/// Judges one outcome.
///
/// # Examples
///
/// ```
/// # use permanence_core::{Policy, Rule, Settings, Signal};
/// # struct AllGood;
/// # impl Policy for AllGood {
/// #     fn rule(&self, _: &Signal<'_>) -> &Rule { &Rule::SUCCESS }
/// #     fn settings(&self) -> &Settings { &Settings::LITERAL }
/// # }
/// # let policy = AllGood;
/// use permanence_core::{Class, Outcome, Request, verdict};
///
/// let outcome = Outcome::new(Signal::Http(204), Request::Idempotent);
/// assert_eq!(verdict(&policy, &outcome).class, Class::Success);
/// ```
#[must_use]
pub fn verdict<'p, P: Policy + ?Sized>(policy: &'p P, outcome: &Outcome<'_>) -> Verdict<'p> {
    let rule = policy.outcome_rule(outcome);
    let processed = processed(policy, outcome);
    Verdict { rule, class: counted_class(rule, processed, outcome), processed }
}

/// Whether the server takes a permanent answer back: try again.
pub(crate) fn is_pardoned(rule: &Rule, outcome: &Outcome<'_>) -> bool {
    rule.class == Class::Permanent && matches!(outcome.directive, Some(Directive::Retry))
}

/// What is left of a rule's class after the server's word and the guard of unkeyed writes (L5).
///
/// An ambiguous row that is never retried is ambiguous for every request: repeating it would tell
/// nothing new, as with the answer to a key that was used before.
pub(crate) fn counted_class(rule: &Rule, processed: Processed, outcome: &Outcome<'_>) -> Class {
    let class = if is_pardoned(rule, outcome) { Class::Transient } else { rule.class };
    let harmless = outcome.request.is_repeatable() || matches!(processed, Processed::No);
    match class {
        Class::Ambiguous if matches!(rule.retry, Retry::Never) => Class::Ambiguous,
        Class::Ambiguous | Class::Transient if harmless => Class::Transient,
        Class::Ambiguous | Class::Transient => Class::Ambiguous,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;

    const EVERY_REQUEST: [Request; 3] = [Request::Idempotent, Request::Keyed, Request::Unkeyed];

    fn guarded(class: Class, retry: Retry, request: Request) -> Class {
        let outcome = Outcome::new(Signal::Http(409), request);
        counted_class(&Rule { class, retry, ..Rule::SUCCESS }, Processed::Unknown, &outcome)
    }

    #[test]
    fn an_unknown_fate_is_transient_where_a_repeat_is_harmless() {
        for class in [Class::Ambiguous, Class::Transient] {
            for request in [Request::Idempotent, Request::Keyed] {
                assert_eq!(guarded(class, Retry::Backoff, request), Class::Transient);
            }
            assert_eq!(guarded(class, Retry::Backoff, Request::Unkeyed), Class::Ambiguous);
        }
    }

    #[test]
    fn what_is_ambiguous_and_never_retried_is_so_for_every_request() {
        for request in EVERY_REQUEST {
            assert_eq!(guarded(Class::Ambiguous, Retry::Never, request), Class::Ambiguous);
            assert_eq!(guarded(Class::Permanent, Retry::Never, request), Class::Permanent);
        }
    }

    #[test]
    fn a_permanent_answer_that_the_server_takes_back_passes_the_guard_first() {
        let permanent = Rule { class: Class::Permanent, ..Rule::SUCCESS };
        for (request, class) in
            [(Request::Idempotent, Class::Transient), (Request::Unkeyed, Class::Ambiguous)]
        {
            let taken_back =
                Outcome::new(Signal::Http(501), request).with_directive(Directive::Retry);
            assert_eq!(counted_class(&permanent, Processed::Unknown, &taken_back), class);
        }
    }

    /// A peer that refuses with status 200: bit 0 says so.
    struct Refusing;

    const REFUSED: Rule = Rule {
        reason: Reason::OVERLOAD,
        class: Class::Transient,
        retry: Retry::Backoff,
        ..Rule::SUCCESS
    };

    impl Policy for Refusing {
        fn rule(&self, _: &Signal<'_>) -> &Rule {
            &Rule::SUCCESS
        }

        fn settings(&self) -> &Settings {
            &Settings::LITERAL
        }

        fn refinement(&self, _: &Signal<'_>, bits: Bits) -> Option<Refinement<'_>> {
            let processed = if bits.has(1) { None } else { Some(Processed::No) };
            let refused = Refinement { id: "refused", rule: &REFUSED, processed, delay: None };
            bits.has(0).then_some(refused)
        }
    }

    #[test]
    fn a_write_that_a_rule_calls_refused_may_be_repeated() {
        let plain = Outcome::new(Signal::Http(200), Request::Unkeyed);
        assert_eq!(verdict(&Refusing, &plain).class, Class::Success);
        let refused = verdict(&Refusing, &plain.with_bits(Bits::from_mask(0b01)));
        assert_eq!((refused.class, refused.processed), (Class::Transient, Processed::No));
        let silent = verdict(&Refusing, &plain.with_bits(Bits::from_mask(0b11)));
        assert_eq!((silent.class, silent.processed), (Class::Ambiguous, Processed::Yes));
    }

    #[test]
    fn a_rule_about_answers_says_nothing_where_there_is_none() {
        let cut = Outcome::new(Signal::Network(Network::Reset), Request::Unkeyed);
        let cut = cut.with_bits(Bits::from_mask(0b01));
        assert_eq!(verdict(&Refusing, &cut).processed, Processed::Unknown);
    }
}

//! One decision: what the policy and the machine make of one outcome.

use permanence_core::scan::Found;
use permanence_core::{
    Class, DelaySource, Directive, Outcome, Phase, Policy, Processed, RoutePolicy, Rule, Signal,
    retry_after, verdict,
};
use permanence_spec::{LoadedPolicy, Traced};
use serde::Serialize;

use super::code::Code;
use super::delay::{Delay, pairs};
use super::follows::{self, Judged, RetryNow};
use super::given::{Given, GivenError};
use super::look::Answer;
use super::row::Row;
use super::steps::{self, Question, Step};
use super::words;

/// What the policy and the machine make of one outcome.
#[derive(Debug, Serialize)]
pub(super) struct Decision {
    pub(super) code: String,
    pub(super) method: String,
    pub(super) endpoint: Option<String>,
    pub(super) request: &'static str,
    pub(super) phase: &'static str,
    /// The class that counts: after the server's word and the guard.
    pub(super) class: &'static str,
    /// The row that was found.
    pub(super) row: Row,
    pub(super) retry_now: RetryNow,
    pub(super) delay: Option<Delay>,
    pub(super) decided_by: Step,
    pub(super) steps: Vec<Step>,
    pub(super) guard: Guard,
    pub(super) next: String,
}

/// What the guard of unkeyed writes (SPEC 2.5) makes of it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(super) struct Guard {
    pub(super) applies: bool,
    pub(super) why: String,
}

/// Takes the decision.
pub(super) fn decide(traced: &Traced, code: &Code, given: &Given) -> Result<Decision, GivenError> {
    let signal = code.signal();
    let method = given.method(match signal {
        // Every call of gRPC is a POST; that a method of it is idempotent has to be said.
        Signal::Grpc(_) => "POST",
        _ => "GET",
    })?;
    let path = given.endpoint.as_ref().map(|endpoint| endpoint.path.as_str());
    let loaded = LoadedPolicy::new(traced.compiled().clone());
    let policy = loaded.endpoint(method, path.unwrap_or(""));
    let route = path.and_then(|path| traced.compiled().route_of(method, path));

    let mut outcome = Outcome::new(signal, given.request(method));
    outcome.phase = given.phase.map(Phase::from).or(code.phase()).unwrap_or(outcome.phase);
    let body = given.body()?;
    let answer = Answer { signal, method, given, body: body.as_deref() };
    outcome.bits = answer.bits(&policy);
    let refinement = policy.refinement(&signal, outcome.bits);
    let found = verdict(&policy, &outcome);
    let (rule, processed) = (found.rule, found.processed);
    outcome.directive = retry_after::directive_from_headers(pairs(&given.headers));
    let delay = match rule.class {
        Class::Success | Class::Ignored => None,
        _ => server_delay(&policy, &answer, refinement.and_then(|refinement| refinement.delay)),
    };
    outcome.server_delay = delay.as_ref().map(|delay| delay.span);

    let class = counted_class(rule, processed, &outcome);
    let judged = Judged {
        class,
        rule,
        phase: outcome.phase,
        settings: policy.settings(),
        directive: outcome.directive,
        delay: delay.as_ref(),
    };
    let endpoint = path.map(|path| format!("{method} {path}"));
    let steps = steps::steps(&Question {
        policy: traced,
        endpoint: endpoint.as_deref(),
        route,
        signal,
        directive: outcome.directive,
        bits: outcome.bits,
        unread: body.is_some() && !answer.is_body_wanted(&policy),
        rule,
    });
    let decided_by = steps.iter().find(|step| step.result == steps::Outcome::Decided);
    Ok(Decision {
        code: match code {
            Code::Provider { status, code } => format!("{status}:{code}"),
            Code::Io(..) | Code::Plain(_) => signal.code().to_string(),
        },
        method: method.to_owned(),
        request: words::request(outcome.request),
        phase: words::phase(outcome.phase),
        class: class.name(),
        row: Row::new(&policy, rule, processed),
        retry_now: follows::retry_now(&policy, &outcome, &judged),
        decided_by: decided_by.unwrap_or(&steps[0]).clone(),
        guard: Guard::of(class, processed, method, &outcome),
        next: follows::next(&judged).join("; "),
        endpoint,
        steps,
        delay,
    })
}

/// The time that stands where the rule says, else the one of the headers.
fn server_delay(
    policy: &impl Policy,
    answer: &Answer<'_>,
    source: Option<DelaySource<'_>>,
) -> Option<Delay> {
    let (headers, settings) = (&answer.given.headers, policy.settings());
    let of_rule = source.and_then(|source| {
        let found = answer.scanned(policy, Some(source));
        Delay::of_source(source, headers, found.as_ref().and_then(Found::scalar), settings)
    });
    of_rule.or_else(|| Delay::of_headers(headers, settings))
}

/// The class after the server's word and the guard, as the machine has it.
fn counted_class(rule: &Rule, processed: Processed, outcome: &Outcome<'_>) -> Class {
    let pardoned = rule.class == Class::Permanent && outcome.directive == Some(Directive::Retry);
    let class = if pardoned { Class::Transient } else { rule.class };
    match class {
        Class::Ambiguous | Class::Transient if is_harmless(processed, outcome) => Class::Transient,
        Class::Ambiguous | Class::Transient => Class::Ambiguous,
        other => other,
    }
}

fn is_harmless(processed: Processed, outcome: &Outcome<'_>) -> bool {
    outcome.request.is_repeatable() || processed == Processed::No
}

impl Guard {
    fn of(class: Class, processed: Processed, method: &str, outcome: &Outcome<'_>) -> Self {
        let applies = class == Class::Ambiguous;
        let why = match class {
            Class::Ambiguous if outcome.phase == Phase::Sent => {
                format!("{method} without an idempotency key was sent and not answered")
            }
            Class::Ambiguous => {
                format!("{method} without an idempotency key, and the peer may have acted")
            }
            Class::Transient if outcome.request.is_repeatable() => match outcome.request {
                permanence_core::Request::Keyed => "the request carries a key".to_owned(),
                _ => format!("{method} is idempotent"),
            },
            Class::Transient => {
                debug_assert!(is_harmless(processed, outcome), "the guard let a write pass");
                "the peer did not act on the request".to_owned()
            }
            other => format!("it stands above retries, and {} has none", other.name()),
        };
        Guard { applies, why }
    }
}

//! One decision: what the policy and the machine make of one outcome.

use permanence_core::scan::Found;
use permanence_core::{
    Class, DelaySource, Outcome, Phase, Policy, Processed, RoutePolicy, Signal, Verdict,
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
    /// The rule about more than the status that was met, whether it decided or not.
    pub(super) rule: Option<String>,
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
    outcome.directive = retry_after::directive_from_headers(pairs(&given.headers));
    let Verdict { rule, class, processed } = verdict(&policy, &outcome);
    let delay = match rule.class {
        Class::Success | Class::Ignored => None,
        _ => server_delay(&policy, &answer, refinement.and_then(|refinement| refinement.delay)),
    };
    outcome.server_delay = delay.as_ref().map(|delay| delay.span);

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
        decided_by: Step { tried: Vec::new(), ..decided_by.unwrap_or(&steps[0]).clone() },
        rule: refinement.map(|refinement| refinement.id.to_owned()),
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

fn is_harmless(processed: Processed, outcome: &Outcome<'_>) -> bool {
    outcome.request.is_repeatable() || processed == Processed::No
}

impl Guard {
    fn of(class: Class, processed: Processed, method: &str, outcome: &Outcome<'_>) -> Self {
        let applies = class == Class::Ambiguous;
        let why = match class {
            Class::Ambiguous if outcome.request.is_repeatable() => {
                "the row is never retried: a repeat would tell nothing new".to_owned()
            }
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

#[cfg(test)]
mod tests {
    use permanence_core::{
        Admission, EventKind, GRPC_NAMES, Instant, Network, Reason, Span, Tracker,
    };
    use permanence_spec::{trace_default, trace_essay, trace_str};

    use super::*;

    /// Everything that changes what happens next.
    const ODD: &str = "
    [error_permanence]
    extends = 'default'
    classes.transient.notice_after_consecutive = 1
    classes.transient.pacing = 'hold'
    [error_permanence.reasons.stale-context]
    status_codes = [404]
    [error_permanence.reasons.invalid-request]
    scope = 'payload'
    disable_after_consecutive = 3
    [error_permanence.reasons.overload]
    disable_after_consecutive = 4
    [error_permanence.reasons.ambiguous-write]
    status_codes = [599]
    ";

    fn codes() -> Vec<Code> {
        let mut codes: Vec<Code> =
            (100..600).map(|status| Code::Plain(Signal::Http(status))).collect();
        codes.extend((0..).zip(GRPC_NAMES).map(|(code, _)| Code::Plain(Signal::Grpc(code))));
        codes.extend(Network::ALL.map(|network| Code::Plain(Signal::Network(network))));
        codes.push(Code::Plain(Signal::Unusable { status: 200 }));
        codes.push(Code::Plain(Signal::Cancelled));
        codes
    }

    /// How many outcomes in a row it takes until the first event of a kind in question.
    fn first(kinds: &[EventKind], said: &[(u16, EventKind)]) -> Option<u16> {
        said.iter().find(|(_, kind)| kinds.contains(kind)).map(|(count, _)| *count)
    }

    /// The number that stands between two texts in one of the clauses.
    fn promised(next: &str, before: &str) -> Option<u16> {
        let (_, rest) = next.split_once(before)?;
        rest.split(' ').next()?.parse().ok()
    }

    /// Reports one outcome again and again and compares the lines with what was promised.
    fn keeps_its_promises(traced: &Traced, code: &Code, given: &Given) {
        let decision = decide(traced, code, given).unwrap();
        let next = decision.next.as_str();
        let policy = LoadedPolicy::new(traced.compiled().clone()).endpoint("", "");
        let method = given.method("GET").unwrap();
        let mut outcome = Outcome::new(code.signal(), given.request(method));
        outcome.server_delay = decision.delay.as_ref().map(|delay| delay.span);

        let mut tracker = Tracker::new(7);
        let mut now = Instant::ZERO;
        let mut said = Vec::new();
        for count in 1..=60 {
            let Admission::Call(permit) = tracker.admit(&policy, now) else { break };
            let step = tracker.record(&policy, permit, &outcome, now);
            said.extend(step.event.map(|event| (count, event.kind)));
            now = now.saturating_add(Span::from_secs(600));
        }

        let stops = if next.contains("calls stop at the first one") {
            Some(1)
        } else {
            promised(next, "calls stop after ")
        };
        assert_eq!(
            first(&[EventKind::Disabled, EventKind::Gone], &said),
            stops,
            "{code:?}: {next}"
        );
        let degraded = if next.contains("one DEGRADED line at the first one")
            || next.ends_with("one DEGRADED line")
        {
            Some(1)
        } else {
            promised(next, "one DEGRADED line after ")
        };
        // An ambiguous outcome of an endpoint that answers counts as well, and tells less.
        if decision.class != "ambiguous" {
            assert_eq!(first(&[EventKind::Degraded], &said), degraded, "{code:?}: {next}");
        }
        let surfaced = next.contains("one AMBIGUOUS line");
        assert_eq!(surfaced, decision.class == "ambiguous");
        let gone = first(&[EventKind::Gone], &said).is_some();
        assert_eq!(gone, next.contains("never probed"), "{code:?}: {next}");
    }

    #[test]
    fn what_is_promised_is_what_the_machine_does() {
        let policies = [trace_default(), trace_essay(), trace_str("odd.toml", ODD)];
        for policy in policies.map(Result::unwrap) {
            for code in codes() {
                keeps_its_promises(&policy, &code, &Given::default());
                let method = Some("POST".to_owned());
                keeps_its_promises(&policy, &code, &Given { method, ..Given::default() });
            }
        }
    }

    #[test]
    fn a_named_time_is_promised_and_kept() {
        let policy = trace_default().unwrap();
        let headers = vec!["retry-after: 120".parse().unwrap()];
        let given = Given { headers, ..Given::default() };
        for status in [429, 503, 500] {
            let code = Code::Plain(Signal::Http(status));
            let decision = decide(&policy, &code, &given).unwrap();
            assert!(decision.next.starts_with("no call for 2m"), "{}", decision.next);
            keeps_its_promises(&policy, &code, &given);
        }
    }

    #[test]
    fn the_class_is_the_one_of_the_core_where_the_server_is_silent() {
        let policy = trace_default().unwrap();
        let loaded = LoadedPolicy::new(policy.compiled().clone()).endpoint("", "");
        for code in codes() {
            for method in ["GET", "POST"] {
                let given = Given { method: Some(method.to_owned()), ..Given::default() };
                let outcome = Outcome::new(code.signal(), given.request(method));
                let class = verdict(&loaded, &outcome).class.name();
                assert_eq!(decide(&policy, &code, &given).unwrap().class, class, "{code:?}");
            }
        }
        assert_eq!(loaded.rule(&Signal::Http(410)).reason, Reason::GONE);
    }
}

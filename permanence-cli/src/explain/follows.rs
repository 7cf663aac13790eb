//! What happens next, in words.

use permanence_core::{
    Action, Admission, Backoff, Class, Directive, Instant, Mode, Outcome, Pacing, Phase, Policy,
    Remedy, Reprobe, Retry, Rule, Scope, Settings, Span, Tracker,
};
use serde::Serialize;

use super::delay::Delay;
use super::words;

/// Whether the same request may be tried again within the call.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(super) struct RetryNow {
    pub(super) allowed: bool,
    /// The shortest and the longest pause before it, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pause_ms: Option<[Span; 2]>,
    pub(super) why: String,
}

/// What the rest is said of.
pub(super) struct Judged<'j> {
    /// After the server's word and the guard.
    pub(super) class: Class,
    pub(super) rule: &'j Rule,
    pub(super) phase: Phase,
    pub(super) settings: &'j Settings,
    pub(super) directive: Option<Directive>,
    pub(super) delay: Option<&'j Delay>,
}

/// Asks the machine itself: the first such outcome of a new endpoint.
pub(super) fn retry_now(
    policy: &impl Policy,
    outcome: &Outcome<'_>,
    judged: &Judged<'_>,
) -> RetryNow {
    let mut tracker = Tracker::new(0);
    let Admission::Call(permit) = tracker.admit(policy, Instant::ZERO) else {
        return no("a new endpoint is not gated");
    };
    match tracker.record(policy, permit, outcome, Instant::ZERO).action {
        Action::Retry(_) => {
            let [least, most] = pauses(judged);
            let pause = if most.is_zero() {
                "at once, on a fresh connection".to_owned()
            } else if least == most {
                format!("after {}", words::span(least))
            } else {
                format!("after {} to {}", words::span(least), words::span(most))
            };
            let why = format!("{pause}, if the budget affords it");
            RetryNow { allowed: true, pause_ms: Some([least, most]), why }
        }
        Action::Renew(remedy) => {
            let why = format!("once: {}, then ask again", words::remedy(remedy));
            RetryNow { allowed: true, pause_ms: None, why }
        }
        Action::Surface => no("nobody knows whether the request was acted on"),
        Action::Drop => no("this payload is refused; the next one may go"),
        Action::Proceed => no("there is nothing to try again"),
        _ => no(refusal(judged)),
    }
}

fn no(why: &str) -> RetryNow {
    RetryNow { allowed: false, pause_ms: None, why: why.to_owned() }
}

/// The first pause at its shortest and at its longest.
fn pauses(judged: &Judged<'_>) -> [Span; 2] {
    let floor = judged.delay.map_or(Span::ZERO, |delay| delay.span);
    if judged.rule.retry == Retry::Once {
        return [floor, floor];
    }
    let Settings { backoff, .. } = judged.settings;
    let pause = |draw| Backoff::delay(backoff, 0, Span::ZERO, draw).max(floor);
    [pause(0), pause(u32::MAX)]
}

/// Why a request that failed in passing, or for good, is not tried again now.
fn refusal(judged: &Judged<'_>) -> &'static str {
    let settings = judged.settings;
    let long = judged.delay.is_some_and(|delay| delay.span > settings.backoff.max);
    match judged.class {
        Class::Permanent => "the same call cannot help",
        _ if settings.mode == Mode::Observe => "the policy only observes",
        _ if judged.directive == Some(Directive::DoNotRetry) => "the server forbids it",
        _ if long => "the server named a time beyond backoff.max",
        _ if settings.notice_after.get() == 1 => "the first failure opens an episode",
        _ => "the next round of the caller is soon enough",
    }
}

/// What happens next, a clause each.
pub(super) fn next(judged: &Judged<'_>) -> Vec<String> {
    let mut clauses = match judged.class {
        Class::Success => vec!["calls go on".to_owned(), "an open episode is closed".to_owned()],
        Class::Ignored => vec!["nothing is learned".to_owned(), "calls go on".to_owned()],
        Class::Ambiguous => ambiguous(judged),
        Class::Permanent => permanent(judged),
        Class::Transient => transient(judged),
    };
    if judged.settings.mode == Mode::Observe {
        clauses.push("all of this is only said: mode is observe".to_owned());
    }
    clauses
}

fn ambiguous(judged: &Judged<'_>) -> Vec<String> {
    let mut clauses = vec![
        "handed to the caller and not repeated: it may have acted".to_owned(),
        "one AMBIGUOUS line".to_owned(),
    ];
    if judged.phase == Phase::Answered {
        clauses.extend(wait(judged));
        clauses.push("for the endpoint it counts as a transient failure".to_owned());
        clauses.extend(stops(judged.rule));
    } else {
        clauses.push("nothing is learned about the endpoint".to_owned());
    }
    clauses
}

fn permanent(judged: &Judged<'_>) -> Vec<String> {
    let rule = judged.rule;
    let payload = rule.scope == Scope::Payload;
    let renews = rule.retry == Retry::Renew;
    let mut clauses = Vec::new();
    if payload {
        clauses.push("this payload is dropped".to_owned());
    }
    if renews {
        clauses.push(format!("{}, then once more", words::remedy(rule.remedy)));
    }
    match rule.disable_after.map(|count| if renews { count.get().max(2) } else { count.get() }) {
        None => clauses.push("calls go on".to_owned()),
        Some(1) => clauses.push("calls stop at the first one".to_owned()),
        Some(count) if payload => {
            clauses.push(format!("calls stop after {count} different payloads in a row"));
        }
        Some(count) => clauses.push(format!("calls stop after {count} in a row")),
    }
    if rule.disable_after.is_some() {
        clauses.push(probe(rule));
    }
    if !payload && !renews && rule.remedy != Remedy::Wait {
        clauses.push(format!("to help: {}", words::remedy(rule.remedy)));
    }
    clauses
}

fn transient(judged: &Judged<'_>) -> Vec<String> {
    let Judged { rule, settings, .. } = judged;
    let mut clauses = Vec::new();
    clauses.extend(wait(judged));
    if clauses.is_empty() {
        clauses.push(match settings.pacing {
            Pacing::Advise => "calls go on at the caller's cadence".to_owned(),
            Pacing::Hold => "calls are held back until the back-off has passed".to_owned(),
        });
    }
    let long = judged.delay.is_some_and(|delay| delay.span > settings.backoff.max);
    clauses.push(match settings.notice_after.get() {
        _ if long => "one DEGRADED line".to_owned(),
        1 => "one DEGRADED line at the first one".to_owned(),
        count => format!("one DEGRADED line after {count} in a row, and no retry within the call"),
    });
    clauses.extend(stops(rule));
    clauses
}

/// When a failure that may pass stops the calls after all; the threshold of a permanent rule does not
/// count where the server has taken its answer back.
fn stops(rule: &Rule) -> Vec<String> {
    match rule.disable_after.filter(|_| rule.class != Class::Permanent) {
        Some(count) if count.get() == 1 => {
            vec!["calls stop at the first one".to_owned(), probe(rule)]
        }
        Some(count) => vec![format!("calls stop after {count} in a row"), probe(rule)],
        None => Vec::new(),
    }
}

/// How long the server's time gates the calls.
fn wait(judged: &Judged<'_>) -> Option<String> {
    let delay = judged.delay.filter(|delay| !delay.span.is_zero())?;
    Some(format!("no call for {}, as the server asked", words::span(delay.span)))
}

fn probe(rule: &Rule) -> String {
    match rule.reprobe {
        Reprobe::Never => "never probed: only a reload or a recheck helps".to_owned(),
        Reprobe::Every { interval, ramp: None } => format!("probe every {}", words::span(interval)),
        Reprobe::Every { interval, ramp: Some(ramp) } => format!(
            "probe every {} (an endpoint that has worked before: from {} on, doubling)",
            words::span(interval),
            words::span(ramp)
        ),
    }
}

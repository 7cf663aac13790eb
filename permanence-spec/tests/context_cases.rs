//! Reported failures of other programs that the status alone could not have prevented.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

mod answer;

use permanence_core::retry_after::from_headers;
use permanence_core::{
    Action, Admission, Class, EventKind, Instant, Policy, Reason, Request, Retry, Scope, Signal,
    Tracker, grpc_code, verdict,
};
use permanence_spec::LoadedEndpoint;

use self::answer::{Answer, with_pack};

fn answer(method: &str, status: u16, body: &str) -> Answer {
    Answer {
        signal: Signal::Http(status),
        headers: Vec::new(),
        request_headers: Vec::new(),
        method: method.to_owned(),
        body: body.to_owned(),
    }
}

fn with_headers(answer: Answer, headers: &[(&str, &str)]) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Answer { headers: headers.collect(), ..answer }
}

fn class(policy: &LoadedEndpoint, answer: &Answer) -> Class {
    let request = Request::from_method(&answer.method);
    verdict(policy, &answer.outcome(policy, request)).class
}

#[test]
fn sc_1_an_account_without_credit_is_not_a_pace() {
    let policy = with_pack("openai");
    let quota = answer("POST", 429, r#"{"error":{"code":"insufficient_quota"}}"#);
    let pace = answer("POST", 429, r#"{"error":{"code":"rate_limit_exceeded"}}"#);
    assert_eq!(class(&policy, &quota), Class::Permanent);
    assert_eq!(class(&policy, &pace), Class::Transient);
    assert_eq!(class(&policy, &answer("POST", 429, "")), Class::Transient);
}

#[test]
fn sc_2_a_limit_that_says_403_is_not_a_missing_right() {
    let policy = with_pack("github");
    let forbidden =
        |body: &str, headers: &[(&str, &str)]| with_headers(answer("GET", 403, body), headers);
    let timed = forbidden("", &[("retry-after", "60")]);
    let empty = forbidden("", &[("x-ratelimit-remaining", "0")]);
    let coded = forbidden(r#"{"code":"secondary_rate_limit"}"#, &[("x-ratelimit-remaining", "41")]);
    for limited in [&timed, &empty, &coded] {
        let found = verdict(&policy, &limited.outcome(&policy, Request::Idempotent));
        assert_eq!((found.class, found.rule.retry), (Class::Transient, Retry::Backoff));
    }
    let named = timed.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    assert_eq!(from_headers(named, None).map(|delay| delay.as_millis()), Some(60_000));
    let denied = forbidden("", &[("x-ratelimit-remaining", "41")]);
    assert_eq!(class(&policy, &denied), Class::Permanent);
}

#[test]
fn uw_3_only_what_never_reached_the_origin_is_written_again() {
    let policy = with_pack("cloudflare");
    let edge = |method: &str, status| {
        with_headers(answer(method, status, ""), &[("server", "cloudflare")])
    };
    for status in [521, 522, 523] {
        assert_eq!(class(&policy, &edge("POST", status)), Class::Transient, "{status}");
    }
    for status in [520, 524] {
        assert_eq!(class(&policy, &edge("POST", status)), Class::Ambiguous, "{status}");
    }
    assert_eq!(class(&policy, &edge("GET", 524)), Class::Transient);
    // Anybody else's 522 proves nothing.
    assert_eq!(class(&policy, &answer("POST", 522, "")), Class::Ambiguous);
}

#[test]
fn pr_3_a_revoked_grant_costs_five_calls_and_one_line_a_day() {
    let policy = with_pack("oauth");
    let revoked = answer("POST", 400, r#"{"error":"invalid_grant"}"#);
    let outcome = revoked.outcome(&policy, Request::Unkeyed);
    let (mut tracker, mut calls, mut lines) = (Tracker::new(7), 0, Vec::new());
    for minute in 0..1_440 {
        let now = Instant::from_millis(minute * 60_000);
        let Admission::Call(permit) = tracker.admit(&policy, now) else { continue };
        calls += 1;
        let step = tracker.record(&policy, permit, &outcome, now);
        lines.extend(step.event.map(|event| (minute, event.kind)));
    }
    assert_eq!(calls, 5);
    assert_eq!(lines, [(4, EventKind::Disabled)]);
}

#[test]
fn gr_1_an_exhausted_resource_comes_back_only_if_the_server_says_when() {
    let policy = with_pack("otlp");
    let exhausted = Answer {
        signal: Signal::Grpc(grpc_code("RESOURCE_EXHAUSTED").unwrap()),
        ..answer("POST", 200, "")
    };
    let timed = "CAgSBHNsb3caMgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIGCgQIHhAA";
    let timed = with_headers(exhausted.clone(), &[("grpc-status-details-bin", timed)]);
    let timed = verdict(&policy, &timed.outcome(&policy, Request::Keyed));
    assert_eq!((timed.class, timed.rule.retry), (Class::Transient, Retry::Backoff));
    let rule = verdict(&policy, &exhausted.outcome(&policy, Request::Keyed)).rule;
    assert_eq!((rule.class, rule.scope), (Class::Permanent, Scope::Payload));
}

#[test]
fn gr_2_an_exporter_knows_which_codes_its_protocol_repeats() {
    let policy = with_pack("otlp");
    let rule = |name: &str| {
        let signal = Signal::Grpc(grpc_code(name).unwrap());
        let answer = Answer { signal, ..answer("POST", 200, "") };
        *verdict(&policy, &answer.outcome(&policy, Request::Keyed)).rule
    };
    let repeated =
        ["CANCELLED", "DEADLINE_EXCEEDED", "ABORTED", "OUT_OF_RANGE", "UNAVAILABLE", "DATA_LOSS"];
    for name in repeated {
        let rule = rule(name);
        assert_eq!((rule.class, rule.retry), (Class::Transient, Retry::Backoff), "{name}");
    }
    for name in ["UNIMPLEMENTED", "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"] {
        let rule = rule(name);
        assert_eq!(rule.class, Class::Permanent, "{name}");
        assert_ne!(rule.scope, Scope::Payload, "{name}");
    }
    assert_eq!(rule("INVALID_ARGUMENT").scope, Scope::Payload);
}

#[test]
fn ik_2_a_key_that_is_used_up_is_handed_to_the_caller_and_counts_against_nobody() {
    let policy = with_pack("idempotency-key");
    let used_up = Answer {
        request_headers: vec![("Idempotency-Key".to_owned(), "8e03978e".to_owned())],
        ..answer("POST", 409, r#"{"code":"IDEMPOTENCY_KEY_REUSED"}"#)
    };
    let outcome = used_up.outcome(&policy, Request::Keyed);
    assert_eq!(verdict(&policy, &outcome).class, Class::Ambiguous);
    let mut tracker = Tracker::new(7);
    for minute in 0..100 {
        let now = Instant::from_millis(minute * 60_000);
        let Admission::Call(permit) = tracker.admit(&policy, now) else {
            panic!("skipped in minute {minute}");
        };
        let step = tracker.record(&policy, permit, &outcome, now);
        assert_eq!(step.action, Action::Surface, "minute {minute}");
    }
}

#[test]
fn a_lost_session_is_begun_anew_and_the_endpoint_stays() {
    let policy = with_pack("mcp");
    let lost = Answer {
        request_headers: vec![("Mcp-Session-Id".to_owned(), "1868a90c".to_owned())],
        ..answer("POST", 404, "")
    };
    let rule = verdict(&policy, &lost.outcome(&policy, Request::Unkeyed)).rule;
    assert_eq!((rule.reason, rule.retry), (Reason::STALE_CONTEXT, Retry::Renew));
    let absent = answer("POST", 404, "");
    let rule = verdict(&policy, &absent.outcome(&policy, Request::Unkeyed)).rule;
    assert_eq!(policy.reason_name(rule.reason), "resource-absent");
}

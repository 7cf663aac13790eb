//! The default policy agrees with what is known of each code.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use permanence_core::{
    Class, Outcome, Policy, Processed, Request, Retry, RoutePolicy, Signal, grpc_code, verdict,
};
use permanence_spec::{LoadedEndpoint, LoadedPolicy, default_policy};
use toml::de::{DeTable, DeValue};

/// Rows whose class is a matter of context, and what the default decides.
const BY_CONTEXT: [(&str, &str); 12] = [
    // The parts of a 207 have statuses of their own; the endpoint works.
    ("207", "ok"),
    // The state of the resource forbids the request: the caller's next round may bring another one.
    ("409", "conflict"),
    ("412", "conflict"),
    ("423", "conflict"),
    ("424", "conflict"),
    ("449", "conflict"),
    ("4.09", "conflict"),
    ("4.12", "conflict"),
    ("ALREADY_EXISTS", "conflict"),
    ("ABORTED", "conflict"),
    // A rate limit wherever it is still in use.
    ("420", "overload"),
    // The edge of a proxy cannot resolve the origin.
    ("530", "network"),
];

/// Rows whose retry rule is another one than that of the facts.
const OTHER_RETRY: [(&str, Retry, &str); 5] = [
    ("412", Retry::Cadence, "the next round reads the state anew"),
    ("423", Retry::Cadence, "a lock outlives a back-off; the facts call it slow"),
    ("449", Retry::Cadence, "only the caller can take the action that is asked for"),
    ("4.12", Retry::Cadence, "as 412"),
    ("ALREADY_EXISTS", Retry::Cadence, "as 409"),
];

#[test]
fn all_92_http_statuses_are_what_the_facts_say() {
    let rows = rows(include_str!("facts/http.toml"));
    assert_eq!(rows.len(), 92);
    for row in rows {
        agree(&row, &Signal::Http(row.code.parse().unwrap()));
    }
}

#[test]
fn all_17_grpc_codes_are_what_the_facts_say() {
    let rows = rows(include_str!("facts/grpc.toml"));
    assert_eq!(rows.len(), 17);
    for row in rows {
        agree(&row, &Signal::Grpc(grpc_code(&row.code).unwrap()));
    }
}

#[test]
fn all_27_coap_codes_are_what_the_facts_say() {
    let rows = rows(include_str!("facts/coap.toml"));
    assert_eq!(rows.len(), 27);
    for row in rows {
        let (class, detail) = row.code.split_once('.').unwrap();
        let (class, detail) = (class.parse::<u8>().unwrap(), detail.parse::<u8>().unwrap());
        agree(&row, &Signal::Coap(class << 5 | detail));
    }
}

#[test]
fn every_exception_is_still_one() {
    let all = [
        rows(include_str!("facts/http.toml")),
        rows(include_str!("facts/grpc.toml")),
        rows(include_str!("facts/coap.toml")),
    ]
    .concat();
    let row = |code: &str| all.iter().find(|row| row.code == code).unwrap();
    for (code, _) in BY_CONTEXT {
        assert_eq!(row(code).class, "needs-context", "{code}");
    }
    for (code, retry, _) in OTHER_RETRY {
        assert_ne!(expected_retry(row(code)), Some(retry), "{code}");
    }
    let undecided = all.iter().filter(|row| row.class == "needs-context").count();
    assert_eq!(undecided, BY_CONTEXT.len());
}

fn agree(row: &Row, signal: &Signal<'_>) {
    let policy = policy();
    let rule = policy.rule(signal);
    let code = &row.code;
    assert_eq!(policy.reason_name(rule.reason), expected_reason(row), "reason of {code}");
    let unkeyed = verdict(&policy, &Outcome::new(*signal, Request::Unkeyed));
    assert_eq!(unkeyed.processed, expected_processed(row), "processed of {code}");
    let idempotent = verdict(&policy, &Outcome::new(*signal, Request::Idempotent));
    assert_eq!(idempotent.class, expected_class(row), "class of {code}");
    if row.class == "ambiguous" {
        assert_eq!(unkeyed.class, Class::Ambiguous, "class of an unkeyed write with {code}");
    }
    let other = OTHER_RETRY.iter().find(|(other, ..)| other == code).map(|(_, retry, _)| *retry);
    if let Some(retry) = other.or(expected_retry(row)) {
        assert_eq!(rule.retry, retry, "retry of {code}");
    }
}

fn expected_reason(row: &Row) -> &'static str {
    match row.class.as_str() {
        "success" => "ok",
        "interim" => "ignored",
        "redirect" => "redirect",
        "permanent-absent" => "resource-absent",
        "permanent-auth-config" => "auth-config",
        "permanent-gone" => "gone",
        "permanent-request" => "invalid-request",
        "transient-overload" => "overload",
        // A code of unknown fate is a fault; that nobody knows follows from `processed`.
        "transient-fault" | "ambiguous" => "server-fault",
        "transient-network" => "network",
        "needs-context" => BY_CONTEXT.iter().find(|(code, _)| *code == row.code).unwrap().1,
        other => panic!("class {other}"),
    }
}

/// The class for a request that may be repeated.
fn expected_class(row: &Row) -> Class {
    match expected_reason(row) {
        "ok" => Class::Success,
        "ignored" => Class::Ignored,
        "conflict" | "network" | "overload" | "server-fault" => Class::Transient,
        _ => Class::Permanent,
    }
}

fn expected_retry(row: &Row) -> Option<Retry> {
    match row.retry.as_str() {
        "no" | "after_change" | "follow" => Some(Retry::Never),
        "backoff" | "if_idempotent" | "server_delay" => Some(Retry::Backoff),
        "new_conn" => Some(Retry::Once),
        "context" => None,
        other => panic!("retry {other}"),
    }
}

fn expected_processed(row: &Row) -> Processed {
    match row.processed.as_str() {
        "no" => Processed::No,
        "yes" => Processed::Yes,
        "unknown" => Processed::Unknown,
        other => panic!("processed {other}"),
    }
}

fn policy() -> LoadedEndpoint {
    LoadedPolicy::new(default_policy().expect("the default is right")).endpoint("GET", "/")
}

#[derive(Clone)]
struct Row {
    code: String,
    class: String,
    retry: String,
    processed: String,
}

fn rows(text: &str) -> Vec<Row> {
    let table = DeTable::parse(text).unwrap();
    let rows = table.get_ref().get("rows").unwrap().get_ref().as_array().unwrap();
    let cell = |row: &DeValue<'_>, key: &str| match row.get(key).unwrap().get_ref() {
        DeValue::Integer(number) => number.as_str().to_owned(),
        other => other.as_str().unwrap().to_owned(),
    };
    rows.iter()
        .map(|row| Row {
            code: cell(row.get_ref(), "code"),
            class: cell(row.get_ref(), "class"),
            retry: cell(row.get_ref(), "retry"),
            processed: cell(row.get_ref(), "processed"),
        })
        .collect()
}

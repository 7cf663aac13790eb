//! Every known code of a provider is what its pack over the default policy makes of it.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

mod answer;

use permanence_core::retry_after::directive_from_headers;
use permanence_core::{Class, Directive, Policy, Processed, Request, Retry, Signal, verdict};
use permanence_spec::LoadedEndpoint;
use toml::de::{DeTable, DeValue};

use self::answer::{Answer, headers, text, with_pack};

/// Providers whose pack has another name.
const PACK_OF: [(&str, &str); 1] = [("jsonrpc", "mcp")];

/// Rows that no pack decides.
const NO_PACK: [(&str, &str); 10] = [
    ("openai x-should-retry", "the server's word goes before every rule"),
    ("anthropic x-should-retry", "the server's word goes before every rule"),
    ("stripe stripe-should-retry", "the server's word goes before every rule"),
    ("mqtt5", "reason codes of MQTT are no signals of the language"),
    ("smtp", "replies of SMTP are no signals of the language"),
    ("google-api-core", "what a client does by default, not a code"),
    ("azure-core", "what a client does by default, not a code"),
    ("client-go", "what a client does by default, not a code"),
    ("urllib3", "what a client does by default, not a code"),
    ("reqwest-retry", "what a client does by default, not a code"),
];

/// Rows whose class is a matter of context, and the reason that the pack gives.
const BY_CONTEXT: [(&str, &str); 5] = [
    // The state of the resource forbids the request: the next round may bring another one.
    ("anthropic conflict_error", "conflict"),
    ("anthropic memory_precondition_failed_error", "conflict"),
    ("anthropic memory_path_conflict_error", "conflict"),
    ("aws ConditionalCheckFailedException", "conflict"),
    // A new session, and once more.
    ("mcp 404 with Mcp-Session-Id", "stale-context"),
];

/// Rows whose retry rule is another one than that of the facts.
const OTHER_RETRY: [(&str, Retry, &str); 4] = [
    (
        "anthropic memory_precondition_failed_error",
        Retry::Cadence,
        "the next round reads the state anew",
    ),
    ("mcp 404 with Mcp-Session-Id", Retry::Renew, "a new session is the change"),
    ("aws ExpiredTokenException", Retry::Renew, "new credentials are the change"),
    ("aws ExpiredToken", Retry::Renew, "new credentials are the change"),
];

/// Rows of Amazon's that never come in an answer.
const NEVER_ANSWERED: [(&str, &str); 1] =
    [("aws TimeoutError", "the name that the JavaScript SDK gives to a time-out of its own")];

#[test]
fn all_116_codes_of_providers_are_what_the_facts_say() {
    let rows = provider_rows();
    assert_eq!(rows.len(), 116);
    let mut decided = 0;
    for row in rows.iter().filter(|row| !row.is_exempt()) {
        let pack = PACK_OF.iter().find(|(provider, _)| *provider == row.provider);
        let policy = with_pack(pack.map_or(&row.provider, |(_, pack)| pack));
        agree(&policy, row, row.answer.as_ref().unwrap());
        decided += 1;
    }
    assert_eq!(decided, 53);
}

#[test]
fn all_37_codes_of_amazon_are_what_the_facts_say_wherever_they_stand() {
    let (rows, policy) = (aws_rows(), with_pack("aws"));
    assert_eq!(rows.len(), 37);
    for row in rows.iter().filter(|row| NEVER_ANSWERED.iter().all(|(name, _)| *name != row.name()))
    {
        let plain = row.answer.clone().unwrap();
        let code = &row.code;
        let in_header = Answer {
            headers: vec![("X-Amzn-ErrorType".to_owned(), format!("{code}:http://internal/"))],
            ..plain.clone()
        };
        let in_json = format!(r#"{{"__type":"com.amazonaws.example#{code}","message":"-"}}"#);
        let in_code = format!(r#"{{"message":"-","code":"{code}"}}"#);
        let in_xml = format!("<Error><Code>{code}</Code><Message>-</Message></Error>");
        agree(&policy, row, &in_header);
        for body in [in_json, in_code, in_xml] {
            agree(&policy, row, &Answer { body, ..plain.clone() });
        }
    }
}

#[test]
fn the_word_of_the_server_is_read_without_a_pack() {
    for name in ["x-should-retry", "stripe-should-retry"] {
        let word = |value: &'static str| directive_from_headers([(name, value.as_bytes())]);
        assert_eq!(word("true"), Some(Directive::Retry), "{name}");
        assert_eq!(word("false"), Some(Directive::DoNotRetry), "{name}");
    }
}

#[test]
fn every_exception_is_still_one() {
    let rows = [provider_rows(), aws_rows()].concat();
    let row = |name: &str| {
        let found = rows.iter().find(|row| row.name() == name);
        found.unwrap_or_else(|| panic!("no row {name}"))
    };
    for (name, _) in NO_PACK {
        let mut named = rows.iter().filter(|row| row.provider == name || row.name() == name);
        assert!(named.clone().next().is_some(), "no row of {name}");
        assert!(named.all(|row| row.answer.is_none()), "{name} has an answer");
    }
    for (name, _) in BY_CONTEXT {
        assert_eq!(row(name).class, "needs-context", "{name}");
    }
    for (name, retry, _) in OTHER_RETRY {
        assert_ne!(expected_retry(row(name)), Some(retry), "{name}");
    }
    for (name, _) in NEVER_ANSWERED {
        assert_eq!(row(name).class, "ambiguous", "{name}");
    }
}

fn agree(policy: &LoadedEndpoint, row: &Row, answer: &Answer) {
    let name = row.name();
    let unkeyed = verdict(policy, &answer.outcome(policy, Request::Unkeyed));
    let outcome = answer.outcome(policy, Request::Idempotent);
    let idempotent = verdict(policy, &outcome);
    let reason = policy.reason_name(idempotent.rule.reason);
    assert!(expected_reasons(row).contains(&reason), "reason {reason} of {name}");
    assert_eq!(idempotent.class, expected_class(row), "class of {name}");
    let processed = match row.processed.as_str() {
        "no" => Processed::No,
        "yes" => Processed::Yes,
        "unknown" => Processed::Unknown,
        other => panic!("processed {other}"),
    };
    assert_eq!(unkeyed.processed, processed, "processed of {name}");
    if row.class == "ambiguous" {
        assert_eq!(unkeyed.class, Class::Ambiguous, "class of an unkeyed write with {name}");
    }
    let other = OTHER_RETRY.iter().find(|(other, ..)| *other == name).map(|(_, retry, _)| *retry);
    if let Some(retry) = other.or(expected_retry(row)) {
        assert_eq!(idempotent.rule.retry, retry, "retry of {name}");
    }
}

fn expected_reasons(row: &Row) -> Vec<&'static str> {
    match row.class.as_str() {
        "success" => vec!["ok"],
        "permanent-absent" => vec!["resource-absent"],
        "permanent-auth-config" => vec!["auth-config"],
        "permanent-gone" => vec!["gone"],
        "permanent-request" => vec!["invalid-request"],
        "transient-overload" => vec!["overload"],
        "transient-fault" => vec!["server-fault"],
        "transient-network" => vec!["network"],
        // That nobody knows follows from `processed`, or the provider says it itself.
        "ambiguous" => vec!["ambiguous-write", "server-fault"],
        "needs-context" => {
            let (_, reason) =
                BY_CONTEXT.iter().find(|(name, _)| *name == row.name()).unwrap_or_else(|| {
                    panic!("nobody has decided {}", row.name());
                });
            vec![reason]
        }
        other => panic!("class {other}"),
    }
}

/// The class for a request that may be repeated.
fn expected_class(row: &Row) -> Class {
    match expected_reasons(row).first().copied() {
        Some("ok") => Class::Success,
        // What a repeat would not tell is ambiguous for every request.
        Some("ambiguous-write") if row.retry == "no" => Class::Ambiguous,
        Some("ambiguous-write" | "conflict" | "network" | "overload" | "server-fault") => {
            Class::Transient
        }
        _ => Class::Permanent,
    }
}

fn expected_retry(row: &Row) -> Option<Retry> {
    match row.retry.as_str() {
        "no" | "after_change" | "follow" => Some(Retry::Never),
        "backoff" | "if_idempotent" | "server_delay" => Some(Retry::Backoff),
        "context" => None,
        other => panic!("retry {other}"),
    }
}

#[derive(Clone)]
struct Row {
    provider: String,
    code: String,
    class: String,
    retry: String,
    processed: String,
    answer: Option<Answer>,
}

impl Row {
    fn name(&self) -> String {
        format!("{} {}", self.provider, self.code)
    }

    fn is_exempt(&self) -> bool {
        NO_PACK.iter().any(|(name, _)| *name == self.provider || *name == self.name())
    }
}

fn provider_rows() -> Vec<Row> {
    rows(include_str!("facts/providers.toml"))
}

fn aws_rows() -> Vec<Row> {
    rows(include_str!("facts/aws.toml"))
}

fn rows(text_of: &str) -> Vec<Row> {
    let table = DeTable::parse(text_of).unwrap();
    let rows = table.get_ref().get("rows").unwrap().get_ref().as_array().unwrap();
    rows.iter().map(|row| read_row(row.get_ref())).collect()
}

fn read_row(row: &DeValue<'_>) -> Row {
    let answer = text(row, "status").map(|status| Answer {
        signal: Signal::Http(status.parse().unwrap()),
        headers: headers(row, "headers"),
        request_headers: headers(row, "request_headers"),
        method: text(row, "method").unwrap_or_else(|| "POST".to_owned()),
        body: text(row, "body").unwrap_or_default(),
    });
    Row {
        provider: text(row, "provider").unwrap_or_else(|| "aws".to_owned()),
        code: text(row, "code").unwrap(),
        class: text(row, "class").unwrap(),
        retry: text(row, "retry").unwrap(),
        processed: text(row, "processed").unwrap(),
        answer,
    }
}

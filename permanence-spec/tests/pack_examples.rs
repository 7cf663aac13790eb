//! Every pack loads over the default policy, and its rules pass their own tests.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

mod answer;

use permanence_core::{
    Bits, Outcome, Policy, Request, RoutePolicy, Signal, Timestamp, grpc_code, verdict,
};
use permanence_spec::{LoadedPolicy, default_policy};
use toml::de::{DeTable, DeValue};

use self::answer::{Answer, headers, packs, text, with_pack, with_packs};

#[test]
fn there_are_twenty_packs() {
    let names: Vec<&str> = packs().map(|(name, _)| name).collect();
    assert_eq!(
        names.join(" "),
        "anthropic aws azure cloudflare discord gemini github google-cloud graphql html \
         idempotency-key kubernetes mcp memfault oauth openai otlp slack stripe telegram"
    );
}

#[test]
fn every_rule_passes_its_own_tests() {
    let mut run = 0;
    for (name, text_of) in packs() {
        let policy = with_pack(name);
        for_each_rule(text_of, |rule| {
            for test in rule.get("test").unwrap().get_ref().as_array().unwrap().iter() {
                let test = test.get_ref();
                let answer = read_answer(test);
                let expected = text(test, "expect").unwrap();
                let found = answer.rule_id(&policy);
                assert_eq!(found.as_deref().unwrap_or("none"), expected, "{name}: {answer:?}");
                run += 1;
            }
        });
    }
    assert!(run > 300, "{run}");
}

#[test]
fn every_rule_has_a_test_that_it_passes_and_one_that_passes_it_by() {
    for (name, text_of) in packs() {
        for_each_rule(text_of, |rule| {
            let id = text(rule, "id").unwrap();
            assert!(id.starts_with(&format!("{name}.")), "{id} in {name}");
            let tests = rule.get("test").unwrap().get_ref().as_array().unwrap();
            let expected: Vec<String> =
                tests.iter().map(|test| text(test.get_ref(), "expect").unwrap()).collect();
            assert!(expected.contains(&id), "no example of {id}");
            assert!(expected.iter().any(|other| *other != id), "no counter-example of {id}");
        });
    }
}

/// Facts about providers age: each file says where it has them from and when they were read, and
/// so does the comment above each rule.
#[test]
fn every_rule_is_dated_and_every_pack_names_its_source() {
    for (name, text_of) in packs() {
        let (header, rules) = text_of.split_once("\n\n").unwrap();
        assert!(header.starts_with("# ") && header.contains("https://"), "header of {name}");
        assert!(header.contains("(2026-"), "date of {name}");
        let mut dated = false;
        for line in rules.lines() {
            if line.starts_with('#') {
                dated |= line.contains("2026-");
            } else if line == "[[error_permanence.rule]]" {
                assert!(dated, "a rule of {name} without a date");
                dated = false;
            }
        }
    }
}

#[test]
fn a_pack_leaves_room_for_other_questions() {
    for (name, _) in packs() {
        let asked = with_pack(name).probes().len();
        assert!(asked <= Bits::MAX / 3, "{name} asks {asked} questions");
    }
}

/// What one endpoint may meet together: the provider, its login, the proxy before it, a page instead.
#[test]
fn packs_that_belong_together_fit_together() {
    for provider in
        ["anthropic", "aws", "azure", "discord", "gemini", "github", "mcp", "slack", "stripe"]
    {
        let names = [provider, "oauth", "idempotency-key", "cloudflare", "html"];
        let asked = with_packs(&names).probes().len();
        assert!(asked <= Bits::MAX, "{names:?} ask {asked} questions");
    }
    let page = |packs: &[&str]| {
        let policy = with_packs(packs);
        let answer = Answer {
            signal: Signal::Http(200),
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            request_headers: Vec::new(),
            method: "POST".to_owned(),
            body: "<html>Log in</html>".to_owned(),
        };
        answer.rule_id(&policy)
    };
    assert_eq!(page(&["slack", "html"]).as_deref(), Some("html.body"));
    assert_eq!(page(&["slack"]), None);
}

/// Only packs for those who answer 200 to everything look into answers that succeed.
#[test]
fn a_success_is_read_only_where_success_is_doubtful() {
    let names = packs().map(|(name, _)| name);
    let readers: Vec<&str> = names.filter(|name| with_pack(name).needs_body(200)).collect();
    assert_eq!(readers, ["anthropic", "graphql", "html", "mcp", "slack"]);
}

#[test]
fn servers_name_their_times_in_many_places() {
    let now = Timestamp::from_unix_seconds(1_796_083_140);
    let seconds = |pack: &str, status, headers: &[(&str, &str)], body: &str| {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let answer = Answer {
            signal: Signal::Http(status),
            headers: headers.collect(),
            request_headers: Vec::new(),
            method: "GET".to_owned(),
            body: body.to_owned(),
        };
        answer.delay(&with_pack(pack), now).map(|delay| delay.as_millis())
    };
    let reset = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1796083200")];
    assert_eq!(seconds("github", 403, &reset, ""), Some(60_000));
    let blocked = r#"{"message":"You have exceeded a secondary rate limit"}"#;
    assert_eq!(seconds("github", 403, &[], blocked), Some(60_000));
    let flood = r#"{"ok":false,"parameters":{"retry_after":35}}"#;
    assert_eq!(seconds("telegram", 429, &[], flood), Some(35_000));
    let slow = r#"{"retry_after":64.57,"global":true}"#;
    assert_eq!(seconds("discord", 429, &[], slow), Some(64_570));
    let info = r#"{"error":{"details":[{"@type":"a"},{"retryDelay":"31.5s"}]}}"#;
    assert_eq!(seconds("gemini", 429, &[], info), Some(31_500));
    assert_eq!(seconds("google-cloud", 429, &[], info), Some(31_500));
    let status = r#"{"kind":"Status","details":{"retryAfterSeconds":10}}"#;
    assert_eq!(seconds("kubernetes", 429, &[], status), Some(10_000));
    assert_eq!(seconds("openai", 429, &[], status), None);
}

/// A rule costs probes and reading; one that changes nothing is not worth them.
#[test]
fn no_rule_repeats_the_default_policy() {
    let default = LoadedPolicy::new(default_policy().unwrap()).endpoint("GET", "/");
    let mut silent = Vec::new();
    for (name, text_of) in packs() {
        let policy = with_pack(name);
        for_each_rule(text_of, |rule| {
            let id = text(rule, "id").unwrap();
            let tests = rule.get("test").unwrap().get_ref().as_array().unwrap();
            let tells = tests.iter().any(|test| {
                let answer = read_answer(test.get_ref());
                let outcome = answer.outcome(&policy, Request::Unkeyed);
                let Some(found) = policy.refinement(&outcome.signal, outcome.bits) else {
                    return false;
                };
                let plain = Outcome::new(outcome.signal, Request::Unkeyed);
                found.id == id
                    && (found.delay.is_some()
                        || verdict(&policy, &outcome) != verdict(&default, &plain))
            });
            if !tells {
                silent.push(id);
            }
        });
    }
    // They stand before a wider rule of their pack and keep the default from it.
    assert_eq!(silent, ["anthropic.client-too-old", "otlp.throttled"]);
}

/// That a peer did not act is a promise: it allows a write to be repeated. Where the status does not
/// make it, the pack has a reason to.
#[test]
fn what_calls_a_doubtful_status_unprocessed_is_known() {
    let mut promises = Vec::new();
    for (_, text_of) in packs() {
        for_each_rule(text_of, |rule| {
            let when = rule.get("when").unwrap().get_ref();
            let statuses = format!("{:?}", when.get("status"));
            let doubtful = ["2xx", "3xx", "5xx", "-599", "\"20", "\"50", "\"52"];
            let is_doubtful = doubtful.iter().any(|status| statuses.contains(status));
            if text(rule, "processed").as_deref() == Some("no") && is_doubtful {
                promises.push(text(rule, "id").unwrap());
            }
        });
        promises.sort();
    }
    let known = [
        // Amazon's SDKs repeat whatever comes with these codes.
        "aws.throttled",
        "aws.throttled-in-body",
        "aws.upload-timeout",
        "aws.upload-timeout-in-body",
        // The edge itself answers.
        "cloudflare.challenge",
        "cloudflare.not-reached",
        // Refusals that come as 200.
        "graphql.auth",
        "graphql.limit",
        "graphql.limit-by-type",
        "graphql.query",
        "graphql.query-not-found",
        "html.login",
        "mcp.method-absent",
        "mcp.method-absent-in-stream",
        "mcp.request",
        "mcp.request-in-stream",
        "mcp.user-action",
        "slack.channel",
        "slack.limit",
        "slack.refused",
        "slack.token",
    ];
    assert_eq!(promises, known);
}

fn for_each_rule(text_of: &str, mut each: impl FnMut(&DeValue<'_>)) {
    let table = DeTable::parse(text_of).unwrap();
    let own = table.get_ref().get("error_permanence").unwrap().get_ref();
    for rule in own.get("rule").unwrap().get_ref().as_array().unwrap().iter() {
        each(rule.get_ref());
    }
}

fn read_answer(test: &DeValue<'_>) -> Answer {
    let (status, grpc, coap) = (text(test, "status"), text(test, "grpc"), text(test, "coap"));
    let signal = match (status, grpc, coap) {
        (Some(status), None, None) => Signal::Http(status.parse().unwrap()),
        (None, Some(name), None) => Signal::Grpc(grpc_code(&name).unwrap()),
        (None, None, Some(code)) => {
            let (class, detail) = code.split_once('.').unwrap();
            Signal::Coap(class.parse::<u8>().unwrap() << 5 | detail.parse::<u8>().unwrap())
        }
        other => panic!("{other:?}"),
    };
    Answer {
        signal,
        headers: headers(test, "headers"),
        request_headers: headers(test, "request_headers"),
        method: text(test, "method").unwrap_or_else(|| "GET".to_owned()),
        body: text(test, "body").unwrap_or_default(),
    }
}

//! Rules about more than the status: which one counts, what row it leads to, what it asks.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use permanence_core::{
    Bits, Cause, Class, DelaySource, DelayUnit, Literal, Network, Policy, Probe, Processed, Reason,
    Remedy, Reprobe, Retry, RoutePolicy, Scope, Segment, Signal, SignalCode, SignalKind, Span,
    Target, Test,
};
use permanence_spec::{LoadedEndpoint, LoadedPolicy, load_str};

fn policy(rules: &str) -> LoadedPolicy {
    let text = format!("[error_permanence]\nextends = 'default'\n{rules}");
    LoadedPolicy::new(load_str("policy.toml", &text).unwrap_or_else(|faults| panic!("{faults}")))
}

fn endpoint(rules: &str) -> LoadedEndpoint {
    policy(rules).endpoint("GET", "/")
}

/// The bits of those probes of the policy that are among `probes`.
fn bits(policy: &LoadedEndpoint, probes: &[Probe<'_>]) -> Bits {
    let places = probes.iter().map(|wanted| {
        let found = policy.probes().iter().position(|probe| probe == wanted);
        found.unwrap_or_else(|| panic!("nobody asks {wanted:?}"))
    });
    places.fold(Bits::NONE, Bits::with)
}

fn id(policy: &LoadedEndpoint, signal: Signal<'_>, bits: Bits) -> Option<String> {
    policy.refinement(&signal, bits).map(|refinement| refinement.id.to_owned())
}

#[test]
fn a_quota_is_not_an_overload() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "openai.quota"
        when = { status = 429, json."/error/code" = ["insufficient_quota", "credit_balance_exhausted"] }
        reason = "auth-config"
        remedy = "fix_config"
        "#,
    );
    let code = [Segment::Key("error"), Segment::Key("code")];
    let codes = [Literal::Text("credit_balance_exhausted"), Literal::Text("insufficient_quota")];
    let asked = Probe { target: Target::Json(&code), test: Test::Equal(&codes) };
    assert_eq!(policy.probes(), [asked]);

    let found = policy.refinement(&Signal::Http(429), bits(&policy, &[asked])).unwrap();
    assert_eq!((found.id, found.rule.reason), ("openai.quota", Reason::AUTH_CONFIG));
    assert_eq!((found.rule.class, found.rule.remedy), (Class::Permanent, Remedy::FixConfig));
    assert_eq!(policy.refinement(&Signal::Http(429), Bits::NONE), None);
    assert_eq!(policy.refinement(&Signal::Http(403), Bits::NONE.with(0)), None);
}

#[test]
fn a_remembered_cause_finds_the_row_of_its_rule() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "quota"
        when = { status = 429, body = { has = "quota" } }
        reason = "auth-config"
        reprobe_interval = "6h"
        "#,
    );
    let code = SignalCode::new(SignalKind::Http, 429);
    let remembered = policy.cause_rule(Cause::new(code, Reason::AUTH_CONFIG));
    let Reprobe::Every { interval, .. } = remembered.reprobe else { panic!("never") };
    assert_eq!(interval, Span::from_secs(6 * 3600));
    let plain = policy.cause_rule(Cause::new(code, Reason::OVERLOAD));
    assert_eq!(plain.reason, Reason::OVERLOAD);
}

#[test]
fn the_first_rule_counts_and_those_about_bodies_are_tried_first() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "header"
        when = { status = 403, header.X-RateLimit-Remaining = 0 }
        reason = "overload"
        [[error_permanence.rule]]
        id = "body"
        when = { status = 403, body = { has = "quota" } }
        reason = "auth-config"
        [[error_permanence.rule]]
        id = "second-header"
        when = { status = "4xx", header.x-ratelimit-remaining = "0" }
        reason = "overload"
        "#,
    );
    let remaining = Probe {
        target: Target::Header("x-ratelimit-remaining"),
        test: Test::Equal(&[Literal::Text("0")]),
    };
    let quota = Probe { target: Target::Body, test: Test::Has(&["quota"]) };
    assert_eq!(policy.probes().len(), 2, "one question is asked once");
    let (one, both) = (bits(&policy, &[remaining]), bits(&policy, &[remaining, quota]));
    assert_eq!(id(&policy, Signal::Http(403), both).as_deref(), Some("body"));
    assert_eq!(id(&policy, Signal::Http(403), one).as_deref(), Some("header"));
    assert_eq!(id(&policy, Signal::Http(404), both).as_deref(), Some("second-header"));
}

#[test]
fn an_endpoint_goes_before_its_file_and_an_id_replaces_one_below() {
    let policy = policy(
        r#"
        [[error_permanence.rule]]
        id = "quota"
        when = { status = 429, header.x = "quota" }
        reason = "auth-config"
        [[error_permanence.rule]]
        id = "busy"
        when = { status = 429, header.x = { exists = true } }
        reason = "overload"

        [[error_permanence.per_endpoint_overrides."/y".rule]]
        id = "quota"
        when = { status = 429, header.x = { prefix = "quota-" } }
        reason = "gone"
        "#,
    );
    let (base, own) = (policy.endpoint("GET", "/"), policy.endpoint("GET", "/y"));
    let quota = Probe { target: Target::Header("x"), test: Test::Equal(&[Literal::Text("quota")]) };
    let prefixed = Probe { target: Target::Header("x"), test: Test::Prefix(&["quota-"]) };
    let there = Probe { target: Target::Header("x"), test: Test::Exists };
    let reason = |policy: &LoadedEndpoint, probes: &[Probe<'_>]| {
        let found = policy.refinement(&Signal::Http(429), bits(policy, probes)).unwrap();
        found.rule.reason
    };
    assert_eq!(reason(&base, &[quota, there]), Reason::AUTH_CONFIG);
    assert_eq!(reason(&own, &[prefixed, there]), Reason::GONE);
    assert_eq!(reason(&own, &[there]), Reason::OVERLOAD);
    assert!(!own.probes().contains(&quota), "the rule below is replaced");
}

#[test]
fn all_of_a_rule_has_to_hold_and_nothing_that_it_denies() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "session"
        when = { status = 404, method = "POST", request_header.mcp-session-id = { exists = true }, content_type = { not = { prefix = "text/html" } } }
        reason = "stale-context"
        "#,
    );
    let post = Probe { target: Target::Method, test: Test::Equal(&[Literal::Text("POST")]) };
    let session = Probe { target: Target::RequestHeader("mcp-session-id"), test: Test::Exists };
    let html = Probe { target: Target::ContentType, test: Test::Prefix(&["text/html"]) };
    let holds = |probes: &[Probe<'_>]| {
        policy.refinement(&Signal::Http(404), bits(&policy, probes)).is_some()
    };
    assert!(holds(&[post, session]));
    assert!(!holds(&[post]) && !holds(&[session]) && !holds(&[post, session, html]));
    let found = policy.refinement(&Signal::Http(404), bits(&policy, &[post, session])).unwrap();
    assert_eq!((found.rule.retry, found.rule.remedy), (Retry::Renew, Remedy::Reinit));
    assert!(!policy.needs_body(404), "nothing asks for a body");
}

#[test]
fn without_a_reason_each_code_keeps_its_own() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "login"
        when = { status = [401, 403, 404, 429], redirect = { has = "/login" } }
        scope = "credential"
        disable_after = 2
        "#,
    );
    let rows = [401, 403, 404, 429].map(|status| {
        let found = policy.refinement(&Signal::Http(status), Bits::NONE.with(0)).unwrap();
        assert_eq!((found.id, found.rule.scope), ("login", Scope::Credential));
        assert_eq!(found.rule.disable_after.map(|count| count.get()), Some(2));
        found.rule.reason
    });
    let (auth, absent) = (Reason::AUTH_CONFIG, Reason::RESOURCE_ABSENT);
    assert_eq!(rows, [auth, auth, absent, Reason::OVERLOAD]);
}

#[test]
fn another_class_brings_the_reason_that_fits() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "maintenance"
        when = { status = 404, header.x-maintenance = { exists = true } }
        class = "transient"
        [[error_permanence.rule]]
        id = "not-wrong-at-all"
        when = { status = 409, body = { has = "exists already" } }
        class = "success"
        "#,
    );
    let found = policy.refinement(&Signal::Http(404), bits_of_last(&policy)).unwrap();
    assert_eq!((found.rule.class, found.rule.reason), (Class::Transient, Reason::RESOURCE_ABSENT));
    assert_eq!(found.rule.disable_after, None);
    let found = policy.refinement(&Signal::Http(409), Bits::NONE.with(0)).unwrap();
    assert_eq!(found.rule.class, Class::Success);
}

fn bits_of_last(policy: &LoadedEndpoint) -> Bits {
    Bits::NONE.with(policy.probes().len() - 1)
}

#[test]
fn a_rule_may_say_only_where_the_time_stands_or_what_became_of_the_request() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "telegram"
        when = { status = 429 }
        retry_after = "json:/parameters/retry_after"
        [[error_permanence.rule]]
        id = "google"
        when = { status = 503 }
        retry_after = "json:/error/details/*/retryDelay:duration"
        [[error_permanence.rule]]
        id = "github"
        when = { status = 403 }
        retry_after = "header:X-RateLimit-Reset:epoch"
        [[error_permanence.rule]]
        id = "slow"
        when = { status = 502 }
        retry_after = "const:1m30s"
        processed = "no"
        "#,
    );
    let found = |status| policy.refinement(&Signal::Http(status), Bits::NONE).unwrap();
    for status in [429, 503, 403, 502] {
        assert_eq!(found(status).rule, policy.rule(&Signal::Http(status)));
    }
    let telegram = [Segment::Key("parameters"), Segment::Key("retry_after")];
    let google =
        [Segment::Key("error"), Segment::Key("details"), Segment::Any, Segment::Key("retryDelay")];
    assert_eq!(found(429).delay, Some(DelaySource::Json(&telegram, DelayUnit::Seconds)));
    assert_eq!(found(503).delay, Some(DelaySource::Json(&google, DelayUnit::Duration)));
    let reset = DelaySource::Header("x-ratelimit-reset", DelayUnit::Epoch);
    assert_eq!(found(403).delay, Some(reset));
    assert_eq!(found(502).delay, Some(DelaySource::Const(Span::from_secs(90))));
    assert_eq!((found(502).processed, found(403).processed), (Some(Processed::No), None));
    assert!(policy.needs_body(429) && policy.needs_body(503), "the time stands in the body");
    assert!(!policy.needs_body(403) && !policy.needs_body(200));
}

#[test]
fn rules_speak_of_every_kind_of_signal() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "grpc"
        when = { grpc = "RESOURCE_EXHAUSTED", header.x = { exists = false } }
        reason = "auth-config"
        [[error_permanence.rule]]
        id = "coap"
        when = { coap = ["4.04", "4.05"] }
        reason = "gone"
        [[error_permanence.rule]]
        id = "net"
        when = { net = "certificate", request_header.x-self-signed = { exists = true } }
        reason = "auth-config"
        [[error_permanence.rule]]
        id = "any-answer"
        when = { header.x-dead = "1" }
        reason = "gone"
        "#,
    );
    assert_eq!(id(&policy, Signal::Grpc(8), Bits::NONE).as_deref(), Some("grpc"));
    assert_eq!(id(&policy, Signal::Coap(0x85), Bits::NONE).as_deref(), Some("coap"));
    let all = Bits::from_mask(u64::MAX);
    let net = Signal::Network(Network::Certificate);
    assert_eq!(id(&policy, net, all).as_deref(), Some("net"));
    let found = policy.refinement(&net, all).unwrap();
    let threshold = found.rule.disable_after.map(|count| count.get());
    assert_eq!(threshold, Some(3), "the threshold of network errors");
    for answer in
        [Signal::Http(200), Signal::Grpc(8), Signal::Coap(0), Signal::Unusable { status: 200 }]
    {
        assert_eq!(id(&policy, answer, all).as_deref(), Some("any-answer"));
    }
    assert_eq!(id(&policy, Signal::Network(Network::Dns), all), None);
    assert_eq!(id(&policy, Signal::Cancelled, all), None);
}

#[test]
fn a_ramp_for_longer_intervals_is_left_out() {
    let policy = endpoint(
        r#"
        [[error_permanence.rule]]
        id = "soon"
        when = { status = 404, header.x = { exists = true } }
        reason = "resource-absent"
        reprobe_interval = "30s"
        "#,
    );
    let found = policy.refinement(&Signal::Http(404), Bits::NONE.with(0)).unwrap();
    let every = Reprobe::Every { interval: Span::from_secs(30), ramp: None };
    assert_eq!(found.rule.reprobe, every);
}

#[test]
fn sixty_four_questions_are_not_too_many() {
    let rule = |number: usize| {
        format!(
            "[[error_permanence.rule]]\nid = 'r{number}'\nwhen = {{ status = 429, header.x{number} = 'a' }}\nreason = 'gone'\n"
        )
    };
    let policy = endpoint(&(0..64).map(rule).collect::<String>());
    assert_eq!(policy.probes().len(), 64);
    let last = Bits::NONE.with(63);
    assert_eq!(id(&policy, Signal::Http(429), last).as_deref(), Some("r63"));
}

#[test]
fn a_file_inherits_the_rules_of_what_it_extends() {
    let compiled = permanence_spec::load_path("tests/files/rules/site.toml").unwrap();
    let ids: Vec<&str> = compiled.base.rule_set.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["quota", "own", "busy"], "the file's own first");
}

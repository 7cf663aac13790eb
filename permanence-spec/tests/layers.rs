//! Who wins over whom.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use std::num::NonZeroU16;

use permanence_core::{
    BUILTIN_REASONS, Cause, Class, Network, Policy, Processed, Reason, Remedy, Reprobe, Retry,
    RoutePolicy, Rule, Scope, Signal, SignalCode, SignalKind, Span,
};
use permanence_spec::{Compiled, LoadedPolicy, load_path, load_str};

fn policy(text: &str) -> Compiled {
    load_str("policy.toml", text).unwrap_or_else(|faults| panic!("{faults}"))
}

fn rule(policy: &Compiled, status: u16) -> Rule {
    *policy.base.rule(&Signal::Http(status))
}

fn threshold(rule: &Rule) -> Option<u16> {
    rule.disable_after.map(NonZeroU16::get)
}

#[test]
fn a_code_goes_before_a_range_before_a_hundred_before_its_x00() {
    let policy = policy(
        r#"
        [error_permanence]
        reasons.overload.status_codes = ["5xx"]
        reasons.network.status_codes = ["510-520"]
        reasons.server-fault.status_codes = [515]
        reasons.gone.status_codes = [400]
        reasons.resource-absent.status_codes = [404]
        "#,
    );
    assert_eq!(rule(&policy, 509).reason, Reason::OVERLOAD);
    assert_eq!(rule(&policy, 514).reason, Reason::NETWORK);
    assert_eq!(rule(&policy, 515).reason, Reason::SERVER_FAULT);
    assert_eq!(rule(&policy, 600).reason, Reason::SERVER_FAULT);
    assert_eq!(rule(&policy, 404).reason, Reason::RESOURCE_ABSENT);
    assert_eq!(rule(&policy, 405).reason, Reason::GONE);
}

#[test]
fn whatever_an_upper_layer_lists_goes_before_the_lower_one() {
    let policy = policy(
        r#"
        [error_permanence]
        extends = "default"
        classes.transient.status_codes = ["4xx"]
        per_endpoint_overrides."/x".reasons.gone.status_codes = ["400-499"]
        "#,
    );
    assert_eq!(rule(&policy, 404).class, Class::Transient);
    assert_eq!(policy.routes[0].policy.rule(&Signal::Http(404)).reason, Reason::GONE);
}

#[test]
fn a_reason_layers_on_its_class_in_every_cell_that_it_does_not_fill() {
    let policy = policy(
        r#"
        [error_permanence.classes.permanent]
        disable_after_consecutive = 2
        reprobe_interval = "1h"
        scope = "origin"
        remedy = "fix_config"
        retry = "cadence"
        [error_permanence.reasons.gone]
        status_codes = [410]
        reprobe_interval = "never"
        remedy = "remove"
        "#,
    );
    let gone = rule(&policy, 410);
    assert_eq!((gone.remedy, gone.reprobe), (Remedy::Remove, Reprobe::Never));
    assert_eq!(
        (threshold(&gone), gone.scope, gone.retry),
        (Some(2), Scope::Origin, Retry::Cadence)
    );
    assert_eq!(rule(&policy, 404).remedy, Remedy::FixConfig);
}

#[test]
fn a_class_of_an_upper_layer_does_not_overrule_what_a_reason_below_says() {
    let policy = policy(
        r#"
        [error_permanence]
        extends = "default"
        classes.permanent = { reprobe_interval = "1h", disable_after_consecutive = 4 }
        "#,
    );
    let interval = Span::from_secs(3_600);
    let reprobe = Reprobe::Every { interval, ramp: Some(Span::from_secs(60)) };
    assert_eq!((threshold(&rule(&policy, 404)), rule(&policy, 404).reprobe), (Some(4), reprobe));
    assert_eq!(rule(&policy, 410).reprobe, Reprobe::Never);
    let certificate = policy.base.rule(&Signal::Network(Network::Certificate));
    assert_eq!(threshold(certificate), Some(3));
}

#[test]
fn an_endpoint_layers_on_both_and_leaves_the_others_alone() {
    let policy = policy(
        r#"
        [error_permanence]
        extends = "default"
        [error_permanence.per_endpoint_overrides."PUT /api/agents/{id}/status"]
        mode = "observe"
        classes.permanent.disable_after_consecutive = 5
        reasons.resource-absent.reprobe_interval = "10m"
        "#,
    );
    let route = &policy.routes[0];
    assert_eq!(route.method.as_deref(), Some("PUT"));
    assert_eq!(route.template, "/api/agents/{id}/status");
    let own = route.policy.rule(&Signal::Http(404));
    assert_eq!(threshold(own), Some(5));
    let ramp = Some(Span::from_secs(60));
    assert_eq!(own.reprobe, Reprobe::Every { interval: Span::from_secs(600), ramp });
    assert_eq!(threshold(&rule(&policy, 404)), Some(1));
    assert_ne!(route.policy.settings.mode, policy.base.settings.mode);
}

#[test]
fn a_class_list_gives_the_reason_that_fits_the_code() {
    let policy = policy(
        r#"
        [error_permanence.classes.permanent]
        status_codes = [200, 401, 404, 410, 422, 503]
        network_errors = ["certificate", "misuse", "dns"]
        coap_codes = ["4.04", "4.01"]
        [error_permanence.classes.ambiguous]
        status_codes = [504]
        grpc_codes = ["DEADLINE_EXCEEDED"]
        "#,
    );
    let expected = [
        (200, Reason::UNUSABLE_RESPONSE),
        (401, Reason::AUTH_CONFIG),
        (404, Reason::RESOURCE_ABSENT),
        (410, Reason::GONE),
        (422, Reason::INVALID_REQUEST),
        (503, Reason::OVERLOAD),
    ];
    for (status, reason) in expected {
        let rule = rule(&policy, status);
        assert_eq!((rule.reason, rule.class), (reason, Class::Permanent), "{status}");
    }
    let reason = |signal| policy.base.rule(&signal).reason;
    assert_eq!(reason(Signal::Network(Network::Certificate)), Reason::AUTH_CONFIG);
    assert_eq!(reason(Signal::Network(Network::Misuse)), Reason::INVALID_REQUEST);
    assert_eq!(reason(Signal::Network(Network::Dns)), Reason::NETWORK);
    assert_eq!(reason(Signal::Coap(0x84)), Reason::RESOURCE_ABSENT);
    assert_eq!(reason(Signal::Coap(0x81)), Reason::AUTH_CONFIG);
    assert_eq!(reason(Signal::Grpc(4)), Reason::AMBIGUOUS_WRITE);
    assert_eq!(rule(&policy, 504).class, Class::Ambiguous);
}

#[test]
fn a_class_list_keeps_the_reason_that_a_code_had_if_the_class_is_the_same() {
    let policy = policy(
        r#"
        [error_permanence]
        reasons.quota = { class = "permanent", status_codes = [429] }
        per_endpoint_overrides."/same".classes.permanent.status_codes = [429]
        per_endpoint_overrides."/other".classes.transient.status_codes = [429]
        "#,
    );
    let quota = Reason::from_number(Reason::FIRST_CUSTOM);
    let reason = |place: usize| policy.routes[place].policy.rule(&Signal::Http(429)).reason;
    assert_eq!((reason(0), reason(1)), (quota, Reason::OVERLOAD));
}

#[test]
fn own_reasons_are_numbered_and_keep_their_names() {
    let policy = policy(
        r#"
        [error_permanence]
        reasons.quota = { class = "permanent", status_codes = [429], unusable = true }
        per_endpoint_overrides."/x".reasons.lag = { class = "transient", status_codes = [404] }
        "#,
    );
    assert_eq!(policy.custom_reasons, ["quota", "lag"]);
    let loaded = LoadedPolicy::new(policy);
    let endpoint = loaded.endpoint("GET", "/x?page=2");
    assert_eq!(endpoint.template(), Some("/x"));
    let name = |signal| endpoint.reason_name(endpoint.rule(&signal).reason);
    assert_eq!(name(Signal::Http(404)), "lag");
    assert_eq!(name(Signal::Http(429)), "quota");
    assert_eq!(name(Signal::Unusable { status: 200 }), "quota");
    assert_eq!(endpoint.reason_name(Reason::from_number(200)), "unknown");
}

#[test]
fn the_codes_of_providers_refine_their_status() {
    let policy = policy(
        r#"
        [error_permanence]
        extends = "default"
        reasons.auth-config.provider_codes = ["429:insufficient_quota"]
        processed.unknown = ["429:insufficient_quota", "503:change_outcome_unknown"]
        scope.credential = ["429:insufficient_quota"]
        "#,
    );
    let quota = Signal::Provider { status: 429, code: "insufficient_quota" };
    let other = Signal::Provider { status: 429, code: "rate_limit_exceeded" };
    let unknown = Signal::Provider { status: 503, code: "change_outcome_unknown" };
    let base = &policy.base;
    assert_eq!(base.rule(&quota).reason, Reason::AUTH_CONFIG);
    assert_eq!(base.rule(&quota).scope, Scope::Credential);
    assert_eq!(base.rule(&other), base.rule(&Signal::Http(429)));
    assert_eq!(base.rule(&unknown), base.rule(&Signal::Http(503)));
    assert_eq!(base.answered_processed(&quota), Processed::Unknown);
    assert_eq!(base.answered_processed(&other), Processed::No);
    assert_eq!(base.answered_processed(&unknown), Processed::Unknown);
}

#[test]
fn a_remembered_cause_finds_the_row_of_its_provider_code_by_the_reason() {
    let policy = policy(
        r#"
        [error_permanence]
        extends = "default"
        reasons.auth-config.provider_codes = ["429:insufficient_quota"]
        "#,
    );
    let code = SignalCode::new(SignalKind::Http, 429);
    let by = |reason| policy.base.cause_rule(Cause::new(code, reason)).reason;
    assert_eq!(by(Reason::AUTH_CONFIG), Reason::AUTH_CONFIG);
    assert_eq!(by(Reason::OVERLOAD), Reason::OVERLOAD);
    assert_eq!(by(Reason::GONE), Reason::OVERLOAD);
}

#[test]
fn what_is_said_of_a_single_code_ends_where_the_code_becomes_another_thing() {
    let policy = policy(
        r#"
        [error_permanence]
        extends = "default"
        classes.permanent.status_codes = [401, 408]
        "#,
    );
    // Still what it was: the scope of the default holds.
    assert_eq!(rule(&policy, 401).scope, Scope::Credential);
    // It was transient with a back-off of its own; a permanent failure is not repeated.
    assert_eq!(
        (rule(&policy, 408).class, rule(&policy, 408).retry),
        (Class::Permanent, Retry::Never)
    );
}

#[test]
fn the_second_axis_is_never_guessed_from_another_code() {
    let policy = policy("[error_permanence]\nextends = \"default\"\nprocessed.no = [500]\n");
    assert_eq!(policy.base.answered_processed(&Signal::Http(500)), Processed::No);
    assert_eq!(policy.base.answered_processed(&Signal::Http(502)), Processed::Unknown);
    assert_eq!(policy.base.answered_processed(&Signal::Http(540)), Processed::Unknown);
}

#[test]
fn network_errors_have_a_threshold_of_their_own_unless_the_reason_names_one() {
    let policy = policy(
        r#"
        [error_permanence]
        extends = "default"
        reasons.network.disable_after_consecutive = 10
        per_endpoint_overrides."/x".reasons.network.network_disable_after = "never"
        "#,
    );
    let refused = Signal::Network(Network::Refused);
    assert_eq!(threshold(policy.base.rule(&refused)), Some(10));
    assert_eq!(threshold(policy.routes[0].policy.rule(&refused)), None);
    let protocol = Signal::Network(Network::Protocol);
    assert_eq!(threshold(policy.base.rule(&protocol)), Some(50));
    assert_eq!(threshold(policy.base.rule(&Signal::Http(500))), None);
}

#[test]
fn the_first_route_of_the_file_that_matches_counts() {
    let policy = policy(
        r#"
        [error_permanence.per_endpoint_overrides]
        "GET /agents/self" = { mode = "observe" }
        "GET /agents/{id}" = { classes.permanent.disable_after_consecutive = 7 }
        "/agents/{id}" = { classes.permanent.disable_after_consecutive = 8 }
        "#,
    );
    assert_eq!(policy.route_of("GET", "/agents/self"), Some(0));
    assert_eq!(policy.route_of("GET", "/agents/17"), Some(1));
    assert_eq!(policy.route_of("PUT", "/agents/17#top"), Some(2));
    assert_eq!(policy.route_of("GET", "/agents/{id}"), Some(1));
    assert_eq!(policy.route_of("PUT", "/agents/17/status"), None);
    assert_eq!(*policy.policy(None), policy.base);
}

#[test]
fn a_file_layers_on_the_files_that_it_extends_and_its_routes_come_first() {
    let policy = load_path("tests/files/site.toml").unwrap_or_else(|faults| panic!("{faults}"));
    let read: Vec<String> = policy.files.iter().map(|file| file.display().to_string()).collect();
    assert_eq!(read, ["tests/files/site.toml", "tests/files/fleet/fleet.toml"]);
    assert_eq!(threshold(&rule(&policy, 404)), Some(2));
    assert_eq!(policy.base.settings.retry_after_max, Span::from_secs(1_800));
    let routes: Vec<&str> = policy.routes.iter().map(|route| route.template.as_str()).collect();
    assert_eq!(routes, ["/feed", "/agents/{name}/status", "/agents/{id}"]);
    let status = &policy.routes[1].policy;
    let rule = status.rule(&Signal::Http(404));
    assert_eq!((threshold(rule), rule.scope), (Some(3), Scope::Origin));
}

#[test]
fn a_file_that_extends_nothing_stands_on_the_bare_language() {
    let bare = policy("[error_permanence]\n");
    let none = policy("[error_permanence]\nextends = \"none\"\n");
    assert_eq!(bare, none);
    assert_eq!(bare.base.settings, permanence_core::Settings::LITERAL);
    assert!(
        policy("[error_permanence]\nextends = \"essay\"\n")
            == permanence_spec::essay_policy().unwrap()
    );
}

#[test]
fn every_reason_of_the_language_can_be_listed() {
    for name in BUILTIN_REASONS {
        let text = format!("[error_permanence.reasons.{name}]\nstatus_codes = [418]\n");
        let rule = rule(&policy(&text), 418);
        assert_eq!(rule.reason.builtin_name(), Some(name));
    }
    let renewed = policy("[error_permanence.reasons.stale-context]\nstatus_codes = [410]\n");
    let rule = rule(&renewed, 410);
    assert_eq!((rule.retry, rule.remedy), (Retry::Renew, Remedy::Reinit));
}

//! What the two built-in policies mean.

use std::num::{NonZeroU8, NonZeroU16};

use permanence_core::{
    Class, Jitter, Mode, Network, Pacing, Percent, Processed, Reason, Remedy, Reprobe, Retry, Rule,
    Scope, Settings, Signal, Span,
};
use permanence_spec::{EndpointPolicy, default_policy, essay_policy};

const THREE_HOURS: Span = Span::from_secs(3 * 3_600);

fn essay() -> EndpointPolicy {
    essay_policy().expect("the essay is right").base
}

fn default() -> EndpointPolicy {
    default_policy().expect("the default is right").base
}

fn reason(policy: &EndpointPolicy, signal: Signal<'_>) -> (Reason, Class) {
    let rule = policy.rule(&signal);
    (rule.reason, rule.class)
}

#[test]
fn the_essay_sets_what_it_says_and_nothing_else() {
    let essay = essay_policy().expect("the essay is right");
    assert_eq!(essay.base.settings, Settings::LITERAL);
    assert!(essay.routes.is_empty() && essay.custom_reasons.is_empty() && essay.files.is_empty());
}

#[test]
fn the_essays_permanent_codes_stop_at_once_and_are_looked_at_every_three_hours() {
    let essay = essay();
    let expected = [
        (401, Reason::AUTH_CONFIG),
        (403, Reason::AUTH_CONFIG),
        (404, Reason::RESOURCE_ABSENT),
        (410, Reason::GONE),
        (422, Reason::INVALID_REQUEST),
    ];
    for (status, reason) in expected {
        let rule = essay.rule(&Signal::Http(status));
        assert_eq!((rule.reason, rule.class), (reason, Class::Permanent), "{status}");
        assert_eq!(rule.disable_after, NonZeroU16::new(1));
        assert_eq!(rule.reprobe, Reprobe::Every { interval: THREE_HOURS, ramp: None });
        assert_eq!((rule.retry, rule.scope), (Retry::Never, Scope::Endpoint));
    }
}

#[test]
fn the_essays_transient_codes_never_stop_the_endpoint() {
    let essay = essay();
    let codes = [429, 500, 502, 503, 504].map(Signal::Http);
    let errors = [Network::Timeout, Network::Refused, Network::Reset].map(Signal::Network);
    for signal in codes.into_iter().chain(errors) {
        let rule = essay.rule(&signal);
        assert_eq!((rule.class, rule.retry), (Class::Transient, Retry::Backoff), "{signal:?}");
        assert_eq!(rule.disable_after, None);
    }
    assert_eq!(reason(&essay, Signal::Http(503)).0, Reason::OVERLOAD);
    assert_eq!(reason(&essay, Signal::Http(504)).0, Reason::SERVER_FAULT);
}

#[test]
fn what_the_essay_does_not_list_is_what_the_language_says() {
    let essay = essay();
    assert_eq!(*essay.rule(&Signal::Http(204)), Rule::SUCCESS);
    assert_eq!(*essay.rule(&Signal::Http(103)), Rule::IGNORED);
    assert_eq!(*essay.rule(&Signal::Cancelled), Rule::IGNORED);
    let expected = [
        (Signal::Http(301), Reason::REDIRECT, Class::Permanent),
        (Signal::Http(418), Reason::INVALID_REQUEST, Class::Permanent),
        (Signal::Http(501), Reason::SERVER_FAULT, Class::Transient),
        (Signal::Http(99), Reason::SERVER_FAULT, Class::Transient),
        (Signal::Http(999), Reason::SERVER_FAULT, Class::Transient),
        (Signal::Grpc(12), Reason::RESOURCE_ABSENT, Class::Permanent),
        (Signal::Grpc(14), Reason::SERVER_FAULT, Class::Transient),
        (Signal::Grpc(99), Reason::SERVER_FAULT, Class::Transient),
        (Signal::Coap(0x84), Reason::INVALID_REQUEST, Class::Permanent),
        (Signal::Coap(0xa3), Reason::SERVER_FAULT, Class::Transient),
        (Signal::Network(Network::Certificate), Reason::NETWORK, Class::Transient),
        (Signal::Unusable { status: 200 }, Reason::UNUSABLE_RESPONSE, Class::Permanent),
    ];
    for (signal, expected, class) in expected {
        assert_eq!(reason(&essay, signal), (expected, class), "{signal:?}");
    }
}

#[test]
fn the_default_agrees_with_the_essay_on_the_class_of_every_code_of_the_essay() {
    let (essay, default) = (essay(), default());
    for status in [401, 403, 404, 410, 422, 429, 500, 502, 503, 504] {
        let signal = Signal::Http(status);
        assert_eq!(reason(&essay, signal), reason(&default, signal), "{status}");
        assert_eq!(essay.rule(&signal).disable_after, default.rule(&signal).disable_after);
    }
}

#[test]
fn the_default_has_the_numbers_of_the_design() {
    let settings = default().settings;
    let literal = Settings::LITERAL;
    assert_eq!((settings.backoff, settings.budget), (literal.backoff, literal.budget));
    assert_eq!(settings.backoff.jitter, Jitter::Full);
    assert_eq!(settings.confirm_max, NonZeroU8::new(5).unwrap());
    assert_eq!(settings.flap_window, Span::from_secs(3_600));
    assert_eq!(settings.notice_after, NonZeroU8::new(3).unwrap());
    assert_eq!(settings.probe_lease, Span::from_secs(60));
    assert_eq!(settings.reprobe_spread, Percent::saturating(10));
    assert_eq!(settings.retry_after_max, Span::from_secs(86_400));
    assert_eq!((settings.mode, settings.pacing), (Mode::Enforce, Pacing::Advise));
    assert_eq!(settings.reminder, None);
}

#[test]
fn the_default_has_the_rows_of_the_design() {
    let default = default();
    let ramped = Reprobe::Every { interval: THREE_HOURS, ramp: Some(Span::from_secs(60)) };
    let steady = Reprobe::Every { interval: THREE_HOURS, ramp: None };
    let rows = [
        (Signal::Http(404), Some(1), ramped, Remedy::Wait, Scope::Endpoint),
        (Signal::Http(401), Some(1), ramped, Remedy::Reauth, Scope::Credential),
        (Signal::Http(403), Some(1), ramped, Remedy::Reauth, Scope::Endpoint),
        (Signal::Network(Network::Certificate), Some(3), ramped, Remedy::Reauth, Scope::Origin),
        (Signal::Http(422), Some(1), ramped, Remedy::FixConfig, Scope::Endpoint),
        (Signal::Network(Network::Misuse), Some(1), ramped, Remedy::FixConfig, Scope::Endpoint),
        (Signal::Http(410), Some(1), Reprobe::Never, Remedy::Remove, Scope::Endpoint),
        (Signal::Http(529), None, steady, Remedy::Wait, Scope::Endpoint),
        (Signal::Grpc(14), None, steady, Remedy::Wait, Scope::Endpoint),
        (Signal::Http(408), None, steady, Remedy::Wait, Scope::Endpoint),
        (Signal::Network(Network::Dns), Some(50), steady, Remedy::Wait, Scope::Origin),
        (Signal::Network(Network::Timeout), Some(50), steady, Remedy::Wait, Scope::Endpoint),
    ];
    for (signal, threshold, reprobe, remedy, scope) in rows {
        let rule = default.rule(&signal);
        assert_eq!(rule.disable_after, threshold.and_then(NonZeroU16::new), "{signal:?}");
        assert_eq!((rule.reprobe, rule.remedy, rule.scope), (reprobe, remedy, scope), "{signal:?}");
    }
    assert_eq!(default.rule(&Signal::Network(Network::Refused)).retry, Retry::Cadence);
    assert_eq!(default.rule(&Signal::Network(Network::RefusedStream)).retry, Retry::Once);
}

#[test]
fn a_status_that_nobody_has_listed_acts_as_the_first_of_its_hundred() {
    let default = default();
    for (unlisted, first) in
        [(199, 100), (299, 200), (399, 300), (427, 400), (540, 500), (700, 500)]
    {
        assert_eq!(default.rule(&Signal::Http(unlisted)), default.rule(&Signal::Http(first)));
    }
    for (unlisted, first) in [(0x5e, 0x41), (0x9f, 0x80), (0xbf, 0xa0), (0xff, 0xa0), (0, 0xa0)] {
        assert_eq!(default.rule(&Signal::Coap(unlisted)), default.rule(&Signal::Coap(first)));
    }
    assert_eq!(default.answered_processed(&Signal::Http(427)), Processed::No);
    assert_eq!(default.answered_processed(&Signal::Http(540)), Processed::Unknown);
}

#[test]
fn every_network_error_of_the_vocabulary_is_listed_by_the_default() {
    let listed = include_str!("../policies/error_permanence.toml");
    for network in Network::ALL {
        assert!(listed.contains(&format!("\"{}\"", network.name())), "{}", network.name());
    }
}

#[test]
fn the_first_two_rows_are_fixed_and_none_comes_twice() {
    for policy in [essay(), default()] {
        assert_eq!(policy.rules[..2], [Rule::SUCCESS, Rule::IGNORED]);
        for (place, rule) in policy.rules.iter().enumerate() {
            assert!(!policy.rules[..place].contains(rule), "{rule:?}");
        }
    }
}

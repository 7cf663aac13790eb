//! The last value that is right and the first that is wrong, and what decides between equals.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use std::fs;
use std::path::Path;

use permanence_core::{
    Cause, Class, Reason, Reprobe, Retry, Rule, Scope, Signal, SignalCode, SignalKind, Span,
};
use permanence_spec::{Code, Compiled, load_path, load_str};

fn policy(body: &str) -> Compiled {
    let text = format!("[error_permanence]\n{body}\n");
    load_str("policy.toml", &text).unwrap_or_else(|faults| panic!("{faults}"))
}

fn codes(body: &str) -> Vec<Code> {
    match load_str("policy.toml", &format!("[error_permanence]\n{body}\n")) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(|fault| fault.code).collect(),
    }
}

fn rule(policy: &Compiled, status: u16) -> Rule {
    *policy.base.rule(&Signal::Http(status))
}

#[test]
fn the_last_value_of_a_range_is_right_and_the_next_one_wrong() {
    let pairs = [
        ("classes.permanent = { reprobe_interval = '1m', reprobe_ramp = '1m' }", None),
        (
            "classes.permanent = { reprobe_interval = '1m', reprobe_ramp_ms = 60001 }",
            Some(Code::LongRamp),
        ),
        ("classes.transient.backoff = { base_ms = 7, max_ms = 7 }", None),
        ("classes.transient.backoff = { base_ms = 8, max_ms = 7 }", Some(Code::BackoffOrder)),
        ("logging.reminder = '1d'", None),
        ("logging.reminder_ms = 86399999", Some(Code::FrequentReminder)),
        ("classes.permanent.reprobe_interval_ms = 2147483647", None),
        ("classes.permanent.reprobe_interval_ms = 2147483648", Some(Code::LongSpan)),
        ("classes.permanent.reprobe_spread = 100", None),
        ("classes.permanent.reprobe_spread = 101", Some(Code::BadPercent)),
        ("classes.permanent.disable_after_consecutive = 65535", None),
        ("classes.permanent.disable_after_consecutive = 65536", Some(Code::BadCount)),
        ("classes.permanent.confirm_max = 255", None),
        ("classes.permanent.confirm_max = 256", Some(Code::BadCount)),
        ("classes.permanent.status_codes = [100, 599]", None),
        ("classes.permanent.status_codes = [99]", Some(Code::BadStatus)),
        ("classes.permanent.status_codes = [600]", Some(Code::BadStatus)),
        ("classes.permanent.grpc_codes = [16]", None),
        ("classes.permanent.grpc_codes = [17]", Some(Code::BadGrpc)),
    ];
    for (body, wrong) in pairs {
        assert_eq!(codes(body), Vec::from_iter(wrong), "{body}");
    }
}

#[test]
fn the_longest_name_of_a_reason_has_32_letters() {
    let named = |length| format!("reasons.{}.class = 'permanent'", "n".repeat(length));
    assert_eq!(codes(&named(32)), []);
    assert_eq!(codes(&named(33)), [Code::BadReason]);
}

#[test]
fn the_largest_file_has_a_mebibyte() {
    let sized = |size: usize| {
        let text = "[error_permanence]\n#";
        format!("{text}{}", "x".repeat(size - text.len()))
    };
    assert!(load_str("policy.toml", &sized(1 << 20)).is_ok());
    let faults = load_str("policy.toml", &sized((1 << 20) + 1)).unwrap_err();
    assert_eq!(faults.iter().next().map(|fault| fault.code), Some(Code::TooLarge));

    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mebibyte.toml");
    fs::write(&path, sized(1 << 20)).unwrap();
    assert!(load_path(&path).is_ok());
    fs::write(&path, sized((1 << 20) + 1)).unwrap();
    let faults = load_path(&path).unwrap_err();
    assert_eq!(faults.iter().next().map(|fault| fault.code), Some(Code::TooLarge));
    assert_eq!(faults.files(), [path]);
}

#[test]
fn a_hundred_is_all_of_its_statuses_whatever_its_first_one_is() {
    let policy =
        policy("reasons.overload.status_codes = ['5xx']\nreasons.conflict.status_codes = [500]");
    let reason = |status| rule(&policy, status).reason;
    assert_eq!(
        (reason(500), reason(501), reason(577)),
        (Reason::CONFLICT, Reason::OVERLOAD, Reason::OVERLOAD)
    );
}

#[test]
fn ranges_that_touch_overlap_and_neighbours_do_not() {
    let lists = |first: &str, second: &str| {
        format!(
            "reasons.gone.status_codes = ['{first}']\nreasons.conflict.status_codes = ['{second}']"
        )
    };
    assert_eq!(codes(&lists("430-440", "440-445")), [Code::CodeTwice]);
    assert_eq!(codes(&lists("440-445", "430-440")), [Code::CodeTwice]);
    assert_eq!(codes(&lists("430-439", "440-445")), []);
}

#[test]
fn of_a_class_and_a_reason_that_list_a_code_alike_the_reason_counts() {
    let policy = policy(
        "classes.permanent.status_codes = [404, '5xx']\n\
         reasons.mine = { class = 'permanent', status_codes = [404, 501, '430-431'] }\n\
         reasons.yours = { class = 'permanent', status_codes = ['5xx'] }",
    );
    let name = |status| policy.custom_reason_name(rule(&policy, status).reason);
    assert_eq!((name(404), name(501), name(599)), (Some("mine"), Some("mine"), Some("yours")));
}

#[test]
fn an_exact_code_of_a_class_goes_before_a_hundred_of_a_reason() {
    let policy = policy(
        "classes.transient.status_codes = [503]\n\
         reasons.mine = { class = 'permanent', status_codes = ['5xx'] }",
    );
    assert_eq!(
        (rule(&policy, 503).class, rule(&policy, 503).reason),
        (Class::Transient, Reason::OVERLOAD)
    );
    assert_eq!(rule(&policy, 504).class, Class::Permanent);
}

#[test]
fn an_unlisted_coap_code_acts_as_the_first_of_its_class_whatever_its_detail() {
    let policy = policy("reasons.gone.coap_codes = ['4.00']");
    for byte in 0x80..=0x9f {
        assert_eq!(policy.base.rule(&Signal::Coap(byte)).reason, Reason::GONE);
    }
    assert_eq!(policy.base.rule(&Signal::Coap(0xa0)).reason, Reason::SERVER_FAULT);
}

#[test]
fn an_ambiguous_code_never_disables_unless_a_number_is_given() {
    let silent = policy("classes.ambiguous.status_codes = [504]");
    assert_eq!(rule(&silent, 504).disable_after, None);
    let given =
        policy("classes.ambiguous = { status_codes = [504], disable_after_consecutive = 20 }");
    assert_eq!(rule(&given, 504).disable_after.map(|count| count.get()), Some(20));
}

#[test]
fn a_provider_code_without_a_reason_keeps_the_scope_and_the_retry_of_its_status() {
    let policy = policy("extends = 'default'\nprocessed.no = ['401:busy', '408:busy']");
    for status in [401, 408] {
        let coded = Signal::Provider { status, code: "busy" };
        assert_eq!(policy.base.rule(&coded), policy.base.rule(&Signal::Http(status)));
    }
}

#[test]
fn a_cause_whose_reason_is_that_of_its_status_gets_the_row_of_the_status() {
    let policy = policy(
        "extends = 'default'\nreasons.auth-config.provider_codes = ['401:a']\nscope.origin = ['401:a']",
    );
    let coded = policy.base.rule(&Signal::Provider { status: 401, code: "a" });
    let cause = Cause::new(SignalCode::new(SignalKind::Http, 401), Reason::AUTH_CONFIG);
    assert_eq!(
        (coded.scope, policy.base.cause_rule(cause).scope),
        (Scope::Origin, Scope::Credential)
    );
}

#[test]
fn codes_of_a_class_fit_their_reasons() {
    let policy = policy(
        "classes.transient = { status_codes = [408, 409, 421, 425, 412, 423, 424, 429, 529, 500], \
         coap_codes = ['4.08', '4.09', '5.05', '5.08', '5.03'], grpc_codes = [6, 8, 10, 14] }",
    );
    let reason = |signal| policy.base.rule(&signal).reason;
    for status in [408, 421, 425] {
        assert_eq!(reason(Signal::Http(status)), Reason::NETWORK);
    }
    for status in [409, 412, 423, 424] {
        let rule = rule(&policy, status);
        assert_eq!((rule.reason, rule.retry), (Reason::CONFLICT, Retry::Cadence));
    }
    assert_eq!(reason(Signal::Http(429)), Reason::OVERLOAD);
    assert_eq!(reason(Signal::Http(529)), Reason::OVERLOAD);
    assert_eq!(rule(&policy, 500).retry, Retry::Backoff);
    let coap = [0x88, 0x89, 0xa5, 0xa8, 0xa3].map(|byte| reason(Signal::Coap(byte)));
    let [network, conflict, proxy, hops, overload] = coap;
    assert_eq!((network, conflict), (Reason::NETWORK, Reason::CONFLICT));
    assert_eq!((proxy, hops), (Reason::AUTH_CONFIG, Reason::AUTH_CONFIG));
    assert_eq!(overload, Reason::OVERLOAD);
    let grpc = [6, 8, 10, 14].map(|code| reason(Signal::Grpc(code)));
    let expected = [Reason::CONFLICT, Reason::OVERLOAD, Reason::CONFLICT, Reason::SERVER_FAULT];
    assert_eq!(grpc, expected);
}

#[test]
fn spans_may_be_text_or_milliseconds_everywhere() {
    let text = policy("classes.permanent = { reprobe_interval = '90m', probe_lease = '500ms' }");
    let number =
        policy("classes.permanent = { reprobe_interval_ms = 5400000, probe_lease_ms = 500 }");
    assert_eq!(text, number);
    let interval = Span::from_secs(5_400);
    assert_eq!(rule(&text, 404).reprobe, Reprobe::Every { interval, ramp: None });
}

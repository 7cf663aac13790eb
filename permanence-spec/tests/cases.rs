//! Reported slips in the configuration of other programs: each of them is an error here.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use permanence_spec::{Code, Diagnostics, load_str};

fn faults(body: &str) -> Diagnostics {
    match load_str("policy.toml", body) {
        Ok(_) => panic!("accepted: {body}"),
        Err(faults) => faults,
    }
}

#[test]
fn cf_1_a_mistyped_condition_is_named_and_the_right_one_offered() {
    let faults = faults(
        "[error_permanence.classes.transient]\nnetwork_errors = [\"timeout\", \"conection_refused\"]\n",
    );
    assert_eq!(faults.len(), 1);
    let fault = faults.iter().next().unwrap();
    assert!(fault.message.contains("`conection_refused`"));
    assert_eq!(fault.help.as_deref(), Some("did you mean `connection_refused`?"));
}

#[test]
fn cf_2_all_bad_codes_of_a_list_are_reported_in_one_go() {
    let faults = faults(
        "[error_permanence.classes.permanent]\nstatus_codes = [404, 2, 1000, \"invalid\"]\n",
    );
    assert_eq!(faults.len(), 3);
    assert!(faults.iter().all(|fault| fault.code == Code::BadStatus));
}

#[test]
fn cf_3_every_field_has_a_range() {
    let rows = [
        (
            "classes.transient.backoff = { base_ms = 30000, max_ms = 500, jitter = 'full' }",
            Code::BackoffOrder,
        ),
        (
            "classes.transient.backoff = { base_ms = 0, max_ms = 500, jitter = 'full' }",
            Code::ZeroSpan,
        ),
        (
            "classes.transient.retry_budget = { percent_can_retry = 110, min_retries_per_sec = 1 }",
            Code::BadPercent,
        ),
        ("classes.permanent.disable_after_consecutive = 0", Code::BadCount),
        ("classes.permanent.reprobe_interval = '25d'", Code::LongSpan),
        (
            "classes.permanent.status_codes = [404, 429]\nclasses.transient.status_codes = [429, 503]",
            Code::CodeTwice,
        ),
    ];
    for (row, code) in rows {
        let faults = faults(&format!("[error_permanence]\n{row}\n"));
        let codes: Vec<Code> = faults.iter().map(|fault| fault.code).collect();
        assert_eq!(codes, [code], "{row}");
    }
}

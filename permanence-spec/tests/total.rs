//! Whatever the text, there is a policy or there are diagnostics; never a panic, never a hang.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use permanence_core::{Network, Signal};
use permanence_spec::{Compiled, load_str};
use proptest::prelude::*;

const DEFAULT: &str = include_str!("../policies/error_permanence.toml");
const RULES: &str = r#"
[error_permanence]
extends = "default"
use = ["telegram"]
[[error_permanence.rule]]
id = "a"
when = { status = [429, "5xx"], json."/a/*/0" = ["x", 1], header.y = { not = { prefix = "z" } } }
reason = "overload"
retry_after = "json:/a:ms"
test = [{ status = 429, body = '{"a":[["x"]]}', expect = "a" }]
[[error_permanence.per_endpoint_overrides."PUT /{id}".rule]]
id = "b"
when = { grpc = "UNAVAILABLE", body = { has = "x" } }
class = "permanent"
"#;

/// Either every signal has a row, or every fault has a place and a text.
fn settled(text: &str) {
    match load_str("policy.toml", text) {
        Ok(policy) => complete(&policy),
        Err(faults) => {
            assert!(!faults.is_empty());
            assert!(faults.len() <= 100);
            for fault in &faults {
                let place = fault.labels.first().expect("a fault has a place");
                assert!(place.line >= 1 && place.column >= 1 && place.width >= 1);
            }
            assert!(faults.to_string().starts_with("error[P01"));
        }
    }
}

fn complete(policy: &Compiled) {
    for endpoint in policy.routes.iter().map(|route| &route.policy).chain([&policy.base]) {
        let rows = endpoint.rules.len();
        let network = Network::ALL.map(Signal::Network);
        for signal in (0..=u16::MAX).map(Signal::Http).chain(network) {
            let _ = endpoint.rule(&signal);
        }
        let places = endpoint.http.table.iter().chain(&endpoint.grpc.table).chain(&endpoint.coap);
        let places = places.chain(&endpoint.network).chain([&endpoint.unusable]);
        assert!(places.copied().all(|place| usize::from(place) < rows));
    }
}

/// Scraps of the language, so that chance gets past the first line.
fn scrap() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "[error_permanence]",
            "[error_permanence.classes.permanent]",
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            "[error_permanence.reasons.gone]",
            "[error_permanence.per_endpoint_overrides.\"PUT /{id}\"]",
            "extends",
            "\"default\"",
            "status_codes",
            "404",
            "\"4xx\"",
            "\"500-599\"",
            "=",
            ",",
            "\n",
            "\"3h\"",
            "reprobe_interval",
            "disable_after_consecutive",
            "-1",
            "0",
            "1.5",
            "true",
            "\"never\"",
            "network_errors",
            "\"dns\"",
            "provider_codes",
            "\"429:x\"",
            "[[error_permanence.rule]]",
            "[[error_permanence.per_endpoint_overrides.\"PUT /{id}\".rule]]",
            "id",
            "when",
            "status",
            "header.x",
            "json.\"/a/*/0\"",
            "body",
            "has",
            "prefix",
            "exists",
            "not",
            "reason",
            "retry_after",
            "\"json:/a:ms\"",
            "test",
            "expect",
            "use",
            "\"openai\"",
            ".",
            "#",
            "'",
            "\"\"\"",
            "\u{1f980}",
        ])
        .prop_map(str::to_owned),
        "[a-z_]{1,12}",
        any::<i64>().prop_map(|number| number.to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_settled(text in any::<String>()) {
        settled(&text);
    }

    #[test]
    fn any_heap_of_scraps_is_settled(scraps in prop::collection::vec(scrap(), 0..60)) {
        settled(&scraps.concat());
        settled(&scraps.join(" "));
    }

    #[test]
    fn rules_with_some_of_their_letters_changed_are_settled(
        changes in prop::collection::vec((any::<prop::sample::Index>(), scrap(), 0..20usize), 1..4),
    ) {
        let mut text: Vec<char> = RULES.chars().collect();
        for (place, scrap, length) in changes {
            let start = place.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, scrap.chars());
        }
        settled(&text.into_iter().collect::<String>());
    }

    #[test]
    fn the_default_with_some_of_its_letters_changed_is_settled(
        changes in prop::collection::vec((any::<prop::sample::Index>(), scrap(), 0..40usize), 1..6),
    ) {
        let mut text: Vec<char> = DEFAULT.chars().collect();
        for (place, scrap, length) in changes {
            let start = place.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, scrap.chars());
        }
        settled(&text.into_iter().collect::<String>());
    }
}

#[test]
fn hostile_shapes_are_settled() {
    settled("");
    settled("\u{feff}");
    settled(&"[".repeat(100_000));
    settled(&"a.".repeat(100_000));
    settled(&format!("error_permanence = {}{}", "{ a = ".repeat(10_000), "}".repeat(10_000)));
    settled(&format!(
        "[error_permanence.classes.permanent]\nstatus_codes = [{}]",
        "9, ".repeat(200_000)
    ));
    settled(&format!(
        "[error_permanence.classes.permanent]\nstatus_codes = [{}]",
        "'100-599', ".repeat(90_000)
    ));
    settled(&format!("[error_permanence]\n{} = 1", "k".repeat(900_000)));
    settled(&"x".repeat((1 << 20) + 1));
    settled(&format!(
        "[[error_permanence.rule]]\nid = 'a'\nwhen.body.has = [{}]\nreason = 'gone'",
        "'a', ".repeat(100_000)
    ));
    let headers: Vec<String> = (0..40_000).map(|number| format!("h{number} = 'a', ")).collect();
    settled(&format!(
        "[[error_permanence.rule]]\nid = 'a'\nwhen.header = {{ {} }}\nreason = 'gone'",
        headers.concat()
    ));
    let rules: Vec<String> = (0..10_000)
        .map(|number| format!("{{ id = 'r{number}', when.header.x = 'a', reason = 'gone' }}, "))
        .collect();
    settled(&format!("[error_permanence]\nrule = [{}]", rules.concat()));
    settled(&format!(
        "[error_permanence]\nrule = [{{ id = 'a', when.body{} = 'x', reason = 'gone' }}]",
        ".not".repeat(50_000)
    ));
    let routes: Vec<String> =
        (0..900).map(|number| format!("'/{number}'.use = ['openai', 'aws']\n")).collect();
    settled(&format!("[error_permanence.per_endpoint_overrides]\n{}", routes.concat()));
    let routes: Vec<String> = (0..40_000).map(|number| format!("'/{number}' = {{}}\n")).collect();
    settled(&format!("[error_permanence.per_endpoint_overrides]\n{}", routes.concat()));
    let reasons: Vec<String> =
        (0..40_000).map(|number| format!("r{number} = {{ class = 'transient' }}\n")).collect();
    settled(&format!("[error_permanence.reasons]\n{}", reasons.concat()));
}

#[test]
fn a_hundred_faults_are_told_and_the_rest_counted() {
    let text =
        format!("[error_permanence.classes.permanent]\nstatus_codes = [{}]", "9, ".repeat(250));
    let faults = load_str("policy.toml", &text).unwrap_err();
    assert_eq!((faults.len(), faults.left_out()), (100, 150));
    assert!(faults.to_string().ends_with("\nand 150 more\n"));
}

//! `permanence explain` as it is run.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn permanence() -> Command {
    Command::cargo_bin("permanence").expect("the command is built")
}

/// A policy with this text, in a directory of the test's own.
fn policy(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain");
    fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join(name);
    fs::write(&path, text).expect("a file");
    path
}

fn text(arguments: &[&str]) -> String {
    let output = permanence().arg("explain").args(arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).expect("text")
}

fn json(arguments: &[&str]) -> Value {
    let output = permanence().arg("explain").args(arguments).arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).expect("one JSON object")
}

/// The result of the step with this name.
fn result<'v>(decision: &'v Value, name: &str) -> &'v str {
    let steps = decision["steps"].as_array().expect("steps");
    let step = steps.iter().find(|step| step["step"] == name);
    step.expect("the step is there")["result"].as_str().expect("a word")
}

#[test]
fn a_missing_route_stops_at_the_first_call_and_is_probed() {
    let told = text(&["404"]);
    assert!(told.starts_with("404 for GET: permanent, resource-absent\n"), "{told}");
    assert!(told.contains("decided by     exact code: 404 in reasons.resource-absent, <default>:"));
    assert!(told.contains("\nNext: calls stop at the first one; probe every 3h"), "{told}");
}

#[test]
fn a_time_of_the_server_gates_and_names_its_header() {
    let told = json(&["429", "--method", "POST", "--header", "retry-after: 120"]);
    assert_eq!(told["class"], "transient");
    assert_eq!(told["delay"]["ms"], 120_000);
    assert_eq!(told["delay"]["from"], "header retry-after");
    assert_eq!(told["retry_now"]["allowed"], false);
    let next = told["next"].as_str().unwrap();
    assert!(next.starts_with("no call for 2m, as the server asked"), "{next}");
}

#[test]
fn the_guard_of_writes_stands_above_the_row() {
    let unkeyed = json(&["io:TimedOut", "--method", "POST"]);
    assert_eq!(
        (&unkeyed["class"], &unkeyed["row"]["class"]),
        (&"ambiguous".into(), &"transient".into())
    );
    assert_eq!(
        (&unkeyed["row"]["processed"], &unkeyed["guard"]["applies"]),
        (&"unknown".into(), &true.into())
    );
    let keyed = json(&["io:TimedOut", "--method", "POST", "--idempotency-key"]);
    assert_eq!((&keyed["class"], &keyed["request"]), (&"transient".into(), &"keyed".into()));
    let by_header = json(&["503", "--method", "POST", "--request-header", "Idempotency-Key: 7"]);
    assert_eq!(by_header["request"], "keyed");
    let refused = json(&["io:ConnectionRefused", "--method", "POST"]);
    assert_eq!(
        (&refused["class"], &refused["phase"]),
        (&"transient".into(), &"nothing-sent".into())
    );
    let unsent = json(&["net:timeout", "--method", "POST", "--phase", "nothing-sent"]);
    assert_eq!(
        (&unsent["class"], &unsent["row"]["processed"]),
        (&"transient".into(), &"no".into())
    );
}

#[test]
fn the_word_of_the_server_goes_before_the_row() {
    let pardoned = json(&["401", "--header", "x-should-retry: true"]);
    assert_eq!(
        (&pardoned["class"], &pardoned["row"]["class"]),
        (&"transient".into(), &"permanent".into())
    );
    assert_eq!(result(&pardoned, "server's word"), "adjusted");
    let forbidden = json(&["503", "--header", "x-should-retry: false"]);
    assert_eq!(forbidden["retry_now"]["why"], "the server forbids it");
    assert_eq!(json(&["503"])["retry_now"]["pause_ms"], serde_json::json!([0, 500]));
}

#[test]
fn every_notation_is_explained_by_its_own_row() {
    for (code, reason) in [
        ("grpc:14", "server-fault"),
        ("grpc:UNIMPLEMENTED", "resource-absent"),
        ("coap:4.04", "resource-absent"),
        ("net:dns", "network"),
        ("io:PermissionDenied", "auth-config"),
        ("unusable:200", "unusable-response"),
        ("427", "invalid-request"),
        ("cancelled", "ignored"),
    ] {
        assert_eq!(json(&[code])["row"]["reason"], reason, "{code}");
    }
}

const ROUTED: &str = "
[error_permanence]
extends = 'default'
[error_permanence.reasons.auth-config]
provider_codes = ['429:insufficient_quota']
[error_permanence.classes.transient]
status_codes = ['4xx']
[error_permanence.per_endpoint_overrides.'PUT /api/agents/{id}/status']
reasons.resource-absent.status_codes = [404]
reasons.resource-absent.disable_after_consecutive = 3
reasons.overload.remedy = 'fix_config'
";

#[test]
fn the_entry_that_decided_is_named_with_its_place() {
    let path = policy("routed.toml", ROUTED);
    let path = path.to_str().unwrap();
    let place = |told: &Value| {
        let place = told["decided_by"]["place"].as_str().unwrap();
        place.rsplit('/').next().unwrap().to_owned()
    };

    let quota = json(&["429:insufficient_quota", "--policy", path]);
    assert_eq!(result(&quota, "provider's code"), "decided");
    assert_eq!(
        (place(&quota).as_str(), &quota["row"]["reason"]),
        ("routed.toml:5:19", &"auth-config".into())
    );

    let on = |code, endpoint| json(&[code, "--policy", path, "--endpoint", endpoint]);
    let routed = on("404", "PUT /api/agents/17/status");
    assert_eq!(result(&routed, "endpoint override"), "decided");
    assert_eq!(
        (place(&routed).as_str(), &routed["row"]["disable_after"]),
        ("routed.toml:9:41", &3.into())
    );
    let elsewhere = on("404", "GET /feed");
    assert_eq!(
        (result(&elsewhere, "endpoint override"), result(&elsewhere, "exact code")),
        ("passed_over", "passed_over")
    );
    assert_eq!(
        (result(&elsewhere, "hundred"), place(&elsewhere).as_str()),
        ("decided", "routed.toml:7:17")
    );
    assert_eq!(result(&on("503", "PUT /api/agents/17/status"), "endpoint override"), "adjusted");
}

#[test]
fn the_whole_table_has_every_status_once() {
    let table = json(&["--all"]);
    let mut next = 100;
    for line in table["http"].as_array().unwrap() {
        let codes = line["codes"].as_str().unwrap();
        if codes == "others" {
            continue;
        }
        let (first, last) = codes.split_once('-').unwrap_or((codes, codes));
        assert_eq!(first.parse::<u16>().unwrap(), next);
        next = last.parse::<u16>().unwrap() + 1;
    }
    assert_eq!(next, 600);
    assert_eq!(table["grpc"].as_array().unwrap().len(), 17);
    assert_eq!(table["net"].as_array().unwrap().len(), 15);
    assert!(table["coap"].as_array().unwrap().iter().any(|line| line["codes"] == "4.04"));
}

#[test]
fn a_route_has_only_the_rows_in_which_it_differs() {
    let path = policy("table.toml", ROUTED);
    let path = path.to_str().unwrap();
    let table = json(&["--all", "--policy", path]);
    let route = &table["routes"][0];
    assert_eq!(route["route"], "PUT /api/agents/{id}/status");
    let codes: Vec<&str> = route["http"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["codes"].as_str().unwrap())
        .collect();
    assert_eq!(codes[0], "404");
    assert!(codes.contains(&"503") && !codes.contains(&"500"), "{codes:?}");
    assert_eq!(table["provider"][0]["codes"], "429:insufficient_quota");
    let own = text(&["--all", "--policy", path, "--endpoint", "PUT /api/agents/17/status"]);
    assert!(own.starts_with("PUT /api/agents/17/status\n"), "{own}");
}

#[test]
fn what_cannot_be_understood_is_an_error_of_usage() {
    for arguments in [
        &[] as &[&str],
        &["timeout"],
        &["net:dsn"],
        &["404", "--all"],
        &["404", "--header", "retry-after 120"],
        &["404", "--endpoint", "feed"],
        &["404", "--method", "GET", "--endpoint", "PUT /feed"],
        &["404", "--policy", "nowhere.toml"],
    ] {
        permanence().arg("explain").args(arguments).assert().code(2);
    }
    let path = policy("faulty.toml", "[error_permanence]\nmood = 'good'\n");
    let output = permanence().args(["explain", "404", "--policy"]).arg(&path).assert().code(2);
    let told = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(told.contains("error[P0102]"), "{told}");
}

#[test]
fn the_readme_shows_what_is_printed() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(readme).expect("the README");
    let shown = readme.split("$ permanence explain 429 ").nth(1).expect("the example");
    let shown = shown.split("```").next().expect("the end of the example");
    let told = text(&["429", "--method", "POST", "--header", "retry-after: 120"]);
    for line in shown.lines().skip(1).filter(|line| line.trim() != "...") {
        assert!(told.lines().any(|told| told == line), "{line}\nis not in\n{told}");
    }
}

//! The demo as a program: real HTTP, virtual time.

use assert_cmd::Command;
use serde_json::Value;

fn demo(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("permanence").expect("the binary is built");
    let output = command.arg("demo").args(arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).expect("text")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&demo(arguments)).expect("one JSON object")
}

fn figure(report: &Value, reporter: &str, key: &str) -> u64 {
    report[reporter][key].as_u64().expect("every reporter has every figure")
}

#[test]
fn seven_days_are_four_lines_instead_of_thousands() {
    let report = json(&["--json"]);
    assert_eq!(figure(&report, "naive", "calls"), 10_080);
    assert_eq!(figure(&report, "naive", "lines"), 4_441);
    assert_eq!(figure(&report, "permanence", "lines"), 4);
    assert!(figure(&report, "permanence", "tokens") * 500 < figure(&report, "naive", "tokens"));
    assert_eq!(report["broken"], serde_json::json!([]));
}

#[test]
fn every_deploy_is_noticed_within_one_interval_and_its_spread() {
    for seed in ["2", "3"] {
        let report = json(&["--days", "1", "--json", "--seed", seed]);
        assert_eq!(report["naive"]["detect_s"], serde_json::json!([30, 30]));
        let noticed = report["permanence"]["detect_s"].as_array().expect("a list");
        assert_eq!(noticed.len(), 2, "{report}");
        let latest = noticed.iter().filter_map(Value::as_u64).max();
        assert!(latest <= Some(11_880 + 60), "{report}");
        let lost = figure(&report, "permanence", "lost_ticks");
        let waited: u64 = noticed.iter().filter_map(Value::as_u64).map(|s| s / 60).sum();
        assert_eq!(lost, waited, "only the ticks before a deploy is noticed are lost");
    }
}

#[test]
fn a_day_is_enough_for_both_episodes() {
    let report = json(&["--days", "1", "--json"]);
    assert_eq!(report["ticks"], 1_440);
    assert_eq!(figure(&report, "permanence", "lines"), 4);
    assert_eq!(figure(&report, "naive", "lost_ticks"), 0);
}

#[test]
fn a_run_depends_on_its_seed_alone() {
    let run = |seed| demo(&["--days", "1", "--seed", seed]);
    assert_eq!(run("5"), run("5"));
    assert_ne!(run("5"), run("6"));
}

#[test]
fn the_text_shows_both_logs_and_the_table() {
    let text = demo(&["--days", "1"]);
    for part in [
        "WARN  status report failed: PUT http://127.0.0.1:8787/api/agents/17/status: 404 Not Found",
        "WARN  DISABLED status PUT 127.0.0.1:8787/api/agents/{id}/status: 404 resource-absent",
        "INFO  RECOVERED status: 204",
        "tokens of log, estimated",
        "The laws held",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn no_days_are_refused() {
    let mut command = Command::cargo_bin("permanence").expect("the binary is built");
    command.args(["demo", "--days", "0"]).assert().code(2);
}

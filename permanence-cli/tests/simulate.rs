//! `permanence simulate` as it is run.

use assert_cmd::Command;
use serde_json::Value;

fn permanence() -> Command {
    Command::cargo_bin("permanence").expect("the command is built")
}

#[test]
fn every_scenario_has_every_strategy_and_every_figure() {
    let output = permanence().args(["simulate", "--all", "--seeds", "3", "--json"]).output();
    let output = output.expect("the command runs");
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let scenarios = report.as_object().expect("scenarios by name");
    assert_eq!(scenarios.len(), 9);
    for strategies in scenarios.values() {
        for strategy in ["naive", "essay", "default"] {
            for figure in ["calls", "lines", "tokens", "lost_ticks"] {
                assert!(strategies[strategy][figure].is_u64(), "{strategies}");
            }
            assert!(strategies[strategy]["detect_s"].is_array(), "{strategies}");
        }
    }
}

#[test]
fn one_scenario_is_a_table() {
    let output = permanence().args(["simulate", "404-blip", "--seeds", "1"]).output();
    let text = String::from_utf8(output.expect("the command runs").stdout).expect("text");
    assert!(text.contains("404-blip: a deploy makes a good route answer 404"), "{text}");
    assert!(text.contains("naive") && text.contains("essay") && text.contains("default"), "{text}");
}

#[test]
fn an_unknown_scenario_is_refused_with_the_known_ones() {
    permanence().args(["simulate", "404-blop"]).assert().code(2);
    permanence().arg("simulate").assert().code(2);
}

//! `permanence vectors`: the vectors of the specification, and what a bad one does.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// The cases that this runner does not reach, each for a reason that it names.
const SKIPPED: [&str; 1] = ["IK-1"];

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors")
}

fn permanence() -> Command {
    Command::cargo_bin("permanence").expect("the command is built")
}

/// A file with this text, in a directory of the test's own.
fn file(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
    fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join(name);
    fs::write(&path, text).expect("a file");
    path
}

const ONE_CASE: &str = "
[[case]]
id = 'ONE'
[case.input]
form = 'sim'
tick_ms = 60_000
for_ms = 3_600_000
server = [{ out = '404' }]
[case.expected]
";

#[test]
fn every_vector_of_the_specification_passes_or_is_out_of_reach() {
    let output = permanence().arg("vectors").arg(vectors()).arg("--json").assert().success();
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(report["failed"], 0, "{report}");
    assert_eq!(report["passed"].as_u64().unwrap() + SKIPPED.len() as u64, 74);
    let mut skipped: Vec<&str> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["result"] == "skipped")
        .map(|case| case["id"].as_str().unwrap())
        .collect();
    skipped.sort_unstable();
    assert_eq!(skipped, SKIPPED);
}

#[test]
fn the_copy_of_p0_is_the_file_of_the_specification() {
    let copy = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/p0.toml");
    let home = fs::read_to_string(vectors().join("p0.toml")).unwrap();
    assert!(
        fs::read_to_string(copy).unwrap() == home,
        "copy spec/vectors/p0.toml to permanence-cli/policies/p0.toml"
    );
}

#[test]
fn a_wrong_expectation_fails_and_says_what_was_observed() {
    let path = file("wrong.toml", &format!("{ONE_CASE}calls = 2\n"));
    let output = permanence().arg("vectors").arg(path).assert().code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert_eq!(text, "failed ONE: calls is 1, expected 2\n0 passed, 1 failed, 0 skipped\n");
}

#[test]
fn an_expectation_that_nobody_knows_never_passes() {
    let path = file("unknown.toml", &format!("{ONE_CASE}calls = 1\nmood = 'good'\n"));
    let output = permanence().arg("vectors").arg(path).assert().code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("failed ONE: unknown expectation mood\n"), "{text}");
}

#[test]
fn an_input_that_nobody_reads_is_skipped_by_name() {
    let text = ONE_CASE.replace("tick_ms", "moon = 'full'\ntick_ms");
    let path = file("moon.toml", &format!("{text}calls = 1\n"));
    let output = permanence().arg("vectors").arg(path).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("skipped ONE: input: moon not understood\n"), "{text}");
}

#[test]
fn a_broken_file_is_an_error_of_usage_with_its_place() {
    let path = file("broken.toml", "[[case]]\nid = 'ONE'\ninput = {\n");
    let output = permanence().arg("vectors").arg(&path).assert().code(2);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("broken.toml:3:"), "{text}");
}

#[test]
fn a_case_without_an_expectation_is_an_error_of_usage() {
    let path = file("short.toml", "[[case]]\nid = 'ONE'\n[case.input]\nform = 'sim'\n");
    let output = permanence().arg("vectors").arg(&path).assert().code(2);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("short.toml:1:1: missing field `expected`"), "{text}");
}

#[test]
fn one_case_can_be_picked_by_its_id() {
    let output = permanence().arg("vectors").arg(vectors()).args(["--only", "PR-1"]).assert();
    let text = String::from_utf8(output.success().get_output().stdout.clone()).unwrap();
    assert_eq!(text, "1 passed, 0 failed, 0 skipped\n");
    permanence().arg("vectors").arg(vectors()).args(["--only", "nobody"]).assert().code(2);
}

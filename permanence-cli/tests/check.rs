//! `permanence check` as it is run.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn permanence() -> Command {
    Command::cargo_bin("permanence").expect("the command is built")
}

/// A file with this text, in a directory of the test's own.
fn file(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check");
    fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join(name);
    fs::write(&path, text).expect("a file");
    path
}

fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec")
}

const GOOD: &str = "
[error_permanence]
extends = 'default'
[error_permanence.per_endpoint_overrides.'PUT /api/agents/{id}/status']
reasons.resource-absent.disable_after_consecutive = 3
[[error_permanence.rule]]
id = 'quota'
when = { status = [403, 429], json.'/error/code' = 'insufficient_quota' }
remedy = 'fix_config'
";

const BAD: &str = "
[error_permanence]
extends = 'default'
classes.permanent.status_codes = [404, 404]
mood = 'good'
";

#[test]
fn the_policies_of_the_specification_are_good_and_a_line_each() {
    let [default, essay] =
        ["error_permanence.toml", "essay.toml"].map(|name| policies().join(name));
    let output = permanence().arg("check").args([&default, &essay]).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("error_permanence.toml: good; 0 routes, "), "{text}");
}

#[test]
fn every_pack_is_good_and_passes_its_own_examples() {
    let packs = fs::read_dir(policies().join("packs")).expect("the packs");
    let packs = packs.map(|entry| entry.expect("an entry").path());
    let packs: Vec<PathBuf> =
        packs.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    assert!(packs.len() >= 20, "{packs:?}");
    permanence().arg("check").args(packs).assert().success();
}

#[test]
fn a_rule_that_fails_its_own_example_is_a_mistake() {
    let text = GOOD.to_owned() + "test = [{ status = 403, body = '{}', expect = 'quota' }]\n";
    let output = permanence().arg("check").arg(file("example.toml", &text)).assert().code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("this test expects `quota`"), "{text}");
}

#[test]
fn every_mistake_is_told_in_the_words_of_the_loader() {
    let path = file("bad.toml", BAD);
    let output = permanence().arg("check").arg(&path).assert().code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let wrong = permanence_spec::load_path(&path).unwrap_err();
    assert_eq!(wrong.len(), 2);
    assert_eq!(text, wrong.to_string());
}

#[test]
fn one_bad_file_among_good_ones_is_enough_to_fail() {
    let (good, bad) = (file("one-good.toml", GOOD), file("one-bad.toml", BAD));
    let output = permanence().arg("check").args([&good, &bad]).arg("--json").assert().code(1);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!((&files[0]["ok"], &files[1]["ok"]), (&Value::Bool(true), &Value::Bool(false)));
    assert_eq!(files[0]["summary"]["routes"], 1);
    assert_eq!(files[0]["summary"]["rules"], 1);
    assert_eq!(files[0]["errors"].as_array().unwrap().len(), 0);
    let twice = &files[1]["errors"][0];
    assert_eq!(twice["code"], "P0105");
    assert_eq!(twice["message"], "404 is listed twice");
    assert_eq!((&twice["line"], &twice["column"]), (&4.into(), &40.into()));
    assert!(twice["path"].as_str().unwrap().ends_with("one-bad.toml"), "{twice}");
    assert_eq!(twice["help"], "within one layer a code stands in one list only");
}

#[test]
fn a_file_that_cannot_be_read_is_a_mistake_with_a_code() {
    let output = permanence().args(["check", "nowhere.toml", "--json"]).assert().code(1);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(report["files"][0]["errors"][0]["code"], "P0128");
    assert_eq!(report["files"][0]["errors"][0]["message"], "`nowhere.toml` cannot be read");
}

#[test]
fn without_a_file_there_is_nothing_to_check() {
    permanence().arg("check").assert().code(2);
}

//! `permanence explain` where rules look at more than the status.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};

/// A file with this text, in a directory of the test's own.
fn file(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain-rules");
    fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join(name);
    fs::write(&path, text).expect("a file");
    path
}

fn explain(policy: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::cargo_bin("permanence").expect("the command is built");
    command.args(["explain", "--json", "--policy"]).arg(policy).args(arguments);
    let output = command.assert().success();
    serde_json::from_slice(&output.get_output().stdout).expect("one JSON object")
}

/// The step about rules.
fn rules(decision: &Value) -> &Value {
    let steps = decision["steps"].as_array().expect("steps");
    steps.iter().find(|step| step["step"] == "rules").expect("the step is there")
}

const POLICY: &str = "
[error_permanence]
extends = 'default'
[[error_permanence.rule]]
id = 'quota'
when = { status = 429, json.'/error/code' = ['insufficient_quota', 'no_credit'] }
reason = 'auth-config'
remedy = 'fix_config'
[[error_permanence.rule]]
id = 'limit'
when = { status = [403, 429], header.x-left = '0' }
reason = 'overload'
retry_after = 'header:x-reset-ms:ms'
[[error_permanence.rule]]
id = 'named'
when = { status = 429, json.'/retry_after' = { exists = true } }
retry_after = 'json:/retry_after:seconds'
[[error_permanence.rule]]
id = 'refused'
when = { status = 500, method = 'POST', request_header.x-draft = { exists = true } }
reason = 'server-fault'
processed = 'no'
[[error_permanence.rule]]
id = 'login'
when = { status = 200, redirect = { has = '/login' } }
reason = 'auth-config'
";

#[test]
fn a_rule_about_the_body_decides_and_is_named_with_its_place() {
    let policy = file("body.toml", POLICY);
    let body = file("body.json", r#"{"error":{"code":"insufficient_quota"}}"#);
    let body = format!("@{}", body.display());
    let told = explain(&policy, &["429", "--body", &body]);
    assert_eq!(
        (&told["class"], &told["row"]["remedy"]),
        (&json!("permanent"), &json!("fix_config"))
    );
    assert_eq!(told["decided_by"]["detail"], "rule quota");
    assert!(told["decided_by"]["place"].as_str().unwrap().ends_with("body.toml:5:6"), "{told}");
    assert!(told["next"].as_str().unwrap().starts_with("calls stop at the first one"), "{told}");
}

#[test]
fn rules_that_are_not_met_say_what_they_miss() {
    let policy = file("missing.toml", POLICY);
    let told = explain(&policy, &["429", "--body", r#"{"error":{"code":"slow_down"}}"#]);
    assert_eq!(rules(&told)["result"], "passed_over");
    assert_eq!(told["decided_by"]["step"], "exact code");
    let tried = json!([
        { "rule": "quota", "why": ["needs json./error/code = \"insufficient_quota\" or \"no_credit\""] },
        { "rule": "named", "why": ["needs json./retry_after at all"] },
        { "rule": "limit", "why": ["needs header.x-left = \"0\""] },
    ]);
    assert_eq!(rules(&told)["tried"], tried);
}

#[test]
fn a_rule_says_where_the_time_stands() {
    let policy = file("time.toml", POLICY);
    let headers = ["403", "--header", "x-left: 0", "--header", "X-Reset-Ms: 1500"];
    let told = explain(&policy, &headers);
    assert_eq!(told["delay"], json!({ "ms": 1_500, "from": "header x-reset-ms" }));
    assert_eq!(told["retry_now"]["pause_ms"], json!([1_500, 1_500]));

    let told = explain(&policy, &["429", "--body", r#"{"retry_after":0.65}"#]);
    assert_eq!(told["delay"], json!({ "ms": 650, "from": "body /retry_after" }));
    assert_eq!(told["rule"], "named");
    assert_eq!(
        (&rules(&told)["result"], &told["decided_by"]["step"]),
        (&json!("adjusted"), &json!("exact code"))
    );

    // What the rule names is not there: the ordinary headers count.
    let told = explain(&policy, &["403", "--header", "x-left: 0", "--header", "retry-after: 7"]);
    assert_eq!(told["delay"], json!({ "ms": 7_000, "from": "header retry-after" }));
}

#[test]
fn a_rule_about_the_request_may_lift_the_doubt_about_a_write() {
    let policy = file("request.toml", POLICY);
    let plain = explain(&policy, &["500", "--method", "POST"]);
    assert_eq!(plain["class"], "ambiguous");
    let told = explain(&policy, &["500", "--method", "POST", "--request-header", "x-draft: 1"]);
    assert_eq!((&told["class"], &told["row"]["processed"]), (&json!("transient"), &json!("no")));
    assert_eq!(told["decided_by"]["detail"], "rule refused");
}

#[test]
fn a_redirect_to_a_login_is_no_success() {
    let policy = file("redirect.toml", POLICY);
    let url = "https://example.com/login?next=/feed";
    let told = explain(&policy, &["200", "--redirected-to", url]);
    assert_eq!(
        (&told["class"], &told["row"]["reason"]),
        (&json!("permanent"), &json!("auth-config"))
    );
}

#[test]
fn a_body_that_no_rule_asks_for_is_not_looked_at() {
    let policy = file("unread.toml", POLICY);
    let told = explain(&policy, &["503", "--body", r#"{"retry_after":5}"#]);
    assert_eq!(told["delay"], Value::Null);
    assert_eq!(rules(&told)["detail"], "none of 5 is about 503; the body is not looked at");
}

#[test]
fn the_table_ends_with_the_rules() {
    let policy = file("table.toml", POLICY);
    let table = explain(&policy, &["--all"]);
    let ids: Vec<&str> = table["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["rule"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["quota", "named", "limit", "refused", "login"]);
    let limit = &table["rules"][2];
    assert_eq!(
        (&limit["codes"], &limit["delay"]),
        (&json!("403, 429"), &json!("header x-reset-ms"))
    );
    assert_eq!(limit["row"]["processed"], "as the code");
    assert_eq!(
        (&table["rules"][1]["row"], &table["rules"][3]["processed"]),
        (&Value::Null, &json!("no"))
    );
}

#[test]
fn a_body_that_cannot_be_read_is_an_error_of_usage() {
    let mut command = Command::cargo_bin("permanence").expect("the command is built");
    let output = command.args(["explain", "429", "--body", "@nowhere.json"]).assert().code(2);
    let told = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(told.starts_with("error: nowhere.json: "), "{told}");
}

#[test]
fn a_pack_is_attached_by_its_name() {
    let policy = file("plain.toml", "[error_permanence]\nextends = 'default'\n");
    let body = r#"{"error":{"code":"insufficient_quota"}}"#;
    for policy in [Path::new("default"), &policy] {
        let told = explain(policy, &["429", "--use", "openai", "--body", body]);
        assert_eq!(told["rule"], "openai.quota");
        assert_eq!(told["decided_by"]["place"], "<command line>:3:8");
    }
    let mut command = Command::cargo_bin("permanence").expect("the command is built");
    command.args(["explain", "429", "--use", "opneai"]).assert().code(2);
}

//! No expectation of a vector passes whatever it says: each is spoilt in turn, and has to fail.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use toml::{Table, Value};

/// The expectations that are for the reader, or that only loosen others.
const LENIENT: [&str; 4] = ["calls_if_confirm_probe", "may_also_log", "note", "tolerance_ms"];

#[test]
fn every_spoilt_expectation_fails() {
    let mut spoilt = Vec::new();
    for case in cases() {
        let expected = case["expected"].as_table().unwrap();
        for (name, value) in expected.iter().filter(|(name, _)| !LENIENT.contains(&name.as_str())) {
            let mut case = case.clone();
            let id = format!("{}.{name}", case["id"].as_str().unwrap());
            case.insert("id".to_owned(), id.into());
            let changed = [(name.clone(), spoil(name, value))].into_iter().collect::<Table>();
            case.insert("expected".to_owned(), changed.into());
            spoilt.push(Value::Table(case));
        }
    }
    let count = spoilt.len();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("perturbed.toml");
    let file = [("case".to_owned(), Value::Array(spoilt))].into_iter().collect::<Table>();
    fs::write(&path, file.to_string()).unwrap();

    let mut command = Command::cargo_bin("permanence").unwrap();
    let output = command.arg("vectors").arg(path).arg("--json").assert().code(1);
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let passed: Vec<&str> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["result"] == "passed")
        .map(|case| case["id"].as_str().unwrap())
        .collect();
    assert!(passed.is_empty(), "these pass though they are wrong: {passed:?}");
    assert!(count > 100, "only {count} expectations were spoilt");
}

/// Every case of the specification.
fn cases() -> Vec<Table> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors");
    let mut cases = Vec::new();
    for entry in fs::read_dir(directory).expect("the vectors are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(path).expect("a text");
        let file: Table = toml::from_str(&text).expect("a table");
        let found = file.get("case").and_then(Value::as_array).cloned().unwrap_or_default();
        cases.extend(found.into_iter().filter_map(|case| case.as_table().cloned()));
    }
    cases
}

/// A value that cannot be right where this one is.
fn spoil(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("always", _) => vec!["delay < 0"].into(),
        ("line_must_not_contain", _) => vec!["status"].into(),
        // Every vector with silence about something says something else.
        ("must_not_log", _) => vec!["disabled", "degraded", "payload_rejected"].into(),
        (_, Value::Integer(_)) if name.contains("_max") => Value::Integer(-1),
        (_, Value::Integer(_)) if name.contains("_min") => Value::Integer(i64::MAX),
        (_, Value::Integer(number)) => Value::Integer(number + 1),
        (_, Value::Boolean(flag)) => Value::Boolean(!flag),
        (_, Value::String(text)) => format!("{text}, but otherwise").into(),
        (_, Value::Array(list)) if list.is_empty() => match name {
            "logs" => {
                let line = [("event".to_owned(), Value::from("disabled"))].into_iter().collect();
                Value::Array(vec![Value::Table(line)])
            }
            _ => vec!["something"].into(),
        },
        (_, Value::Array(list)) => {
            // The last one, so that a look at the first alone is found out too.
            let mut list = list.clone();
            let last = list.pop().expect("it is not empty");
            list.push(spoil(name, &last));
            list.into()
        }
        (_, Value::Table(table)) => {
            let mut table = table.clone();
            let field = table.keys().rfind(|field| *field != "note").cloned().expect("a field");
            let value = spoil(&field, &table[&field]);
            table.insert(field, value);
            table.into()
        }
        (_, other) => other.clone(),
    }
}

//! The examples of the packs, as the command line would be asked about them.

use permanence_spec::{PACKS, Traced, trace_str};
use toml::{Table, Value};

use super::code::Code;
use super::decision::{Decision, decide};
use super::given::{Given, Header};

/// The rules of a pack, each with its examples.
fn examples(text: &str) -> Vec<Table> {
    let pack: Table = toml::from_str(text).unwrap();
    let rules = pack["error_permanence"]["rule"].as_array().unwrap();
    let examples = rules.iter().filter_map(|rule| rule.get("test")?.as_array());
    examples.flatten().map(|example| example.as_table().unwrap().clone()).collect()
}

fn code(example: &Table) -> Code {
    let written = |key: &str| match example.get(key)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let notations = [("status", "http"), ("grpc", "grpc"), ("coap", "coap"), ("net", "net")];
    let mut codes = notations.iter().filter_map(|(key, notation)| {
        let text = written(key)?;
        // A status may have the provider's own code behind it.
        if text.contains(':') { Some(text) } else { Some(format!("{notation}:{text}")) }
    });
    codes.next().unwrap().parse().unwrap()
}

fn headers(example: &Table, key: &str) -> Vec<Header> {
    let table = example.get(key).and_then(Value::as_table).cloned().unwrap_or_default();
    let header = |(name, value): (String, Value)| {
        let value = value.as_str().map_or(value.to_string(), str::to_owned);
        Header { name: name.to_ascii_lowercase(), value }
    };
    table.into_iter().map(header).collect()
}

fn asked(policy: &Traced, example: &Table) -> Decision {
    let text = |key: &str| example.get(key).and_then(Value::as_str).map(str::to_owned);
    let given = Given {
        method: text("method").or(Some("GET".to_owned())),
        headers: headers(example, "headers"),
        request_headers: headers(example, "request_headers"),
        body: text("body"),
        redirected_to: text("redirect"),
        ..Given::default()
    };
    decide(policy, &code(example), &given).unwrap()
}

#[test]
fn explain_agrees_with_every_example_of_every_pack() {
    let mut count = 0;
    for pack in PACKS {
        let text = format!("[error_permanence]\nextends = 'default'\nuse = ['{}']\n", pack.name);
        let policy = trace_str("policy.toml", &text).unwrap();
        for example in examples(pack.text) {
            let decision = asked(&policy, &example);
            let expected = example["expect"].as_str().unwrap();
            let found = [decision.rule.as_deref().unwrap_or("none"), decision.row.reason.as_str()];
            assert!(found.contains(&expected), "{}: {example:?}: {found:?}", pack.name);
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

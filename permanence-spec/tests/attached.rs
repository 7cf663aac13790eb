//! Packs that a policy attaches by name.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use std::collections::BTreeSet;
use std::fs;

use permanence_spec::{Compiled, PACKS, load_str};

fn load(text: &str) -> Compiled {
    let text = format!("[error_permanence]\nextends = 'default'\n{text}");
    load_str("policy.toml", &text).unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn an_attached_pack_is_the_pack() {
    for pack in PACKS {
        let attached = load(&format!("use = ['{}']", pack.name));
        assert_eq!(attached.base.rule_set, load(pack.text).base.rule_set, "{}", pack.name);
    }
}

#[test]
fn the_packs_of_the_crate_are_its_files_in_the_order_of_their_names() {
    let files = fs::read_dir("packs").unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<String> =
        files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let names: Vec<&str> = PACKS.iter().map(|pack| pack.name).collect();
    assert!(names.iter().eq(files.iter()), "{names:?}");
}

#[test]
fn a_pack_has_rules_and_nothing_else() {
    for pack in PACKS {
        let mut tables = pack.text.lines().filter(|line| line.starts_with('['));
        assert!(tables.all(|line| line == "[[error_permanence.rule]]"), "{}", pack.name);
    }
}

#[test]
fn a_rule_of_ones_own_goes_before_a_pack_and_replaces_its_namesake() {
    let policy = load(
        r#"
        use = ["telegram", "openai"]

        [[error_permanence.rule]]
        id = "openai.quota"
        when = { status = 429, header.x-mine = { exists = true } }
        reason = "overload"

        [error_permanence.per_endpoint_overrides."/x"]
        use = ["openai"]
        "#,
    );
    let ids = |place: Option<usize>| -> Vec<String> {
        policy.policy(place).rule_set.rules.iter().map(|rule| rule.id.clone()).collect()
    };
    let base = ids(None);
    assert_eq!(base.first().map(String::as_str), Some("openai.quota"));
    assert_eq!(base.iter().filter(|id| *id == "openai.quota").count(), 1);
    let place = |id: &str| base.iter().position(|own| own == id);
    assert!(place("telegram.flood") < place("openai.model"), "in the order of the list");
    let own = ids(Some(0));
    assert_eq!(own.first().map(String::as_str), Some("openai.quota"), "of the pack again");
    assert!(own.contains(&"telegram.flood".to_owned()), "what the file attaches stays");
}

//! Bad files and what is said about them, word for word.
//!
//! `BLESS=1 cargo test -p permanence-spec --test golden` writes the texts anew.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use permanence_spec::{Code, Diagnostics, load_path};

#[test]
fn every_bad_file_gets_its_text() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in bad_files() {
        let text = faults(&path).to_string();
        let golden = path.with_extension("txt");
        if bless {
            fs::write(&golden, &text).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != text {
            wrong.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_bad_file() {
    let said: BTreeSet<Code> = bad_files()
        .iter()
        .flat_map(|path| faults(path).iter().map(|fault| fault.code).collect::<Vec<_>>())
        .collect();
    let missing: Vec<&Code> = Code::ALL.iter().filter(|code| !said.contains(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_text_names_its_place_and_has_no_full_stop() {
    for path in bad_files() {
        for fault in &faults(&path) {
            let place = fault.labels.first().expect("a fault has a place");
            assert!(place.line >= 1 && place.column >= 1);
            assert!(fault.to_string().contains(&format!("{}:{}", place.line, place.column)));
            assert!(!fault.message.ends_with('.'), "{}", fault.message);
            let first = fault.message.chars().next().unwrap();
            assert!(
                !first.is_alphabetic() || first.is_lowercase() || fault.code == Code::CodeTwice
            );
        }
    }
}

fn faults(path: &Path) -> Diagnostics {
    match load_path(path) {
        Ok(_) => panic!("{} is not bad at all", path.display()),
        Err(faults) => faults,
    }
}

/// Relative to the package, which is where its tests run.
fn bad_files() -> Vec<PathBuf> {
    let files = fs::read_dir("tests/golden").unwrap().map(|entry| entry.unwrap().path());
    let mut bad: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    bad.sort();
    assert!(bad.len() >= 25, "the bad files have gone");
    bad
}

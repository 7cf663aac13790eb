//! Each fault of a policy file is one compile error, word for word what the loader says.
//!
//! `TRYBUILD=overwrite cargo test -p permanence-ui` writes the texts anew.
#![allow(clippy::panic, clippy::unwrap_used)] // A helper of a test fails as a test does.

use std::fs;
use std::path::{Path, PathBuf};

use permanence_spec::{Diagnostics, load_path_in};

#[test]
fn bad_policies_do_not_compile() {
    let place = project().join("cases");
    fs::create_dir_all(&place).unwrap();
    for file in files("toml") {
        fs::copy(&file, place.join(file.file_name().unwrap())).unwrap();
    }
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}

#[test]
fn the_compiler_says_what_the_loader_says_and_nothing_else() {
    for file in files("rs").into_iter().filter(|file| !file.ends_with("arguments.rs")) {
        let faults = faults(&file);
        let said = fs::read_to_string(file.with_extension("stderr")).unwrap();
        let errors = said.lines().filter(|line| line.starts_with("error"));
        assert_eq!(errors.count(), faults.len(), "{said}");
        for fault in &faults {
            let text = fault.to_string();
            assert!(words(&said).contains(&words(&text)), "{text}\n{said}");
        }
    }
}

/// What is wrong with the policy that `case` names.
fn faults(case: &Path) -> Diagnostics {
    let text = fs::read_to_string(case).unwrap();
    let path = text.split('"').nth(1).unwrap();
    match load_path_in(env!("CARGO_MANIFEST_DIR"), path) {
        Ok(_) => panic!("{path} is not bad at all"),
        Err(faults) => faults,
    }
}

/// The text without the indentation that the compiler gives to the lines of one message.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn files(extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/cases")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

/// The package that the cases are compiled in, whose directory their paths are relative to.
fn project() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("tests/trybuild").join(env!("CARGO_PKG_NAME"))
}

//! The crate carries copies of the policy files, because a package cannot reach beside itself.
#![allow(clippy::unwrap_used)] // What a test calls fails as a test does.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn the_copies_are_the_files_of_the_language() {
    for name in ["error_permanence.toml", "essay.toml"] {
        compare(&own("policies").join(name), &home("").join(name));
    }
}

#[test]
fn the_packs_are_those_of_the_language() {
    let packs = files(&home("packs"));
    assert_eq!(files(&own("packs")), packs, "copy spec/packs/*.toml to permanence-spec/packs");
    for name in &packs {
        compare(&own("packs").join(name), &home("packs").join(name));
    }
}

fn compare(copy: &Path, home: &Path) {
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    assert!(read(copy) == read(home), "copy {} to {}", home.display(), copy.display());
}

fn files(folder: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.filter(|name| Path::new(name).extension().is_some_and(|end| end == "toml")).collect()
}

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn home(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec").join(name)
}

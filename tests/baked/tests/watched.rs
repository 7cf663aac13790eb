//! The compiler watches every file that the macro has read.
#![allow(clippy::unwrap_used)] // A test fails as a test does.

use std::{env, fs};

permanence_macros::policy!("policies/site.toml", name = Site);

#[test]
fn the_policy_and_what_it_extends_are_dependencies() {
    let rules = env::current_exe().unwrap().with_extension("d");
    let watched = fs::read_to_string(rules).unwrap();
    assert_eq!(Site, Site);
    for file in ["tests/baked/policies/site.toml", "tests/baked/policies/fleet.toml"] {
        assert!(watched.contains(file), "{file} is not in {watched}");
    }
}

//! The text that a build script and the command line write, as it is read by people.
//!
//! `BLESS=1 cargo test -p permanence-baked --test generated` writes it anew.
#![allow(clippy::unwrap_used)] // A test fails as a test does.

use std::{env, fs};

use permanence_baked::assert_same;
use permanence_core::RoutePolicy as _;
use permanence_spec::build::source;
use permanence_spec::codegen::Shape;
use permanence_spec::{LoadedPolicy, essay_policy};

include!("../generated/essay.rs");

#[test]
fn the_essay_has_this_text() {
    let text = source(&essay_policy().unwrap(), &Shape::default());
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/generated/essay.rs");
    if env::var_os("BLESS").is_some() {
        fs::write(place, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(place).unwrap(), text);
}

#[test]
fn the_text_is_the_essay() {
    let loaded = LoadedPolicy::new(essay_policy().unwrap()).endpoint("GET", "/");
    assert_same(&Policy, &loaded, &[]);
}

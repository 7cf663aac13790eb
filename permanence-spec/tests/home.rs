//! The crate carries copies of the policy files, because a package cannot reach beside itself.

use std::fs;
use std::path::Path;

#[test]
fn the_copies_are_the_files_of_the_language() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["error_permanence.toml", "essay.toml"] {
        let copy = fs::read_to_string(own.join("policies").join(name)).unwrap();
        let home = fs::read_to_string(own.join("../spec").join(name)).unwrap();
        assert!(copy == home, "copy spec/{name} to permanence-spec/policies/{name}");
    }
}

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

#[test]
fn the_packs_are_those_of_the_language() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    for entry in fs::read_dir(own.join("../spec/packs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let home = fs::read_to_string(&path).unwrap();
        let pack = permanence_spec::PACKS.iter().find(|pack| pack.name == name);
        let same = pack.is_some_and(|pack| pack.text == home);
        assert!(
            same,
            "copy spec/packs/{name}.toml to permanence-spec/packs and list it in packs.rs"
        );
        names.push(name);
    }
    assert_eq!(names.len(), permanence_spec::PACKS.len(), "a pack has no home");
}

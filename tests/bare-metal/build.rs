//! Links every program for the smallest board that the machine is meant for.

fn main() {
    let boards = concat!(env!("CARGO_MANIFEST_DIR"), "/boards");
    println!("cargo::rustc-link-search={boards}");
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    println!("cargo::rustc-link-arg-bins=--nmagic");
    println!("cargo::rerun-if-changed=boards/memory.x");
}

//! A rule that does not do what its own example expects does not compile.

permanence_macros::policy!("cases/failed-example.toml", name = pub Reporter);

fn main() {
    use permanence_core::{Policy as _, Signal};

    assert!(Reporter.needs_body(429) && !Reporter.needs_body(200));
    assert!(!Reporter.rule(&Signal::Http(429)).is_success());
}

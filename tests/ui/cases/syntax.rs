//! A policy with faults, and code that uses it: the faults of the file are the only errors.

permanence_macros::policy!("cases/syntax.toml", name = pub Reporter);

fn main() {
    use permanence_core::{Policy as _, RoutePolicy as _, Signal};

    let endpoint = Reporter.endpoint("GET", "/");
    assert_eq!(endpoint.rule(&Signal::Http(404)), Reporter.rule(&Signal::Http(404)));
}

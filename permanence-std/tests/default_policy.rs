//! The registry under the policy that most programs have.

mod support;

use permanence_core::{Network, Outcome, Request, Signal, Span, Status};
use permanence_spec::LoadedPolicy;
use permanence_std::{ManualClock, Origin, Registry};
use support::{Lines, clock};

const HERE: Origin<'static> = Origin { scheme: "https", authority: "api.example.com" };

fn registry(lines: &Lines, policy: LoadedPolicy) -> Registry<LoadedPolicy, ManualClock> {
    Registry::with_settings(policy, clock(), lines.settings())
}

fn default_policy() -> LoadedPolicy {
    LoadedPolicy::new(permanence_spec::default_policy().expect("it is part of the crate"))
}

#[test]
fn a_dead_host_under_ten_routes_is_two_lines_and_fifty_calls() {
    let lines = Lines::default();
    let registry = registry(&lines, default_policy());
    let mut calls = 0;
    for _minute in 0..60 {
        for service in 0..10 {
            let method = format!("M{service}");
            let feed = registry.endpoint_of(&method, HERE, "/v1/feed");
            let outcome = Outcome::new(Signal::Network(Network::Dns), Request::Idempotent);
            if let Ok(pass) = feed.gate() {
                calls += 1;
                drop(pass.record(&outcome));
            }
        }
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!((calls, lines.count()), (50, 2), "{:?}", lines.all());
    assert!(lines.all()[0].starts_with("WARN  DEGRADED api.example.com: dns network x3"));
    assert!(lines.all()[1].starts_with("WARN  DISABLED api.example.com: dns network;"));
}

#[test]
fn a_timeout_is_about_the_endpoint_and_leaves_its_host_alone() {
    let registry = registry(&Lines::default(), default_policy());
    let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
    let outcome = Outcome::new(Signal::Network(Network::Timeout), Request::Idempotent);
    for _ in 0..5 {
        drop(feed.gate().expect("transient failures stop nothing yet").record(&outcome));
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!(feed.status(), Status::Degraded);
    assert_eq!(feed.host_status(), Some(Status::Healthy));
}

#[test]
fn the_routes_of_the_policy_tell_endpoints_apart() {
    let text = r#"
        [error_permanence]
        extends = "default"
        [error_permanence.per_endpoint_overrides."GET /users/{id}".classes.permanent]
        disable_after_consecutive = 2
    "#;
    let policy = permanence_spec::load_str("users.toml", text).expect("it is a policy");
    let lines = Lines::default();
    let registry = registry(&lines, LoadedPolicy::new(policy));
    let absent = Outcome::new(Signal::Http(404), Request::Idempotent);
    for user in ["/users/17", "/users/18"] {
        drop(registry.endpoint_of("GET", HERE, user).gate().expect("two in a row").record(&absent));
    }
    let skipped = registry.endpoint_of("GET", HERE, "/users/19").gate().expect_err("the third");
    assert_eq!(&*skipped.endpoint, "/users/{id}");
    assert_eq!(lines.count(), 1, "{:?}", lines.all());
}

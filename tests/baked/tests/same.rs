//! A policy that is compiled in is the policy that is loaded, on every signal there can be.
#![allow(clippy::panic, clippy::unwrap_used)] // A helper of a test fails as a test does.

use permanence_baked::{assert_same, assert_same_rules};
use permanence_core::{Policy, RoutePolicy, Signal};
use permanence_macros::policy;
use permanence_spec::{Compiled, LoadedPolicy, PACKS, default_policy, load_path};

policy!(name = BuiltIn);
policy!("../../spec/error_permanence.toml", name = Default);
policy!("../../spec/essay.toml", name = Essay);
policy!("policies/fleet.toml", name = Fleet);
policy!("policies/packs.toml", name = Packs);

#[test]
fn the_built_in_policy_is_the_default() {
    let loaded = LoadedPolicy::new(default_policy().unwrap()).endpoint("GET", "/");
    assert_same(&BuiltIn, &loaded, &["insufficient_quota"]);
}

#[test]
fn the_default_is_the_same_on_every_signal() {
    let loaded = LoadedPolicy::new(compiled("../../spec/error_permanence.toml"));
    assert_same(&Default, &loaded.endpoint("GET", "/"), &["insufficient_quota"]);
    assert_same(&Default.endpoint("GET", "/"), &loaded.endpoint("GET", "/"), &[]);
}

#[test]
fn the_essay_is_the_same_on_every_signal() {
    let loaded = LoadedPolicy::new(compiled("../../spec/essay.toml"));
    assert_same(&Essay, &loaded.endpoint("GET", "/"), &["insufficient_quota"]);
}

#[test]
fn routes_and_codes_and_reasons_are_the_same_on_every_signal() {
    let compiled = compiled("policies/fleet.toml");
    let codes = compiled.base.provider.iter().map(|row| row.code.clone()).collect::<Vec<_>>();
    let codes = codes.iter().map(String::as_str).chain(["out_of_quota"]).collect::<Vec<_>>();
    let loaded = LoadedPolicy::new(compiled);

    assert_same(&Fleet, &loaded.endpoint("GET", "/nowhere"), &codes);
    for (method, path) in ONE_FOR_EACH_ROUTE {
        assert_same(&Fleet.endpoint(method, path), &loaded.endpoint(method, path), &codes);
    }
}

#[test]
fn rules_are_the_same_on_every_signal_and_all_answers() {
    let loaded = LoadedPolicy::new(compiled("policies/fleet.toml"));
    assert!(assert_same_rules(&Fleet, &loaded.endpoint("GET", "/nowhere")) > 10_000);
    for (method, path) in ONE_FOR_EACH_ROUTE {
        let (baked, loaded) = (Fleet.endpoint(method, path), loaded.endpoint(method, path));
        assert!(assert_same_rules(&baked, &loaded) > 10_000, "{method} {path}");
    }
}

#[test]
fn packs_are_the_same_on_every_signal_and_all_answers() {
    let loaded = LoadedPolicy::new(compiled("policies/packs.toml"));
    let routes = loaded.compiled().routes.iter().map(|route| route.template.clone());
    let paths: Vec<String> = routes.chain([String::from("/")]).collect();
    assert_eq!(paths.len(), PACKS.len());
    for path in &paths {
        let (baked, loaded) = (Packs.endpoint("POST", path), loaded.endpoint("POST", path));
        assert_same(&baked, &loaded, &[]);
        assert!(assert_same_rules(&baked, &loaded) > 100, "{path}");
    }
}

#[test]
fn a_policy_without_rules_asks_nothing() {
    assert!(Default.probes().is_empty() && !Default.needs_body(429));
    assert_eq!(assert_same_rules(&Default, &Essay), 0);
}

#[test]
fn every_request_finds_the_same_endpoint() {
    let loaded = LoadedPolicy::new(compiled("policies/fleet.toml"));
    let routes = loaded.compiled().routes.iter().map(|route| route.template.clone());
    let mut paths: Vec<String> = routes.collect();
    let filled = paths.iter().map(|path| path.replace("{id}", "17") + "?verbose=1");
    paths.extend(filled.collect::<Vec<_>>());
    paths.extend(["", "/", "/v1", "/v1/charges/", "/v1/charges/1/2"].map(String::from));

    for method in ["GET", "PUT", "POST", "put", ""] {
        for path in &paths {
            let (baked, loaded) = (Fleet.endpoint(method, path), loaded.endpoint(method, path));
            assert_eq!(baked.settings(), loaded.settings(), "{method} {path}");
            for status in [404, 429, 503] {
                let signal = Signal::Http(status);
                assert_eq!(baked.rule(&signal), loaded.rule(&signal), "{method} {path}");
            }
        }
    }
}

#[test]
fn the_routes_of_the_test_are_all_routes_and_no_two_are_alike() {
    let found = ONE_FOR_EACH_ROUTE.map(|(method, path)| Fleet.endpoint(method, path));
    assert_eq!(
        found,
        [
            FleetEndpoint::PutApiAgentsIdStatus,
            FleetEndpoint::PostV1Charges,
            FleetEndpoint::AnyV1ChargesId,
            FleetEndpoint::AnySelf,
        ]
    );
    assert_eq!(found.len(), compiled("policies/fleet.toml").routes.len());
    assert_eq!(Fleet.endpoint("GET", "/nowhere"), FleetEndpoint::Base);
}

fn compiled(path: &str) -> Compiled {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    load_path(path).unwrap_or_else(|faults| panic!("{faults}"))
}

const ONE_FOR_EACH_ROUTE: [(&str, &str); 4] = [
    ("PUT", "/api/agents/17/status"),
    ("POST", "/v1/charges"),
    ("DELETE", "/v1/charges/17"),
    ("GET", "/self"),
];

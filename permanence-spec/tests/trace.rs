//! What a trace tells of a code is what the tables say of it.

use permanence_core::{Network, Signal};
use permanence_spec::{Exactness, ListedAs, Traced, trace_default, trace_str};

const LAYERED: &str = "
[error_permanence]
extends = 'default'
[error_permanence.classes.transient]
status_codes = ['5xx', 404]
[error_permanence.reasons.overload]
status_codes = ['470-479']
provider_codes = ['403:rate_limited']
[error_permanence.reasons.absent-for-now]
class = 'transient'
status_codes = ['4xx']
[error_permanence.per_endpoint_overrides.'PUT /api/{id}']
reasons.gone.status_codes = [404]
";

fn signals() -> Vec<Signal<'static>> {
    let mut signals: Vec<Signal<'_>> = (0..=700).map(Signal::Http).collect();
    signals.extend((0..=20).map(Signal::Grpc));
    signals.extend((0..=u8::MAX).map(Signal::Coap));
    signals.extend(Network::ALL.map(Signal::Network));
    signals.push(Signal::Unusable { status: 200 });
    signals.push(Signal::Provider { status: 403, code: "rate_limited" });
    signals.push(Signal::Provider { status: 403, code: "who_knows" });
    signals
}

fn agrees(policy: &Traced, route: Option<usize>) {
    for signal in signals() {
        let rule = policy.compiled().policy(route).rule(&signal);
        let name = rule.reason.builtin_name().or(policy.compiled().custom_reason_name(rule.reason));
        match policy.listings(route, &signal).first().map(|listing| &listing.listed_as) {
            Some(ListedAs::Class(class)) => assert_eq!(*class, rule.class, "{signal:?}"),
            Some(ListedAs::Reason(reason)) => assert_eq!(Some(reason.as_str()), name, "{signal:?}"),
            None => {}
        }
    }
}

#[test]
fn the_first_list_is_the_one_that_decided() {
    agrees(&trace_default().unwrap(), None);
    let layered = trace_str("policy.toml", LAYERED).unwrap();
    agrees(&layered, None);
    agrees(&layered, Some(0));
}

#[test]
fn what_was_passed_over_comes_after_it_with_its_place() {
    let policy = trace_str("policy.toml", LAYERED).unwrap();
    let told = |route, signal| -> Vec<(String, Exactness, bool)> {
        let listings = policy.listings(route, &signal).into_iter();
        let told = listings.map(|listing| {
            let place = &listing.place;
            let at = format!("{}:{}:{}", place.path, place.line, place.column);
            (at, listing.exactness, listing.by_route)
        });
        told.collect()
    };
    let lists = told(Some(0), Signal::Http(404));
    assert_eq!(lists[0], ("policy.toml:13:30".to_owned(), Exactness::Exact, true));
    assert_eq!(lists[1], ("policy.toml:5:24".to_owned(), Exactness::Exact, false));
    assert!(lists[2].0.starts_with("policy.toml:11:") && lists[2].1 == Exactness::Hundred);
    assert!(lists[3].0.starts_with("<default>:") && lists[3].1 == Exactness::Exact);
    assert_eq!(told(None, Signal::Http(404)), lists[1..]);
}

#[test]
fn an_unlisted_code_is_traced_to_what_it_acts_as() {
    let policy = trace_default().unwrap();
    let listings = policy.listings(None, &Signal::Http(427));
    assert_eq!(listings[0].code, "400");
    let listings = policy.listings(None, &Signal::Provider { status: 404, code: "who_knows" });
    assert_eq!(listings[0].code, "404");
    assert_eq!(policy.listings(None, &Signal::Http(777)), []);
}

const RULED: &str = "
[error_permanence]
extends = 'default'
[[error_permanence.rule]]
id = 'quota'
when = { status = 429, json.'/code' = 'quota' }
reason = 'auth-config'
[[error_permanence.per_endpoint_overrides.'PUT /api/{id}'.rule]]
id = 'quota'
when = { status = 429, json.'/error' = 'quota' }
reason = 'auth-config'
";

#[test]
fn the_rule_of_a_route_stands_where_the_route_does() {
    let policy = trace_str("policy.toml", RULED).unwrap();
    let line = |route| policy.rule_place(route, "quota").map(|place| place.line);
    assert_eq!((line(None), line(Some(0))), (Some(5), Some(9)));
    assert_eq!(policy.rule_place(None, "nobody"), None);
}

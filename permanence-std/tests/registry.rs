//! Endpoints, hosts and passes without a network.

mod support;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use permanence_core::{
    Network, Outcome, Phase, Policy, Remedy, Request, RoutePolicy, Rule, Settings, Signal, Span,
    Status, Timestamp,
};
use permanence_std::{
    EndpointKey, Handle, Line, LineSink, ManualClock, Origin, Reaction, Registry, RegistrySettings,
    Skipped,
};
use support::{CountingClock, Few, HOUR, Lines, clock, registry, small_registry};

const HERE: Origin<'static> = Origin { scheme: "http", authority: "127.0.0.1:8787" };

fn status(registry: &Registry<Few, ManualClock>) -> Handle<Few, ManualClock> {
    registry.endpoint_of("PUT", HERE, "/api/agents/17/status")
}

fn feed(registry: &Registry<Few, ManualClock>) -> Handle<Few, ManualClock> {
    registry.endpoint_of("GET", HERE, "/v1/feed")
}

fn answered(code: u16) -> Outcome<'static> {
    Outcome::new(Signal::Http(code), Request::Idempotent)
}

fn failed(network: Network) -> Outcome<'static> {
    Outcome::new(Signal::Network(network), Request::Idempotent)
}

/// Makes one call, if there is one to make.
fn call(handle: &Handle<Few, ManualClock>, outcome: &Outcome<'_>) -> Result<(), Skipped> {
    handle.gate().map(|pass| drop(pass.record(outcome)))
}

#[test]
fn a_day_of_404_is_one_line_and_eight_calls() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let status = status(&registry);
    let mut calls = 0;
    for _ in 0..1_440 {
        calls += usize::from(call(&status, &answered(404)).is_ok());
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!(calls, 8);
    assert_eq!(lines.count(), 1, "{:?}", lines.all());
    assert!(
        lines.all()[0].starts_with(
            "WARN  DISABLED status PUT 127.0.0.1:8787/api/agents/{id}/status: 404 resource-absent; \
             calls stopped; next probe 03:00Z (every 3h) ep="
        ),
        "{:?}",
        lines.all()
    );
}

#[test]
fn a_skip_tells_when_why_and_what_helps() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let status = status(&registry);
    call(&status, &answered(404)).expect("the first call is made");
    registry.clock().advance(HOUR);
    let skipped = status.gate().expect_err("calls have stopped");
    assert_eq!(&*skipped.endpoint, "status");
    assert_eq!(skipped.wait, Some(Duration::from_secs(2 * 3_600)));
    assert_eq!(skipped.until_wall, Some(Timestamp::from_unix_seconds(1_767_571_200 + 3 * 3_600)));
    assert_eq!(skipped.reason, "resource-absent");
    assert_eq!(skipped.remedy, Remedy::Wait);
    assert_eq!(skipped.to_string(), "no call to status for 7200s: 404 resource-absent");
}

#[test]
fn a_dead_host_is_one_episode_for_all_its_routes() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let (status, feed) = (status(&registry), feed(&registry));
    for _ in 0..2 {
        call(&status, &failed(Network::Refused)).expect("the host is not given up yet");
        call(&feed, &failed(Network::Refused)).expect("the host is not given up yet");
    }
    let skipped = [&status, &feed].map(|handle| handle.gate().expect_err("the host is dead"));
    assert!(skipped.iter().all(|skipped| &*skipped.endpoint == "127.0.0.1:8787"));
    assert_eq!(status.host_status(), Some(Status::Disabled));
    assert_eq!([status.status(), feed.status()], [Status::Healthy; 2]);
    // Three in a row are a line, four stop the calls: two lines of one host, none of its routes.
    let lines = lines.all();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains(" 127.0.0.1:8787: connection_refused network")));
}

#[test]
fn any_answer_heals_the_host_and_is_judged_on_its_own() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let status = status(&registry);
    for _ in 0..4 {
        call(&status, &failed(Network::Dns)).expect("the host is not given up yet");
    }
    registry.clock().advance(Span::from_secs(3 * 3_600));
    call(&status, &answered(404)).expect("the probe of the host");
    assert_eq!(status.host_status(), Some(Status::Healthy));
    assert_eq!(status.status(), Status::Disabled);
    let lines = lines.all();
    assert!(lines[2].starts_with("INFO  RECOVERED 127.0.0.1:8787: 404"), "{lines:?}");
    assert!(lines[3].starts_with("WARN  DISABLED status PUT"), "{lines:?}");
}

#[test]
fn hosts_are_told_apart_by_scheme_and_port() {
    let registry = registry(&Lines::default());
    for _ in 0..4 {
        call(&feed(&registry), &failed(Network::Refused)).expect("not given up yet");
    }
    assert!(feed(&registry).gate().is_err());
    for other in [
        Origin { scheme: "https", authority: "127.0.0.1:8787" },
        Origin { scheme: "http", authority: "127.0.0.1:8788" },
    ] {
        assert!(registry.endpoint_of("GET", other, "/v1/feed").gate().is_ok());
    }
}

#[test]
fn neither_spends_its_probe_on_a_call_that_the_other_forbids() {
    let registry = registry(&Lines::default());
    let (status, feed) = (status(&registry), feed(&registry));
    let kill_host = || {
        for _ in 0..4 {
            call(&feed, &failed(Network::Refused)).expect("the host is not given up yet");
        }
    };
    let blamed = || status.gate().map(drop).map_err(|skipped| skipped.endpoint.to_string());
    call(&status, &answered(404)).expect("healthy");
    kill_host();
    registry.clock().advance(HOUR);
    assert_eq!(blamed(), Err("status".to_owned()), "the endpoint is not due");
    call(&feed, &answered(200)).expect("the host is due, and its probe is still there");

    registry.clock().advance(Span::from_secs(5_400));
    kill_host();
    registry.clock().advance(Span::from_secs(1_800));
    assert_eq!(blamed(), Err("127.0.0.1:8787".to_owned()), "the host is not due");
    registry.clock().advance(Span::from_secs(1_800));
    assert_eq!(blamed(), Ok(()), "both are due, and both have their probes");
}

#[test]
fn a_pass_that_is_dropped_teaches_nothing_and_ends_its_probe() {
    let registry = registry(&Lines::default());
    let status = status(&registry);
    drop(status.gate().expect("healthy"));
    assert_eq!(status.status(), Status::Healthy);
    call(&status, &answered(404)).expect("healthy");
    registry.clock().advance(Span::from_secs(3 * 3_600));
    let probe = status.gate().expect("the probe is due");
    assert!(probe.is_probe());
    assert_eq!(status.status(), Status::Probing);
    drop(probe);
    assert_eq!(status.status(), Status::Disabled);
}

#[test]
fn while_all_is_well_no_clock_is_read() {
    let clock = CountingClock::default();
    let registry = Registry::with_settings(Few, clock.clone(), Lines::default().settings());
    let feed = registry.endpoint_of("GET", HERE, "/v1/feed");
    let _ = feed.gate().expect("healthy").record(&answered(200));
    let before = clock.reads();
    for _ in 0..100 {
        let _ = feed.gate().expect("healthy").record(&answered(200));
        drop(feed.gate().expect("healthy"));
    }
    assert_eq!(clock.reads(), before);
}

#[test]
fn a_write_of_unknown_fate_is_surfaced_on_any_route() {
    let lines = Lines::default();
    let registry = registry(&lines);
    for path in ["/v1/charges", "/of/no/route"] {
        let handle = registry.endpoint_of("POST", HERE, path);
        let outcome = Outcome::new(Signal::Network(Network::Timeout), Request::Unkeyed);
        let reaction = handle.gate().expect("healthy").record(&outcome);
        assert!(matches!(reaction, Reaction::Surface), "{path}: {reaction:?}");
    }
    assert_eq!(lines.count(), 2, "{:?}", lines.all());
    assert!(lines.all().iter().all(|line| line.starts_with("ERROR AMBIGUOUS ")));
}

#[test]
fn an_unreachable_host_after_the_request_was_sent_is_about_the_write() {
    let lines = Lines::default();
    let registry = registry(&lines);
    let pay = registry.endpoint_of("POST", HERE, "/v1/charges");
    let outcome =
        Outcome::new(Signal::Network(Network::Unreachable), Request::Unkeyed).in_phase(Phase::Sent);
    for _ in 0..9 {
        let reaction = pay.gate().expect("the host is not blamed").record(&outcome);
        assert!(matches!(reaction, Reaction::Surface));
    }
    assert!(lines.all().iter().all(|line| line.contains("AMBIGUOUS pay ")), "{:?}", lines.all());
}

#[test]
fn a_request_of_no_route_is_gated_by_its_host_alone() {
    let registry = registry(&Lines::default());
    let one = registry.endpoint_of("GET", HERE, "/users/17");
    for _ in 0..3 {
        call(&one, &answered(404)).expect("a missing user is no missing route");
    }
    for _ in 0..4 {
        call(&one, &failed(Network::Refused)).expect("the host is not given up yet");
    }
    assert!(registry.endpoint_of("GET", HERE, "/users/18").gate().is_err());
}

#[test]
fn a_write_is_surfaced_among_requests_of_no_route_that_fail() {
    let registry = registry(&Lines::default());
    let one = registry.endpoint_of("POST", HERE, "/of/no/route");
    for _ in 0..3 {
        call(&one, &answered(404)).expect("what has no route is not stopped");
    }
    let outcome = Outcome::new(Signal::Network(Network::Timeout), Request::Unkeyed);
    let reaction = one.gate().expect("healthy").record(&outcome);
    assert!(matches!(reaction, Reaction::Surface), "{reaction:?}");
}

#[test]
fn a_probe_that_meets_a_dead_host_comes_back_soon() {
    let registry = registry(&Lines::default());
    let status = status(&registry);
    call(&status, &answered(404)).expect("healthy");
    registry.clock().advance(Span::from_secs(3 * 3_600));
    call(&status, &failed(Network::Refused)).expect("the probe is due");
    assert_eq!(status.status(), Status::Disabled);
    registry.clock().advance(Span::from_secs(30));
    call(&status, &answered(204)).expect("nothing was learned of the endpoint");
    assert_eq!(status.status(), Status::Healthy);
}

/// Counts how often it is told that there is no room.
#[derive(Clone, Debug, Default)]
struct Fullness(Arc<AtomicU32>);

impl LineSink for Fullness {
    fn line(&self, _: &Line<'_>) {}

    fn full(&self, key: &EndpointKey<'_>) {
        assert_eq!(key.id, "status");
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn the_first_key_that_finds_no_room_is_told() {
    let sink = Fullness::default();
    let settings = RegistrySettings {
        capacity: NonZeroUsize::MIN,
        sink: Box::new(sink.clone()),
        ..Lines::default().settings()
    };
    let registry = Registry::with_settings(Few, support::clock(), settings);
    let _kept = feed(&registry);
    assert_eq!(sink.0.load(Ordering::Relaxed), 0);
    for _ in 0..3 {
        let _ = status(&registry);
    }
    assert_eq!(sink.0.load(Ordering::Relaxed), 1);
}

#[test]
fn keys_that_find_no_room_do_not_stop_each_other() {
    let registry = small_registry(&Lines::default(), 1);
    let origin = HERE;
    call(&feed(&registry), &answered(404)).expect("healthy");
    let other = registry.endpoint_of("PUT", origin, "/api/agents/17/status");
    for _ in 0..3 {
        call(&other, &answered(404)).expect("what has no entry of its own is not stopped");
    }
    assert!(feed(&registry).gate().is_err(), "what is disabled keeps its entry");
}

#[test]
fn a_retry_is_offered_for_a_blip_and_paid_from_the_budget() {
    let registry = registry(&Lines::default());
    let feed = feed(&registry);
    feed.deposit();
    let reaction = feed.gate().expect("healthy").record(&answered(503));
    let Reaction::Retry(retry) = reaction else { panic!("{reaction:?}") };
    let pause = retry.take().expect("the reserve affords ten");
    assert!(pause <= Span::from_millis(500), "{pause:?}");
}

#[test]
fn the_budget_belongs_to_the_whole_registry() {
    let registry = registry(&Lines::default());
    let mut granted = 0;
    for port in 1_000..1_100 {
        let authority = format!("127.0.0.1:{port}");
        let origin = Origin { scheme: "http", authority: &authority };
        let handle = registry.endpoint_of("GET", origin, "/v1/feed");
        handle.deposit();
        if let Reaction::Retry(retry) = handle.gate().expect("healthy").record(&answered(503)) {
            granted += usize::from(retry.take().is_some());
        }
    }
    // Ten from the reserve, and ten per cent of a hundred requests.
    assert!((18..=20).contains(&granted), "{granted}");
}

#[test]
fn a_refused_payload_is_dropped_and_the_endpoint_goes_on() {
    let registry = registry(&Lines::default());
    let pay = registry.endpoint_of("POST", HERE, "/v1/charges");
    let outcome = Outcome::new(Signal::Http(422), Request::Unkeyed).with_payload(1);
    assert!(matches!(pay.gate().expect("healthy").record(&outcome), Reaction::Drop));
    assert!(pay.gate().is_ok());
}

#[test]
fn a_recheck_admits_one_probe_at_once() {
    let registry = registry(&Lines::default());
    let status = status(&registry);
    call(&status, &answered(404)).expect("healthy");
    assert!(status.gate().is_err());
    registry.recheck();
    let probe = status.gate().expect("one probe");
    assert!(status.gate().is_err());
    assert!(matches!(probe.record(&answered(204)), Reaction::Proceed));
    assert!(status.gate().is_ok());
}

#[test]
fn a_recheck_of_one_endpoint_leaves_the_others_alone() {
    let registry = registry(&Lines::default());
    let (status, feed) = (status(&registry), feed(&registry));
    for handle in [&status, &feed] {
        call(handle, &answered(404)).expect("healthy");
    }
    assert_eq!(registry.recheck_endpoint("statsu"), 0);
    assert_eq!(registry.recheck_endpoint("status"), 1);
    assert!(status.gate().is_ok() && feed.gate().is_err());
}

/// A policy that may be one or another, as a loaded one may.
#[derive(Clone, Copy, Debug)]
enum Either {
    Few,
    /// 404 is a success here, and 410 stops the calls.
    Lenient,
}

impl Policy for Either {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        match (self, signal) {
            (Either::Lenient, Signal::Http(404)) => &Rule::SUCCESS,
            (Either::Lenient, Signal::Http(410)) => Few.rule(&Signal::Http(404)),
            _ => Few.rule(signal),
        }
    }

    fn settings(&self) -> &Settings {
        Few.settings()
    }
}

impl RoutePolicy for Either {
    type Endpoint = Either;

    fn endpoint(&self, _: &str, _: &str) -> Either {
        *self
    }
}

#[test]
fn a_policy_that_is_replaced_keeps_what_is_known_and_looks_again() {
    let lines = Lines::default();
    let registry = Registry::with_settings(Either::Few, clock(), lines.settings());
    let feed = || registry.endpoint_of("GET", HERE, "/v1/feed");
    let meet = |handle: &Handle<Either, ManualClock>, code| {
        handle.gate().map(|pass| drop(pass.record(&answered(code))))
    };
    meet(&feed(), 404).expect("healthy");
    assert!(feed().gate().is_err());

    registry.replace_policy(Either::Lenient);
    assert_eq!(feed().status(), Status::Disabled);
    meet(&feed(), 404).expect("one probe, under the new policy");
    assert_eq!(feed().status(), Status::Healthy);
    meet(&feed(), 410).expect("healthy");
    assert!(feed().gate().is_err());
    let lines = lines.all();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(kinds, ["DISABLED", "RECOVERED", "DISABLED"], "{lines:?}");
}

#[test]
fn a_handle_that_is_kept_decides_as_it_did_until_it_is_refreshed() {
    let registry = Registry::with_settings(Either::Few, clock(), Lines::default().settings());
    let mut kept = registry.endpoint_of("GET", HERE, "/v1/feed");
    registry.replace_policy(Either::Lenient);
    assert!(matches!(kept.policy(), Either::Few));
    let rule_of_404 = |handle: &Handle<Either, ManualClock>| {
        handle.policy().rule(&Signal::Http(404)).is_success()
    };
    assert!(!rule_of_404(&kept));
    kept.refresh();
    assert!(rule_of_404(&kept));
}

#[test]
fn standing_lines_name_what_is_disabled() {
    let lines = Lines::default();
    let registry = registry(&lines);
    call(&status(&registry), &answered(404)).expect("healthy");
    call(&feed(&registry), &answered(200)).expect("healthy");
    registry.report_standing();
    let lines = lines.all();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("WARN  STILL status: 404 resource-absent"), "{lines:?}");
}

#[test]
fn seeds_follow_from_the_key_and_the_process_alone() {
    let episodes = |seed: u64| -> Vec<String> {
        let lines = Lines::default();
        let settings = RegistrySettings { seed, ..lines.settings() };
        let registry = Registry::with_settings(Few, support::clock(), settings);
        call(&feed(&registry), &answered(404)).expect("healthy");
        call(&status(&registry), &answered(404)).expect("healthy");
        let episode = |line: &String| Some(line.split_once("ep=")?.1.to_owned());
        lines.all().iter().filter_map(episode).collect()
    };
    assert_eq!(episodes(7), episodes(7));
    assert_ne!(episodes(7), episodes(8));
    assert_ne!(episodes(7)[0], episodes(7)[1]);
}

/// What comes back on a host makes it likely that its neighbours do.
mod hints {
    use super::*;

    const MINUTES_2: Span = Span::from_secs(120);

    /// How long the probe of a disabled endpoint is away.
    fn wait(handle: &Handle<Few, ManualClock>) -> Duration {
        let skipped = handle.gate().expect_err("calls have stopped");
        skipped.wait.expect("there will be a probe")
    }

    #[test]
    fn a_route_that_recovers_brings_the_probes_of_its_neighbours_forward_once() {
        let registry = registry(&Lines::default());
        let (status, feed) = (status(&registry), feed(&registry));
        let elsewhere = Origin { authority: "127.0.0.1:8788", ..HERE };
        let stranger = registry.endpoint_of("GET", elsewhere, "/v1/feed");
        for handle in [&status, &feed, &stranger] {
            call(handle, &answered(404)).expect("healthy");
        }
        let far = Duration::from_secs(3_600);
        assert!([&feed, &stranger].iter().all(|handle| wait(handle) > far));
        status.recheck();
        call(&status, &answered(204)).expect("a probe");
        assert!(wait(&feed) <= Duration::from_millis(MINUTES_2.as_millis().into()));
        assert!(wait(&stranger) > far);

        // It was no more than likely: the next probe is as far away as ever, whatever the neighbour does.
        registry.clock().advance(MINUTES_2);
        call(&feed, &answered(404)).expect("the probe that was brought forward");
        for _ in 0..3 {
            call(&status, &answered(404)).expect("healthy");
            status.recheck();
            call(&status, &answered(204)).expect("a probe");
            assert!(wait(&feed) > far);
        }
    }

    #[test]
    fn a_host_that_is_back_brings_the_probes_of_its_routes_forward_each_at_its_own_time() {
        let lines = Lines::default();
        let routes = (0..20).map(|number| format!("/v1/feeds/{number}"));
        let routes: Vec<String> = routes.collect();
        let settings = RegistrySettings {
            routes: routes
                .iter()
                .map(|path| permanence_std::Route::new(&**path, "GET", &**path))
                .collect(),
            ..lines.settings()
        };
        let registry = Registry::with_settings(Few, clock(), settings);
        let feeds: Vec<_> =
            routes.iter().map(|path| registry.endpoint_of("GET", HERE, path)).collect();
        for feed in &feeds {
            call(feed, &answered(404)).expect("healthy");
        }
        let other = registry.endpoint_of("GET", HERE, "/elsewhere");
        for _ in 0..4 {
            call(&other, &failed(Network::Refused)).expect("the host is not given up yet");
        }
        registry.clock().advance(HOUR);
        registry.clock().advance(Span::from_secs(600));
        call(&other, &answered(200)).expect("the probe of the host");
        let mut waits: Vec<Duration> = feeds.iter().map(wait).collect();
        assert!(waits.iter().all(|wait| *wait <= Duration::from_secs(120)), "{waits:?}");
        waits.sort_unstable();
        waits.dedup();
        assert!(waits.len() > 15, "they are spread: {waits:?}");
    }
}

/// The default policy behind routes that share a key, and two hosts.
mod credentials {
    use permanence_spec::LoadedPolicy;
    use permanence_std::Route;
    use support::default_with;

    use super::*;

    const THERE: Origin<'static> = Origin { scheme: "https", authority: "api.example.com" };

    fn settings(lines: &Lines) -> RegistrySettings {
        let routes = vec![
            Route::new("chat", "POST", "/v1/chat").with_credential("model key"),
            Route::new("models", "GET", "/v1/models").with_credential("model key"),
            Route::new("feed", "GET", "/v1/feed"),
        ];
        RegistrySettings { routes, ..lines.settings() }
    }

    fn registry(lines: &Lines) -> Registry<LoadedPolicy, ManualClock> {
        Registry::with_settings(default_with(&[]), clock(), settings(lines))
    }

    fn meet(handle: &Handle<LoadedPolicy, ManualClock>, code: u16) -> Result<(), Skipped> {
        handle.gate().map(|pass| drop(pass.record(&answered(code))))
    }

    fn three(
        registry: &Registry<LoadedPolicy, ManualClock>,
    ) -> [Handle<LoadedPolicy, ManualClock>; 3] {
        [
            registry.endpoint_of("POST", THERE, "/v1/chat"),
            registry.endpoint_of("GET", HERE, "/v1/models"),
            registry.endpoint_of("GET", THERE, "/v1/feed"),
        ]
    }

    #[test]
    fn a_key_that_is_refused_is_one_episode_for_all_routes_that_are_called_with_it() {
        let lines = Lines::default();
        let registry = registry(&lines);
        let [chat, models, feed] = three(&registry);
        meet(&chat, 401).expect("healthy");
        for refused in [&chat, &models] {
            let skipped = refused.gate().expect_err("the key is refused");
            assert_eq!((&*skipped.endpoint, skipped.remedy), ("model key", Remedy::Reauth));
            assert_eq!(refused.status(), Status::Healthy);
            assert_eq!(refused.credential_status(), Some(Status::Disabled));
        }
        meet(&feed, 200).expect("it needs no key");
        assert_eq!(feed.credential_status(), None);
        let told = lines.all();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("WARN  DISABLED model key: 401 auth-config;"), "{told:?}");

        registry.clock().advance(Span::from_secs(4 * 3_600));
        meet(&models, 200).expect("the probe of the key");
        meet(&chat, 200).expect("it is healed for all");
        assert!(lines.all()[1].starts_with("INFO  RECOVERED model key: 200"), "{lines:?}");
    }

    #[test]
    fn what_is_about_a_route_says_nothing_about_its_key() {
        let registry = registry(&Lines::default());
        let [chat, models, _] = three(&registry);
        meet(&chat, 404).expect("healthy");
        assert_eq!(chat.status(), Status::Disabled);
        assert_eq!(chat.credential_status(), Some(Status::Healthy));
        meet(&models, 200).expect("nothing is known against it");
        // Nor does a server that is busy say that a key which was refused is good again.
        meet(&models, 401).expect("healthy");
        registry.clock().advance(Span::from_secs(4 * 3_600));
        meet(&models, 503).expect("the probe of the key");
        assert_eq!(models.credential_status(), Some(Status::Disabled));
    }

    #[test]
    fn a_probe_of_a_route_that_meets_a_refused_key_is_no_news_of_the_route() {
        let lines = Lines::default();
        let registry = registry(&lines);
        let [chat, ..] = three(&registry);
        meet(&chat, 404).expect("healthy");
        registry.clock().advance(Span::from_secs(4 * 3_600));
        meet(&chat, 401).expect("the probe of the route");
        assert_eq!([chat.status(), chat.credential_status().unwrap()], [Status::Disabled; 2]);
        let told = lines.all();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[1].starts_with("WARN  DISABLED model key: 401"), "{told:?}");
        registry.recheck_endpoint("chat");
        meet(&chat, 200).expect("one probe of both");
        assert_eq!([chat.status(), chat.credential_status().unwrap()], [Status::Healthy; 2]);
    }

    #[test]
    fn another_key_is_tried_at_once_and_so_is_what_waits_for_it() {
        let registry = registry(&Lines::default());
        let [chat, models, feed] = three(&registry);
        assert!(!registry.credential_is("model key", 1));
        // 403 is about the route, and another key may help all the same; 404 has nothing to do with it.
        meet(&models, 403).expect("healthy");
        meet(&feed, 403).expect("healthy");
        meet(&chat, 401).expect("healthy");
        assert!(!registry.credential_is("model key", 1));
        assert!([&chat, &models, &feed].iter().all(|handle| handle.gate().is_err()));
        assert!(registry.credential_is("model key", 2));
        meet(&models, 200).expect("one probe of the key and of the route");
        meet(&chat, 404).expect("the key is good again");
        assert!(feed.gate().is_err(), "it is called with no key");
        assert!(registry.credential_is("model key", 3));
        assert!(chat.gate().is_err(), "it waits for a deploy");
    }

    #[cfg(feature = "state")]
    #[test]
    fn what_is_known_of_a_key_survives() {
        use permanence_std::state::StateFile;

        let directory = tempfile::tempdir().expect("a directory");
        let start = |lines: &Lines| {
            let file = Arc::new(StateFile::at(directory.path().join("agent.state")));
            Registry::with_state(default_with(&[]), clock(), settings(lines), file)
        };
        let registry = start(&Lines::default());
        meet(&three(&registry)[0], 401).expect("healthy");
        drop(registry);
        let lines = Lines::default();
        let registry = start(&lines);
        let [chat, models, feed] = three(&registry);
        assert!(chat.gate().is_err() && models.gate().is_err() && feed.gate().is_ok());
        assert_eq!(lines.count(), 1, "{lines:?}");
        assert!(lines.all()[0].contains(" model key: 401 "), "{lines:?}");
    }
}

//! What the default policy promises for each scenario, as medians over seeds.

use permanence_core::RoutePolicy;
use permanence_sim::{Naive, Permanence, Score, TICKS, median_of, scenario, simulate};
use permanence_spec::{LoadedPolicy, default_policy};

const SEEDS: u32 = 21;

fn median(name: &str) -> Score {
    let policy = LoadedPolicy::new(default_policy().expect("the default policy is sound"));
    let scenario = scenario(name).expect("a known scenario");
    let scores: Vec<Score> = (0..SEEDS)
        .map(|seed| {
            let endpoint = policy.endpoint("PUT", "/api/agents/{id}/status");
            simulate(&mut Permanence::new(endpoint, seed), &scenario.server(u64::from(seed))).score
        })
        .collect();
    median_of(&scores)
}

#[test]
fn a_route_that_was_never_deployed_costs_little() {
    let score = median("404-deploy-break");
    assert!(score.calls <= 1_420 && score.lines <= 4 && score.tokens <= 240, "{score:?}");
    assert!(score.detect_s[0] <= 3 * 3_600 + 18 * 60 + 60, "{score:?}");
}

#[test]
fn bursts_of_503_lose_nothing() {
    let score = median("503-bursts");
    assert!(score.calls <= 10_095 && score.lines <= 4 && score.lost_ticks == 0, "{score:?}");
}

#[test]
fn a_deploy_of_three_minutes_loses_two_ticks_at_most() {
    let score = median("404-blip");
    assert!(score.lines == 2 && score.lost_ticks <= 2, "{score:?}");
}

#[test]
fn an_outage_is_no_dearer_than_calling_on() {
    let score = median("503-outage");
    assert!(score.calls <= 10_100 && score.lines == 2 && score.lost_ticks == 0, "{score:?}");
}

#[test]
fn a_name_that_does_not_resolve_is_left_alone() {
    let score = median("dns-dead");
    assert!(score.calls <= 7_260 && score.lines <= 4, "{score:?}");
}

#[test]
fn a_half_deployed_endpoint_keeps_working() {
    let score = median("half-deployed");
    assert!(score.lines <= 8 && score.lost_ticks <= 30, "{score:?}");
}

#[test]
fn a_slow_flap_is_not_a_flood() {
    let score = median("slow-flap");
    assert!(score.lines <= 14 && score.lost_ticks == 0, "{score:?}");
}

#[test]
fn what_is_gone_is_called_no_more() {
    let score = median("410-gone");
    assert!(score.lines == 1 && score.detect_s.is_empty(), "{score:?}");
}

#[test]
fn a_naive_reporter_pays_for_every_tick() {
    let server = scenario("404-deploy-break").expect("a known scenario").server(1);
    let score = simulate(&mut Naive, &server).score;
    assert_eq!((score.calls, score.lost_ticks), (TICKS, 0));
    assert!(score.lines > 8_000);
}

#[test]
fn the_same_seed_gives_the_same_score() {
    assert_eq!(median("half-deployed"), median("half-deployed"));
}

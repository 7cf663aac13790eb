//! The scenarios: what went wrong, when, and for how long.

use permanence_core::Network;

use crate::server::{Behaviour, Server};

/// One thing that goes wrong with an endpoint in the course of seven days.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// What happens, in one line.
    pub summary: &'static str,
    acts: fn(&mut fastrand::Rng) -> Vec<(u64, Behaviour)>,
}

impl Scenario {
    /// The server of this scenario; the seed moves what happens within an hour or so.
    #[must_use]
    pub fn server(&self, seed: u64) -> Server {
        let mut chance = fastrand::Rng::with_seed(seed);
        Server::new(seed, (self.acts)(&mut chance))
    }
}

/// The scenario with this name.
#[must_use]
pub fn scenario(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name)
}

const WELL: Behaviour = Behaviour::Answers(204);
const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A whole minute within `most` milliseconds, and never on a tick itself.
fn within(chance: &mut fastrand::Rng, most: u64) -> u64 {
    chance.u64(0..most / MINUTE) * MINUTE + chance.u64(1..MINUTE)
}

/// Well, then this for a while, then well again.
fn spell(from: u64, lasts: u64, behaviour: Behaviour) -> Vec<(u64, Behaviour)> {
    vec![(0, WELL), (from, behaviour), (from + lasts, WELL)]
}

/// All scenarios.
pub const SCENARIOS: [Scenario; 9] = [
    Scenario {
        name: "404-deploy-break",
        summary: "a route that was never deployed, is deployed after three days and broken a day later",
        acts: |chance| {
            let deployed = 3 * DAY + within(chance, 3 * HOUR);
            let absent = Behaviour::Answers(404);
            vec![(0, absent), (deployed, WELL), (deployed + DAY, absent)]
        },
    },
    Scenario {
        name: "503-bursts",
        summary: "two bursts of 503, twenty minutes each",
        acts: |chance| {
            let (first, second) = (DAY + within(chance, DAY), 4 * DAY + within(chance, DAY));
            let mut acts = spell(first, 20 * MINUTE, Behaviour::Answers(503));
            acts.extend([(second, Behaviour::Answers(503)), (second + 20 * MINUTE, WELL)]);
            acts
        },
    },
    Scenario {
        name: "dns-dead",
        summary: "the name does not resolve for two days",
        acts: |chance| {
            spell(2 * DAY + within(chance, DAY), 2 * DAY, Behaviour::Silent(Network::Dns))
        },
    },
    Scenario {
        name: "401-rotation",
        summary: "the credential is refused for a day and a half, until somebody renews it",
        acts: |chance| spell(2 * DAY + within(chance, DAY), 36 * HOUR, Behaviour::Answers(401)),
    },
    Scenario {
        name: "410-gone",
        summary: "the resource is gone on the third day and stays so",
        acts: |chance| vec![(0, WELL), (2 * DAY + within(chance, DAY), Behaviour::Answers(410))],
    },
    Scenario {
        name: "404-blip",
        summary: "a deploy makes a good route answer 404 for three minutes",
        acts: |chance| spell(3 * DAY + within(chance, DAY), 3 * MINUTE, Behaviour::Answers(404)),
    },
    Scenario {
        name: "503-outage",
        summary: "six hours of 503",
        acts: |chance| spell(3 * DAY + within(chance, DAY), 6 * HOUR, Behaviour::Answers(503)),
    },
    Scenario {
        name: "half-deployed",
        summary: "a balancer mixes 404 and 204 for six hours",
        acts: |chance| spell(3 * DAY + within(chance, DAY), 6 * HOUR, Behaviour::Mixes(404, 204)),
    },
    Scenario {
        name: "slow-flap",
        summary: "503 for ten minutes of every forty, for four days",
        acts: |chance| {
            let from = DAY + within(chance, DAY);
            let mut acts = vec![(0, WELL)];
            for round in 0..4 * DAY / (40 * MINUTE) {
                let down = from + round * 40 * MINUTE;
                acts.extend([(down, Behaviour::Answers(503)), (down + 10 * MINUTE, WELL)]);
            }
            acts
        },
    },
];

//! What a server does over time.

use permanence_core::{Network, Signal};

/// What a server does from some minute on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Behaviour {
    /// It answers with this status.
    Answers(u16),
    /// It answers with one of two statuses, each as often.
    Mixes(u16, u16),
    /// It does not answer.
    Silent(Network),
}

/// One answer, or none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answer {
    /// An HTTP status.
    Status(u16),
    /// No answer.
    None(Network),
}

impl Answer {
    /// The answer as a signal.
    #[must_use]
    pub fn signal(self) -> Signal<'static> {
        match self {
            Answer::Status(status) => Signal::Http(status),
            Answer::None(network) => Signal::Network(network),
        }
    }

    /// Whether it is the one that the reporter wants.
    #[must_use]
    pub fn is_success(self) -> bool {
        matches!(self, Answer::Status(200..=299))
    }
}

/// A server as a list of what it does from which instant on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Server {
    seed: u64,
    acts: Vec<(u64, Behaviour)>,
}

impl Server {
    /// Makes a server from its acts: the millisecond from which on each holds, in order, the first at
    /// zero.
    #[must_use]
    pub fn new(seed: u64, acts: Vec<(u64, Behaviour)>) -> Self {
        Server { seed, acts }
    }

    fn behaviour(&self, at_ms: u64) -> Behaviour {
        let act = self.acts.iter().rev().find(|(from_ms, _)| *from_ms <= at_ms);
        act.map_or(Behaviour::Answers(204), |(_, behaviour)| *behaviour)
    }

    /// What a call at this instant gets: the same for every strategy.
    #[must_use]
    pub fn answer(&self, at_ms: u64) -> Answer {
        match self.behaviour(at_ms) {
            Behaviour::Answers(status) => Answer::Status(status),
            Behaviour::Silent(network) => Answer::None(network),
            Behaviour::Mixes(one, other) => {
                let seed = self.seed ^ at_ms.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                Answer::Status(if fastrand::Rng::with_seed(seed).bool() { one } else { other })
            }
        }
    }

    /// The instants at which a server that had not been well became well.
    #[must_use]
    pub fn recoveries(&self) -> Vec<u64> {
        let well = |behaviour: Behaviour| matches!(behaviour, Behaviour::Answers(200..=299));
        self.acts
            .windows(2)
            .filter(|pair| !well(pair[0].1) && well(pair[1].1))
            .map(|pair| pair[1].0)
            .collect()
    }
}

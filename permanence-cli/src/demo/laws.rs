//! The laws that a run has to keep, checked as it goes.

use std::fmt;

use permanence_core::{Event, EventKind, Instant, LINES_PER_WINDOW, Reprobe, Rule, Settings};
use serde::{Serialize, Serializer};

use super::plan::{Plan, TICK};

/// A law that a run has broken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Broken {
    /// The server and the client do not agree on the number of calls.
    Calls { server: u64, client: u64 },
    /// A call was made before the time that a skip had named.
    Early { at: Instant, until: Instant },
    /// A line opens or closes an episode that another line has opened or closed already.
    Episode(Event),
    /// More ticks were lost than the probes of two recoveries can cost.
    Lost { ticks: u64, most: u64 },
    /// More lines than allowed in one flap window, which begins at `from`.
    Noise { from: Instant, lines: usize },
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Calls { server, client } => {
                write!(out, "the server has counted {server} calls and the client {client}")
            }
            Broken::Early { at, until } => {
                let (at, until) = (at.as_millis(), until.as_millis());
                write!(out, "a call was made at {at} ms, and a skip had said not before {until} ms")
            }
            Broken::Episode(event) => {
                let (kind, at) = (event.kind.name(), event.at.as_millis());
                write!(out, "a second {kind} line of episode {} at {at} ms", event.episode)
            }
            Broken::Lost { ticks, most } => {
                write!(out, "{ticks} ticks were lost, and the probes can cost {most} at most")
            }
            Broken::Noise { from, lines } => {
                let from = from.as_millis();
                write!(out, "{lines} lines in the flap window that begins at {from} ms")
            }
        }
    }
}

impl Serialize for Broken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Looks on while a run goes.
#[derive(Debug, Default)]
pub(super) struct Watch {
    closed_until: Option<Instant>,
    broken: Vec<Broken>,
}

impl Watch {
    /// A call was made.
    pub(super) fn called(&mut self, at: Instant) {
        if let Some(until) = self.closed_until.take().filter(|until| at < *until) {
            self.broken.push(Broken::Early { at, until });
        }
    }

    /// A call was not made.
    pub(super) fn skipped(&mut self, until: Option<Instant>) {
        self.closed_until = until;
    }

    /// What was broken while the run went on.
    pub(super) fn broken(self) -> Vec<Broken> {
        self.broken
    }
}

/// Whether both ends have counted the same calls.
pub(super) fn calls(server: u64, client: u64) -> Option<Broken> {
    (server != client).then_some(Broken::Calls { server, client })
}

/// Whether any flap window holds more lines than one endpoint may print (L4).
pub(super) fn noise(events: &[Event], settings: &Settings) -> Option<Broken> {
    let window = u64::from(settings.flap_window.as_millis());
    events.iter().enumerate().find_map(|(first, event)| {
        let rest = events.iter().skip(first);
        let lines = rest.take_while(|other| other.at.since(event.at) < window).count();
        let noisy = lines > usize::from(LINES_PER_WINDOW);
        noisy.then_some(Broken::Noise { from: event.at, lines })
    })
}

/// Whether lines open and close by turns, and each episode once (L3). An episode that is reopened
/// within the flap window counts anew.
pub(super) fn episodes(events: &[Event]) -> Option<Broken> {
    let mut open = None;
    let mut closed = Vec::new();
    for event in events {
        let name = (event.episode, event.reentries);
        let allowed = match event.kind {
            EventKind::Degraded | EventKind::Disabled | EventKind::Gone => {
                open.replace(name).is_none() && !closed.contains(&name)
            }
            EventKind::Recovered => {
                closed.push(name);
                open.take() == Some(name)
            }
            _ => open == Some(name),
        };
        if !allowed {
            return Some(Broken::Episode(*event));
        }
    }
    None
}

/// Whether more ticks were lost than one interval and its spread for each deploy (L2).
pub(super) fn lost(ticks: u64, plan: &Plan, rule: &Rule, settings: &Settings) -> Option<Broken> {
    let Reprobe::Every { interval, .. } = rule.reprobe else { return None };
    let interval = u64::from(interval.as_millis());
    let spread = interval * u64::from(settings.reprobe_spread.value()) / 100;
    let each = (interval + spread).div_ceil(u64::from(TICK.as_millis()));
    let most = each * u64::try_from(plan.deploys()).unwrap_or(u64::MAX);
    (ticks > most).then_some(Broken::Lost { ticks, most })
}

#[cfg(test)]
mod tests {
    use permanence_core::{Cause, EpisodeId, Span};

    use super::*;

    fn event(kind: EventKind, minute: u64, episode: u16, reentries: u8) -> Event {
        Event {
            kind,
            at: Instant::from_millis(minute * 60_000),
            cause: Cause::default(),
            previous: None,
            episode: EpisodeId::from_number(episode),
            lasted_ms: 0,
            next_at: None,
            every: Span::ZERO,
            streak: 0,
            probes: 0,
            skipped: 0,
            reentries,
            observed: false,
        }
    }

    #[test]
    fn a_call_before_its_time_breaks_the_law_and_one_in_time_does_not() {
        let mut watch = Watch::default();
        watch.skipped(Some(Instant::from_millis(60_000)));
        watch.called(Instant::from_millis(60_000));
        watch.skipped(Some(Instant::from_millis(120_000)));
        watch.called(Instant::from_millis(119_999));
        let early = Broken::Early {
            at: Instant::from_millis(119_999),
            until: Instant::from_millis(120_000),
        };
        assert_eq!(watch.broken(), [early]);
    }

    #[test]
    fn five_lines_in_an_hour_are_noise_and_four_are_not() {
        let settings = Settings { flap_window: Span::from_secs(3_600), ..Settings::LITERAL };
        let lines = [0, 10, 20, 59, 60, 61].map(|minute| event(EventKind::Still, minute, 1, 0));
        assert_eq!(noise(&lines[..5], &settings), None);
        let noisy = Broken::Noise { from: Instant::from_millis(600_000), lines: 5 };
        assert_eq!(noise(&lines, &settings), Some(noisy));
    }

    #[test]
    fn an_episode_opens_once_and_closes_once() {
        let (open, close) = (EventKind::Disabled, EventKind::Recovered);
        let good = [event(open, 0, 1, 0), event(close, 1, 1, 0), event(open, 2, 1, 1)];
        assert_eq!(episodes(&good), None);
        for bad in [
            [event(open, 0, 1, 0), event(open, 1, 1, 0)],
            [event(open, 0, 1, 0), event(close, 1, 2, 0)],
            [event(close, 0, 1, 0), event(open, 1, 1, 0)],
        ] {
            assert!(matches!(episodes(&bad), Some(Broken::Episode(_))), "{bad:?}");
        }
        let again = [event(open, 0, 1, 0), event(close, 1, 1, 0), event(open, 2, 1, 0)];
        assert_eq!(episodes(&again), Some(Broken::Episode(again[2])));
    }

    #[test]
    fn two_deploys_cost_two_intervals_at_most() {
        let interval = Span::from_secs(3 * 3_600);
        let rule = Rule { reprobe: Reprobe::Every { interval, ramp: None }, ..Rule::SUCCESS };
        let plan = Plan::of_days(7);
        assert_eq!(lost(360, &plan, &rule, &Settings::LITERAL), None);
        let most = Broken::Lost { ticks: 361, most: 360 };
        assert_eq!(lost(361, &plan, &rule, &Settings::LITERAL), Some(most));
    }

    #[test]
    fn both_ends_count_the_same_calls() {
        assert_eq!(calls(7, 7), None);
        assert_eq!(calls(7, 8), Some(Broken::Calls { server: 7, client: 8 }));
    }
}

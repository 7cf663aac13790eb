//! Plays a strategy against a server.

use crate::score::Score;
use crate::server::Server;
use crate::strategy::{Line, Strategy};
use crate::{TICK_MS, TICKS};

/// One run: its score and its log.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Played {
    /// What it cost and what it lost.
    pub score: Score,
    /// What was logged.
    pub lines: Vec<Line>,
}

/// Plays `strategy` against `server` for seven days, tick by tick.
///
/// # Examples
///
/// Seven days of a reporter that never learns, against a route that is not there:
///
/// ```
/// use permanence_sim::{Naive, scenario, simulate};
///
/// let server = scenario("410-gone").unwrap().server(1);
/// let played = simulate(&mut Naive, &server);
/// assert_eq!(played.score.calls, 10_080);
/// assert_eq!(played.score.lost_ticks, 0);
/// ```
#[must_use]
pub fn simulate<S: Strategy + ?Sized>(strategy: &mut S, server: &Server) -> Played {
    let mut played = Played::default();
    let mut successes = Vec::new();
    for tick in 0..TICKS {
        let now_ms = tick * TICK_MS;
        let told = strategy.tick(now_ms, server);
        played.score.calls += told.calls;
        successes.extend(told.succeeded_at);
        if told.calls == 0 && server.answer(now_ms).is_success() {
            played.score.lost_ticks += 1;
        }
        played.lines.extend(told.lines);
    }
    let bytes = |line: &Line| u64::try_from(line.text.len() + 1).unwrap_or(u64::MAX);
    played.score.lines = u64::try_from(played.lines.len()).unwrap_or(u64::MAX);
    played.score.bytes = played.lines.iter().map(bytes).sum();
    played.score.tokens = played.score.bytes / 3;
    played.score.detect_s = server
        .recoveries()
        .into_iter()
        .map(|well_at| {
            let seen_at = successes.iter().find(|at| **at >= well_at);
            seen_at.unwrap_or(&(TICKS * TICK_MS)).saturating_sub(well_at) / 1_000
        })
        .collect();
    played
}

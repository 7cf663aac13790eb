//! Days of an unattended reporter on virtual time: what a strategy costs and what it loses.
//!
//! A [`Scenario`] is what a server does over some days; a [`Strategy`] decides at each tick whether to
//! call; [`simulate`] plays one against the other and keeps the [`Score`]. Nothing sleeps, no network
//! is touched, and the same seed gives the same score.

mod engine;
mod scenario;
mod score;
mod server;
mod strategy;

pub use engine::{Played, simulate};
pub use scenario::{SCENARIOS, Scenario, scenario};
pub use score::{Score, median_of};
pub use server::{Answer, Behaviour, Server};
pub use strategy::{Line, Naive, Permanence, Strategy, Tick};

/// The reporter's cadence: one status a minute.
pub const TICK_MS: u64 = 60_000;
/// The ticks of a day.
pub const TICKS_PER_DAY: u64 = 1_440;
/// How long a scenario lasts: seven days.
pub const TICKS: u64 = 7 * TICKS_PER_DAY;
/// 2026-01-05T00:00:00Z, when every simulation starts, in seconds since 1970.
pub const STARTS_AT: u64 = 1_767_571_200;

//! When to stop calling, when to try again, and when there is something worth saying.
#![no_std]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

mod backoff;
mod budget;
mod chance;
mod digits;
mod endpoint;
mod event;
mod line;
mod outcome;
mod permit;
mod policy;
mod probe;
pub mod retry_after;
mod route;
mod rule;
pub mod scan;
mod settings;
mod signal;
mod snapshot;
mod step;
mod time;
mod timestamp;
mod tracker;

pub use backoff::{Backoff, Jitter};
pub use budget::{BudgetSettings, Counter, RetryBudget};
pub use endpoint::{Endpoint, public_part};
pub use event::{Cause, EpisodeId, Event, EventKind, Level};
pub use line::{WallClock, write_json, write_text};
pub use outcome::{Directive, Outcome, Phase, Processed, Request};
pub use permit::{Admission, Permit, Skip};
pub use policy::{Policy, RoutePolicy, Verdict, default_processed, processed, verdict};
pub use probe::{Bits, DelaySource, DelayUnit, Literal, Probe, Refinement, Segment, Target, Test};
pub use route::route_matches;
pub use rule::{BUILTIN_REASONS, Class, Reason, Remedy, Reprobe, Retry, Rule, Scope};
pub use settings::{Mode, Pacing, Percent, Settings};
pub use signal::{GRPC_NAMES, Network, Signal, SignalCode, SignalKind, grpc_code, grpc_name};
pub use snapshot::{RestoreError, SNAPSHOT_LEN, Snapshot};
pub use step::{Action, RetryOffer, Seen, Step};
pub use time::{Instant, Span, TickExtender};
pub use timestamp::{Civil, Timestamp};
pub use tracker::{Status, Tracker};

/// The most lines that one endpoint prints within its flap window (L4).
pub const LINES_PER_WINDOW: u8 = 4;

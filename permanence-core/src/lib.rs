//! When to stop calling, when to try again, and when there is something worth saying.
#![no_std]

mod backoff;
mod budget;
mod outcome;
mod policy;
mod rule;
mod settings;
mod signal;
mod time;

pub use backoff::{Backoff, Jitter};
pub use budget::BudgetSettings;
pub use outcome::{Directive, Outcome, Phase, Processed, Request};
pub use policy::{Policy, RoutePolicy, Verdict, default_processed, processed, verdict};
pub use rule::{BUILTIN_REASONS, Class, Reason, Remedy, Reprobe, Retry, Rule, Scope};
pub use settings::{Mode, Pacing, Percent, Settings};
pub use signal::{GRPC_NAMES, Network, Signal, SignalCode, SignalKind, grpc_code, grpc_name};
pub use time::{Instant, Span, TickExtender};

/// The most lines that one endpoint prints within its flap window (L4).
pub const LINES_PER_WINDOW: u8 = 4;

//! permanence for programs with an operating system.

mod clock;
#[cfg(feature = "reqwest")]
mod layer;
mod registry;
mod report;
mod route;
mod skipped;
#[cfg(feature = "tower")]
mod timer;

pub use clock::{Clock, ManualClock, SystemClock};
#[cfg(feature = "reqwest")]
pub use layer::{Error, Gate, GateLayer, Routed};
pub use permanence_core as core;
pub use registry::{Handle, Pass, Reaction, Registry, RegistrySettings, Retry};
#[cfg(feature = "tracing")]
pub use report::TracingSink;
pub use report::{Line, LineFn, LineSink, StderrSink};
pub use route::{EndpointKey, Origin, Route};
pub use skipped::Skipped;
#[cfg(feature = "tower")]
pub use timer::Timer;

//! What it takes to test an agent without waiting: a clock that is moved by hand, a server that does as
//! it is told, and a list of lines.
//!
//! # Examples
//!
//! A day of an agent whose route does not exist until the evening:
//!
//! ```
//! # #[cfg(feature = "reqwest")] mod shown {
//! # use permanence_std::core::*;
//! # #[derive(Clone, Copy)]
//! # pub struct Reporting;
//! # const ABSENT: Rule = Rule {
//! #     reason: Reason::RESOURCE_ABSENT, class: Class::Permanent,
//! #     disable_after: core::num::NonZeroU16::new(1),
//! #     reprobe: Reprobe::Every { interval: Span::from_secs(3 * 3600), ramp: None },
//! #     ..Rule::SUCCESS
//! # };
//! # impl Policy for Reporting {
//! #     fn rule(&self, signal: &Signal<'_>) -> &Rule {
//! #         if *signal == Signal::Http(404) { &ABSENT } else { &Rule::SUCCESS }
//! #     }
//! #     fn settings(&self) -> &Settings { &Settings::LITERAL }
//! # }
//! # impl RoutePolicy for Reporting {
//! #     type Endpoint = Reporting;
//! #     fn endpoint(&self, _: &str, _: &str) -> Reporting { Reporting }
//! # }
//! # const POLICY: Reporting = Reporting;
//! use permanence_std::core::Span;
//! use permanence_std::testing::{Act, Lines, ManualClock, Server};
//! use permanence_std::{GateLayer, Registry, RegistrySettings, Route};
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! # pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::start([Act::answer(404)])?;
//! let (lines, clock) = (Lines::default(), ManualClock::new());
//! let routes = vec![Route::new("status", "PUT", "/api/agents/{id}/status")];
//! let settings =
//!     RegistrySettings { routes, sink: lines.sink(), ..RegistrySettings::default() };
//! let registry = Registry::with_settings(POLICY, clock.clone(), settings);
//! let client = reqwest::Client::builder().no_proxy().build()?;
//! let mut agent = GateLayer::new(registry).layer(client);
//!
//! for minute in 0..1_440 {
//!     if minute == 1_000 {
//!         server.turn_to(Act::answer(204));
//!     }
//!     let url = server.url("/api/agents/17/status").parse()?;
//!     let _ = agent.call(reqwest::Request::new(reqwest::Method::PUT, url)).await;
//!     clock.advance(Span::from_secs(60));
//! }
//! assert_eq!(lines.count(), 2, "{lines:?}"); // DISABLED, RECOVERED
//! assert!(server.calls() < 440);
//! # Ok(())
//! # }
//! # }
//! # #[cfg(feature = "reqwest")]
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
//! #     .block_on(shown::main()).unwrap();
//! ```

mod act;
mod connection;
mod lines;
mod server;

pub use self::act::{Act, Cut};
pub use self::lines::Lines;
pub use self::server::{Seen, Server, closed_port};
pub use crate::ManualClock;

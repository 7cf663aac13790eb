//! permanence for programs with an operating system: when to stop calling, when to try again, and
//! when there is something worth a log line.
//!
//! A program that reports every minute to a route that was never deployed gets 404 for ever. Behind
//! a [`Gate`] that costs one call and one line; the route is tried again every three hours, and when
//! it is there, one more line says so. In between, a call that is not made is a value
//! ([`Skipped`]), not an error to log.
//!
//! # Examples
//!
//! A reporter over reqwest. The clock of the example is moved by hand; a program takes
//! [`SystemClock`], and its policy from a file.
//!
//! ```
//! # #[cfg(feature = "reqwest")] mod shown {
//! # use permanence_std::core::*;
//! # #[derive(Clone, Copy)]
//! # pub struct Reporting;
//! # const ABSENT: Rule = Rule {
//! #     reason: Reason::RESOURCE_ABSENT, class: Class::Permanent, scope: Scope::Endpoint,
//! #     remedy: Remedy::Wait, retry: Retry::Never,
//! #     disable_after: core::num::NonZeroU16::new(1),
//! #     reprobe: Reprobe::Every { interval: Span::from_secs(3 * 3600), ramp: None },
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
//! # use std::io::{Read, Write};
//! # /// A server without that route.
//! # pub fn serve() -> String {
//! #     let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
//! #     let address = listener.local_addr().unwrap();
//! #     std::thread::spawn(move || {
//! #         let (mut stream, _) = listener.accept().unwrap();
//! #         while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {
//! #             stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").unwrap();
//! #         }
//! #     });
//! #     format!("http://{address}")
//! # }
//! use permanence_std::core::Span;
//! use permanence_std::{Error, GateLayer, ManualClock, Registry, RegistrySettings, Route};
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! # pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (policy, server) = (Reporting, serve());
//! let routes = vec![Route::new("status", "PUT", "/api/agents/{id}/status")];
//! let settings = RegistrySettings { routes, ..RegistrySettings::default() };
//! let clock = ManualClock::new();
//! let registry = Registry::with_settings(policy, clock.clone(), settings);
//! let mut client = GateLayer::new(registry).layer(reqwest::Client::new());
//!
//! let mut called = 0;
//! for _tick in 0..1_440 {
//!     let url = format!("{server}/api/agents/17/status").parse()?;
//!     match client.call(reqwest::Request::new(reqwest::Method::PUT, url)).await {
//!         Ok(_answer) => called += 1,
//!         Err(Error::Skipped(_)) => {} // nothing to do, and nothing to log
//!         Err(failed) => return Err(failed.into()),
//!     }
//!     clock.advance(Span::from_secs(60));
//! }
//! assert_eq!(called, 8); // of 1,440
//! # Ok(())
//! # }
//! # }
//! # #[cfg(feature = "reqwest")]
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
//! #     .block_on(shown::main()).unwrap();
//! ```
//!
//! A program without reqwest asks by hand: [`Registry::endpoint`] gives a [`Handle`],
//! [`Handle::gate`] a [`Pass`] or a [`Skipped`], and [`Pass::record`] tells what came of the call.

#[cfg(any(feature = "opentelemetry", feature = "reqwest-middleware", feature = "ureq"))]
pub mod clients;
mod clock;
mod error;
mod fnv;
#[cfg(feature = "tower")]
mod layer;
#[cfg(feature = "metrics")]
pub mod metrics;
mod network;
#[cfg(feature = "macros")]
mod policy;
#[cfg(feature = "quiet")]
pub mod quiet;
#[cfg(feature = "_read")]
mod reading;
mod registry;
#[cfg(feature = "reload")]
pub mod reload;
mod report;
mod route;
mod skipped;
#[cfg(feature = "state")]
pub mod state;
#[cfg(feature = "testing")]
pub mod testing;
mod timer;

pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{Error, skipped_in};
#[cfg(feature = "tower")]
pub use layer::{
    BoxError, ClientError, Clones, CopyBody, Gate, GateLayer, GatedBody, NoCopies, Routed,
};
pub use network::network_of;
/// The machine itself.
pub use permanence_core as core;
pub use registry::{Handle, OwnedPass, Pass, Reaction, Registry, RegistrySettings, Retry};
#[cfg(feature = "tracing")]
pub use report::TracingSink;
pub use report::{Line, LineFn, LineSink, StderrSink};
pub use route::{EndpointKey, Origin, Route};
pub use skipped::Skipped;
pub use timer::BlockingTimer;
#[cfg(feature = "tower")]
pub use timer::Timer;

/// What the macro `policy!` of this crate expands to.
#[cfg(feature = "macros")]
#[doc(hidden)]
pub use permanence_macros as macros;

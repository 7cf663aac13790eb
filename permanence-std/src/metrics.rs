//! What the metrics are called, and what they count.
//!
//! With the feature `metrics` every registry counts through the facade of the crate [`metrics`]; whatever
//! recorder the program installs takes them. It has to be there before the registry is made, and is called with
//! a lock held: it must not make calls through a gate.
//!
//! The label of everything about an endpoint is its id, so that there are as many series as the registry has
//! places; of a host it is its authority. Several endpoints with one id are counted together. When an endpoint
//! loses its place its statuses go back to zero; the facade has no way to remove a series, and recorders drop
//! those that are idle by themselves.
//!
//! # Examples
//!
//! ```
//! use metrics_util::debugging::{DebuggingRecorder, DebugValue};
//! use permanence_std::{ManualClock, Origin, Registry, RegistrySettings, Route};
//! # use permanence_std::core::*;
//! # #[derive(Clone, Copy)]
//! # struct Fine;
//! # impl Policy for Fine {
//! #     fn rule(&self, _: &Signal<'_>) -> &Rule { &Rule::SUCCESS }
//! #     fn settings(&self) -> &Settings { &Settings::LITERAL }
//! # }
//! # impl RoutePolicy for Fine {
//! #     type Endpoint = Fine;
//! #     fn endpoint(&self, _: &str, _: &str) -> Fine { Fine }
//! # }
//!
//! let recorder = DebuggingRecorder::new(); // a program installs its exporter
//! metrics::with_local_recorder(&recorder, || {
//!     let settings = RegistrySettings {
//!         routes: vec![Route::new("feed", "GET", "/v1/feed")],
//!         ..RegistrySettings::default()
//!     };
//!     let registry = Registry::with_settings(Fine, ManualClock::new(), settings);
//!     let here = Origin { scheme: "http", authority: "example.com" };
//!     drop(registry.endpoint_of("GET", here, "/v1/feed").gate());
//! });
//! let counted = recorder.snapshotter().snapshot().into_vec();
//! let calls = counted.iter().find(|(key, ..)| key.key().name() == permanence_std::metrics::CALLS);
//! # let _ = DebugValue::Counter(1);
//! assert!(calls.is_some());
//! ```

/// Counter: calls that were asked for, by `endpoint` and `decision`: `called`, `probed` or `skipped`.
pub const CALLS: &str = "permanence.calls";
/// Gauge: endpoints by `endpoint` and `status`; 0 for each status that it is not in.
pub const STATUS: &str = "permanence.endpoint.status";
/// Counter: transitions, each of which is a line, by `endpoint` and `event`.
pub const TRANSITIONS: &str = "permanence.endpoint.transitions";
/// Counter: failures that were not worth a line, by `endpoint`.
pub const SUPPRESSED: &str = "permanence.lines.suppressed";
/// Counter: writes of unknown fate that were handed to the caller, by `endpoint`.
pub const AMBIGUOUS: &str = "permanence.writes.ambiguous";
/// Gauge: the retries that the traffic of a registry affords at the moment.
pub const BALANCE: &str = "permanence.budget.balance";

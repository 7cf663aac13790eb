//! Gates for clients that have a way of their own to be stood in front of.
//!
//! Each stands behind the feature of its client's name. For clients that are tower services see
//! [`GateLayer`](crate::GateLayer), for all others [`Handle::gate`](crate::Handle::gate).

#[cfg(feature = "opentelemetry")]
pub mod opentelemetry;
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest_middleware;
#[cfg(feature = "ureq")]
pub mod ureq;

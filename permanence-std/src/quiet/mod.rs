//! HTTP libraries keep silent while a probe is under way.
//!
//! A disabled endpoint is silent but for its probes, and the libraries below a probe know nothing of
//! that: each of them writes its own lines about a call that is expected to fail. [`Quiet`] drops
//! these and counts them.

mod filter;
mod scope;

pub use self::filter::{LIBRARIES, Quiet};
#[cfg(feature = "tower")]
pub(crate) use self::scope::probe_if;
pub use self::scope::{export, export_sync, probe, probe_sync};

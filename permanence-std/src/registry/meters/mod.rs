//! What is counted, where it is counted at all.

#[cfg(feature = "metrics")]
mod counted;
#[cfg(not(feature = "metrics"))]
mod uncounted;

#[cfg(feature = "metrics")]
pub(super) use self::counted::{EndpointMeters, RegistryMeters};
#[cfg(not(feature = "metrics"))]
pub(super) use self::uncounted::{EndpointMeters, RegistryMeters};

/// What became of the wish to call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Decision {
    Called,
    Probed,
    Skipped,
}

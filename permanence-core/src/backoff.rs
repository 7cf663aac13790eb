//! Pauses between tries: exponential, jittered, capped.

use crate::Span;

/// Pauses between tries: exponential from `base`, at most `max`, jittered.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Backoff {
    /// The ceiling of the first pause; above zero.
    pub base: Span,
    /// The ceiling of every pause; at least `base`.
    pub max: Span,
    /// How chance enters.
    pub jitter: Jitter,
}

/// How chance enters a pause.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Jitter {
    /// Uniform between the base and three times the previous pause, capped.
    Decorrelated,
    /// Half the ceiling, and uniform over the other half.
    Equal,
    /// Uniform between zero and the ceiling.
    Full,
    /// The ceiling itself.
    None,
}

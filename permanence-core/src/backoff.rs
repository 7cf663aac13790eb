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

impl Backoff {
    /// The longest pause after failure number `attempt`, counted from zero.
    #[must_use]
    pub const fn ceiling(&self, attempt: u32) -> Span {
        let factor = if attempt < 32 { 1_u32 << attempt } else { u32::MAX };
        let grown = self.base.as_millis().saturating_mul(factor);
        if grown < self.max.as_millis() { Span::from_millis(grown) } else { self.max }
    }

    /// The pause after failure number `attempt`.
    #[must_use]
    pub fn delay(&self, attempt: u32, previous: Span, draw: u32) -> Span {
        use crate::chance::up_to;
        let ceiling = self.ceiling(attempt);
        match self.jitter {
            Jitter::None => ceiling,
            Jitter::Full => up_to(ceiling, draw),
            Jitter::Equal => {
                let half = Span::from_millis(ceiling.as_millis() / 2);
                half.saturating_add(up_to(ceiling.saturating_sub(half), draw))
            }
            Jitter::Decorrelated => {
                let _ = previous;
                up_to(ceiling, draw)
            }
        }
    }
}

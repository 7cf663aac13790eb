//! How many retries the traffic affords.

use crate::{Percent, Span};

/// The numbers of a retry budget.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BudgetSettings {
    /// How long a deposit counts.
    pub ttl: Span,
    /// Retries per second that are always afforded.
    pub min_per_sec: u16,
    /// Retries per hundred requests.
    pub percent: Percent,
}

impl BudgetSettings {
    /// Ten seconds, one retry a second, ten per cent.
    pub const FINAGLE: BudgetSettings = BudgetSettings {
        ttl: Span::from_secs(10),
        min_per_sec: 1,
        percent: Percent::saturating(10),
    };
}

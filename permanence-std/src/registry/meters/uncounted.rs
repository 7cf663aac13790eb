//! Meters that count nothing and take no room.

use std::sync::Arc;

use permanence_core::{BudgetSettings, EventKind, Instant, RetryBudget, Status};

use super::Decision;

#[derive(Debug)]
pub(in crate::registry) struct EndpointMeters;

impl EndpointMeters {
    pub(in crate::registry) const fn new(_: &Arc<str>) -> Self {
        EndpointMeters
    }

    pub(in crate::registry) const fn none() -> Self {
        EndpointMeters
    }

    #[inline]
    pub(in crate::registry) const fn decided(&self, _: Decision) {}

    #[inline]
    pub(in crate::registry) const fn show(&self, _: Status) {}

    pub(in crate::registry) const fn transition(&self, _: EventKind) {}

    pub(in crate::registry) const fn suppressed(&self) {}

    pub(in crate::registry) const fn ambiguous(&self) {}
}

#[derive(Debug)]
pub(in crate::registry) struct RegistryMeters;

impl RegistryMeters {
    pub(in crate::registry) const fn new() -> Self {
        RegistryMeters
    }

    #[inline]
    pub(in crate::registry) const fn balance(
        &self,
        _: &mut RetryBudget<u32>,
        _: &BudgetSettings,
        _: Instant,
    ) {
    }
}

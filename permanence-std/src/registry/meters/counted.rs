//! The meters of one endpoint and of one registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use metrics::{Counter, Gauge, Unit, counter, describe_counter, describe_gauge, gauge};
use permanence_core::{BudgetSettings, EventKind, Instant, RetryBudget, Status};

use super::Decision;
use crate::metrics::{AMBIGUOUS, BALANCE, CALLS, STATUS, SUPPRESSED, TRANSITIONS};

/// Every status an endpoint may be in.
const STATUSES: [Status; 6] = [
    Status::Deferred,
    Status::Degraded,
    Status::Disabled,
    Status::Gone,
    Status::Healthy,
    Status::Probing,
];

/// What is counted of one endpoint or host.
#[derive(Debug)]
pub(in crate::registry) struct EndpointMeters {
    /// `None` for what stands for many endpoints, and has no status of its own.
    id: Option<Arc<str>>,
    called: Counter,
    probed: Counter,
    skipped: Counter,
    /// The place in [`STATUSES`] of the status that is shown.
    shown: AtomicU8,
}

impl EndpointMeters {
    pub(in crate::registry) fn new(id: &Arc<str>) -> Self {
        let calls = |decision: &'static str| counter!(CALLS, "endpoint" => Arc::clone(id), "decision" => decision);
        let meters = EndpointMeters {
            id: Some(Arc::clone(id)),
            called: calls("called"),
            probed: calls("probed"),
            skipped: calls("skipped"),
            shown: AtomicU8::new(place_of(Status::Healthy)),
        };
        for status in STATUSES {
            meters.status(status).increment(if status == Status::Healthy { 1.0 } else { 0.0 });
        }
        meters
    }

    /// Counts nothing.
    pub(in crate::registry) fn none() -> Self {
        EndpointMeters {
            id: None,
            called: Counter::noop(),
            probed: Counter::noop(),
            skipped: Counter::noop(),
            shown: AtomicU8::new(place_of(Status::Healthy)),
        }
    }

    #[inline]
    pub(in crate::registry) fn decided(&self, decision: Decision) {
        match decision {
            Decision::Called => &self.called,
            Decision::Probed => &self.probed,
            Decision::Skipped => &self.skipped,
        }
        .increment(1);
    }

    /// Shows where the endpoint stands now.
    pub(in crate::registry) fn show(&self, status: Status) {
        let place = place_of(status);
        if self.shown.load(Ordering::Relaxed) == place {
            return;
        }
        let before = self.shown.swap(place, Ordering::Relaxed);
        if before != place {
            self.hide(before);
            self.status(status).increment(1.0);
        }
    }

    pub(in crate::registry) fn transition(&self, kind: EventKind) {
        if let Some(id) = &self.id {
            counter!(TRANSITIONS, "endpoint" => Arc::clone(id), "event" => kind.name())
                .increment(1);
        }
    }

    pub(in crate::registry) fn suppressed(&self) {
        if let Some(id) = &self.id {
            counter!(SUPPRESSED, "endpoint" => Arc::clone(id)).increment(1);
        }
    }

    pub(in crate::registry) fn ambiguous(&self) {
        if let Some(id) = &self.id {
            counter!(AMBIGUOUS, "endpoint" => Arc::clone(id)).increment(1);
        }
    }

    fn hide(&self, place: u8) {
        if let Some(status) = STATUSES.get(usize::from(place)) {
            self.status(*status).decrement(1.0);
        }
    }

    fn status(&self, status: Status) -> Gauge {
        match &self.id {
            Some(id) => gauge!(STATUS, "endpoint" => Arc::clone(id), "status" => status.name()),
            None => Gauge::noop(),
        }
    }
}

impl Drop for EndpointMeters {
    fn drop(&mut self) {
        let shown = *self.shown.get_mut();
        self.hide(shown);
    }
}

fn place_of(status: Status) -> u8 {
    let place = STATUSES.iter().position(|other| *other == status);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}

/// What is counted of a registry as a whole.
#[derive(Debug)]
pub(in crate::registry) struct RegistryMeters {
    balance: Gauge,
}

impl RegistryMeters {
    /// Describes all metrics to the recorder, and makes those of a registry.
    pub(in crate::registry) fn new() -> Self {
        describe_counter!(CALLS, Unit::Count, "Calls that were asked for, by decision");
        describe_gauge!(STATUS, Unit::Count, "Endpoints by the status they are in");
        describe_counter!(TRANSITIONS, Unit::Count, "Transitions, each of which is a line");
        describe_counter!(SUPPRESSED, Unit::Count, "Failures that were not worth a line");
        describe_counter!(AMBIGUOUS, Unit::Count, "Writes of unknown fate");
        describe_gauge!(BALANCE, Unit::Count, "Retries that the traffic affords");
        RegistryMeters { balance: gauge!(BALANCE) }
    }

    /// Shows what is left of the budget.
    pub(in crate::registry) fn balance(
        &self,
        budget: &mut RetryBudget<u32>,
        settings: &BudgetSettings,
        now: Instant,
    ) {
        self.balance.set(f64::from(budget.balance(settings, now)));
    }
}

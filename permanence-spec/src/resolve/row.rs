//! One row of the table, put together from what classes and reasons fill in.

use std::num::NonZeroU16;

use permanence_core::{Class, Reprobe, Retry, Rule, Scope, Span};

use crate::layer::RowLayer;

use super::chain::{Chain, Judged};
use super::language::{natural_remedy, natural_retry};

/// Which row of an endpoint is meant.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct RowKey {
    pub(super) judged: Judged,
    /// Network errors have a threshold of their own.
    pub(super) medium: Medium,
    pub(super) scope: Option<Scope>,
    pub(super) retry: Option<Retry>,
}

/// Whether there was an answer.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Medium {
    Answer,
    Network,
}

/// The row itself.
///
/// The language comes first, then the classes from the base up, then the reasons from the base up: a
/// reason is the more deliberate word. What a reason says is not meant for a code that a class has
/// taken from it.
pub(super) fn rule(chain: &Chain<'_>, key: RowKey) -> Rule {
    let Judged { reason, class } = key.judged;
    match class {
        Class::Success => return Rule { reason, ..Rule::SUCCESS },
        Class::Ignored => return Rule { reason, ..Rule::IGNORED },
        Class::Ambiguous | Class::Permanent | Class::Transient => {}
    }
    let cells = Cells::of(chain, key.judged);
    Rule {
        reason,
        class,
        scope: key.scope.or(cells.both.scope.map(|said| said.value)).unwrap_or(Scope::Endpoint),
        remedy: cells.both.remedy.map_or(natural_remedy(reason), |said| said.value),
        retry: key
            .retry
            .or(cells.both.retry.map(|said| said.value))
            .unwrap_or(natural_retry(reason, class)),
        disable_after: cells.threshold(class, key.medium),
        reprobe: cells.reprobe(),
    }
}

/// What classes and reasons fill in.
pub(super) struct Cells {
    class: RowLayer,
    reason: RowLayer,
    /// The reason's over the class's.
    pub(super) both: RowLayer,
}

impl Cells {
    pub(super) fn of(chain: &Chain<'_>, judged: Judged) -> Cells {
        let class = chain.class_cells(judged.class);
        let reason = match chain.class_of(judged.reason) {
            Some(own) if own == judged.class => chain.reason_cells(judged.reason),
            _ => RowLayer::default(),
        };
        Cells { class, reason, both: class.under(reason) }
    }

    fn threshold(&self, class: Class, medium: Medium) -> Option<NonZeroU16> {
        let said = |row: &RowLayer| match medium {
            Medium::Answer => row.disable_after,
            Medium::Network => row.network_disable_after.or(row.disable_after),
        };
        match said(&self.reason).or(said(&self.class)) {
            Some(said) => said.value,
            None if class == Class::Permanent => Some(NonZeroU16::MIN),
            None => None,
        }
    }

    fn reprobe(&self) -> Reprobe {
        match self.interval() {
            Some(interval) => Reprobe::Every { interval, ramp: self.ramp() },
            None => Reprobe::Never,
        }
    }

    /// `None` for never.
    pub(super) fn interval(&self) -> Option<Span> {
        self.both.interval.map_or(Some(THREE_HOURS), |said| said.value)
    }

    pub(super) fn ramp(&self) -> Option<Span> {
        self.both.ramp.and_then(|said| said.value)
    }
}

/// The interval of the essay, where a policy names none.
const THREE_HOURS: Span = Span::from_secs(3 * 3_600);

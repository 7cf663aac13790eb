//! What classes and reasons have in common: the cells of a row.

use std::num::NonZeroU16;

use permanence_core::{Remedy, Retry, Scope, Span};

use crate::diagnostic::{Findings, Place};
use crate::syntax::{At, Section, read_remedy, read_retry, read_scope};

use super::numbers::count_or_never;

/// The cells of a row that one layer fills in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowLayer {
    /// `None` inside: never.
    pub(crate) disable_after: Option<At<Option<NonZeroU16>>>,
    /// The same for network errors alone.
    pub(crate) network_disable_after: Option<At<Option<NonZeroU16>>>,
    /// `None` inside: never.
    pub(crate) interval: Option<At<Option<Span>>>,
    /// `None` inside: off.
    pub(crate) ramp: Option<At<Option<Span>>>,
    pub(crate) retry: Option<At<Retry>>,
    pub(crate) remedy: Option<At<Remedy>>,
    pub(crate) scope: Option<At<Scope>>,
}

impl RowLayer {
    pub(super) fn read(section: &mut Section<'_>, findings: &mut Findings) -> RowLayer {
        RowLayer {
            disable_after: count_or_never(section, "disable_after_consecutive", findings),
            network_disable_after: count_or_never(section, "network_disable_after", findings),
            interval: section.span_or("reprobe_interval", Some("never"), findings),
            ramp: section.span_or("reprobe_ramp", Some("off"), findings),
            retry: section.take("retry").and_then(|item| read_retry(&item, findings)),
            remedy: section.take("remedy").and_then(|item| read_remedy(&item, findings)),
            scope: section.take("scope").and_then(|item| read_scope(&item, findings)),
        }
    }

    /// The cells of `upper` where it fills them in, else those of `self`.
    pub(crate) fn under(self, upper: RowLayer) -> RowLayer {
        RowLayer {
            disable_after: upper.disable_after.or(self.disable_after),
            network_disable_after: upper.network_disable_after.or(self.network_disable_after),
            interval: upper.interval.or(self.interval),
            ramp: upper.ramp.or(self.ramp),
            retry: upper.retry.or(self.retry),
            remedy: upper.remedy.or(self.remedy),
            scope: upper.scope.or(self.scope),
        }
    }

    /// The same cells, as if they stood at `place`.
    pub(super) fn moved_to(self, place: Place) -> RowLayer {
        RowLayer {
            disable_after: self.disable_after.map(|said| said.moved_to(place)),
            network_disable_after: self.network_disable_after.map(|said| said.moved_to(place)),
            interval: self.interval.map(|said| said.moved_to(place)),
            ramp: self.ramp.map(|said| said.moved_to(place)),
            retry: self.retry.map(|said| said.moved_to(place)),
            remedy: self.remedy.map(|said| said.moved_to(place)),
            scope: self.scope.map(|said| said.moved_to(place)),
        }
    }

    /// Whether no cell is filled in.
    pub(crate) fn is_empty(&self) -> bool {
        let RowLayer { disable_after, network_disable_after, interval, ramp, retry, remedy, scope } =
            self;
        disable_after.is_none()
            && network_disable_after.is_none()
            && interval.is_none()
            && ramp.is_none()
            && retry.is_none()
            && remedy.is_none()
            && scope.is_none()
    }
}

//! One row of the table as people and programs read it.

use permanence_core::{Policy, Processed, Reprobe, Rule, Settings, Span};
use serde::Serialize;

use super::words;

/// One row of the table, with the second axis.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) class: &'static str,
    pub(super) reason: String,
    pub(super) scope: &'static str,
    pub(super) processed: &'static str,
    pub(super) remedy: &'static str,
    pub(super) retry: &'static str,
    pub(super) disable_after: Option<u16>,
    pub(super) reprobe: Option<Probes>,
}

/// When a disabled endpoint is tried again.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub(super) struct Probes {
    #[serde(rename = "interval_ms")]
    pub(super) interval: Span,
    #[serde(rename = "ramp_ms")]
    pub(super) ramp: Option<Span>,
    pub(super) spread_percent: u8,
}

impl Row {
    pub(super) fn new(policy: &impl Policy, rule: &Rule, processed: Processed) -> Self {
        Row {
            class: rule.class.name(),
            reason: policy.reason_name(rule.reason).to_owned(),
            scope: rule.scope.name(),
            processed: words::processed(processed),
            remedy: rule.remedy.name(),
            retry: rule.retry.name(),
            disable_after: rule.disable_after.map(std::num::NonZeroU16::get),
            reprobe: rule.disable_after.and_then(|_| Probes::of(rule, policy.settings())),
        }
    }

    /// `never`, or how many in a row.
    pub(super) fn threshold(&self) -> String {
        self.disable_after.map_or("never".to_owned(), |count| count.to_string())
    }

    /// `-` where nothing disables, `never`, or the interval.
    pub(super) fn probes(&self) -> String {
        match (self.disable_after, self.reprobe) {
            (None, _) => "-".to_owned(),
            (Some(_), None) => "never".to_owned(),
            (Some(_), Some(probes)) => words::span(probes.interval),
        }
    }
}

impl Probes {
    fn of(rule: &Rule, settings: &Settings) -> Option<Self> {
        match rule.reprobe {
            Reprobe::Every { interval, ramp } => {
                Some(Probes { interval, ramp, spread_percent: settings.reprobe_spread.value() })
            }
            Reprobe::Never => None,
        }
    }
}

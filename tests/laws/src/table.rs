//! A policy in a few numbers.

use core::num::NonZeroU16;

use permanence_core::{
    Class, Network, Policy, Reason, Remedy, Reprobe, Retry, Rule, Scope, Settings, Signal, Span,
};

/// A policy in a few numbers: enough kinds of rule to reach every path of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    settings: Settings,
    absent: Rule,
    auth: Rule,
    gone: Rule,
    payload: Rule,
    overload: Rule,
    fault: Rule,
    network: Rule,
    write: Rule,
}

impl Table {
    /// Makes the policy: a permanent failure disables after `permanent_after`, a payload after
    /// `payload_after`, a dead network after `network_after` in a row.
    #[must_use]
    pub fn new(
        settings: Settings,
        reprobe: Reprobe,
        permanent_after: u16,
        payload_after: u16,
        network_after: u16,
    ) -> Self {
        let absent = Rule {
            reason: Reason::RESOURCE_ABSENT,
            class: Class::Permanent,
            scope: Scope::Endpoint,
            remedy: Remedy::Wait,
            retry: Retry::Never,
            disable_after: NonZeroU16::new(permanent_after),
            reprobe,
        };
        let auth = Rule {
            reason: Reason::AUTH_CONFIG,
            remedy: Remedy::Reauth,
            retry: Retry::Renew,
            ..absent
        };
        let gone = Rule { reason: Reason::GONE, reprobe: Reprobe::Never, ..absent };
        let payload = Rule {
            reason: Reason::INVALID_REQUEST,
            scope: Scope::Payload,
            disable_after: NonZeroU16::new(payload_after),
            ..absent
        };
        let passing = Rule { class: Class::Transient, disable_after: None, ..absent };
        Table {
            settings,
            absent,
            auth,
            gone,
            payload,
            overload: Rule { reason: Reason::OVERLOAD, retry: Retry::Backoff, ..passing },
            fault: Rule { reason: Reason::SERVER_FAULT, retry: Retry::Once, ..passing },
            network: Rule {
                reason: Reason::NETWORK,
                retry: Retry::Cadence,
                disable_after: NonZeroU16::new(network_after),
                ..passing
            },
            write: Rule {
                reason: Reason::AMBIGUOUS_WRITE,
                class: Class::Ambiguous,
                retry: Retry::Backoff,
                ..passing
            },
        }
    }

    /// The same policy with other numbers.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Table { settings, ..self }
    }

    /// The longest wait that any answer can lead to, spread included.
    #[must_use]
    pub fn longest_wait(&self) -> Span {
        let interval = match self.absent.reprobe {
            Reprobe::Every { interval, .. } => interval,
            Reprobe::Never => Span::ZERO,
        };
        let Settings { retry_after_max, probe_lease, backoff, .. } = self.settings;
        // A rule that the policy no longer knows falls back on three hours.
        let fallback = Span::from_secs(3 * 3_600);
        let wait = interval.max(retry_after_max).max(probe_lease).max(backoff.max).max(fallback);
        wait.saturating_add(Span::from_millis(wait.as_millis() / 100 * 100))
    }
}

impl Policy for Table {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        match *signal {
            Signal::Cancelled => &Rule::IGNORED,
            Signal::Http(401) => &self.auth,
            Signal::Http(404) => &self.absent,
            Signal::Http(410) => &self.gone,
            Signal::Http(422) => &self.payload,
            Signal::Http(500) => &self.write,
            Signal::Http(503) => &self.fault,
            Signal::Http(429) => &self.overload,
            Signal::Network(Network::Certificate) => &self.auth,
            Signal::Network(_) => &self.network,
            _ => &Rule::SUCCESS,
        }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }
}

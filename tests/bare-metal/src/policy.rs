//! A policy as firmware carries it: a match over signals that returns references into flash.

use core::num::{NonZeroU8, NonZeroU16};

use permanence_core::{
    Class, Policy, Reason, Remedy, Reprobe, Retry, Rule, Scope, Settings, Signal, Span,
};

/// The table of a status reporter.
#[derive(Clone, Copy, Debug)]
pub struct Reporter;

impl Policy for Reporter {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        match *signal {
            Signal::Http(status) | Signal::Provider { status, .. } => match status {
                200..=299 => &Rule::SUCCESS,
                100..=199 => &Rule::IGNORED,
                401 | 403 | 407 => &AUTH,
                404 => &ABSENT,
                410 => &GONE,
                429 | 503 | 529 => &OVERLOAD,
                400..=499 => &INVALID,
                _ => &FAULT,
            },
            Signal::Cancelled => &Rule::IGNORED,
            Signal::Network(_) => &NETWORK,
            _ => &FAULT,
        }
    }

    fn settings(&self) -> &Settings {
        &SETTINGS
    }
}

const ABSENT: Rule = Rule {
    reason: Reason::RESOURCE_ABSENT,
    class: Class::Permanent,
    scope: Scope::Endpoint,
    remedy: Remedy::Wait,
    retry: Retry::Never,
    disable_after: Some(NonZeroU16::MIN),
    reprobe: Reprobe::Every {
        interval: Span::from_secs(3 * 3600),
        ramp: Some(Span::from_secs(60)),
    },
};

const AUTH: Rule = Rule { reason: Reason::AUTH_CONFIG, remedy: Remedy::FixConfig, ..ABSENT };

const GONE: Rule =
    Rule { reason: Reason::GONE, remedy: Remedy::Remove, reprobe: Reprobe::Never, ..ABSENT };

const INVALID: Rule = Rule { reason: Reason::INVALID_REQUEST, ..ABSENT };

const OVERLOAD: Rule = Rule {
    reason: Reason::OVERLOAD,
    class: Class::Transient,
    retry: Retry::Backoff,
    disable_after: None,
    reprobe: Reprobe::Never,
    ..ABSENT
};

const FAULT: Rule = Rule { reason: Reason::SERVER_FAULT, ..OVERLOAD };

const NETWORK: Rule = Rule {
    reason: Reason::NETWORK,
    class: Class::Transient,
    retry: Retry::Cadence,
    disable_after: NonZeroU16::new(50),
    ..ABSENT
};

const SETTINGS: Settings = Settings {
    flap_window: Span::from_secs(3600),
    notice_after: NonZeroU8::MIN.saturating_add(2),
    ..Settings::LITERAL
};

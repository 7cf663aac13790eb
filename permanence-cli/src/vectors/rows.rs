//! Rows that a case adds to P0 by its own rules and profiles.

use permanence_core::{Class, Reason, Remedy, Reprobe, Retry, Rule, Scope, Span};

/// A row that a case adds.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Row {
    Ambiguous,
    /// Never probed.
    Gone,
    Ignored,
    Payload,
    Permanent,
    /// The first one asks for a new credential.
    Renewable,
    /// The first one asks for a new session or cursor.
    Stale,
    Success,
    Transient,
}

impl Row {
    pub(super) const ALL: [Row; 9] = [
        Row::Ambiguous,
        Row::Gone,
        Row::Ignored,
        Row::Payload,
        Row::Permanent,
        Row::Renewable,
        Row::Stale,
        Row::Success,
        Row::Transient,
    ];

    /// The reason of what a rule of the case calls permanent.
    pub(super) const BY_RULE: Reason = Reason::from_number(Reason::FIRST_CUSTOM);

    /// What the row says, before the case's own numbers.
    pub(super) fn rule(self) -> Rule {
        let permanent = Rule {
            reason: Row::BY_RULE,
            class: Class::Permanent,
            scope: Scope::Endpoint,
            remedy: Remedy::Wait,
            retry: Retry::Never,
            disable_after: core::num::NonZeroU16::new(1),
            reprobe: Reprobe::Every { interval: Span::from_secs(3 * 3_600), ramp: None },
        };
        let transient = Rule {
            reason: Reason::SERVER_FAULT,
            class: Class::Transient,
            retry: Retry::Backoff,
            disable_after: None,
            ..permanent
        };
        match self {
            Row::Ambiguous => {
                Rule { reason: Reason::AMBIGUOUS_WRITE, class: Class::Ambiguous, ..transient }
            }
            Row::Gone => Rule {
                reason: Reason::GONE,
                remedy: Remedy::Remove,
                reprobe: Reprobe::Never,
                ..permanent
            },
            Row::Ignored => Rule::IGNORED,
            Row::Payload => Rule {
                reason: Reason::INVALID_REQUEST,
                scope: Scope::Payload,
                remedy: Remedy::DropPayload,
                disable_after: None,
                ..permanent
            },
            Row::Permanent => permanent,
            Row::Renewable => Rule {
                reason: Reason::AUTH_CONFIG,
                remedy: Remedy::Reauth,
                retry: Retry::Renew,
                ..permanent
            },
            Row::Stale => Rule {
                reason: Reason::STALE_CONTEXT,
                remedy: Remedy::Reinit,
                retry: Retry::Renew,
                ..permanent
            },
            Row::Success => Rule::SUCCESS,
            Row::Transient => transient,
        }
    }
}

/// The codes of the telemetry protocol that P0 reads otherwise: six are worth a retry, and
/// RESOURCE_EXHAUSTED only where the server says so.
pub(super) fn otlp_row(code: u8) -> Option<Row> {
    match code {
        1 | 4 | 10 | 11 | 14 | 15 => Some(Row::Transient),
        2 | 3 | 6 | 8 | 9 | 13 => Some(Row::Payload),
        _ => None,
    }
}

//! P0 as rows: which signal falls into which, and what each says (`spec/vectors/p0.toml`).

use std::num::NonZeroU16;

use permanence_core::{
    Class, Network, Processed, Reason, Remedy, Reprobe, Retry, Rule, Scope, Signal, Span,
    default_processed,
};

/// A row of the table.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Row {
    Absent,
    Ambiguous,
    Auth,
    Fault,
    Gone,
    /// Gone and never probed.
    GoneForGood,
    Ignored,
    Network,
    Overload,
    Payload,
    Redirect,
    /// The first 401 asks for a new credential.
    Renewable,
    /// Permanent by a rule of the case.
    Ruled,
    Stale,
    Success,
    Unusable,
}

/// The numbers that a case may change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    pub(super) permanent: NonZeroU16,
    pub(super) payload: Option<NonZeroU16>,
    pub(super) network: Option<NonZeroU16>,
    pub(super) interval: Span,
    pub(super) ramp: Option<Span>,
}

impl Row {
    pub(super) const ALL: [Row; 16] = [
        Row::Absent,
        Row::Ambiguous,
        Row::Auth,
        Row::Fault,
        Row::Gone,
        Row::GoneForGood,
        Row::Ignored,
        Row::Network,
        Row::Overload,
        Row::Payload,
        Row::Redirect,
        Row::Renewable,
        Row::Ruled,
        Row::Stale,
        Row::Success,
        Row::Unusable,
    ];

    /// The reason of rows that a rule of the case has made.
    pub(super) const BY_RULE: Reason = Reason::from_number(Reason::FIRST_CUSTOM);

    /// What the row says.
    pub(super) fn rule(self, thresholds: &Thresholds) -> Rule {
        let reprobe = Reprobe::Every { interval: thresholds.interval, ramp: thresholds.ramp };
        let permanent = Rule {
            reason: Row::BY_RULE,
            class: Class::Permanent,
            scope: Scope::Endpoint,
            remedy: Remedy::Wait,
            retry: Retry::Never,
            disable_after: Some(thresholds.permanent),
            reprobe,
        };
        let transient = Rule {
            reason: Reason::SERVER_FAULT,
            class: Class::Transient,
            retry: Retry::Backoff,
            disable_after: None,
            ..permanent
        };
        match self {
            Row::Absent => Rule { reason: Reason::RESOURCE_ABSENT, ..permanent },
            Row::Ambiguous => {
                Rule { reason: Reason::AMBIGUOUS_WRITE, class: Class::Ambiguous, ..transient }
            }
            Row::Auth => {
                Rule { reason: Reason::AUTH_CONFIG, remedy: Remedy::FixConfig, ..permanent }
            }
            Row::Fault => transient,
            Row::Gone => Rule { reason: Reason::GONE, remedy: Remedy::Remove, ..permanent },
            Row::GoneForGood => Rule { reprobe: Reprobe::Never, ..Row::Gone.rule(thresholds) },
            Row::Ignored => Rule::IGNORED,
            Row::Network => Rule {
                reason: Reason::NETWORK,
                retry: Retry::Cadence,
                disable_after: thresholds.network,
                ..transient
            },
            Row::Overload => Rule { reason: Reason::OVERLOAD, ..transient },
            Row::Payload => Rule {
                reason: Reason::INVALID_REQUEST,
                scope: Scope::Payload,
                remedy: Remedy::DropPayload,
                disable_after: thresholds.payload,
                ..permanent
            },
            Row::Redirect => Rule { reason: Reason::REDIRECT, ..permanent },
            Row::Renewable => {
                Rule { remedy: Remedy::Reauth, retry: Retry::Renew, ..Row::Auth.rule(thresholds) }
            }
            Row::Ruled => permanent,
            Row::Stale => Rule {
                reason: Reason::STALE_CONTEXT,
                remedy: Remedy::Reinit,
                retry: Retry::Renew,
                ..permanent
            },
            Row::Success => Rule::SUCCESS,
            Row::Unusable => Rule { reason: Reason::UNUSABLE_RESPONSE, ..permanent },
        }
    }
}

/// The row of a signal under P0, without providers' codes.
pub(super) fn plain_row(signal: &Signal<'_>) -> Row {
    match *signal {
        Signal::Cancelled => Row::Ignored,
        Signal::Coap(byte) => coap_row(byte),
        Signal::Grpc(code) => grpc_row(code),
        Signal::Http(status) | Signal::Provider { status, .. } => http_row(status),
        Signal::Network(network) => network_row(network),
        Signal::Unusable { .. } => Row::Unusable,
        _ => Row::Fault,
    }
}

fn http_row(status: u16) -> Row {
    match status {
        100..=199 => Row::Ignored,
        200..=299 | 304 => Row::Success,
        300..=399 => Row::Redirect,
        401 | 402 | 403 | 407 => Row::Auth,
        404 | 405 | 501 => Row::Absent,
        410 => Row::Gone,
        408 | 421 | 425 | 429 | 503 | 507 | 509 | 529 => Row::Overload,
        400..=499 => Row::Payload,
        _ => Row::Fault,
    }
}

fn grpc_row(code: u8) -> Row {
    match code {
        0 => Row::Success,
        3 | 6 | 9 | 11 | 15 => Row::Payload,
        5 | 12 => Row::Absent,
        7 | 16 => Row::Auth,
        8 => Row::Overload,
        _ => Row::Fault,
    }
}

/// The codes of the telemetry protocol: seven are worth a retry, RESOURCE_EXHAUSTED only where the
/// server says so.
pub(super) fn otlp_row(code: u8) -> Row {
    match code {
        1 | 4 | 10 | 11 | 14 | 15 => Row::Fault,
        2 | 3 | 6 | 8 | 9 | 13 => Row::Payload,
        other => grpc_row(other),
    }
}

fn coap_row(byte: u8) -> Row {
    match (byte >> 5, byte & 0x1f) {
        (2, _) => Row::Success,
        (4, 1 | 3) => Row::Auth,
        (4, 4 | 5) | (5, 1) => Row::Absent,
        (4, 8 | 29) | (5, 3) => Row::Overload,
        (4, _) => Row::Payload,
        _ => Row::Fault,
    }
}

fn network_row(network: Network) -> Row {
    match network {
        Network::Certificate | Network::Misuse | Network::Permission => Row::Auth,
        _ => Row::Network,
    }
}

/// Whether a peer that answered so acted on the request, under P0.
pub(super) fn plain_processed(signal: &Signal<'_>) -> Processed {
    match *signal {
        Signal::Http(503 | 507 | 509 | 529)
        | Signal::Provider { status: 503 | 507 | 509 | 529, .. } => Processed::No,
        _ => default_processed(signal),
    }
}

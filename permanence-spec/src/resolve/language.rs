//! What the language says where a policy says nothing.

use permanence_core::{Class, Network, Reason, Remedy, Retry};

use crate::syntax::Slot;

/// The class that one of the language's own reasons has by itself.
pub(super) fn natural_class(reason: Reason) -> Option<Class> {
    match reason {
        Reason::SUCCESS => Some(Class::Success),
        Reason::IGNORED => Some(Class::Ignored),
        Reason::AMBIGUOUS_WRITE => Some(Class::Ambiguous),
        Reason::AUTH_CONFIG
        | Reason::GONE
        | Reason::INVALID_REQUEST
        | Reason::REDIRECT
        | Reason::RESOURCE_ABSENT
        | Reason::STALE_CONTEXT
        | Reason::UNUSABLE_RESPONSE => Some(Class::Permanent),
        Reason::CONFLICT | Reason::NETWORK | Reason::OVERLOAD | Reason::SERVER_FAULT => {
            Some(Class::Transient)
        }
        _ => None,
    }
}

/// What would help, unless the policy knows better.
pub(super) fn natural_remedy(reason: Reason) -> Remedy {
    match reason {
        Reason::AUTH_CONFIG => Remedy::Reauth,
        Reason::GONE => Remedy::Remove,
        Reason::INVALID_REQUEST | Reason::REDIRECT => Remedy::FixConfig,
        Reason::STALE_CONTEXT => Remedy::Reinit,
        _ => Remedy::Wait,
    }
}

/// Whether to try again at once, unless the policy says otherwise.
pub(super) fn natural_retry(reason: Reason, class: Class) -> Retry {
    match (reason, class) {
        (Reason::STALE_CONTEXT, _) => Retry::Renew,
        // What the state of a resource forbids now the next round of the caller may be allowed.
        (Reason::CONFLICT, _) => Retry::Cadence,
        (_, Class::Transient | Class::Ambiguous) => Retry::Backoff,
        _ => Retry::Never,
    }
}

/// The reason of a code that nobody has listed and whose x00 nobody has listed either.
pub(super) fn unlisted_reason(slot: &Slot) -> Reason {
    match slot {
        Slot::Http(status) | Slot::Provider(status, _) => match status {
            100..=199 => Reason::IGNORED,
            200..=299 => Reason::SUCCESS,
            300..=399 => Reason::REDIRECT,
            400..=499 => Reason::INVALID_REQUEST,
            _ => Reason::SERVER_FAULT,
        },
        Slot::Coap(byte) => match byte >> 5 {
            2 => Reason::SUCCESS,
            4 => Reason::INVALID_REQUEST,
            _ => Reason::SERVER_FAULT,
        },
        Slot::Grpc(0) => Reason::SUCCESS,
        Slot::Grpc(_) => condition(slot),
        Slot::Network(_) => Reason::NETWORK,
        Slot::Unusable => Reason::UNUSABLE_RESPONSE,
    }
}

/// The reason of a code that is listed under a class and under no reason.
pub(super) fn fitting_reason(slot: &Slot, class: Class) -> Reason {
    match (class, slot) {
        (Class::Ambiguous, _) => Reason::AMBIGUOUS_WRITE,
        (Class::Transient, Slot::Network(_)) => Reason::NETWORK,
        _ => condition(slot),
    }
}

/// What a code tells of a failure, whatever its class.
fn condition(slot: &Slot) -> Reason {
    match slot {
        Slot::Http(status) | Slot::Provider(status, _) => http_condition(*status),
        Slot::Coap(byte) => match (byte >> 5, byte & 31) {
            (2, _) => Reason::UNUSABLE_RESPONSE,
            (4, 8) => Reason::NETWORK,
            (5, 5 | 8) => Reason::AUTH_CONFIG,
            (class @ (4 | 5), detail) => http_condition(u16::from(class) * 100 + u16::from(detail)),
            _ => Reason::SERVER_FAULT,
        },
        Slot::Grpc(code) => match code {
            0 => Reason::UNUSABLE_RESPONSE,
            3 | 9 | 11 | 15 => Reason::INVALID_REQUEST,
            5 | 12 => Reason::RESOURCE_ABSENT,
            6 | 10 => Reason::CONFLICT,
            7 | 16 => Reason::AUTH_CONFIG,
            8 => Reason::OVERLOAD,
            _ => Reason::SERVER_FAULT,
        },
        Slot::Network(network) => match network {
            Network::Certificate | Network::Permission => Reason::AUTH_CONFIG,
            Network::Misuse => Reason::INVALID_REQUEST,
            _ => Reason::NETWORK,
        },
        Slot::Unusable => Reason::UNUSABLE_RESPONSE,
    }
}

fn http_condition(status: u16) -> Reason {
    match status {
        100..=299 => Reason::UNUSABLE_RESPONSE,
        300..=399 => Reason::REDIRECT,
        401 | 402 | 403 | 407 => Reason::AUTH_CONFIG,
        404 => Reason::RESOURCE_ABSENT,
        408 | 421 | 425 => Reason::NETWORK,
        409 | 412 | 423 | 424 => Reason::CONFLICT,
        410 => Reason::GONE,
        429 | 503 | 529 => Reason::OVERLOAD,
        400..=499 | 501 | 505 => Reason::INVALID_REQUEST,
        _ => Reason::SERVER_FAULT,
    }
}

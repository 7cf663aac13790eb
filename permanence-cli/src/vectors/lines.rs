//! The lines that were printed, by the names that cases give to their events.

use permanence_core::{EventKind, Level};

/// One line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Line {
    /// When, by the clock of the case.
    pub(super) at: u64,
    pub(super) event: &'static str,
    pub(super) level: Level,
    pub(super) text: String,
    /// The calls skipped in the episode, as the line carries them.
    pub(super) skipped: u32,
}

/// The name of an event in cases.
pub(super) fn event_name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Ambiguous => AMBIGUOUS,
        EventKind::Changed => "cause_changed",
        EventKind::Degraded => "degraded",
        EventKind::Disabled => "disabled",
        EventKind::Gone => "gone",
        EventKind::Recovered => "recovered",
        EventKind::Rejected => "payload_rejected",
        EventKind::Still => "still_disabled",
        _ => "unnamed",
    }
}

/// How loud a level is; `None` for a name that is no level.
pub(super) fn loudness(name: &str) -> Option<u8> {
    match name.to_ascii_lowercase().as_str() {
        "debug" => Some(0),
        "info" => Some(1),
        "warn" => Some(2),
        "error" => Some(3),
        _ => None,
    }
}

/// The event that is about one request and not about the endpoint.
pub(super) const AMBIGUOUS: &str = "ambiguous";

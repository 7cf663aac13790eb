//! Numbers and names as sentences have them.

use permanence_core::{Phase, Processed, Remedy, Request, Span};

/// A span with its units, largest first: `1h30m`.
pub(super) fn span(span: Span) -> String {
    let mut rest = span.as_millis();
    let mut text = String::new();
    for (name, unit) in UNITS {
        if rest >= unit {
            text.push_str(&format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    if text.is_empty() { "0ms".to_owned() } else { text }
}

const UNITS: [(&str, u32); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// What to do, where time alone does not help.
pub(super) const fn remedy(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::DropPayload => "drop this payload and go on with the next",
        Remedy::FixConfig => "mend the configuration",
        Remedy::Reauth => "renew the credential",
        Remedy::Reinit => "start over with a new session or cursor",
        Remedy::Remove => "remove the endpoint from the configuration",
        Remedy::Wait => "wait",
    }
}

pub(super) const fn processed(processed: Processed) -> &'static str {
    match processed {
        Processed::No => "no",
        Processed::Unknown => "unknown",
        Processed::Yes => "yes",
    }
}

pub(super) const fn request(request: Request) -> &'static str {
    match request {
        Request::Idempotent => "idempotent",
        Request::Keyed => "keyed",
        Request::Unkeyed => "unkeyed",
    }
}

pub(super) const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Answered => "answered",
        Phase::NothingSent => "nothing-sent",
        Phase::Sent => "sent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_written_in_full() {
        assert_eq!(span(Span::from_millis(5_400_250)), "1h30m250ms");
        assert_eq!(span(Span::from_secs(3 * 3_600)), "3h");
        assert_eq!(span(Span::ZERO), "0ms");
    }
}

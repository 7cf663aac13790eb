//! The time that the server named, and where it stands.

use std::time::{SystemTime, UNIX_EPOCH};

use permanence_core::retry_after::{self, ServerDelay};
use permanence_core::{DelaySource, Settings, Span, Timestamp};
use serde::Serialize;

use super::given::Header;
use super::{rules, words};

/// A time that the server named, as the policy believes it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(super) struct Delay {
    #[serde(rename = "ms")]
    pub(super) span: Span,
    /// Where it stands, and whether it has been cut down.
    pub(super) from: String,
}

impl Delay {
    /// What stands where a rule says, in a header or in the scalar that was found in the body.
    pub(super) fn of_source(
        source: DelaySource<'_>,
        headers: &[Header],
        scalar: Option<&[u8]>,
        settings: &Settings,
    ) -> Option<Self> {
        let said = retry_after::from_source(source, pairs(headers), scalar, wall_time())?;
        Some(Delay::believed(said, place(source), settings))
    }

    /// What the headers say, if they say something.
    pub(super) fn of_headers(headers: &[Header], settings: &Settings) -> Option<Self> {
        let now = wall_time();
        let said = retry_after::from_headers(pairs(headers), now)?;
        let alone = |name: &str| {
            let own = headers.iter().filter(|header| header.name == name || header.name == "date");
            retry_after::from_headers(own.map(pair), now) == Some(said)
        };
        let name = SOURCES.into_iter().find(|name| alone(name)).unwrap_or("unknown");
        Some(Delay::believed(said, format!("header {name}"), settings))
    }

    /// A delay of which at most `retry_after_max` is believed.
    fn believed(said: ServerDelay, from: String, settings: &Settings) -> Self {
        let (named, most) = (said.as_span(), settings.retry_after_max);
        if named <= most {
            return Delay { span: named, from };
        }
        let from = format!("{from}, cut down to retry_after_max from {}", words::span(named));
        Delay { span: most, from }
    }
}

/// Where a rule looks for the time.
pub(super) fn place(source: DelaySource<'_>) -> String {
    match source {
        DelaySource::Const(_) => "the rule itself".to_owned(),
        DelaySource::Header(name, _) => format!("header {name}"),
        DelaySource::Json(pointer, _) => format!("body {}", rules::pointer(pointer)),
    }
}

pub(super) fn pairs(headers: &[Header]) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(pair)
}

fn pair(header: &Header) -> (&str, &[u8]) {
    (&header.name, header.value.as_bytes())
}

/// The wall clock, from which a date counts where the answer has no date of its own.
fn wall_time() -> Option<Timestamp> {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp::from_unix_seconds(passed.as_secs()))
}

/// The headers that may name a time, the one that goes first first.
const SOURCES: [&str; 4] =
    ["grpc-retry-pushback-ms", "retry-after-ms", "x-ms-retry-after-ms", "retry-after"];

#[cfg(test)]
mod tests {
    use super::*;

    fn delay(headers: &[&str]) -> Option<(u32, String)> {
        let headers: Vec<Header> = headers.iter().map(|text| text.parse().unwrap()).collect();
        let delay = Delay::of_headers(&headers, &Settings::LITERAL)?;
        Some((delay.span.as_millis(), delay.from))
    }

    #[test]
    fn the_header_that_counts_is_named() {
        let told = delay(&["retry-after: 2", "Retry-After-Ms: 1500"]);
        assert_eq!(told, Some((1_500, "header retry-after-ms".to_owned())));
        let told = delay(&["retry-after: 2", "retry-after-ms: soon"]);
        assert_eq!(told, Some((2_000, "header retry-after".to_owned())));
        assert_eq!(delay(&["retry-after: 2junk"]), None);
        assert_eq!(delay(&["retry-after: 2", "retry-after: 3"]), None);
    }

    #[test]
    fn a_time_beyond_belief_is_cut_down_and_says_so() {
        let (millis, from) = delay(&["retry-after: 172800"]).unwrap();
        assert_eq!(millis, 86_400_000);
        assert_eq!(from, "header retry-after, cut down to retry_after_max from 2d");
    }
}

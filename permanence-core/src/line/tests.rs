//! Every line, letter for letter.

extern crate std;

use std::borrow::ToOwned;
use std::string::String;

use super::*;
use crate::{
    Cause, EpisodeId, EventKind, Network, Reason, Rule, Settings, Signal, SignalCode, SignalKind,
    Span,
};

/// A policy with one reason of its own.
struct Named;

impl Policy for Named {
    fn rule(&self, _: &Signal<'_>) -> &Rule {
        &Rule::SUCCESS
    }

    fn settings(&self) -> &Settings {
        &Settings::LITERAL
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        (reason.number() == Reason::FIRST_CUSTOM).then_some("tenant-frozen\nx")
    }
}

const STATUS: Endpoint<'_> =
    Endpoint::new("status").with_target("PUT", "127.0.0.1:8787/api/agents/{id}/status");
const FEED: Endpoint<'_> =
    Endpoint::new("feed").with_target("GET", "https://user:pw@example.com/v1/feed?apikey=SECRET#f");
const PAY: Endpoint<'_> = Endpoint::new("pay").with_target("POST", "example.com/v1/charges");

const HOUR: u64 = 3_600_000;

/// The machine's epoch is 2026-11-30T00:00:00Z.
const CLOCK: Option<WallClock> =
    Some(WallClock { at: Instant::ZERO, time: Timestamp::from_unix_seconds(1_795_996_800) });

fn cause(signal: Signal<'_>, reason: Reason) -> Cause {
    Cause::new(signal.code(), reason)
}

fn event(kind: EventKind, signal: Signal<'_>, reason: Reason) -> Event {
    Event {
        kind,
        at: Instant::ZERO,
        cause: cause(signal, reason),
        previous: None,
        episode: EpisodeId::from_number(0x7f3a),
        lasted_ms: 0,
        next_at: None,
        every: Span::ZERO,
        streak: 1,
        probes: 0,
        skipped: 0,
        reentries: 0,
        observed: false,
    }
}

fn disabled() -> Event {
    Event {
        next_at: Some(Instant::from_millis(3 * HOUR)),
        every: Span::from_secs(3 * 3600),
        ..event(EventKind::Disabled, Signal::Http(404), Reason::RESOURCE_ABSENT)
    }
}

fn text(event: &Event, endpoint: &Endpoint<'_>, clock: Option<WallClock>) -> String {
    let mut line = String::new();
    write_text(event, endpoint, &Named, clock, &mut line).expect("a string takes everything");
    line
}

fn json(event: &Event, endpoint: &Endpoint<'_>, clock: Option<WallClock>) -> String {
    let mut line = String::new();
    write_json(event, endpoint, &Named, clock, &mut line).expect("a string takes everything");
    line
}

#[test]
fn a_ramp_says_where_it_leads() {
    let event = Event { next_at: Some(Instant::from_millis(60_000)), ..disabled() };
    let line = text(&event, &STATUS, None);
    assert!(line.contains("; next probe in 1m (then up to every 3h)"), "{line}");
}

#[test]
fn a_disabled_endpoint_says_what_stopped_it_and_when_it_is_probed() {
    assert_eq!(
        text(&disabled(), &STATUS, CLOCK),
        "WARN  DISABLED status PUT 127.0.0.1:8787/api/agents/{id}/status: 404 resource-absent; \
         calls stopped; next probe 03:00Z (every 3h) ep=7f3a"
    );
}

#[test]
fn without_a_wall_clock_a_line_names_spans() {
    assert_eq!(
        text(&disabled(), &Endpoint::new("status"), None),
        "WARN  DISABLED status: 404 resource-absent; calls stopped; next probe in 3h (every 3h) \
         ep=7f3a"
    );
}

#[test]
fn a_probe_a_day_ahead_has_its_date() {
    let at = |hours| Event { next_at: Some(Instant::from_millis(hours * HOUR)), ..disabled() };
    let line = text(&at(27), &Endpoint::new("status"), CLOCK);
    assert!(line.contains("; next probe 2026-12-01T03:00Z (every 3h)"), "{line}");
    let line = text(&at(24), &Endpoint::new("status"), CLOCK);
    assert!(line.contains("; next probe 2026-12-01T00:00Z (every 3h)"), "{line}");
    let line = text(&at(23), &Endpoint::new("status"), CLOCK);
    assert!(line.contains("; next probe 23:00Z (every 3h)"), "{line}");
}

#[test]
fn a_reopened_episode_says_how_often() {
    let line = text(&Event { reentries: 1, ..disabled() }, &Endpoint::new("status"), None);
    assert!(line.ends_with("(every 3h); reopened 1 time ep=7f3a"), "{line}");
}

#[test]
fn a_changed_cause_names_both() {
    let event = Event {
        at: Instant::from_millis(6 * HOUR),
        next_at: Some(Instant::from_millis(9 * HOUR)),
        previous: Some(cause(Signal::Http(404), Reason::RESOURCE_ABSENT)),
        ..event(EventKind::Changed, Signal::Http(401), Reason::AUTH_CONFIG)
    };
    assert_eq!(
        text(&event, &STATUS, CLOCK),
        "WARN  CHANGED status: 404 resource-absent -> 401 auth-config; still disabled; \
         next probe 09:00Z ep=7f3a"
    );
}

#[test]
fn a_reminder_counts() {
    let event = Event {
        at: Instant::from_millis(48 * HOUR),
        next_at: Some(Instant::from_millis(51 * HOUR)),
        lasted_ms: 48 * HOUR,
        probes: 16,
        skipped: 2_864,
        ..event(EventKind::Still, Signal::Http(404), Reason::RESOURCE_ABSENT)
    };
    assert_eq!(
        text(&event, &STATUS, CLOCK),
        "WARN  STILL status: 404 resource-absent 2d; 16 probes, 2864 skipped; next 03:00Z ep=7f3a"
    );
    assert_eq!(
        text(&Event { probes: 0, ..event }, &STATUS, None),
        "WARN  STILL status: 404 resource-absent 2d; 2864 skipped; next in 3h ep=7f3a"
    );
}

#[test]
fn a_recovery_says_how_long_it_took_and_leaves_out_zeros() {
    let event = Event {
        lasted_ms: 72 * HOUR + 60_000,
        probes: 24,
        skipped: 4_296,
        ..event(EventKind::Recovered, Signal::Http(204), Reason::SUCCESS)
    };
    assert_eq!(
        text(&event, &STATUS, CLOCK),
        "INFO  RECOVERED status: 204 after 3d0h1m; 24 probes, 4296 calls skipped ep=7f3a"
    );
    let event = Event { probes: 1, skipped: 1, reentries: 3, ..event };
    assert_eq!(
        text(&event, &STATUS, CLOCK),
        "INFO  RECOVERED status: 204 after 3d0h1m; 1 probe, 1 call skipped; reopened 3 times \
         ep=7f3a"
    );
    let event = Event { probes: 0, skipped: 0, reentries: 0, lasted_ms: 90_000, ..event };
    assert_eq!(text(&event, &STATUS, None), "INFO  RECOVERED status: 204 after 1m30s ep=7f3a");
}

#[test]
fn what_is_gone_is_to_be_removed() {
    let gone = event(EventKind::Gone, Signal::Http(410), Reason::GONE);
    assert_eq!(
        text(&gone, &FEED, CLOCK),
        "ERROR GONE feed GET example.com/v1/feed: 410; never re-probed; remove it from config, or: \
         permanence recheck feed ep=7f3a"
    );
    let other = event(EventKind::Gone, Signal::Http(404), Reason::RESOURCE_ABSENT);
    let line = text(&other, &FEED, CLOCK);
    assert!(line.contains("feed: 404 resource-absent; never re-probed"), "{line}");
}

#[test]
fn an_ambiguous_write_says_whether_there_was_an_answer() {
    let silent = event(EventKind::Ambiguous, Signal::Network(Network::Timeout), Reason::NETWORK);
    assert_eq!(
        text(&silent, &PAY, CLOCK),
        "ERROR AMBIGUOUS pay POST example.com/v1/charges: timeout after send, no idempotency key; \
         not retried; verify by hand op=7f3a"
    );
    let answered = event(EventKind::Ambiguous, Signal::Http(502), Reason::SERVER_FAULT);
    assert_eq!(
        text(&answered, &PAY, CLOCK),
        "ERROR AMBIGUOUS pay POST example.com/v1/charges: 502 server-fault, fate unknown, \
         no idempotency key; not retried; verify by hand op=7f3a"
    );
}

#[test]
fn a_degraded_endpoint_is_retried_at_cadence_or_deferred() {
    let event =
        Event { streak: 3, ..event(EventKind::Degraded, Signal::Http(503), Reason::OVERLOAD) };
    assert_eq!(
        text(&event, &FEED, CLOCK),
        "WARN  DEGRADED feed: 503 overload x3; retrying at cadence ep=7f3a"
    );
    let line = text(&Event { streak: 2, ..event }, &FEED, CLOCK);
    assert!(line.contains(": 503 overload x2; "), "{line}");
    let event = Event { streak: 1, next_at: Some(Instant::from_millis(3 * HOUR)), ..event };
    assert_eq!(
        text(&event, &FEED, CLOCK),
        "WARN  DEGRADED feed: 503 overload; deferred until 03:00Z ep=7f3a"
    );
    assert_eq!(
        text(&event, &FEED, None),
        "WARN  DEGRADED feed: 503 overload; deferred for 3h ep=7f3a"
    );
}

#[test]
fn a_rejected_payload_does_not_stop_the_calls() {
    let event = event(EventKind::Rejected, Signal::Http(422), Reason::INVALID_REQUEST);
    assert_eq!(
        text(&event, &PAY, CLOCK),
        "WARN  REJECTED pay POST example.com/v1/charges: 422 invalid-request; payload dropped; \
         calling goes on ep=7f3a"
    );
}

#[test]
fn an_observed_line_says_so() {
    let line = text(&Event { observed: true, ..disabled() }, &STATUS, CLOCK);
    assert!(line.starts_with("WARN  DISABLED (observed) status PUT 127.0.0.1:8787/"), "{line}");
}

#[test]
fn every_kind_of_signal_has_its_own_name() {
    for (signal, name) in [
        (Signal::Grpc(12), "UNIMPLEMENTED"),
        (Signal::Grpc(99), "99"),
        (Signal::Coap(0x84), "4.04"),
        (Signal::Coap(0xa3), "5.03"),
        (Signal::Network(Network::Refused), "connection_refused"),
        (Signal::Unusable { status: 200 }, "200 unusable"),
        (Signal::Provider { status: 429, code: "x" }, "429"),
        (Signal::Cancelled, "cancelled"),
    ] {
        let event = event(EventKind::Rejected, signal, Reason::NETWORK);
        let line = text(&event, &Endpoint::new("x"), None);
        let expected = std::format!(
            "WARN  REJECTED x: {name} network; payload dropped; calling goes on ep=7f3a"
        );
        assert_eq!(line, expected);
    }
}

#[test]
fn no_line_holds_a_query_or_a_password() {
    for kind in [EventKind::Disabled, EventKind::Gone, EventKind::Ambiguous, EventKind::Rejected] {
        let event = event(kind, Signal::Http(404), Reason::RESOURCE_ABSENT);
        for line in [text(&event, &FEED, CLOCK), json(&event, &FEED, CLOCK)] {
            assert!(line.contains("404"), "{line}");
            for secret in ["SECRET", "pw", "apikey", "user"] {
                assert!(!line.contains(secret), "{line}");
            }
        }
    }
}

#[test]
fn nothing_from_outside_breaks_a_line() {
    let endpoint = Endpoint::new("a\nb\\c\"d\u{202e}e\u{7f}").with_target("G\rT", "h\u{2028}/x");
    let event = event(EventKind::Disabled, Signal::Http(404), Reason::from_number(16));
    assert_eq!(
        text(&event, &endpoint, None),
        "WARN  DISABLED a\\u000ab\\\\c\"d\\u202ee\\u007f G\\u000dT h\\u2028/x: \
         404 tenant-frozen\\u000ax; calls stopped ep=7f3a"
    );
    assert_eq!(
        json(&event, &endpoint, None),
        "{\"v\":1,\"level\":\"WARN\",\"event\":\"disabled\",\
         \"endpoint\":\"a\\u000ab\\\\c\\\"d\\u202ee\\u007f\",\"method\":\"G\\u000dT\",\
         \"target\":\"h\\u2028/x\",\"cause\":{\"kind\":\"http\",\"code\":404,\
         \"reason\":\"tenant-frozen\\u000ax\"},\"episode\":\"7f3a\",\"at_ms\":0,\"streak\":1}"
    );
}

#[test]
fn each_character_that_breaks_or_turns_a_line_is_escaped_and_its_neighbours_are_not() {
    for (first, last) in [
        ('\u{0}', '\u{1f}'),
        ('\u{7f}', '\u{9f}'),
        ('\u{200e}', '\u{200f}'),
        ('\u{2028}', '\u{202e}'),
        ('\u{2066}', '\u{2069}'),
    ] {
        let escaped = |character: char| {
            let id = String::from(character);
            text(&disabled(), &Endpoint::new(&id), None).contains("\\u")
        };
        assert!((first..=last).all(escaped), "{first:?}");
        let before = char::from_u32(u32::from(first).wrapping_sub(1));
        let after = char::from_u32(u32::from(last) + 1);
        assert!(!before.into_iter().chain(after).any(escaped), "{first:?}");
    }
}

#[test]
fn a_json_line_has_every_key_that_applies() {
    let event = Event {
        at: Instant::from_millis(u64::from(u32::MAX) + 1),
        previous: Some(cause(Signal::Grpc(14), Reason::SERVER_FAULT)),
        lasted_ms: 72 * HOUR,
        next_at: Some(Instant::from_millis(u64::from(u32::MAX) + 1 + 3 * HOUR)),
        every: Span::from_secs(3 * 3600),
        streak: 2,
        probes: 24,
        skipped: 4_296,
        reentries: 5,
        observed: true,
        ..event(EventKind::Changed, Signal::Network(Network::Timeout), Reason::NETWORK)
    };
    assert_eq!(
        json(&event, &STATUS, CLOCK),
        r#"{"v":1,"level":"WARN","event":"changed","endpoint":"status","method":"PUT","#.to_owned()
            + r#""target":"127.0.0.1:8787/api/agents/{id}/status","#
            + r#""cause":{"kind":"network","code":"timeout","reason":"network"},"#
            + r#""previous":{"kind":"grpc","code":"UNAVAILABLE","reason":"server-fault"},"#
            + r#""episode":"7f3a","at_ms":4294967296,"lasted_ms":259200000,"next_in_ms":10800000,"#
            + r#""next_at":"2027-01-18T20:02:47Z","every_ms":10800000,"streak":2,"probes":24,"#
            + r#""skipped":4296,"reopened":5,"observed":true}"#
    );
}

#[test]
fn a_json_code_is_a_number_for_a_status_and_else_a_name() {
    for (signal, code) in [
        (Signal::Unusable { status: 200 }, r#""kind":"unusable","code":200,"#),
        (Signal::Coap(0x84), r#""kind":"coap","code":"4.04","#),
        (Signal::Cancelled, r#""kind":"cancelled","reason""#),
    ] {
        let event = event(EventKind::Rejected, signal, Reason::NETWORK);
        let line = json(&event, &Endpoint::new("x"), None);
        assert!(line.contains(code), "{line}");
    }
}

#[test]
fn a_cause_of_an_unknown_reason_still_has_a_line() {
    let code = SignalCode::new(SignalKind::Network, 999);
    let event = Event { cause: Cause::new(code, Reason::from_number(200)), ..disabled() };
    let line = text(&event, &Endpoint::new("x"), None);
    assert!(line.starts_with("WARN  DISABLED x: other unknown; calls stopped"), "{line}");
}

#[test]
fn a_wall_clock_counts_both_ways_and_rounds_down() {
    let clock =
        WallClock { at: Instant::from_millis(10_000), time: Timestamp::from_unix_seconds(100) };
    let time = |millis| clock.time_of(Instant::from_millis(millis)).as_unix_seconds();
    assert_eq!([time(10_000), time(11_999), time(12_000)], [100, 101, 102]);
    assert_eq!([time(9_999), time(9_000), time(8_999)], [99, 99, 98]);
    let unix = WallClock { at: Instant::ZERO, time: Timestamp::EPOCH };
    assert_eq!(
        unix.time_of(Instant::from_millis(1_795_982_400_999)).as_unix_seconds(),
        1_795_982_400
    );
}

#[test]
fn a_sink_that_is_full_is_reported() {
    struct Full(usize);
    impl fmt::Write for Full {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    let length = text(&disabled(), &STATUS, CLOCK).len();
    assert!(write_text(&disabled(), &STATUS, &Named, CLOCK, &mut Full(length)).is_ok());
    for room in 0..length {
        assert!(write_text(&disabled(), &STATUS, &Named, CLOCK, &mut Full(room)).is_err());
    }
}

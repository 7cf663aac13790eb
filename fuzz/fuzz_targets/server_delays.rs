//! Any header value: no form of a server's time breaks, and what others read too is read alike.
#![no_main]

use std::time::UNIX_EPOCH;

use libfuzzer_sys::fuzz_target;
use permanence_core::retry_after::{
    Reference, ServerDelay, directive_from_headers, from_headers, from_source, grpc_pushback,
    http_date, in_unit, retry_info, retry_info_in_status,
};
use permanence_core::{DelaySource, DelayUnit, Timestamp};

fuzz_target!(|input: (u32, &[u8])| {
    let (now, value) = (Timestamp::from_unix_seconds(u64::from(input.0)), input.1);
    let reference = Reference { response_date: None, now: Some(now) };

    for unit in UNITS {
        let delay = in_unit(value, unit, reference);
        let source = DelaySource::Header("x-reset", unit);
        assert_eq!(from_source(source, [("X-Reset", value)], None, Some(now)), delay);
        let source = DelaySource::Json(&[], unit);
        assert_eq!(from_source(source, [], Some(value), Some(now)), delay);
        if value.iter().all(u8::is_ascii_digit) && !value.is_empty() {
            assert_eq!(delay, whole(value, unit, now), "{unit:?}");
        }
    }
    let _ = (grpc_pushback(value), retry_info(value), retry_info_in_status(value));

    let lines = value.split(|byte| *byte == b'\n').filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        Some((str::from_utf8(&line[..colon]).ok()?, &line[colon + 1..]))
    });
    let _ = directive_from_headers(lines.clone());
    let _ = from_headers(lines, Some(now));

    if let (Some(ours), Some(theirs)) = (http_date(value, None), their_date(value)) {
        assert_eq!(ours, theirs);
    }
});

/// What a number that is nothing but digits means.
fn whole(digits: &[u8], unit: DelayUnit, now: Timestamp) -> Option<ServerDelay> {
    let number = digits.iter().fold(0_u128, |number, digit| {
        (number * 10 + u128::from(digit - b'0')).min(u128::from(u64::MAX))
    });
    let number = u64::try_from(number).ok()?;
    match unit {
        DelayUnit::Epoch => {
            let target = Timestamp::from_unix_seconds(number);
            Some(ServerDelay::from_seconds(target.seconds_since(now)))
        }
        DelayUnit::Millis => Some(ServerDelay::from_millis(number)),
        DelayUnit::RetryAfter | DelayUnit::Seconds => Some(ServerDelay::from_seconds(number)),
        DelayUnit::Duration => None,
    }
}

fn their_date(value: &[u8]) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(str::from_utf8(value).ok()?).ok()?;
    Some(Timestamp::from_unix_seconds(time.duration_since(UNIX_EPOCH).ok()?.as_secs()))
}

const UNITS: [DelayUnit; 5] = [
    DelayUnit::Duration,
    DelayUnit::Epoch,
    DelayUnit::Millis,
    DelayUnit::RetryAfter,
    DelayUnit::Seconds,
];

//! What servers have been seen to send, and whatever else can be sent.

extern crate std;

use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::Directive;

/// 2026-11-29T20:00:00Z.
const NOW: Option<Timestamp> = Some(Timestamp::from_unix_seconds(1_795_982_400));
const AT_NOW: Reference = Reference { response_date: None, now: NOW };

fn seconds(value: &str, reference: Reference) -> Option<u64> {
    let millis = seconds_or_date(value.as_bytes(), reference)?.as_millis();
    assert_eq!(millis % 1_000, 0);
    Some(millis / 1_000)
}

fn date(value: &str, now: Option<Timestamp>) -> Option<u64> {
    http_date(value.as_bytes(), now).map(Timestamp::as_unix_seconds)
}

#[test]
fn only_a_whole_number_is_a_number_of_seconds() {
    assert_eq!(seconds("120", AT_NOW), Some(120));
    assert_eq!(seconds("0", AT_NOW), Some(0));
    assert_eq!(seconds("007", AT_NOW), Some(7));
    for value in ["-3", "+3", "1.5", "1.", "120junk", "", "   ", "1e3", "0x10", "10, 20", "1 2"] {
        assert_eq!(seconds(value, AT_NOW), None, "{value:?}");
    }
}

#[test]
fn digits_are_seconds_even_where_they_look_like_a_date_or_an_epoch() {
    assert_eq!(seconds("20221013", AT_NOW), Some(20_221_013));
    assert_eq!(seconds("20261130", AT_NOW), Some(20_261_130));
    assert_eq!(seconds("1771404540", AT_NOW), Some(1_771_404_540));
}

#[test]
fn blanks_around_a_number_are_no_part_of_it() {
    assert_eq!(seconds(" 5 ", AT_NOW), Some(5));
    assert_eq!(seconds("\t5", AT_NOW), Some(5));
    assert_eq!(seconds("\n5", AT_NOW), None);
}

#[test]
fn a_number_too_large_saturates() {
    let delay = seconds_or_date(b"99999999999999999999", AT_NOW);
    assert_eq!(delay, Some(ServerDelay::MAX));
    assert_eq!(delay.map(ServerDelay::as_span), Some(Span::MAX));
    assert_eq!(seconds_or_date(b"9999999999999999999x", AT_NOW), None);
}

#[test]
fn an_epoch_in_the_past_is_no_delay() {
    let now = Some(Timestamp::from_unix_seconds(1_771_404_540));
    let reference = Reference { response_date: None, now };
    assert_eq!(epoch_seconds(b"1771404600", reference), Some(ServerDelay::from_seconds(60)));
    assert_eq!(epoch_seconds(b"1771404539", reference), Some(ServerDelay::ZERO));
    assert_eq!(epoch_seconds(b"1771404600", Reference::NONE), None);
}

#[test]
fn a_date_counts_from_the_response_then_from_the_wall_clock_then_not_at_all() {
    let later = "Sun, 29 Nov 2026 20:02:00 GMT";
    assert_eq!(seconds(later, AT_NOW), Some(120));
    assert_eq!(seconds("Sun, 29 Nov 2026 19:59:00 GMT", AT_NOW), Some(0));
    let response_date = http_date(b"Sun, 29 Nov 2026 20:01:30 GMT", None);
    assert_eq!(seconds(later, Reference { response_date, now: None }), Some(30));
    assert_eq!(seconds(later, Reference { response_date, now: NOW }), Some(30));
    assert_eq!(seconds(later, Reference::NONE), None);
    assert_eq!(seconds("Sun, 29 Nov 2026 20:02:00 +0200", AT_NOW), None);
}

#[test]
fn the_three_date_forms_are_one_date() {
    for value in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        " Sun, 06 Nov 1994 08:49:37 GMT\t",
        "Mon, 06 Nov 1994 08:49:37 GMT",
    ] {
        assert_eq!(date(value, NOW), Some(784_111_777), "{value:?}");
    }
    assert_eq!(date("Wed Nov 16 08:49:37 1994", None), Some(784_111_777 + 10 * 86_400));
}

#[test]
fn what_only_resembles_a_date_is_none() {
    for value in [
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 GMT;",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "1994-11-06T08:49:37Z",
    ] {
        assert_eq!(date(value, NOW), None, "{value:?}");
    }
}

#[test]
fn a_two_digit_year_is_at_most_fifty_years_ahead() {
    let year = |value: &str, now| http_date(value.as_bytes(), now).map(|time| time.civil().year);
    assert_eq!(year("Sunday, 29-Nov-76 20:00:00 GMT", NOW), Some(2076));
    assert_eq!(year("Sunday, 29-Nov-76 20:00:01 GMT", NOW), Some(1976));
    assert_eq!(year("Sunday, 29-Nov-26 20:02:00 GMT", NOW), Some(2026));
    assert_eq!(year("Sunday, 06-Nov-94 08:49:37 GMT", NOW), Some(1994));
    let late = http_date(b"Sun, 06 Nov 2096 08:49:37 GMT", None);
    assert_eq!(year("Sunday, 06-Nov-01 08:49:37 GMT", late), Some(2101));
    assert_eq!(year("Sunday, 06-Nov-69 08:49:37 GMT", None), Some(2069));
    assert_eq!(year("Sunday, 06-Nov-70 08:49:37 GMT", None), Some(1970));
}

#[test]
fn a_date_before_1970_is_past_and_a_leap_second_is_a_second() {
    assert_eq!(date("Thu, 01 Jan 1970 00:00:00 GMT", None), Some(0));
    assert_eq!(date("Fri, 02 Jan 1970 00:00:00 GMT", None), Some(86_400));
    assert_eq!(date("Mon, 01 Jan 1900 00:00:00 GMT", None), Some(0));
    assert_eq!(seconds("Mon, 01 Jan 0001 00:00:00 GMT", AT_NOW), Some(0));
    assert_eq!(date("Mon, 30 Feb 1900 00:00:00 GMT", None), None);
    assert_eq!(date("Sat, 31 Dec 2016 23:59:60 GMT", None), Some(1_483_228_800));
}

#[test]
fn milliseconds_are_whole_too() {
    assert_eq!(millis(b"1500"), Some(ServerDelay::from_millis(1_500)));
    assert_eq!(millis(b"1500.0"), None);
    assert_eq!(millis(b"-1"), None);
    assert_eq!(delta_seconds(b"12"), Some(ServerDelay::from_seconds(12)));
    assert_eq!(delta_seconds(b"12s"), None);
}

#[test]
fn a_pushback_that_is_no_number_asks_not_to_retry() {
    assert_eq!(grpc_pushback(b"0"), Pushback::After(ServerDelay::ZERO));
    let longest = ServerDelay::from_millis(2_147_483_647);
    assert_eq!(grpc_pushback(b"2147483647"), Pushback::After(longest));
    for value in ["-1", "-2147483648", "2147483648", "", "1.5", "007", "+3", "junk"] {
        assert_eq!(grpc_pushback(value.as_bytes()), Pushback::DoNotRetry, "{value:?}");
    }
}

#[test]
fn a_json_duration_rounds_up_to_the_millisecond() {
    let duration = |value: &str| protobuf_duration(value.as_bytes()).map(ServerDelay::as_millis);
    assert_eq!(duration("30s"), Some(30_000));
    assert_eq!(duration("3.5s"), Some(3_500));
    assert_eq!(duration("0.000000001s"), Some(1));
    assert_eq!(duration("1.999999999s"), Some(2_000));
    assert_eq!(duration("99999999999999999999s"), Some(u64::MAX));
    for value in ["", "s", ".5s", "1.s", "1.0000000001s", "-1s", "1.-5s", "1.5.5s", "1m", "1 s"] {
        assert_eq!(duration(value), None, "{value:?}");
    }
}

#[test]
fn a_binary_retry_info_is_read_field_by_field() {
    let read = |message: &[u8]| retry_info(message).map(ServerDelay::as_millis);
    assert_eq!(read(&[0x0a, 2, 0x08, 30]), Some(30_000));
    assert_eq!(read(&[0x0a, 0]), Some(0));
    // Unknown fields of all four kinds that exist, before and inside.
    let stranger = [0x10, 1, 0x1a, 1, 7, 0x25, 1, 2, 3, 4, 0x29, 1, 2, 3, 4, 5, 6, 7, 8];
    let message = [&stranger[..], &[0x0a, 4, 0x08, 2, 0x18, 9]].concat();
    assert_eq!(read(&message), Some(2_000));
    // Two parts are merged.
    assert_eq!(read(&[0x0a, 2, 0x08, 30, 0x0a, 5, 0x10, 0x80, 0x89, 0x7a, 0x08]), None);
    assert_eq!(read(&[0x0a, 2, 0x08, 30, 0x0a, 4, 0x10, 0xc0, 0x84, 0x3d]), Some(30_001));
}

#[test]
fn a_binary_retry_info_that_is_malformed_or_negative_is_none() {
    for message in [
        &[][..],
        &[0x10, 1],
        &[0x0a],
        &[0x0a, 3, 0x08, 30],
        &[0x0a, 1, 0x08],
        &[0x0b, 0x0c],
        &[0x02, 0],
        &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        &[0x0a, 11, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        &[0x0a, 11, 0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        &[0x0a, 11, 0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        &[0x0a, 6, 0x10, 0x80, 0x94, 0xeb, 0xdc, 0x03],
        &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    ] {
        assert_eq!(retry_info(message), None, "{message:x?}");
    }
}

#[test]
fn a_retry_info_is_found_among_the_details_of_a_status() {
    let name = b"type.googleapis.com/google.rpc.RetryInfo";
    let length = u8::try_from(name.len()).unwrap();
    let info = [0x0a, 2, 0x08, 30];
    let any = [&[0x0a, length][..], name, &[0x12, 4], &info].concat();
    let any_length = u8::try_from(any.len()).unwrap();
    let other = [0x1a, 3, 0x0a, 1, b'x'];
    let status = [&[0x08, 8, 0x12, 2, b'n', b'o'][..], &other, &[0x1a, any_length], &any].concat();
    assert_eq!(retry_info_in_status(&status), Some(ServerDelay::from_seconds(30)));
    assert_eq!(retry_info_in_status(&status[..12]), None);
    assert_eq!(retry_info_in_status(&info), None);
}

fn delay_of(headers: &[(&'static str, &'static str)]) -> Option<u64> {
    let headers = headers.iter().map(|(name, value)| (*name, value.as_bytes()));
    from_headers(headers, NOW).map(ServerDelay::as_millis)
}

fn directive_of(headers: &[(&'static str, &'static str)]) -> Option<Directive> {
    directive_from_headers(headers.iter().map(|(name, value)| (*name, value.as_bytes())))
}

#[test]
fn milliseconds_go_before_seconds_and_a_malformed_header_before_none() {
    let all = [("Retry-After", "9"), ("X-MS-Retry-After-Ms", "70"), ("retry-after-ms", "60")];
    assert_eq!(delay_of(&all), Some(60));
    assert_eq!(delay_of(&all[..2]), Some(70));
    assert_eq!(delay_of(&all[..1]), Some(9_000));
    assert_eq!(delay_of(&[("retry-after-ms", "soon"), ("retry-after", "9")]), Some(9_000));
    assert_eq!(delay_of(&[("grpc-retry-pushback-ms", "5"), ("retry-after", "9")]), Some(5));
    assert_eq!(delay_of(&[("x-ratelimit-reset", "9"), ("age", "9")]), None);
}

#[test]
fn a_repeated_header_is_a_list_and_so_malformed() {
    assert_eq!(delay_of(&[("retry-after", "9"), ("Retry-After", "9")]), None);
    let twice = [("grpc-retry-pushback-ms", "5"), ("grpc-retry-pushback-ms", "5")];
    assert_eq!(delay_of(&twice), None);
    assert_eq!(directive_of(&twice), Some(Directive::DoNotRetry));
}

#[test]
fn the_date_of_the_response_is_found_behind_the_header_that_needs_it() {
    let headers = [
        ("retry-after", "Sun, 29 Nov 2026 20:02:00 GMT"),
        ("Date", "Sun, 29 Nov 2026 20:01:30 GMT"),
    ];
    assert_eq!(delay_of(&headers), Some(30_000));
    assert_eq!(delay_of(&headers[..1]), Some(120_000));
}

#[test]
fn a_server_that_says_no_is_believed_before_one_that_says_yes() {
    assert_eq!(directive_of(&[("x-should-retry", "TRUE")]), Some(Directive::Retry));
    assert_eq!(directive_of(&[("Stripe-Should-Retry", "false")]), Some(Directive::DoNotRetry));
    let both = [("x-should-retry", "true"), ("stripe-should-retry", "false")];
    assert_eq!(directive_of(&both), Some(Directive::DoNotRetry));
    assert_eq!(directive_of(&[("grpc-retry-pushback-ms", "-1")]), Some(Directive::DoNotRetry));
    assert_eq!(directive_of(&[("grpc-retry-pushback-ms", "7")]), None);
    assert_eq!(directive_of(&[("x-should-retry", "1"), ("retry-after", "1")]), None);
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
    bytes
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = seconds_or_date(&bytes, AT_NOW);
        let _ = http_date(&bytes, None);
        let _ = epoch_seconds(&bytes, AT_NOW);
        let _ = (grpc_pushback(&bytes), protobuf_duration(&bytes), millis(&bytes));
        let _ = (retry_info(&bytes), retry_info_in_status(&bytes));
        let _ = from_headers([("retry-after", &bytes[..]), ("date", &bytes[..])], NOW);
        let _ = directive_from_headers([("x-should-retry", &bytes[..])]);
    }

    #[test]
    fn every_second_of_the_calendar_is_read_in_each_form(second in 0..253_402_300_799_u64) {
        let time = Timestamp::from_unix_seconds(second);
        let c = time.civil();
        let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov",
            "Dec"][usize::from(c.month) - 1];
        let clock = std::format!("{:02}:{:02}:{:02}", c.hour, c.minute, c.second);
        let fixdate = std::format!("Tue, {:02} {month} {:04} {clock} GMT", c.day, c.year);
        prop_assert_eq!(http_date(fixdate.as_bytes(), None), Some(time));
        let asctime = std::format!("Tue {month} {:2} {clock} {:04}", c.day, c.year);
        prop_assert_eq!(http_date(asctime.as_bytes(), None), Some(time));
        let rfc850 = std::format!("Tuesday, {:02}-{month}-{:02} {clock} GMT", c.day, c.year % 100);
        prop_assert_eq!(http_date(rfc850.as_bytes(), Some(time)), Some(time));
    }

    #[test]
    fn a_binary_retry_info_goes_there_and_back(seconds in 0..1_u64 << 62, nanos in 0..1_000_000_000_u32) {
        let mut duration = varint(0x08);
        duration.extend(varint(seconds));
        duration.push(0x10);
        duration.extend(varint(u64::from(nanos)));
        let length = u8::try_from(duration.len()).unwrap();
        let message = [&[0x0a, length][..], &duration].concat();
        let millis = seconds.saturating_mul(1_000).saturating_add(u64::from(nanos.div_ceil(1_000_000)));
        prop_assert_eq!(retry_info(&message), Some(ServerDelay::from_millis(millis)));
    }
}

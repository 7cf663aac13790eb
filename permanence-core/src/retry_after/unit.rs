//! Times that stand where a policy says, in the unit that it names.

use super::seconds::{digit, trimmed, whole_number};
use super::{
    Reference, ServerDelay, epoch_seconds, http_date, millis, protobuf_duration, seconds_or_date,
};
use crate::{DelaySource, DelayUnit, Timestamp};

/// A time in one of the units that a policy may name.
///
/// # Examples
///
/// ```
/// use permanence_core::DelayUnit;
/// use permanence_core::retry_after::{Reference, ServerDelay, in_unit};
///
/// let wait = in_unit(b"34.074824224s", DelayUnit::Duration, Reference::NONE);
/// assert_eq!(wait, Some(ServerDelay::from_millis(34_075)));
/// ```
#[must_use]
pub fn in_unit(value: &[u8], unit: DelayUnit, reference: Reference) -> Option<ServerDelay> {
    match unit {
        DelayUnit::Duration => protobuf_duration(trimmed(value)),
        DelayUnit::Epoch => epoch_seconds(value, reference),
        DelayUnit::Millis => millis(value),
        DelayUnit::RetryAfter => seconds_or_date(value, reference),
        DelayUnit::Seconds => decimal_seconds(value),
    }
}

/// Seconds, perhaps with a fraction of any length: `2`, `0.65`.
///
/// Parts of a millisecond count as a whole one, so that nobody comes too early. A sign or an exponent
/// makes it no wish.
#[must_use]
pub fn decimal_seconds(value: &[u8]) -> Option<ServerDelay> {
    let value = trimmed(value);
    let whole = value.iter().take_while(|byte| **byte != b'.').count();
    let (whole, rest) = value.split_at_checked(whole)?;
    let Some((_, decimals)) = rest.split_first() else {
        return whole_number(whole).map(ServerDelay::from_seconds);
    };
    let (mut millis, mut unit, mut more) = (0_u32, 100_u32, false);
    for byte in decimals {
        let digit = u32::from(digit(*byte)?);
        millis = millis.saturating_add(digit.saturating_mul(unit));
        more |= unit == 0 && digit > 0;
        unit /= 10;
    }
    let seconds = whole_number(whole).filter(|_| !decimals.is_empty())?;
    let part = u64::from(millis).saturating_add(u64::from(more));
    Some(ServerDelay::from_millis(seconds.saturating_mul(1_000).saturating_add(part)))
}

/// The time that a server named where `source` says: of these headers, or of the scalar that a
/// [`Scanner`](crate::scan::Scanner) has found there.
///
/// Dates count from the answer's `date`, else from `now`. A header that is given twice is malformed,
/// and what is malformed is no wish.
///
/// # Examples
///
/// ```
/// use permanence_core::retry_after::{ServerDelay, from_source};
/// use permanence_core::{DelaySource, DelayUnit, Timestamp};
///
/// let source = DelaySource::Header("x-ratelimit-reset", DelayUnit::Epoch);
/// let headers: [(&str, &[u8]); 1] = [("X-RateLimit-Reset", b"1795982460")];
/// let now = Some(Timestamp::from_unix_seconds(1_795_982_400));
/// let wait = from_source(source, headers, None, now);
/// assert_eq!(wait, Some(ServerDelay::from_seconds(60)));
/// ```
pub fn from_source<'h, I>(
    source: DelaySource<'_>,
    headers: I,
    scalar: Option<&[u8]>,
    now: Option<Timestamp>,
) -> Option<ServerDelay>
where
    I: IntoIterator<Item = (&'h str, &'h [u8])>,
{
    let wanted = match source {
        DelaySource::Const(span) => {
            return Some(ServerDelay::from_millis(u64::from(span.as_millis())));
        }
        DelaySource::Header(name, _) => Some(name),
        DelaySource::Json(..) => None,
    };
    let (mut date, mut named, mut times) = (None, None, 0_u8);
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("date") {
            date = Some(value);
        }
        if wanted.is_some_and(|wanted| name.eq_ignore_ascii_case(wanted)) {
            named = Some(value);
            times = times.saturating_add(1);
        }
    }
    let response_date = date.and_then(|value| http_date(value, now));
    let reference = Reference { response_date, now };
    match source {
        DelaySource::Header(_, unit) if times == 1 => in_unit(named?, unit, reference),
        DelaySource::Json(_, unit) => in_unit(scalar?, unit, reference),
        DelaySource::Const(_) | DelaySource::Header(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn millis_of(delay: Option<ServerDelay>) -> Option<u64> {
        delay.map(ServerDelay::as_millis)
    }

    #[test]
    fn seconds_may_have_any_number_of_decimals() {
        for (value, expected) in [
            (&b"2"[..], Some(2_000)),
            (b" 0.65 ", Some(650)),
            (b"0.0001", Some(1)),
            (b"1.9999999999999", Some(2_000)),
            (b"0.00000000000000000000001", Some(1)),
            (b"0.000", Some(0)),
            (b"99999999999999999999.5", Some(u64::MAX)),
            (b"1.", None),
            (b".5", None),
            (b"", None),
            (b"-1", None),
            (b"1e3", None),
            (b"1.5.5", None),
        ] {
            assert_eq!(millis_of(decimal_seconds(value)), expected, "{value:?}");
        }
    }

    #[test]
    fn each_unit_reads_its_own_form_only() {
        let now = Reference { response_date: None, now: Some(Timestamp::from_unix_seconds(1_000)) };
        for (unit, good, millis, bad) in [
            (DelayUnit::Duration, &b"3.5s"[..], 3_500, &b"3.5"[..]),
            (DelayUnit::Epoch, b"1060", 60_000, b"60s"),
            (DelayUnit::Millis, b"1500", 1_500, b"1.5"),
            (DelayUnit::RetryAfter, b"120", 120_000, b"1.5"),
            (DelayUnit::RetryAfter, b"Thu, 01 Jan 1970 00:17:00 GMT", 20_000, b"1970-01-01"),
            (DelayUnit::Seconds, b"1.5", 1_500, b"1.5s"),
        ] {
            assert_eq!(millis_of(in_unit(good, unit, now)), Some(millis), "{unit:?}");
            assert_eq!(in_unit(bad, unit, now), None, "{unit:?}");
        }
    }

    #[test]
    fn a_source_is_read_where_it_stands_and_nowhere_else() {
        let headers: [(&str, &[u8]); 4] =
            [("Retry-After", b"7"), ("X-Reset", b"9"), ("x-twice", b"1"), ("X-Twice", b"1")];
        let from = |source, scalar| millis_of(from_source(source, headers, scalar, None));
        assert_eq!(from(DelaySource::Const(Span::from_secs(60)), None), Some(60_000));
        assert_eq!(from(DelaySource::Header("x-reset", DelayUnit::Seconds), None), Some(9_000));
        assert_eq!(from(DelaySource::Header("x-twice", DelayUnit::Seconds), None), None);
        assert_eq!(from(DelaySource::Header("x-absent", DelayUnit::Seconds), Some(b"1")), None);
        assert_eq!(from(DelaySource::Json(&[], DelayUnit::Seconds), Some(b"0.5")), Some(500));
        assert_eq!(from(DelaySource::Json(&[], DelayUnit::Seconds), None), None);
    }

    #[test]
    fn a_time_of_the_day_counts_from_the_date_of_the_answer() {
        let headers: [(&str, &[u8]); 2] =
            [("date", b"Thu, 01 Jan 1970 00:16:40 GMT"), ("x-reset", b"1030")];
        let source = DelaySource::Header("x-reset", DelayUnit::Epoch);
        let wrong = Some(Timestamp::from_unix_seconds(5_000));
        assert_eq!(millis_of(from_source(source, headers, None, wrong)), Some(30_000));
    }
}

//! The forms that are numbers, and `Retry-After` itself.

use super::{Reference, ServerDelay, http_date};
use crate::Timestamp;

/// `Retry-After` (RFC 9110 section 10.2.3): whole seconds, or one of the three date forms.
///
/// A date in the past is a delay of zero; a date without any [`Reference`] is no wish.
///
/// # Examples
///
/// ```
/// use permanence_core::retry_after::{Reference, ServerDelay, seconds_or_date};
///
/// let two_minutes = Some(ServerDelay::from_seconds(120));
/// assert_eq!(seconds_or_date(b" 120 ", Reference::NONE), two_minutes);
/// assert_eq!(seconds_or_date(b"120junk", Reference::NONE), None);
/// ```
#[must_use]
pub fn seconds_or_date(value: &[u8], reference: Reference) -> Option<ServerDelay> {
    match delta_seconds(value) {
        Some(delay) => Some(delay),
        None => reference.until(http_date(value, reference.time())?),
    }
}

/// Whole seconds and nothing else, as in `RateLimit-Reset` or in `X-RateLimit-Reset` of servers that
/// mean a duration by it.
#[must_use]
pub fn delta_seconds(value: &[u8]) -> Option<ServerDelay> {
    whole_number(trimmed(value)).map(ServerDelay::from_seconds)
}

/// Seconds since 1970, as in `X-RateLimit-Reset` of servers that mean a date by it; a past one is a
/// delay of zero.
///
/// Which of the two a server means is for the configuration to say: it can't be told from the number.
#[must_use]
pub fn epoch_seconds(value: &[u8], reference: Reference) -> Option<ServerDelay> {
    reference.until(Timestamp::from_unix_seconds(whole_number(trimmed(value))?))
}

/// Whole milliseconds, as in `retry-after-ms` and `x-ms-retry-after-ms`.
#[must_use]
pub fn millis(value: &[u8]) -> Option<ServerDelay> {
    whole_number(trimmed(value)).map(ServerDelay::from_millis)
}

/// The value without the optional white space that HTTP allows around it (RFC 9110 section 5.6.3).
pub(crate) fn trimmed(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// `1*DIGIT`, saturating; leading zeros are digits like others.
pub(super) fn whole_number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, byte| {
        Some(number.saturating_mul(10).saturating_add(u64::from(digit(*byte)?)))
    })
}

pub(super) fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte.saturating_sub(b'0'))
}

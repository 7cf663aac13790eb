//! `google.protobuf.Duration` in its JSON form.

use super::ServerDelay;
use super::seconds::{digit, whole_number};

/// A duration as protobuf's JSON writes it: `30s`, `3.5s`, up to nine decimals.
///
/// Parts of a millisecond count as a whole one, so that nobody comes too early. A negative duration is
/// no wish.
///
/// # Examples
///
/// ```
/// use permanence_core::retry_after::{ServerDelay, protobuf_duration};
///
/// assert_eq!(protobuf_duration(b"3.5s"), Some(ServerDelay::from_millis(3_500)));
/// assert_eq!(protobuf_duration(b"3.5"), None);
/// ```
#[must_use]
pub fn protobuf_duration(value: &[u8]) -> Option<ServerDelay> {
    let number = value.strip_suffix(b"s")?;
    let whole = number.iter().take_while(|byte| **byte != b'.').count();
    let (whole, rest) = number.split_at_checked(whole)?;
    let nanos = match rest.split_first() {
        Some((_, decimals)) => nanos(decimals)?,
        None => 0,
    };
    Some(delay(whole_number(whole)?, nanos))
}

/// One to nine decimals as billionths.
fn nanos(decimals: &[u8]) -> Option<u32> {
    if decimals.is_empty() || decimals.len() > 9 {
        return None;
    }
    let mut nanos = 0_u32;
    for place in 0..9 {
        let next = decimals.get(place).map_or(Some(0), |byte| digit(*byte))?;
        nanos = nanos.saturating_mul(10).saturating_add(u32::from(next));
    }
    Some(nanos)
}

/// Seconds and billionths as a delay; begun milliseconds count whole.
pub(super) fn delay(seconds: u64, nanos: u32) -> ServerDelay {
    let millis = u64::from(nanos.div_ceil(1_000_000));
    ServerDelay::from_millis(seconds.saturating_mul(1_000).saturating_add(millis))
}

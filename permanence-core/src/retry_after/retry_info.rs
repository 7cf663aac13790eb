//! `google.rpc.RetryInfo` in its binary form, alone and among the details of a status.

use super::ServerDelay;
use super::duration::delay;

/// The delay of a binary `google.rpc.RetryInfo`; `None` if it is malformed, has none or a negative
/// one.
///
/// # Examples
///
/// Field 1, a `Duration` of five bytes: field 1 is 3 seconds, field 2 is 300 nanoseconds:
///
/// ```
/// use permanence_core::retry_after::{ServerDelay, retry_info};
///
/// let message = [0x0a, 5, 0x08, 3, 0x10, 0xac, 0x02];
/// assert_eq!(retry_info(&message), Some(ServerDelay::from_millis(3_001)));
/// ```
#[must_use]
pub fn retry_info(message: &[u8]) -> Option<ServerDelay> {
    let (mut seconds, mut nanos, mut present) = (0_u64, 0_u64, false);
    for field in fields(message) {
        let (RETRY_DELAY, Value::Bytes(duration)) = field? else { continue };
        present = true;
        // A message that comes in parts is merged, and the last of equal fields counts.
        for field in fields(duration) {
            match field? {
                (SECONDS, Value::Number(number)) => seconds = number,
                (NANOS, Value::Number(number)) => nanos = number,
                _ => {}
            }
        }
    }
    // Negative numbers have the upper bit set.
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    (present && seconds < 1 << 63).then(|| delay(seconds, nanos))
}

/// The delay of the first `RetryInfo` among the details of a binary `google.rpc.Status`, which is
/// what `grpc-status-details-bin` carries in base64.
#[must_use]
pub fn retry_info_in_status(status: &[u8]) -> Option<ServerDelay> {
    fields(status).map_while(|field| field).find_map(|field| match field {
        (DETAILS, Value::Bytes(any)) => retry_info(value_of_retry_info(any)?),
        _ => None,
    })
}

/// The value of a `google.protobuf.Any`, if that is a `RetryInfo`.
fn value_of_retry_info(any: &[u8]) -> Option<&[u8]> {
    let (mut name, mut value): (&[u8], &[u8]) = (&[], &[]);
    for field in fields(any) {
        match field? {
            (TYPE_URL, Value::Bytes(bytes)) => name = bytes,
            (ANY_VALUE, Value::Bytes(bytes)) => value = bytes,
            _ => {}
        }
    }
    name.ends_with(b"/google.rpc.RetryInfo").then_some(value)
}

/// The fields of a message, each with its number; `Some(None)` once where it is malformed.
fn fields(message: &[u8]) -> impl Iterator<Item = Option<(u64, Value<'_>)>> {
    let mut rest = Some(message);
    core::iter::from_fn(move || {
        let bytes = rest.filter(|bytes| !bytes.is_empty())?;
        let field = field(bytes);
        rest = field.map(|(_, _, rest)| rest);
        Some(field.map(|(number, value, _)| (number, value)))
    })
}

/// What a field holds, as far as anybody here asks.
#[derive(Clone, Copy)]
enum Value<'a> {
    Bytes(&'a [u8]),
    Number(u64),
    Other,
}

/// One field and what follows it.
fn field(bytes: &[u8]) -> Option<(u64, Value<'_>, &[u8])> {
    let (tag, bytes) = varint(bytes)?;
    let number = tag >> 3;
    if number == 0 {
        return None;
    }
    let (value, rest) = match tag & 7 {
        0 => {
            let (number, rest) = varint(bytes)?;
            (Value::Number(number), rest)
        }
        1 => (Value::Other, bytes.get(8..)?),
        2 => {
            let (length, rest) = varint(bytes)?;
            let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (Value::Bytes(value), rest)
        }
        5 => (Value::Other, bytes.get(4..)?),
        // Groups are not in these messages, and nothing else exists.
        _ => return None,
    };
    Some((number, value, rest))
}

/// A number of at most ten bytes, seven bits each, lowest first.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut shift, mut rest) = (0_u64, 0_u32, bytes);
    while shift < 64 {
        let (byte, after) = rest.split_first()?;
        rest = after;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some((number, rest));
        }
        shift = shift.saturating_add(7);
    }
    None
}

/// `RetryInfo.retry_delay`.
const RETRY_DELAY: u64 = 1;
/// `Duration.seconds`.
const SECONDS: u64 = 1;
/// `Duration.nanos`.
const NANOS: u64 = 2;
/// `Status.details`.
const DETAILS: u64 = 3;
/// `Any.type_url`.
const TYPE_URL: u64 = 1;
/// `Any.value`.
const ANY_VALUE: u64 = 2;

//! The pushback of gRPC (gRFC A6).

use super::ServerDelay;
use super::seconds::{trimmed, whole_number};

/// What a gRPC server says about trying again.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Pushback {
    /// Try again after exactly this time.
    After(ServerDelay),
    /// Do not try again.
    DoNotRetry,
}

/// `grpc-retry-pushback-ms` (gRFC A6): a signed 32-bit number of milliseconds without unnecessary
/// leading zeros.
///
/// A negative number, and whatever is not such a number, asks not to try again.
///
/// # Examples
///
/// ```
/// use permanence_core::retry_after::{Pushback, ServerDelay, grpc_pushback};
///
/// assert_eq!(grpc_pushback(b"250"), Pushback::After(ServerDelay::from_millis(250)));
/// assert_eq!(grpc_pushback(b"-1"), Pushback::DoNotRetry);
/// assert_eq!(grpc_pushback(b"soon"), Pushback::DoNotRetry);
/// ```
#[must_use]
pub fn grpc_pushback(value: &[u8]) -> Pushback {
    let digits = match trimmed(value) {
        [b'0', _, ..] => return Pushback::DoNotRetry,
        digits => digits,
    };
    match whole_number(digits).map(i32::try_from) {
        Some(Ok(millis)) => {
            Pushback::After(ServerDelay::from_millis(u64::from(millis.unsigned_abs())))
        }
        _ => Pushback::DoNotRetry,
    }
}

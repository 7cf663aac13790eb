//! How long a server asks to be left alone: `Retry-After` and its relatives.
//!
//! The grammar is strict, because a lenient parser turns `120junk` into two minutes and `20261130`
//! into a day in November: what is not exactly one of the forms is no wish at all, and the ordinary
//! back-off applies (SPEC 6.3). Every function takes untrusted bytes, looks at each a bounded number
//! of times and never panics; numbers saturate.
//!
//! # Examples
//!
//! A response says when to come back; its own `Date` is what the date counts from:
//!
//! ```
//! use permanence_core::retry_after;
//!
//! let headers: [(&str, &[u8]); 2] = [
//!     ("date", b"Sun, 29 Nov 2026 20:01:30 GMT"),
//!     ("retry-after", b"Sun, 29 Nov 2026 20:02:00 GMT"),
//! ];
//! let delay = retry_after::from_headers(headers, None);
//! assert_eq!(delay.map(|delay| delay.as_millis()), Some(30_000));
//! ```

mod duration;
mod headers;
mod http_date;
mod pushback;
mod retry_info;
mod seconds;
mod unit;

pub use duration::protobuf_duration;
pub use headers::{directive_from_headers, from_headers};
pub use http_date::http_date;
pub use pushback::{Pushback, grpc_pushback};
pub use retry_info::{retry_info, retry_info_in_status};
pub(crate) use seconds::trimmed;
pub use seconds::{delta_seconds, epoch_seconds, millis, seconds_or_date};
pub use unit::{decimal_seconds, from_source, in_unit};

use crate::{Span, Timestamp};

/// The time that a server asks to be left alone, in milliseconds.
///
/// It may be longer than any [`Span`]; a policy cuts it down to its `retry_after_max`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ServerDelay(u64);

impl ServerDelay {
    /// Come back at once.
    pub const ZERO: ServerDelay = ServerDelay(0);
    /// What every number too large for it becomes.
    pub const MAX: ServerDelay = ServerDelay(u64::MAX);

    /// Makes a delay from milliseconds.
    #[inline]
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        ServerDelay(millis)
    }

    /// Makes a delay from seconds, or [`ServerDelay::MAX`].
    #[inline]
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        ServerDelay(seconds.saturating_mul(1_000))
    }

    /// Milliseconds.
    #[inline]
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The delay as a span, at most [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn as_span(self) -> Span {
        Span::from_millis_saturating(self.0)
    }
}

/// What a date in a response is counted from.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Reference {
    /// The response's own `Date`; it goes first, because it comes from the same clock.
    pub response_date: Option<Timestamp>,
    /// The wall clock here; `None` on a device that has none.
    pub now: Option<Timestamp>,
}

impl Reference {
    /// No clock at all: dates are no wishes.
    pub const NONE: Reference = Reference { response_date: None, now: None };

    /// The time that counts.
    #[must_use]
    pub const fn time(self) -> Option<Timestamp> {
        match self.response_date {
            Some(date) => Some(date),
            None => self.now,
        }
    }

    /// From the time that counts to `target`; nothing when that is past.
    fn until(self, target: Timestamp) -> Option<ServerDelay> {
        Some(ServerDelay::from_seconds(target.seconds_since(self.time()?)))
    }
}

#[cfg(test)]
mod tests;

//! The three date forms of HTTP (RFC 9110 section 5.6.7).

use super::seconds::{digit, trimmed};
use crate::{Civil, Timestamp};

/// A date in one of the three forms that a recipient has to accept: IMF-fixdate, RFC 850, asctime.
///
/// Names are case-sensitive and the zone is `GMT`; the name of the day must be one, but need not be
/// the right one. A year before 1970 counts as 1970-01-01. A two-digit year is the latest one that
/// is not more than 50 years after `now`; without `now` it lies between 1970 and 2069.
///
/// # Examples
///
/// ```
/// use permanence_core::Timestamp;
/// use permanence_core::retry_after::http_date;
///
/// let time = Some(Timestamp::from_unix_seconds(784_111_777));
/// assert_eq!(http_date(b"Sun, 06 Nov 1994 08:49:37 GMT", None), time);
/// assert_eq!(http_date(b"Sunday, 06-Nov-94 08:49:37 GMT", None), time);
/// assert_eq!(http_date(b"Sun Nov  6 08:49:37 1994", None), time);
/// assert_eq!(http_date(b"Sun, 06 Nov 1994 08:49:37 +0200", None), None);
/// ```
#[must_use]
pub fn http_date(value: &[u8], now: Option<Timestamp>) -> Option<Timestamp> {
    let text = Text(trimmed(value));
    let civil = fixdate(text).or_else(|| asctime(text)).or_else(|| rfc850(text, now))?;
    if !civil.is_valid() {
        return None;
    }
    if civil.year < 1970 {
        return Some(Timestamp::EPOCH);
    }
    Timestamp::from_civil(civil)
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
fn fixdate(text: Text<'_>) -> Option<Civil> {
    let (_, text) = text.name(SHORT_DAYS)?;
    let (day, text) = text.literal(b", ")?.two()?;
    let (month, text) = text.literal(b" ")?.name(MONTHS)?;
    let (year, text) = text.literal(b" ")?.four()?;
    let (clock, text) = text.literal(b" ")?.clock()?;
    text.literal(b" GMT")?.end()?;
    Some(clock.on(year, month, day))
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`
fn rfc850(text: Text<'_>, now: Option<Timestamp>) -> Option<Civil> {
    let (_, text) = text.name(LONG_DAYS)?;
    let (day, text) = text.literal(b", ")?.two()?;
    let (month, text) = text.literal(b"-")?.name(MONTHS)?;
    let (year, text) = text.literal(b"-")?.two()?;
    let (clock, text) = text.literal(b" ")?.clock()?;
    text.literal(b" GMT")?.end()?;
    Some(with_century(clock.on(u16::from(year), month, day), now))
}

/// `Sun Nov  6 08:49:37 1994`
fn asctime(text: Text<'_>) -> Option<Civil> {
    let (_, text) = text.name(SHORT_DAYS)?;
    let (month, text) = text.literal(b" ")?.name(MONTHS)?;
    let text = text.literal(b" ")?;
    let (day, text) = match text.literal(b" ") {
        Some(text) => text.one()?,
        None => text.two()?,
    };
    let (clock, text) = text.literal(b" ")?.clock()?;
    let (year, text) = text.literal(b" ")?.four()?;
    text.end()?;
    Some(clock.on(year, month, day))
}

/// The latest year with these two digits that is not more than 50 years ahead.
fn with_century(date: Civil, now: Option<Timestamp>) -> Civil {
    let latest = match now.map(Timestamp::civil) {
        Some(now) => Civil { year: now.year.saturating_add(50), ..now },
        None => Civil { year: 2069, month: 12, day: 31, hour: 23, minute: 59, second: 60 },
    };
    let century = latest.year.saturating_sub(latest.year % 100);
    let dated = Civil { year: century.saturating_add(date.year), ..date };
    if dated <= latest { dated } else { Civil { year: dated.year.saturating_sub(100), ..dated } }
}

/// What is left to read.
#[derive(Clone, Copy)]
struct Text<'a>(&'a [u8]);

/// A time of day.
struct Clock {
    hour: u8,
    minute: u8,
    second: u8,
}

impl Clock {
    fn on(self, year: u16, month: u8, day: u8) -> Civil {
        Civil { year, month, day, hour: self.hour, minute: self.minute, second: self.second }
    }
}

impl<'a> Text<'a> {
    fn literal(self, literal: &[u8]) -> Option<Self> {
        self.0.strip_prefix(literal).map(Text)
    }

    fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    fn one(self) -> Option<(u8, Self)> {
        let (first, rest) = self.0.split_first()?;
        Some((digit(*first)?, Text(rest)))
    }

    fn two(self) -> Option<(u8, Self)> {
        let (tens, text) = self.one()?;
        let (ones, text) = text.one()?;
        Some((tens.saturating_mul(10).saturating_add(ones), text))
    }

    fn four(self) -> Option<(u16, Self)> {
        let (century, text) = self.two()?;
        let (year, text) = text.two()?;
        Some((u16::from(century).saturating_mul(100).saturating_add(u16::from(year)), text))
    }

    fn clock(self) -> Option<(Clock, Self)> {
        let (hour, text) = self.two()?;
        let (minute, text) = text.literal(b":")?.two()?;
        let (second, text) = text.literal(b":")?.two()?;
        Some((Clock { hour, minute, second }, text))
    }

    /// One of `names`, and which, counted from 1.
    fn name<const N: usize>(self, names: [&str; N]) -> Option<(u8, Text<'a>)> {
        (1..).zip(names).find_map(|(number, name)| Some((number, self.literal(name.as_bytes())?)))
    }
}

const SHORT_DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const LONG_DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

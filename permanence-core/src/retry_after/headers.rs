//! What the headers of one response say, all taken together.

use super::seconds::trimmed;
use super::{Pushback, Reference, ServerDelay, grpc_pushback, http_date, millis, seconds_or_date};
use crate::{Directive, Timestamp};

/// The delay that the headers ask for: the first well-formed one of `grpc-retry-pushback-ms`,
/// `retry-after-ms`, `x-ms-retry-after-ms` and `retry-after`.
///
/// Dates count from the response's `date`, else from `now`. Names are compared without regard to
/// case. A header that is given twice is a list, and so malformed. `x-ratelimit-reset` and its
/// relatives mean different things to different servers and are not looked at: see
/// [`epoch_seconds`](super::epoch_seconds) and [`delta_seconds`](super::delta_seconds).
///
/// # Examples
///
/// ```
/// use permanence_core::retry_after::{ServerDelay, from_headers};
///
/// let headers: [(&str, &[u8]); 2] = [("Retry-After", b"2"), ("Retry-After-Ms", b"1500")];
/// assert_eq!(from_headers(headers, None), Some(ServerDelay::from_millis(1_500)));
/// ```
pub fn from_headers<'h, I>(headers: I, now: Option<Timestamp>) -> Option<ServerDelay>
where
    I: IntoIterator<Item = (&'h str, &'h [u8])>,
{
    let mut wishes = Wishes::default();
    headers.into_iter().for_each(|(name, value)| wishes.hear(name, value));
    wishes.delay(now)
}

/// What the headers say about trying again: `x-should-retry`, `stripe-should-retry`, and a
/// `grpc-retry-pushback-ms` that asks not to.
///
/// Names and values are compared without regard to case; a value other than `true` and `false` says
/// nothing. Where they disagree, nobody tries again.
///
/// # Examples
///
/// ```
/// use permanence_core::{Directive, retry_after::directive_from_headers};
///
/// let headers: [(&str, &[u8]); 1] = [("X-Should-Retry", b"false")];
/// assert_eq!(directive_from_headers(headers), Some(Directive::DoNotRetry));
/// ```
pub fn directive_from_headers<'h, I>(headers: I) -> Option<Directive>
where
    I: IntoIterator<Item = (&'h str, &'h [u8])>,
{
    let mut wishes = Wishes::default();
    headers.into_iter().for_each(|(name, value)| wishes.hear(name, value));
    wishes.directive()
}

/// The headers that matter, apart from the type of the iterator.
#[derive(Default)]
struct Wishes<'h> {
    date: Given<'h>,
    pushback: Given<'h>,
    retry_after: Given<'h>,
    retry_after_ms: Given<'h>,
    x_ms_retry_after_ms: Given<'h>,
    do_not_retry: bool,
    retry: bool,
}

impl<'h> Wishes<'h> {
    fn hear(&mut self, name: &str, value: &'h [u8]) {
        for (known, given) in [
            ("date", &mut self.date),
            ("grpc-retry-pushback-ms", &mut self.pushback),
            ("retry-after", &mut self.retry_after),
            ("retry-after-ms", &mut self.retry_after_ms),
            ("x-ms-retry-after-ms", &mut self.x_ms_retry_after_ms),
        ] {
            if name.eq_ignore_ascii_case(known) {
                return given.hear(value);
            }
        }
        if ["x-should-retry", "stripe-should-retry"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
        {
            let value = trimmed(value);
            self.retry |= value.eq_ignore_ascii_case(b"true");
            self.do_not_retry |= value.eq_ignore_ascii_case(b"false");
        }
    }

    fn delay(&self, now: Option<Timestamp>) -> Option<ServerDelay> {
        if let Some(Pushback::After(delay)) = self.pushback() {
            return Some(delay);
        }
        let response_date = self.date.once().and_then(|value| http_date(value, now));
        let reference = Reference { response_date, now };
        (self.retry_after_ms.once().and_then(millis))
            .or_else(|| self.x_ms_retry_after_ms.once().and_then(millis))
            .or_else(|| self.retry_after.once().and_then(|value| seconds_or_date(value, reference)))
    }

    fn directive(&self) -> Option<Directive> {
        if self.do_not_retry || self.pushback() == Some(Pushback::DoNotRetry) {
            return Some(Directive::DoNotRetry);
        }
        self.retry.then_some(Directive::Retry)
    }

    fn pushback(&self) -> Option<Pushback> {
        match self.pushback {
            Given::Never => None,
            Given::Once(value) => Some(grpc_pushback(value)),
            Given::Repeatedly => Some(Pushback::DoNotRetry),
        }
    }
}

/// How often a header was there.
#[derive(Clone, Copy, Default)]
enum Given<'h> {
    #[default]
    Never,
    Once(&'h [u8]),
    Repeatedly,
}

impl<'h> Given<'h> {
    fn hear(&mut self, value: &'h [u8]) {
        *self = match self {
            Given::Never => Given::Once(value),
            Given::Once(_) | Given::Repeatedly => Given::Repeatedly,
        };
    }

    fn once(self) -> Option<&'h [u8]> {
        match self {
            Given::Once(value) => Some(value),
            Given::Never | Given::Repeatedly => None,
        }
    }
}

//! The lines: one event, one line, as text or as JSON (SPEC 8).
//!
//! Both are stable: words, order and keys change only with the version that the JSON line carries in
//! `v`. Neither writes the end of the line.

mod calendar;
mod code;
mod escape;
mod json;
#[cfg(test)]
mod tests;
mod text;

use core::fmt;

use crate::digits::{THOUSAND, divided};
use crate::{Endpoint, Event, Instant, Policy, Timestamp};

/// Which wall time an instant of the machine is.
///
/// # Examples
///
/// A device that was told the time 5 s after it had booted:
///
/// ```
/// use permanence_core::{Instant, Timestamp, WallClock};
///
/// let told_at = Instant::from_millis(5_000);
/// let clock = WallClock { at: told_at, time: Timestamp::from_unix_seconds(1_795_982_400) };
/// let later = clock.time_of(Instant::from_millis(65_000));
/// assert_eq!(later, Timestamp::from_unix_seconds(1_795_982_460));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct WallClock {
    /// An instant of the machine, ...
    pub at: Instant,
    /// ... and the wall time then.
    pub time: Timestamp,
}

impl WallClock {
    /// The wall time at `instant`, in whole seconds, rounded down.
    #[must_use]
    pub fn time_of(&self, instant: Instant) -> Timestamp {
        let (ahead, _) = divided(instant.since(self.at), THOUSAND);
        let (behind, begun) = divided(self.at.since(instant), THOUSAND);
        let behind = behind.saturating_add(u64::from(begun > 0));
        self.time.saturating_add_seconds(ahead).saturating_sub_seconds(behind)
    }
}

/// Writes the line of `event` for people.
///
/// With `clock` it names times, without it spans. Only the event, the names of `endpoint` and the
/// names of reasons go in, control characters escaped; the target goes in without user and query.
/// What was merely observed says so: `WARN  DISABLED (observed) feed: ...`.
///
/// # Errors
///
/// Whatever `out` reports.
///
/// # Examples
///
/// ```
/// # use permanence_core::{Policy, Rule, Settings, Signal};
/// # struct AllGood;
/// # impl Policy for AllGood {
/// #     fn rule(&self, _: &Signal<'_>) -> &Rule { &Rule::SUCCESS }
/// #     fn settings(&self) -> &Settings { &Settings::LITERAL }
/// # }
/// # let policy = AllGood;
/// use permanence_core::{
///     Cause, Endpoint, EpisodeId, Event, EventKind, Instant, Reason, Span, write_text,
/// };
///
/// let event = Event {
///     kind: EventKind::Disabled,
///     at: Instant::ZERO,
///     cause: Cause::new(Signal::Http(404).code(), Reason::RESOURCE_ABSENT),
///     previous: None,
///     episode: EpisodeId::from_number(0x7f3a),
///     lasted_ms: 0,
///     next_at: Some(Instant::from_millis(10_800_000)),
///     every: Span::from_secs(10_800),
///     streak: 1,
///     probes: 0,
///     skipped: 0,
///     reentries: 0,
///     observed: false,
/// };
/// let mut line = String::new();
/// write_text(&event, &Endpoint::new("status"), &policy, None, &mut line)?;
/// assert_eq!(
///     line,
///     "WARN  DISABLED status: 404 resource-absent; calls stopped; next probe in 3h (every 3h) ep=7f3a"
/// );
/// # Ok::<(), core::fmt::Error>(())
/// ```
pub fn write_text<P: Policy + ?Sized>(
    event: &Event,
    endpoint: &Endpoint<'_>,
    policy: &P,
    clock: Option<WallClock>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    text::write(&Line::new(event, endpoint, policy, clock), out)
}

/// Writes the line of `event` for machines: one JSON object.
///
/// `v`, `level`, `event`, `endpoint`, `cause`, `episode` and `at_ms` are always there; of the rest,
/// whatever would be empty, zero or false is left out. `cause` and `previous` have a `kind`, a
/// `code` (a number for statuses, else the name) and a `reason`. `next_at` is there with a `clock`
/// only.
///
/// # Errors
///
/// Whatever `out` reports.
pub fn write_json<P: Policy + ?Sized>(
    event: &Event,
    endpoint: &Endpoint<'_>,
    policy: &P,
    clock: Option<WallClock>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    json::write(&Line::new(event, endpoint, policy, clock), out)
}

/// What goes into a line, apart from the type of the policy.
struct Line<'a> {
    event: &'a Event,
    endpoint: &'a Endpoint<'a>,
    reason: &'a str,
    previous_reason: &'a str,
    clock: Option<WallClock>,
}

impl<'a> Line<'a> {
    fn new<P: Policy + ?Sized>(
        event: &'a Event,
        endpoint: &'a Endpoint<'a>,
        policy: &'a P,
        clock: Option<WallClock>,
    ) -> Self {
        let previous = event.previous.unwrap_or_default();
        Line {
            event,
            endpoint,
            reason: policy.reason_name(event.cause.reason()),
            previous_reason: policy.reason_name(previous.reason()),
            clock,
        }
    }
}

//! The machine: one endpoint, one small value, pure transitions.

mod admit;
mod episode;
mod export;
mod lesson;
mod probe;
mod record;
mod state;

use crate::chance::scatter;
use crate::{
    Action, Admission, Cause, EpisodeId, Event, Instant, Outcome, Permit, Policy, Reason, Seen,
    SignalCode, SignalKind, Span, Step,
};

use self::lesson::Lesson;
pub use self::state::Status;
use self::state::{Marks, State};

/// What is known of one endpoint, and what follows from it.
///
/// A small `Copy` value. The policy, the time and the seed are arguments; nothing is read from
/// outside, so that the same inputs give the same outputs (L9). Use it through [`admit`] and
/// [`record`], or as one pure transition through [`step`](Tracker::step).
///
/// [`admit`]: Tracker::admit
/// [`record`]: Tracker::record
///
/// # Examples
///
/// A route that does not exist costs one call and one line; the next call is the probe three hours
/// later:
///
/// ```
/// # use core::num::NonZeroU16;
/// # use permanence_core::*;
/// # struct Policies;
/// # const ABSENT: Rule = Rule {
/// #     reason: Reason::RESOURCE_ABSENT, class: Class::Permanent, scope: Scope::Endpoint,
/// #     remedy: Remedy::Wait, retry: Retry::Never, disable_after: NonZeroU16::new(1),
/// #     reprobe: Reprobe::Every { interval: Span::from_secs(3 * 3600), ramp: None },
/// # };
/// # impl Policy for Policies {
/// #     fn rule(&self, signal: &Signal<'_>) -> &Rule {
/// #         if *signal == Signal::Http(404) { &ABSENT } else { &Rule::SUCCESS }
/// #     }
/// #     fn settings(&self) -> &Settings { &Settings::LITERAL }
/// # }
/// # let policy = Policies;
/// use permanence_core::{Admission, EventKind, Instant, Outcome, Request, Signal, Tracker};
///
/// let mut status = Tracker::new(7);
/// let now = Instant::from_millis(0);
/// let Admission::Call(permit) = status.admit(&policy, now) else { panic!("a new endpoint calls") };
///
/// let outcome = Outcome::new(Signal::Http(404), Request::Idempotent);
/// let step = status.record(&policy, permit, &outcome, now);
/// assert_eq!(step.event.map(|event| event.kind), Some(EventKind::Disabled));
///
/// let Admission::Skip(skip) = status.admit(&policy, Instant::from_millis(60_000)) else {
///     panic!("a disabled endpoint does not call")
/// };
/// assert_eq!(skip.until, Some(Instant::from_millis(10_800_000)));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
// Small fields first: a Cortex-M0 reaches bytes in the first 32 with one instruction, words in all.
#[repr(C)]
pub struct Tracker {
    state: State,
    marks: Marks,
    /// Transient failures in a row, or the fingerprint of the payload that was refused last.
    run: u8,
    /// How often the episode was reopened within the flap window.
    reentries: u8,
    /// What the endpoint fails with.
    cause: Cause,
    /// The name of the episode.
    episode: u16,
    /// Changes with every episode and every probe; permits carry it.
    stamp: u16,
    /// Failures in a row of one reason; zero on a disabled endpoint whose last probe met something
    /// else.
    streak: u16,
    /// Probes made in this episode.
    probes: u16,
    /// Calls skipped in this episode.
    skipped: u32,
    /// The wait that set `until`, without its spread.
    wait: Span,
    /// Gated: calls are admitted from here on (a running probe: from here on another one).
    /// Healthy or degraded: when a caller without a cadence does best to come back; zero for at once.
    until: Instant,
    /// When the episode opened.
    since: Instant,
    /// When the last line was printed or held back.
    line_at: Instant,
}

const _: () = assert!(size_of::<Tracker>() <= 48);

impl Tracker {
    /// Makes a tracker that knows nothing yet.
    ///
    /// `seed` places the probes of this endpoint within the spread: give each endpoint and each
    /// device its own, such as a hash of its name and serial number.
    #[must_use]
    pub const fn new(seed: u32) -> Self {
        // The high half of a scattered seed; a conversion that cannot fail is not const.
        #[expect(clippy::as_conversions)]
        let episode = (scatter(seed) >> 16) as u16;
        Tracker {
            until: Instant::ZERO,
            since: Instant::ZERO,
            line_at: Instant::ZERO,
            wait: Span::ZERO,
            skipped: 0,
            episode,
            stamp: 0,
            streak: 0,
            probes: 0,
            cause: Cause::new(SignalCode::new(SignalKind::Cancelled, 0), Reason::SUCCESS),
            run: 0,
            reentries: 0,
            state: State::Healthy,
            marks: Marks::NEW,
        }
    }

    /// The whole machine as one pure transition: state and input in, state, action and event out.
    ///
    /// [`admit`](Tracker::admit), [`record`](Tracker::record), [`recheck`](Tracker::recheck) and
    /// [`reset`](Tracker::reset) are the same transition on a value in place.
    pub fn step<P: Policy + ?Sized>(
        self,
        policy: &P,
        seen: Seen<'_>,
        now: Instant,
    ) -> (Self, Step) {
        let mut next = self;
        let step = match seen {
            Seen::Asked => Step::silent(match next.admit(policy, now) {
                Admission::Call(permit) => Action::Call(permit),
                Admission::Skip(skip) => Action::Skip(skip),
            }),
            Seen::Finished(permit, outcome) => next.record(policy, permit, &outcome, now),
            Seen::Rechecked => {
                next.recheck(now);
                Step::QUIET
            }
            Seen::Reset => {
                next.reset();
                Step::QUIET
            }
        };
        (next, step)
    }

    /// Asks whether to call now.
    ///
    /// A disabled endpoint hands out one permit when its probe is due, and the next one not before
    /// the probe has come back or has lapsed.
    #[inline]
    pub fn admit<P: Policy + ?Sized>(&mut self, policy: &P, now: Instant) -> Admission {
        self.admit_with(policy, || now)
    }

    /// Asks whether to call now, reading the clock only where the answer depends on it: never on a
    /// healthy endpoint.
    #[inline]
    pub fn admit_with<P: Policy + ?Sized>(
        &mut self,
        policy: &P,
        clock: impl FnOnce() -> Instant,
    ) -> Admission {
        if !self.state.is_gated() {
            return Admission::Call(self.cadence_permit());
        }
        let now = clock();
        match self.admit_gated(policy.settings(), now) {
            Some(admission) => admission,
            None => Admission::Call(self.admit_probe(policy, now)),
        }
    }

    /// Learns what became of a call.
    ///
    /// The permit is spent. An answer from another episode, or to a probe that has lapsed, teaches
    /// nothing; what it means for the caller's own request is still told.
    #[inline]
    pub fn record<P: Policy + ?Sized>(
        &mut self,
        policy: &P,
        permit: Permit,
        outcome: &Outcome<'_>,
        now: Instant,
    ) -> Step {
        self.record_with(policy, permit, outcome, || now)
    }

    /// Learns what became of a call, reading the clock only where something changes: never for a
    /// success on a healthy endpoint.
    #[inline]
    pub fn record_with<P: Policy + ?Sized>(
        &mut self,
        policy: &P,
        permit: Permit,
        outcome: &Outcome<'_>,
        clock: impl FnOnce() -> Instant,
    ) -> Step {
        let rule = policy.outcome_rule(outcome);
        if rule.is_success() && self.state.is_calm() {
            return Step::QUIET;
        }
        let lesson = Lesson::new(policy, outcome, rule, clock());
        let held = if permit.is_probe() { policy.cause_rule(self.cause) } else { rule };
        self.learn(&permit, &lesson, held)
    }

    /// The stamp under which everybody is admitted, as long as the endpoint is calm: healthy, proven and
    /// with nothing to remember, so that neither a question nor a success changes anything.
    ///
    /// Whoever shares a tracker between threads may publish it, and admit calls with
    /// [`Permit::with_stamp`] without looking at the tracker, as long as it stands.
    ///
    /// # Examples
    ///
    /// ```
    /// # use permanence_core::*;
    /// # struct Fine;
    /// # impl Policy for Fine {
    /// #     fn rule(&self, _: &Signal<'_>) -> &Rule { &Rule::SUCCESS }
    /// #     fn settings(&self) -> &Settings { &Settings::LITERAL }
    /// # }
    /// use permanence_core::{Instant, Outcome, Permit, Request, Signal, Tracker};
    ///
    /// let mut tracker = Tracker::new(7);
    /// assert_eq!(tracker.calm_stamp(), None); // it has not been seen to work
    /// let permit = tracker.admit(&Fine, Instant::ZERO).permit().unwrap();
    /// let fine = Outcome::new(Signal::Http(200), Request::Idempotent);
    /// let _ = tracker.record(&Fine, permit, &fine, Instant::ZERO);
    ///
    /// let stamp = tracker.calm_stamp().unwrap();
    /// let asked = tracker.admit(&Fine, Instant::ZERO).permit();
    /// assert_eq!(asked, Some(Permit::with_stamp(stamp)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn calm_stamp(&self) -> Option<u16> {
        if self.state.is_calm() { Some(self.stamp) } else { None }
    }

    /// Something outside makes a recovery likely: the next probe of a disabled endpoint is due within
    /// `within` from now, unless it is due before that anyway.
    ///
    /// For a host that came back, or a route of the same host that works again. Where in the span the
    /// probe falls is a draw of this endpoint, so that those of many do not meet. Give one hint an episode
    /// at most: hints are no way around the interval.
    pub fn hint(&mut self, now: Instant, within: Span) {
        if self.state == State::Disabled {
            let due = now.saturating_add(crate::chance::up_to(within, self.draw()));
            self.until = self.until.min(due);
        }
    }

    /// Something outside has changed: the next call is admitted at once, as a probe.
    ///
    /// For a reload of the policy, a new credential, an operator's wish; it is the only way back from
    /// [`Status::Gone`]. The episode stays open until the probe succeeds; one that is under way
    /// counts for nothing.
    pub fn recheck(&mut self, now: Instant) {
        if self.state.is_gated() {
            self.until = now;
        }
        if self.is_shut() {
            self.state = State::Disabled;
        }
    }

    /// Forgets everything learned: the endpoint is as new, and old permits teach nothing. Only the
    /// lines of the flap window still count (L4).
    pub fn reset(&mut self) {
        let mut marks = Marks::NEW;
        marks.set_lines(self.marks.lines());
        *self = Tracker {
            line_at: self.line_at,
            episode: self.episode,
            stamp: self.stamp.wrapping_add(1),
            marks,
            ..Tracker::new(0)
        };
    }

    /// The earliest instant at which asking again can be of use.
    ///
    /// `None` on a healthy endpoint (call at will) and on one that is gone (not before a recheck).
    /// After a transient failure it is the end of the back-off, which advises callers that have no
    /// cadence of their own; each call made on this advice is a retry and belongs to the budget.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        match self.state {
            State::Gone => None,
            state if state.is_gated() => Some(self.until),
            _ => Some(self.until).filter(|until| *until > Instant::ZERO),
        }
    }

    /// Where the endpoint stands.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.state.status()
    }

    /// What the endpoint fails with; `None` where it does not.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        Some(self.cause).filter(|cause| cause.reason() != Reason::SUCCESS)
    }

    /// The episode that is open or was the last.
    #[must_use]
    pub const fn episode(&self) -> EpisodeId {
        EpisodeId::from_number(self.episode)
    }

    /// Whether the endpoint has ever succeeded.
    #[must_use]
    pub const fn is_proven(&self) -> bool {
        self.marks.is_proven()
    }

    /// Calls skipped in the present episode.
    #[must_use]
    pub const fn skipped(&self) -> u32 {
        self.skipped
    }

    /// Probes made in the present episode.
    #[must_use]
    pub const fn probes(&self) -> u16 {
        self.probes
    }

    /// A line about an endpoint that is disabled or gone, as for a program that starts with a loaded
    /// state; `None` for any other. It counts towards nothing.
    #[must_use]
    pub fn standing(&self, policy: &impl Policy, now: Instant) -> Option<Event> {
        self.standing_event(policy.settings(), now)
    }

    /// A draw that no two probes, no two failures in a row and no two seeds share.
    fn draw(&self) -> u32 {
        let place = (u32::from(self.episode) << 16) | u32::from(self.stamp);
        scatter(place.wrapping_add(u32::from(self.run).wrapping_mul(0x9e37_79b9)))
    }

    /// Out of line: a probe is rare, and what is asked at every tick should be short.
    #[cold]
    #[inline(never)]
    fn admit_probe<P: Policy + ?Sized>(&mut self, policy: &P, now: Instant) -> Permit {
        let held = policy.cause_rule(self.cause);
        self.open_probe(held, policy.settings(), now)
    }

    /// Whether calls are admitted only as probes.
    const fn is_shut(&self) -> bool {
        matches!(self.state, State::Disabled | State::Probing | State::Gone)
    }

    fn set_run(&mut self, run: u8) {
        self.run = run;
        self.marks.set_fingerprint(false);
    }
}

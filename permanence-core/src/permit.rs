//! Leave to make one call, and what stands in its place.

use crate::{Cause, Instant, Policy, Remedy};

/// The answer to "may I call now?".
#[derive(Debug, Eq, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a permit that is not spent by `record` counts as a lost call"]
pub enum Admission {
    /// Yes: make the call and hand the permit back with its outcome.
    Call(Permit),
    /// No, and not an error either: there is nothing to log.
    Skip(Skip),
}

impl Admission {
    /// The permit, if there is one.
    #[inline]
    #[must_use]
    pub fn permit(self) -> Option<Permit> {
        match self {
            Admission::Call(permit) => Some(permit),
            Admission::Skip(_) => None,
        }
    }
}

/// Leave to make one call.
///
/// It is stamped with the episode in which it was given: [`record`](crate::Tracker::record) takes it
/// back, and an answer that arrives after the episode has changed cannot flip the state. A permit
/// that never comes back does no harm; a probe among them lapses (SPEC 3.4).
#[derive(Debug, Eq, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a permit that is not spent by `record` counts as a lost call"]
pub struct Permit {
    pub(crate) stamp: u16,
    pub(crate) purpose: Purpose,
}

impl Permit {
    /// The leave that a calm endpoint gives to everybody who asks: see
    /// [`Tracker::calm_stamp`](crate::Tracker::calm_stamp).
    ///
    /// It is worth what one from `admit` is worth: under a stamp that is not the present one the answer
    /// is late and teaches nothing, and a probe it never is.
    #[inline]
    pub const fn with_stamp(stamp: u16) -> Self {
        Permit { stamp, purpose: Purpose::Cadence }
    }

    /// Whether this call is the one probe of a disabled endpoint.
    #[inline]
    #[must_use]
    pub const fn is_probe(&self) -> bool {
        matches!(self.purpose, Purpose::Probe)
    }

    /// Whether this call was admitted only because the policy observes and does not enforce.
    #[inline]
    #[must_use]
    pub const fn is_observed(&self) -> bool {
        matches!(self.purpose, Purpose::Observed)
    }
}

/// What a permit is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) enum Purpose {
    Cadence,
    Observed,
    Probe,
}

/// Why there is no call now: a value for the caller, not an error to log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Skip {
    /// From this instant on a call is admitted; `None` means not before a reload or a recheck.
    ///
    /// Asking before is harmless (L6).
    pub until: Option<Instant>,
    /// What the endpoint failed with.
    pub cause: Cause,
}

impl Skip {
    /// What would help, according to `policy`.
    #[must_use]
    pub fn remedy<P: Policy + ?Sized>(&self, policy: &P) -> Remedy {
        policy.cause_rule(self.cause).remedy
    }
}

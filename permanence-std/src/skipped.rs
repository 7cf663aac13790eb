//! A call that was not made.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use permanence_core::{Cause, Instant, Remedy, Timestamp};

/// A call that was not made, and why: a value to act on, not an error to log.
///
/// The one line about it has been printed when calls stopped. It is an [`Error`] so that it can
/// travel where errors do.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Skipped {
    /// The short name of the endpoint that is not called, or of its host.
    pub endpoint: Arc<str>,
    /// From this instant of the registry's clock on a call is admitted; `None` means not before a
    /// reload or a recheck. Asking before is harmless.
    pub until: Option<Instant>,
    /// How long it is until then.
    pub wait: Option<Duration>,
    /// The wall time that it will be then, where the clock knows it.
    pub until_wall: Option<Timestamp>,
    /// What the endpoint fails with.
    pub cause: Cause,
    /// The name of the row of the policy that this falls into.
    pub reason: Cow<'static, str>,
    /// What would help.
    pub remedy: Remedy,
}

impl fmt::Display for Skipped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no call to {} ", self.endpoint)?;
        match self.wait {
            Some(wait) => write!(out, "for {}s: ", wait.as_millis().div_ceil(1_000))?,
            None => out.write_str("before a recheck: ")?,
        }
        write!(out, "{} {}", self.cause.code(), self.reason)
    }
}

impl Error for Skipped {}

//! Why there is no answer.

use std::fmt;

#[cfg(feature = "tower")]
use crate::ClientError;
use crate::Skipped;
use crate::network::causes;

/// Why there is no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error<E> {
    /// The client was called and failed; its own error is the source.
    Client(E),
    /// The client was not called: come back when the value says, or apply its remedy. There is
    /// nothing to log.
    Skipped(Skipped),
}

impl<E> Error<E> {
    /// The skip, if that is what it is.
    #[must_use]
    pub fn skipped(&self) -> Option<&Skipped> {
        match self {
            Error::Client(_) => None,
            Error::Skipped(skipped) => Some(skipped),
        }
    }
}

impl<E> fmt::Display for Error<E> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Client(_) => out.write_str("the call failed"),
            Error::Skipped(skipped) => fmt::Display::fmt(skipped, out),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Client(error) => Some(unwrapped(error)),
            // Its text is said twice so, but whoever looks through the causes finds it.
            Error::Skipped(skipped) => Some(skipped),
        }
    }
}

/// The client's own error, where it had to be wrapped for its type.
#[cfg(feature = "tower")]
fn unwrapped<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> &'e (dyn std::error::Error + 'static) {
    match error.downcast_ref::<ClientError>() {
        Some(wrapped) => wrapped.inner(),
        None => error,
    }
}

#[cfg(not(feature = "tower"))]
const fn unwrapped<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> &'e (dyn std::error::Error + 'static) {
    error
}

/// The skip that an error goes back to, however many others stand in front of it.
///
/// A client behind a gate may wrap the errors of the gate: tonic makes a `Status` of them.
///
/// # Examples
///
/// ```
/// use permanence_std::skipped_in;
///
/// let error = std::io::Error::other("no skip at all");
/// assert!(skipped_in(&error).is_none());
/// ```
#[must_use]
pub fn skipped_in<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e Skipped> {
    causes(error).find_map(|error| error.downcast_ref())
}

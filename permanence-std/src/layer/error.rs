//! Why there is no answer.

use std::fmt;

use crate::Skipped;

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
            Error::Client(error) => Some(error),
            // Its text has been said already.
            Error::Skipped(_) => None,
        }
    }
}

//! Pauses between the tries of one call.

#[cfg(feature = "tower")]
use std::future::{Future, Ready, ready};
use std::time::Duration;

use permanence_core::Span;

use crate::{Clock, ManualClock, SystemClock};

/// A clock that can be waited for.
#[cfg(feature = "tower")]
pub trait Timer: Clock {
    /// A pause.
    type Pause: Future<Output = ()> + Send;

    /// Waits for `span`.
    fn pause(&self, span: Span) -> Self::Pause;
}

/// A clock whose pauses block the thread.
pub trait BlockingTimer: Clock {
    /// Waits for `span`.
    fn pause_blocking(&self, span: Span);
}

impl BlockingTimer for SystemClock {
    fn pause_blocking(&self, span: Span) {
        std::thread::sleep(Duration::from_millis(u64::from(span.as_millis())));
    }
}

/// A pause moves the clock and is over at once.
impl BlockingTimer for ManualClock {
    fn pause_blocking(&self, span: Span) {
        self.advance(span);
    }
}

/// Pauses are those of tokio's timer: they want a runtime that has one.
#[cfg(feature = "tower")]
impl Timer for SystemClock {
    type Pause = tokio::time::Sleep;

    fn pause(&self, span: Span) -> Self::Pause {
        tokio::time::sleep(Duration::from_millis(u64::from(span.as_millis())))
    }
}

/// A pause moves the clock and is over at once.
#[cfg(feature = "tower")]
impl Timer for ManualClock {
    type Pause = Ready<()>;

    fn pause(&self, span: Span) -> Self::Pause {
        self.advance(span);
        ready(())
    }
}

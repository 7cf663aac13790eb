//! Lines: what is worth saying, and who says it.

#[cfg(feature = "tracing")]
mod events;

use std::fmt;

use permanence_core::{Endpoint, Event, Level, Policy, WallClock, write_json, write_text};

#[cfg(feature = "tracing")]
pub use self::events::TracingSink;
use crate::EndpointKey;
#[cfg(feature = "reload")]
use crate::reload::PolicyNews;
#[cfg(feature = "state")]
use crate::state::StateTrouble;

/// One line: a transition of an endpoint or of a host.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    /// What happened.
    pub event: &'a Event,
    /// Where: the host alone goes by its authority.
    pub endpoint: Endpoint<'a>,
    /// The policy, which knows the names of reasons.
    pub policy: &'a dyn Policy,
    /// The wall time, where the clock knows it.
    pub wall: Option<WallClock>,
}

impl Line<'_> {
    /// The line for people, without an end of line; see [`write_text`].
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // A string takes everything.
        let _ = write_text(self.event, &self.endpoint, self.policy, self.wall, &mut text);
        text
    }

    /// The line for machines, one JSON object without an end of line; see [`write_json`].
    #[must_use]
    pub fn json(&self) -> String {
        let mut json = String::new();
        let _ = write_json(self.event, &self.endpoint, self.policy, self.wall, &mut json);
        json
    }

    /// The name of the reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.policy.reason_name(self.event.cause.reason())
    }

    /// How loud the line is.
    #[must_use]
    pub fn level(&self) -> Level {
        self.event.kind.level()
    }
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Line").field(&self.text()).finish()
    }
}

/// Where lines go; [`LineFn`] makes one of a function.
pub trait LineSink: fmt::Debug + Send + Sync {
    /// Takes one line. It is called outside all locks, in the order in which one caller's calls
    /// finish; it should not block.
    fn line(&self, line: &Line<'_>);

    /// The registry has no room for `key`: it and those that come after share one entry.
    ///
    /// This is called once at most.
    fn full(&self, key: &EndpointKey<'_>) {
        let _ = key;
    }

    /// Something went wrong with the store that keeps the state.
    ///
    /// This is called once at most for each kind of trouble.
    #[cfg(feature = "state")]
    fn state(&self, trouble: &StateTrouble<'_>) {
        let _ = trouble;
    }

    /// A policy file was loaded again, and is another one or no good.
    #[cfg(feature = "reload")]
    fn policy(&self, news: &PolicyNews<'_>) {
        let _ = news;
    }
}

/// A sink that hands each line to a function.
///
/// # Examples
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use permanence_std::{LineFn, LineSink};
///
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let kept = Arc::clone(&lines);
/// let sink: Box<dyn LineSink> =
///     Box::new(LineFn::new(move |line| kept.lock().unwrap().push(line.text())));
/// # let _ = sink;
/// ```
pub struct LineFn<F>(F);

impl<F: Fn(&Line<'_>) + Send + Sync> LineFn<F> {
    /// Makes a sink from a function.
    pub const fn new(function: F) -> Self {
        LineFn(function)
    }
}

impl<F: Fn(&Line<'_>) + Send + Sync> LineSink for LineFn<F> {
    fn line(&self, line: &Line<'_>) {
        (self.0)(line);
    }
}

impl<F> fmt::Debug for LineFn<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LineFn")
    }
}

/// A sink that prints each line to standard error.
#[derive(Clone, Copy, Debug, Default)]
pub struct StderrSink;

impl LineSink for StderrSink {
    fn line(&self, line: &Line<'_>) {
        eprintln!("{}", line.text());
    }

    fn full(&self, key: &EndpointKey<'_>) {
        eprintln!("{}", full_text(key));
    }

    #[cfg(feature = "state")]
    fn state(&self, trouble: &StateTrouble<'_>) {
        eprintln!("WARN  {trouble}");
    }

    #[cfg(feature = "reload")]
    fn policy(&self, news: &PolicyNews<'_>) {
        eprintln!("{}", policy_text(news));
    }
}

/// What is said when a registry has no more room.
pub(crate) fn full_text(key: &EndpointKey<'_>) -> String {
    format!(
        "WARN  FULL no room for {} and later endpoints: they share one entry, which only their hosts gate",
        key.id
    )
}

/// What is said of a policy file that was loaded again.
#[cfg(feature = "reload")]
pub(crate) fn policy_text(news: &PolicyNews<'_>) -> String {
    format!("{:<5} {news}", news.level().name())
}

/// Tracing events where there is tracing, else standard error.
pub(crate) fn default_sink() -> Box<dyn LineSink> {
    #[cfg(feature = "tracing")]
    return Box::new(TracingSink);
    #[cfg(not(feature = "tracing"))]
    Box::new(StderrSink)
}

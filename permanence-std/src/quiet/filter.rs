//! The filter that drops the lines of HTTP libraries.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata};
use tracing_subscriber::layer::{Context, Filter};

use super::scope::is_hushed;

/// The targets of libraries that write lines about single requests; what stands below one of them,
/// as `hyper_util::client` does below `hyper_util`, belongs to it.
pub const LIBRARIES: [&str; 19] = [
    "axum",
    "h2",
    "h3",
    "hyper",
    "hyper_rustls",
    "hyper_tls",
    "hyper_util",
    "isahc",
    "mio",
    "native_tls",
    "quinn",
    "quinn_proto",
    "reqwest",
    "rustls",
    "tonic",
    "tower",
    "tower_http",
    "ureq",
    "ureq_proto",
];

/// A filter for one layer of `tracing_subscriber` that drops events of HTTP libraries while the
/// thread makes a [probe](super::probe) or [exports](super::export), and counts them.
///
/// All other events pass, and so do those of permanence itself. Records of the crate `log` that
/// come through `tracing_log` are told by the target that they had there. Spans are not touched.
///
/// Tasks that a client spawns for its connections belong to no single call, and their lines pass:
/// `hyper` writes them at the levels debug and trace.
///
/// Clones share their counts.
///
/// # Examples
///
/// ```
/// use permanence_std::quiet::{self, Quiet};
/// use tracing_subscriber::prelude::*;
///
/// # struct Printed;
/// # impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Printed {}
/// let quiet = Quiet::new().and("my_client");
/// let subscriber = tracing_subscriber::registry().with(Printed.with_filter(quiet.clone()));
/// tracing::subscriber::with_default(subscriber, || {
///     tracing::warn!(target: "my_client::pool", "no connection"); // passes
///     quiet::probe_sync(|| tracing::warn!(target: "my_client::pool", "no connection"));
/// });
/// assert_eq!(quiet.dropped(), 1);
/// assert_eq!(quiet.dropped_of("my_client"), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Quiet {
    libraries: Arc<[Library]>,
}

#[derive(Debug)]
struct Library {
    target: Cow<'static, str>,
    dropped: AtomicU64,
}

impl Library {
    fn new(target: Cow<'static, str>) -> Self {
        Library { target, dropped: AtomicU64::new(0) }
    }

    fn owns(&self, target: &str) -> bool {
        let below = target.strip_prefix(&*self.target);
        below.is_some_and(|below| below.is_empty() || below.starts_with("::"))
    }
}

impl Quiet {
    /// Makes a filter for [`LIBRARIES`].
    #[must_use]
    pub fn new() -> Self {
        Quiet::of(LIBRARIES)
    }

    /// Makes a filter for these targets and no others.
    #[must_use]
    pub fn of<T: Into<Cow<'static, str>>>(targets: impl IntoIterator<Item = T>) -> Self {
        let libraries = targets.into_iter().map(|target| Library::new(target.into()));
        Quiet { libraries: libraries.collect() }
    }

    /// One more target to keep quiet. The counts of the filter that comes back begin at zero.
    #[must_use]
    pub fn and(self, target: impl Into<Cow<'static, str>>) -> Self {
        let targets = self.libraries.iter().map(|library| library.target.clone());
        Quiet::of(targets.chain([target.into()]))
    }

    /// The events that have been dropped.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        let counts = self.libraries.iter().map(|library| library.dropped.load(Ordering::Relaxed));
        counts.fold(0, u64::saturating_add)
    }

    /// The events that have been dropped of one library, by the name that the filter has for it; 0 for a
    /// target that it does not know.
    #[must_use]
    pub fn dropped_of(&self, library: &str) -> u64 {
        let found = self.libraries.iter().find(|known| known.target == library);
        found.map_or(0, |known| known.dropped.load(Ordering::Relaxed))
    }

    fn drops(&self, target: &str) -> bool {
        if target == "permanence" {
            return false;
        }
        let found = self.libraries.iter().find(|library| library.owns(target));
        if let Some(library) = found {
            library.dropped.fetch_add(1, Ordering::Relaxed);
        }
        found.is_some()
    }
}

impl Default for Quiet {
    fn default() -> Self {
        Quiet::new()
    }
}

impl<S> Filter<S> for Quiet {
    /// Everything: whether a thread makes a probe is known only when an event comes.
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        if !is_hushed() {
            return true;
        }
        let target = event.metadata().target();
        if target != OF_LOG {
            return !self.drops(target);
        }
        let mut record = RecordOfLog { quiet: self, drops: false };
        event.record(&mut record);
        !record.drops
    }
}

/// The target that `tracing_log` gives to every record; its own target is a field.
const OF_LOG: &str = "log";

struct RecordOfLog<'q> {
    quiet: &'q Quiet,
    drops: bool,
}

impl Visit for RecordOfLog<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "log.target" {
            self.drops = self.quiet.drops(value);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_belongs_to_the_library_that_it_stands_below() {
        let quiet = Quiet::new();
        for target in ["hyper", "hyper::proto::h1::io", "hyper_util::client::legacy", "h2::codec"] {
            assert!(quiet.drops(target), "{target}");
        }
        for target in ["", "hyperion", "h", "my::hyper", "permanence", "log"] {
            assert!(!quiet.drops(target), "{target}");
        }
        assert_eq!([quiet.dropped(), quiet.dropped_of("hyper")], [4, 2]);
    }

    #[test]
    fn permanence_is_never_dropped() {
        assert!(!Quiet::of(["permanence"]).drops("permanence"));
    }
}

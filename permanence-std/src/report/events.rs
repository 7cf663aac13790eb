//! Lines as tracing events.

use permanence_core::Level;

#[cfg(feature = "reload")]
use super::policy_text;
use super::{Line, LineSink, full_text};
use crate::EndpointKey;
#[cfg(feature = "reload")]
use crate::reload::PolicyNews;
#[cfg(feature = "state")]
use crate::state::StateTrouble;

/// Makes one tracing event of each line, at the target `permanence`.
///
/// The message is the line. The fields are `event`, `endpoint`, `method`, `target_path`, `code`,
/// `reason`, `episode`, `lasted_ms`, `probes`, `skipped` and, where there is one, `next_in_ms`; they
/// change only with a major version.
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingSink;

macro_rules! event {
    ($level:ident, $line:expr) => {{
        let Line { event, endpoint, .. } = $line;
        tracing::event!(
            target: "permanence",
            tracing::Level::$level,
            event = event.kind.name(),
            endpoint = endpoint.id,
            method = endpoint.method,
            target_path = endpoint.target,
            code = %event.cause.code(),
            reason = $line.reason(),
            episode = %event.episode,
            lasted_ms = event.lasted_ms,
            probes = event.probes,
            skipped = event.skipped,
            next_in_ms = event.next_at.map(|next_at| next_at.since(event.at)),
            "{}",
            $line.text()
        )
    }};
}

impl LineSink for TracingSink {
    fn line(&self, line: &Line<'_>) {
        match line.level() {
            Level::Error => event!(ERROR, line),
            Level::Info => event!(INFO, line),
            Level::Warn => event!(WARN, line),
        }
    }

    fn full(&self, key: &EndpointKey<'_>) {
        tracing::warn!(target: "permanence", event = "FULL", endpoint = key.id, "{}", full_text(key));
    }

    #[cfg(feature = "state")]
    fn state(&self, trouble: &StateTrouble<'_>) {
        tracing::warn!(target: "permanence", event = "STATE", "WARN  {trouble}");
    }

    #[cfg(feature = "reload")]
    fn policy(&self, news: &PolicyNews<'_>) {
        let text = policy_text(news);
        match news.level() {
            Level::Info => tracing::info!(target: "permanence", event = "POLICY", "{text}"),
            _ => tracing::warn!(target: "permanence", event = "POLICY", "{text}"),
        }
    }
}

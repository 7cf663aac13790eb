//! What is written down for people: episodes that are over, and writes of unknown fate.

use std::collections::VecDeque;

use permanence_core::{EpisodeId, Timestamp};

use super::StoredKey;

/// An episode that is over.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Episode {
    /// Of what endpoint or host.
    pub key: StoredKey,
    /// The name that its lines have.
    pub id: EpisodeId,
    /// When it ended; `None` where the clock knew no wall time.
    pub closed_at: Option<Timestamp>,
    /// What the endpoint failed with, such as `404`.
    pub code: Box<str>,
    /// The name of the reason, such as `resource-absent`.
    pub reason: Box<str>,
    /// The answer that ended it, such as `204`.
    pub ended_by: Box<str>,
    /// How long it lasted, in milliseconds.
    pub lasted_ms: u64,
    /// Probes made.
    pub probes: u16,
    /// Calls skipped.
    pub skipped: u32,
    /// How often it was reopened within the flap window.
    pub reentries: u8,
}

/// A write of which nobody knows whether it acted: what is needed to find out by hand.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Surfaced {
    /// Of what endpoint.
    pub key: StoredKey,
    /// When its fate became unknown; `None` where the clock knew no wall time.
    pub at: Option<Timestamp>,
    /// What came back, such as `timeout`.
    pub code: Box<str>,
    /// The name of the reason that the policy has for that.
    pub reason: Box<str>,
    /// The name of the operation in its line; `None` for a write that had no line, since there were
    /// too many.
    pub operation: Option<EpisodeId>,
    /// What the caller calls the request, such as the number of an order; empty for nothing.
    pub reference: Box<str>,
}

/// The most episodes and the most writes that are kept.
pub(super) const RECORDS: usize = 256;

/// Appends an episode; one that was reopened within the flap window is still the same.
pub(super) fn push_episode(history: &mut VecDeque<Episode>, episode: Episode) {
    history.retain(|known| known.id != episode.id || known.key != episode.key);
    push_bounded(history, episode);
}

/// Appends to a queue that forgets its oldest.
pub(super) fn push_bounded<T>(queue: &mut VecDeque<T>, item: T) {
    while queue.len() >= RECORDS {
        queue.pop_front();
    }
    queue.push_back(item);
}

//! What a registry has to say about its store.

use std::fmt;

use permanence_core::RestoreError;

use super::{Quarantined, StoreError};

/// What went wrong with a store; the registry goes on without what is missing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum StateTrouble<'a> {
    /// Something could not be written. It is told once for each registry, though it is tried again
    /// at each transition.
    NotKept(&'a StoreError),
    /// Nothing could be read at the start.
    NotLoaded(&'a StoreError),
    /// Some endpoints could not be restored: they start with nothing known.
    NotRestored {
        /// How many.
        count: usize,
        /// Why the first of them could not.
        first: RestoreError,
    },
    /// A file could not be read as what it should be, and a new one begins. It is told once.
    Quarantined(&'a Quarantined),
}

/// The text of the line, without its level.
impl fmt::Display for StateTrouble<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateTrouble::NotKept(error) => write!(out, "STATE not kept: {error}"),
            StateTrouble::NotLoaded(error) => {
                write!(out, "STATE not loaded: {error}; starting with nothing known")
            }
            StateTrouble::NotRestored { count, first } => {
                write!(out, "STATE of {count} endpoints not restored: {first}")
            }
            StateTrouble::Quarantined(quarantined) => {
                write!(out, "STATE unreadable: {quarantined}; starting with nothing known")
            }
        }
    }
}

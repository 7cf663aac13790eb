//! Lines as they were printed.

use std::sync::{Arc, Mutex, PoisonError};

use crate::report::full_text;
use crate::{EndpointKey, Line, LineSink};

/// Lines as they were printed, in their order; clones share one list.
#[derive(Clone, Debug, Default)]
pub struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Where a registry puts them: for [`RegistrySettings::sink`](crate::RegistrySettings::sink).
    #[must_use]
    pub fn sink(&self) -> Box<dyn LineSink> {
        Box::new(self.clone())
    }

    fn push(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl LineSink for Lines {
    fn line(&self, line: &Line<'_>) {
        self.push(line.text());
    }

    fn full(&self, key: &EndpointKey<'_>) {
        self.push(full_text(key));
    }

    #[cfg(feature = "state")]
    fn state(&self, trouble: &crate::state::StateTrouble<'_>) {
        self.push(format!("WARN  {trouble}"));
    }

    #[cfg(feature = "reload")]
    fn policy(&self, news: &crate::reload::PolicyNews<'_>) {
        self.push(crate::report::policy_text(news));
    }
}

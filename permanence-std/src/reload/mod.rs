//! A policy file that is loaded again while the program runs.

mod news;
mod watch;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use permanence_spec::{Diagnostics, LoadedPolicy, load_path};

pub use self::news::PolicyNews;
pub use self::watch::{Watch, WatchError};
use crate::{Clock, Registry};

/// A policy file that is loaded again: when it is asked to, and when the file changes.
///
/// What is known of endpoints stays. Those in trouble are called again at once, by one probe each, since
/// the new policy may see them differently; see [`Registry::replace_policy`]. A file that is no good
/// keeps the policy before it, and costs one line for as long as its faults are the same.
///
/// # Examples
///
/// ```
/// use permanence_spec::{LoadedPolicy, load_path};
/// use permanence_std::reload::{PolicyFile, Reloaded};
/// use permanence_std::{ManualClock, Registry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("policy.toml");
/// # std::fs::write(&path, "error_permanence.extends = 'default'")?;
/// let registry = Registry::new(LoadedPolicy::new(load_path(&path)?), ManualClock::new());
/// let file = PolicyFile::new(registry, &path);
/// let watch = file.watch()?; // until it is dropped
/// assert_eq!(file.reload()?, Reloaded::Same); // by hand, as on SIGHUP
/// # drop(watch);
/// # Ok(())
/// # }
/// ```
pub struct PolicyFile<C> {
    shared: Arc<Shared<C>>,
}

struct Shared<C> {
    registry: Registry<LoadedPolicy, C>,
    path: PathBuf,
    /// What was last said to be wrong with the file, unless it has been well since. Held while the file is
    /// loaded, so that of two loads the later one stays.
    refused: Mutex<Option<Diagnostics>>,
}

/// What came of loading a policy file again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reloaded {
    /// It says what it has said before; nothing was done.
    Same,
    /// It decides from now on.
    Taken,
}

impl<C: Clock> PolicyFile<C> {
    /// Names the file that the policy of `registry` is from, or is to be from. Nothing is read yet.
    #[must_use]
    pub fn new(registry: Registry<LoadedPolicy, C>, path: impl Into<PathBuf>) -> Self {
        let (path, refused) = (path.into(), Mutex::new(None));
        PolicyFile { shared: Arc::new(Shared { registry, path, refused }) }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Loads the file and everything that it extends.
    ///
    /// # Errors
    ///
    /// Everything that is wrong; then the policy is what it was.
    pub fn reload(&self) -> Result<Reloaded, Diagnostics> {
        let Shared { registry, path, refused } = &*self.shared;
        let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
        match load_path(path) {
            Ok(compiled) => {
                let was_refused = refused.take().is_some();
                let is_same = *registry.policy().compiled() == compiled;
                if !is_same {
                    registry.replace_policy(LoadedPolicy::new(compiled));
                }
                if !is_same || was_refused {
                    registry.sink().policy(&PolicyNews::Taken { path });
                }
                Ok(if is_same { Reloaded::Same } else { Reloaded::Taken })
            }
            Err(faults) => {
                if refused.as_ref() != Some(&faults) {
                    registry.sink().policy(&PolicyNews::Refused { path, faults: &faults });
                    *refused = Some(faults.clone());
                }
                Err(faults)
            }
        }
    }

    /// Every file that has a say, also in a policy that was refused.
    fn files(&self) -> Vec<PathBuf> {
        let Shared { registry, path, refused } = &*self.shared;
        let mut files = registry.policy().compiled().files.clone();
        if let Some(faults) = &*refused.lock().unwrap_or_else(PoisonError::into_inner) {
            files.extend_from_slice(faults.files());
        }
        files.push(path.clone());
        files
    }
}

impl<C: Clock + 'static> PolicyFile<C> {
    /// Loads the file again whenever it changes, until what is returned is dropped. It is loaded once at
    /// the start too.
    ///
    /// The directories of the file and of all that it extends are watched, so that a file that is
    /// replaced by another, as editors do it, or by way of a symbolic link, as volumes of Kubernetes do
    /// it, is met again. What comes within 50 ms counts as one change.
    ///
    /// # Errors
    ///
    /// A [`WatchError`] where the system cannot watch the directory of the file.
    pub fn watch(&self) -> Result<Watch, WatchError> {
        watch::start(self.clone())
    }
}

impl<C> Clone for PolicyFile<C> {
    fn clone(&self) -> Self {
        PolicyFile { shared: Arc::clone(&self.shared) }
    }
}

impl<C> fmt::Debug for PolicyFile<C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PolicyFile").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

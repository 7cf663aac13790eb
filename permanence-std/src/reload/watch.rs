//! Watching the directories of a policy file.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use notify::{
    Error as NotifyError, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};

use super::PolicyFile;
use crate::Clock;

/// How long nothing may change before the file is loaded.
const QUIET: Duration = Duration::from_millis(50);
/// How long a file that goes on changing is waited for.
const LONGEST: Duration = Duration::from_secs(1);

/// A policy file that is being watched, until this is dropped.
#[must_use = "what is dropped watches nothing"]
#[derive(Debug)]
pub struct Watch {
    notices: Sender<Notice>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.notices.send(Notice::Stop);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

/// Why a policy file cannot be watched.
#[derive(Debug)]
#[non_exhaustive]
pub enum WatchError {
    /// There is no thread for it.
    Thread(io::Error),
    /// The system cannot watch this directory.
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl fmt::Display for WatchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WatchError::Thread(_) => out.write_str("no thread to watch the policy file in"),
            WatchError::Directory { path, .. } => write!(out, "cannot watch {}", path.display()),
        }
    }
}

impl std::error::Error for WatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WatchError::Thread(error) => Some(error),
            WatchError::Directory { source, .. } => Some(&**source),
        }
    }
}

enum Notice {
    Changed,
    Stop,
}

/// Watches until it is told to stop.
pub(super) fn start<C: Clock + 'static>(file: PolicyFile<C>) -> Result<Watch, WatchError> {
    let (notices, noticed) = channel();
    let changes = notices.clone();
    let home = directory_of(file.path());
    let cannot = |source: NotifyError| WatchError::Directory {
        path: home.clone(),
        source: Box::new(source),
    };
    let watcher = notify::recommended_watcher(move |event| {
        if is_change(&event) {
            let _ = changes.send(Notice::Changed);
        }
    });
    let mut watched = Watched { watcher: watcher.map_err(cannot)?, directories: BTreeSet::new() };
    watched.watch(home.clone()).map_err(cannot)?;
    watched.follow(&file);
    let thread = thread::Builder::new().name("permanence-policy".to_owned());
    let thread = thread.spawn(move || watched.run(&file, &noticed)).map_err(WatchError::Thread)?;
    Ok(Watch { notices, thread: Some(thread) })
}

/// Whether a file may have changed: our own reading is seen too. What the system could not tell may be a
/// change.
fn is_change(event: &Result<Event, NotifyError>) -> bool {
    !matches!(
        event,
        Ok(Event { kind: EventKind::Access(kind), .. })
            if *kind != AccessKind::Close(AccessMode::Write)
    )
}

struct Watched {
    watcher: RecommendedWatcher,
    directories: BTreeSet<PathBuf>,
}

impl Watched {
    fn run<C: Clock>(mut self, file: &PolicyFile<C>, noticed: &Receiver<Notice>) {
        loop {
            // Faults have their line.
            let _ = file.reload();
            self.follow(file);
            match noticed.recv() {
                Ok(Notice::Changed) => {}
                Ok(Notice::Stop) | Err(_) => return,
            }
            let began = Instant::now();
            while began.elapsed() < LONGEST {
                match noticed.recv_timeout(QUIET) {
                    Ok(Notice::Changed) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Ok(Notice::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        }
    }

    /// Watches the directories of all files that have a say now, and of what they are links to.
    fn follow<C: Clock>(&mut self, file: &PolicyFile<C>) {
        for path in file.files() {
            let _ = self.watch(directory_of(&path));
            if let Ok(path) = path.canonicalize() {
                let _ = self.watch(directory_of(&path));
            }
        }
    }

    fn watch(&mut self, directory: PathBuf) -> Result<(), NotifyError> {
        if !self.directories.contains(&directory) {
            self.watcher.watch(&directory, RecursiveMode::NonRecursive)?;
            self.directories.insert(directory);
        }
        Ok(())
    }
}

fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

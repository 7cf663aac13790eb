//! One file that is always whole: replaced by rename, under a lock, and set aside when it cannot be
//! read.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::place::beside;
use super::text::{Page, parse, render};
use super::{Corruption, Quarantined, StoreError};

/// A file of one kind, which many processes read and write.
#[derive(Debug)]
pub(super) struct Guarded<P> {
    path: PathBuf,
    /// The lock is on a file of its own, since this one is replaced.
    lock: PathBuf,
    set_aside: Mutex<Option<Quarantined>>,
    page: PhantomData<fn() -> P>,
}

/// What is to be done with a page that was looked at under the lock.
pub(super) enum Change<T> {
    Leave(T),
    Write(T),
}

/// What stands where the file should be.
enum Found<P> {
    Corrupt(Corruption),
    Page(P),
}

/// More than the largest file: each of 4,096 places and as many leases on its longest line.
const MOST_BYTES: u64 = 32 << 20;
/// The most corrupt files that are kept beside a file.
const MOST_SET_ASIDE: u32 = 4;
/// The longest wait for the lock, a fraction of which a write takes.
const PATIENCE: Duration = Duration::from_secs(2);

impl<P: Page> Guarded<P> {
    pub(super) fn new(path: PathBuf, lock: PathBuf) -> Self {
        Guarded { path, lock, set_aside: Mutex::new(None), page: PhantomData }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What was set aside since the last question.
    pub(super) fn take_set_aside(&self) -> Option<Quarantined> {
        self.set_aside.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What the file says; nothing where there is none, and where it cannot be read as what it
    /// should be.
    pub(super) fn read(&self) -> Result<P, StoreError> {
        let found = self.look()?;
        let stray = fs::symlink_metadata(self.temporary()).is_ok();
        match found {
            // A file is always whole, so that reading it takes no lock.
            Found::Page(page) if !stray => return Ok(page),
            _ => {}
        }
        match (self.locked(), found) {
            (Ok(_lock), _) => {
                // Whoever wrote it would hold the lock.
                let _ = fs::remove_file(self.temporary());
                self.read_under_lock()
            }
            (Err(_), Found::Page(page)) => Ok(page),
            (Err(_), Found::Corrupt(found)) => {
                self.note(Quarantined { path: self.path.clone(), moved_to: None, found });
                Ok(P::default())
            }
        }
    }

    /// Lets `act` look at the page and change it, alone among all processes.
    ///
    /// When it returns a change is on the disk.
    pub(super) fn update<T>(
        &self,
        act: impl FnOnce(&mut P) -> Result<Change<T>, StoreError>,
    ) -> Result<T, StoreError> {
        let _lock = self.locked()?;
        let mut page = self.read_under_lock()?;
        match act(&mut page)? {
            Change::Leave(told) => Ok(told),
            Change::Write(told) => {
                self.replace(render(&page).as_bytes())?;
                Ok(told)
            }
        }
    }

    fn read_under_lock(&self) -> Result<P, StoreError> {
        match self.look()? {
            Found::Page(page) => Ok(page),
            Found::Corrupt(found) => {
                let to = self.place_aside();
                let moved_to = fs::rename(&self.path, &to).is_ok().then_some(to);
                self.note(Quarantined { path: self.path.clone(), moved_to, found });
                Ok(P::default())
            }
        }
    }

    fn look(&self) -> Result<Found<P>, StoreError> {
        // What is not a file might never end.
        match fs::metadata(&self.path) {
            Ok(known) if !known.is_file() => return Ok(Found::Corrupt(Corruption::NotAFile)),
            Err(missing) if missing.kind() == ErrorKind::NotFound => {
                return Ok(Found::Page(P::default()));
            }
            _ => {}
        }
        let mut bytes = Vec::new();
        let read = File::open(&self.path)
            .and_then(|file| file.take(MOST_BYTES.saturating_add(1)).read_to_end(&mut bytes));
        match read {
            Ok(_) => {}
            Err(missing) if missing.kind() == ErrorKind::NotFound => {
                return Ok(Found::Page(P::default()));
            }
            Err(source) => return Err(refused("read", &self.path, source)),
        }
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if length > MOST_BYTES {
            return Ok(Found::Corrupt(Corruption::TooLarge(length)));
        }
        Ok(parse(&bytes).map_or_else(Found::Corrupt, Found::Page))
    }

    fn locked(&self) -> Result<File, StoreError> {
        if let Some(directory) = self.lock.parent() {
            make_directory(directory).map_err(|source| refused("make", directory, source))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = private(&mut options)
            .open(&self.lock)
            .map_err(|source| refused("open", &self.lock, source))?;
        let began = std::time::Instant::now();
        let mut pause = Duration::from_micros(50);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(source)) => {
                    return Err(refused("lock", &self.lock, source));
                }
                Err(TryLockError::WouldBlock) if began.elapsed() >= PATIENCE => {
                    return Err(StoreError::Busy(self.lock.clone()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            }
            pause = pause.saturating_mul(2).min(Duration::from_millis(2));
        }
    }

    /// Puts `bytes` in the place of the file: after a power cut there is the old text or the new one.
    fn replace(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let temporary = self.temporary();
        // One that stands there is of a process that was killed; it may be a link to elsewhere.
        let _ = fs::remove_file(&temporary);
        let mut options = OpenOptions::new();
        let written = private(options.write(true).create_new(true))
            .open(&temporary)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        let replaced = match written {
            Ok(()) => fs::rename(&temporary, &self.path),
            Err(source) => Err(source),
        };
        if let Err(source) = replaced {
            let _ = fs::remove_file(&temporary);
            return Err(refused("write", &self.path, source));
        }
        self.sync_directory().map_err(|source| refused("sync the directory of", &self.path, source))
    }

    fn sync_directory(&self) -> io::Result<()> {
        // Elsewhere a directory cannot be opened.
        match self.path.parent() {
            Some(directory) if cfg!(unix) => File::open(or_here(directory))?.sync_all(),
            _ => Ok(()),
        }
    }

    fn temporary(&self) -> PathBuf {
        beside(&self.path, ".tmp")
    }

    /// The first free place for a corrupt file, or that of the one that has been there longest.
    fn place_aside(&self) -> PathBuf {
        let places = (1..=MOST_SET_ASIDE)
            .map(|number| beside(&self.path, &format!(".corrupt-{number}")))
            .collect::<Vec<_>>();
        let since = |path: &PathBuf| fs::symlink_metadata(path).and_then(|known| known.modified());
        let free = places.iter().find(|path| since(path).is_err());
        let oldest = || places.iter().min_by_key(|path| since(path).ok());
        free.or_else(oldest).cloned().unwrap_or_else(|| beside(&self.path, ".corrupt-1"))
    }

    fn note(&self, quarantined: Quarantined) {
        *self.set_aside.lock().unwrap_or_else(PoisonError::into_inner) = Some(quarantined);
    }
}

fn refused(act: &'static str, path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { act, path: path.to_owned(), source }
}

/// A relative path of one part has an empty parent.
fn or_here(directory: &Path) -> &Path {
    if directory.as_os_str().is_empty() { Path::new(".") } else { directory }
}

fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(or_here(directory))
}

/// What is made is for its owner alone.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

//! A state file in good and in bad hands.
#![cfg(feature = "state")]
#![allow(missing_docs, clippy::panic, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use permanence_core::{EpisodeId, Instant, Span, Timestamp, Tracker};
use permanence_std::state::{
    Corruption, Episode, Generation, Kept, Lease, StateFile, Store, StoreError, StoredKey,
    Surfaced, Swap,
};
use permanence_std::{EndpointKey, Origin};

const HERE: Origin<'static> = Origin { scheme: "https", authority: "example.com" };

fn key(template: &str) -> EndpointKey<'_> {
    EndpointKey { id: "feed", method: "GET", origin: HERE, template }
}

fn kept(seed: u32) -> Kept {
    let snapshot = Tracker::new(seed).snapshot(Instant::ZERO);
    Kept { snapshot, taken_at: Some(Timestamp::from_unix_seconds(1_767_571_200)) }
}

/// A directory, and a state file in it that does not exist yet.
fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("permanence").join("reporter.state");
    (directory, path)
}

fn write_first(file: &StateFile, template: &str, seed: u32) {
    let swap = file.compare_and_swap(&key(template), Generation::ABSENT, &kept(seed)).unwrap();
    assert_eq!(swap, Swap::Stored(Generation::from_number(1)));
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names = entries.map(|entry| name(entry.unwrap())).collect::<Vec<_>>();
    names.sort();
    names
}

#[test]
fn what_was_swapped_in_is_found_by_another_process() {
    let (_directory, path) = place();
    write_first(&StateFile::at(&path), "/a", 7);
    let file = StateFile::at(&path);
    let loaded = file.load().unwrap();
    assert_eq!(loaded.len(), 1);
    assert_eq!(loaded[0].key.borrowed(), key("/a"));
    assert_eq!((loaded[0].generation, loaded[0].kept), (Generation::from_number(1), kept(7)));
    let next = file.compare_and_swap(&key("/a"), loaded[0].generation, &kept(8)).unwrap();
    assert_eq!(next, Swap::Stored(Generation::from_number(2)));
    let late = file.compare_and_swap(&key("/a"), loaded[0].generation, &kept(9)).unwrap();
    assert_eq!(late, Swap::Lost(Some((Generation::from_number(2), kept(8)))));
}

#[test]
fn a_file_that_is_not_there_is_empty_and_is_not_made_by_looking() {
    let (directory, path) = place();
    assert_eq!(StateFile::at(&path).load().unwrap(), []);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    write_first(&file, "/a", 7);
    file.surface(&write(1)).unwrap();
    file.close_episode(&episode(1)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    let made = [
        "reporter.state",
        "reporter.state.history",
        "reporter.state.lock",
        "reporter.state.review",
    ];
    assert_eq!(names(&path), made);
    for name in made {
        assert_eq!(mode(&path.with_file_name(name)), 0o600, "{name}");
    }
    // One that was opened to others is closed by the next write.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    write_first(&file, "/b", 7);
    assert_eq!(mode(&path), 0o600);
}

/// What `bytes` in the place of a state file are found to be; nothing else may be lost by it.
fn corruption_of(bytes: &[u8]) -> Corruption {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    write_first(&file, "/a", 7);
    fs::write(&path, bytes).unwrap();
    assert_eq!(file.load().unwrap(), []);
    let quarantined = file.take_quarantined().expect("it is told");
    let aside = path.with_file_name("reporter.state.corrupt-1");
    assert_eq!(quarantined.moved_to.as_deref(), Some(&*aside));
    assert_eq!(fs::read(&aside).unwrap(), bytes);
    assert!(file.take_quarantined().is_none(), "it is told once");
    write_first(&file, "/b", 7);
    assert_eq!(file.load().unwrap().len(), 1);
    quarantined.found
}

#[test]
fn what_cannot_be_read_is_set_aside_and_the_file_begins_anew() {
    let (_directory, path) = place();
    write_first(&StateFile::at(&path), "/a", 7);
    let good = fs::read(&path).unwrap();
    let mut changed = good.clone();
    changed[40] ^= 1;
    let newer = [b"permanence state 2\n", &good[19..]].concat();
    assert_eq!(corruption_of(b""), Corruption::Header);
    assert_eq!(corruption_of(&[0; 512]), Corruption::Header);
    assert_eq!(corruption_of(&good[..good.len() / 2]), Corruption::Checksum);
    assert_eq!(corruption_of(&good[..good.len() - 1]), Corruption::Checksum);
    assert_eq!(corruption_of(&changed), Corruption::Checksum);
    assert_eq!(corruption_of(&[&good[..], b"more\n"].concat()), Corruption::Checksum);
    assert_eq!(corruption_of(&newer), Corruption::Version("2".into()));
    let huge = [&good[..], &vec![b'x'; 33 << 20]].concat();
    assert_eq!(corruption_of(&huge), Corruption::TooLarge((32 << 20) + 1));
}

#[test]
fn a_corrupt_file_is_set_aside_by_a_write_too_and_never_written_over() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    write_first(&file, "/a", 7);
    fs::write(&path, "not ours").unwrap();
    let swap = file.compare_and_swap(&key("/a"), Generation::from_number(1), &kept(8)).unwrap();
    assert_eq!(swap, Swap::Lost(None));
    assert_eq!(file.take_quarantined().unwrap().found, Corruption::Header);
    assert_eq!(fs::read(path.with_file_name("reporter.state.corrupt-1")).unwrap(), b"not ours");
}

#[test]
fn four_corrupt_files_are_kept_and_the_oldest_of_them_goes() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    write_first(&file, "/a", 7);
    for number in 1..=6_u64 {
        fs::write(&path, format!("not ours {number}")).unwrap();
        let modified = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + number);
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        file.load().unwrap();
    }
    let aside = names(&path).into_iter().filter(|name| name.contains("corrupt"));
    let texts = aside.map(|name| fs::read_to_string(path.with_file_name(name)).unwrap());
    let texts = texts.collect::<Vec<_>>();
    assert_eq!(texts, ["not ours 5", "not ours 6", "not ours 3", "not ours 4"]);
}

#[test]
fn something_else_in_its_place_is_set_aside() {
    let (_directory, path) = place();
    fs::create_dir_all(&path).unwrap();
    let file = StateFile::at(&path);
    assert_eq!(file.load().unwrap(), []);
    assert_eq!(file.take_quarantined().unwrap().found, Corruption::NotAFile);
    write_first(&file, "/a", 7);
}

#[test]
fn a_temporary_file_that_a_killed_process_left_is_swept() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    write_first(&file, "/a", 7);
    let stray = path.with_file_name("reporter.state.tmp");
    fs::write(&stray, "half a li").unwrap();
    assert_eq!(file.load().unwrap().len(), 1);
    assert!(!stray.exists());
    fs::write(&stray, "half a li").unwrap();
    write_first(&file, "/b", 7);
    assert!(!stray.exists());
}

#[cfg(unix)]
#[test]
fn a_stray_link_is_removed_and_not_followed() {
    let (directory, path) = place();
    let file = StateFile::at(&path);
    write_first(&file, "/a", 7);
    let elsewhere = directory.path().join("elsewhere");
    fs::write(&elsewhere, "precious").unwrap();
    std::os::unix::fs::symlink(&elsewhere, path.with_file_name("reporter.state.tmp")).unwrap();
    write_first(&file, "/b", 7);
    assert_eq!(fs::read(&elsewhere).unwrap(), b"precious");
}

#[test]
fn where_no_directory_can_be_made_the_error_says_what_was_refused() {
    let directory = tempfile::tempdir().unwrap();
    let blocked = directory.path().join("blocked");
    fs::write(&blocked, "a file").unwrap();
    let file = StateFile::at(blocked.join("permanence/reporter.state"));
    let refused = file.compare_and_swap(&key("/a"), Generation::ABSENT, &kept(7));
    assert!(matches!(refused, Err(StoreError::Io { act: "make", .. })), "{refused:?}");
}

#[test]
fn a_lock_that_is_never_given_back_is_not_waited_for_for_ever() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    write_first(&file, "/a", 7);
    let lock = fs::File::open(path.with_file_name("reporter.state.lock")).unwrap();
    lock.lock().unwrap();
    let refused = file.compare_and_swap(&key("/b"), Generation::ABSENT, &kept(7));
    assert!(matches!(refused, Err(StoreError::Busy(_))), "{refused:?}");
    // Reading takes no lock.
    assert_eq!(file.load().unwrap().len(), 1);
}

#[test]
fn a_key_that_is_too_long_is_refused() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    let long = "/".repeat(1_024);
    let refused = file.compare_and_swap(&key(&long), Generation::ABSENT, &kept(7));
    assert!(matches!(refused, Err(StoreError::KeyTooLong(1_047))), "{refused:?}");
}

#[test]
fn a_lease_is_seen_by_another_process_until_it_lapses() {
    let (_directory, path) = place();
    let (ours, theirs) = (StateFile::at(&path), StateFile::at(&path));
    let ask = |file: &StateFile, at| {
        file.try_lease(&key("/a"), Span::from_secs(60), Timestamp::from_unix_seconds(at)).unwrap()
    };
    let until = Timestamp::from_unix_seconds(1_060);
    assert_eq!(ask(&ours, 1_000), Lease::Granted(until));
    assert_eq!(ask(&theirs, 1_059), Lease::Held(until));
    write_first(&ours, "/a", 7);
    assert_eq!(ask(&theirs, 1_059), Lease::Held(until), "a swap leaves leases alone");
    assert_eq!(ask(&theirs, 1_060), Lease::Granted(Timestamp::from_unix_seconds(1_120)));
}

fn write(number: u64) -> Surfaced {
    Surfaced {
        key: StoredKey::new(&key("/a")),
        at: Some(Timestamp::from_unix_seconds(number)),
        code: "timeout".into(),
        reason: "network".into(),
        operation: (number % 2 == 1).then_some(EpisodeId::from_number(0x5d1e)),
        reference: "order 17\n".into(),
    }
}

fn episode(number: u16) -> Episode {
    Episode {
        key: StoredKey::new(&key("/a")),
        id: EpisodeId::from_number(number),
        closed_at: None,
        code: "404".into(),
        reason: "resource-absent".into(),
        ended_by: "204".into(),
        lasted_ms: u64::MAX,
        probes: 24,
        skipped: u32::MAX,
        reentries: 255,
    }
}

#[test]
fn the_review_journal_keeps_the_last_256_writes_until_they_are_settled() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    for number in 1..=260 {
        file.surface(&write(number)).unwrap();
    }
    let expected = (5..=260).map(write).collect::<Vec<_>>();
    assert_eq!(file.review().unwrap(), expected);
    let until_9 = |write: &Surfaced| write.at <= Some(Timestamp::from_unix_seconds(9));
    assert_eq!(file.settle(until_9).unwrap(), 5);
    assert_eq!(file.settle(until_9).unwrap(), 0);
    assert_eq!(StateFile::at(&path).review().unwrap(), expected[5..]);
}

#[test]
fn the_history_keeps_the_last_256_episodes_and_each_once() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    for number in (1..=260).chain([258]) {
        file.close_episode(&episode(number)).unwrap();
    }
    let ids = file.history().unwrap().into_iter().map(|episode| episode.id.number());
    let expected = (5..=257).chain([259, 260, 258]);
    assert_eq!(ids.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    assert_eq!(StateFile::at(&path).history().unwrap().last(), Some(&episode(258)));
}

#[test]
fn no_secret_gets_into_a_file() {
    let (_directory, path) = place();
    let file = StateFile::at(&path);
    let origin = Origin { scheme: "https", authority: "me:SECRET@example.com" };
    let template = "/feed?token=SECRET#SECRET";
    for id in ["feed", origin.authority, template] {
        let key = EndpointKey { id, method: "GET", origin, template };
        let swap = file.compare_and_swap(&key, Generation::ABSENT, &kept(7)).unwrap();
        assert_eq!(swap, Swap::Stored(Generation::from_number(1)));
    }
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("example.com") && !text.contains("SECRET"), "{text}");
}

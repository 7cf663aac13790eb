//! A policy file that is loaded again, by hand and when it changes.
#![cfg(feature = "reload")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use permanence_core::{Outcome, Request, Signal};
use permanence_spec::{LoadedPolicy, load_path};
use permanence_std::reload::{PolicyFile, Reloaded};
use permanence_std::{Handle, ManualClock, Origin, Registry};
use support::{Lines, clock};
use tempfile::TempDir;

const FIRST: &str = "[error_permanence]\nextends = 'default'\n";
/// A feed that is not there is no news.
const LENIENT: &str = "[error_permanence]\nextends = 'default'\n\
    per_endpoint_overrides.'GET /v1/feed'.reasons.resource-absent.disable_after_consecutive = 9\n";
const BROKEN: &str = "[error_permanence]\nextends = 'default'\nclases = 1\n";
const BROKEN_AGAIN: &str = "[error_permanence]\nextends = 'defualt'\nclases = 1\n";

struct Agent {
    directory: TempDir,
    lines: Lines,
    registry: Registry<LoadedPolicy, ManualClock>,
    file: PolicyFile<ManualClock>,
}

impl Agent {
    fn new() -> Agent {
        Agent::of(|directory| {
            let path = directory.join("policy.toml");
            fs::write(&path, FIRST).expect("a directory of our own");
            path
        })
    }

    fn of(make: impl FnOnce(&Path) -> PathBuf) -> Agent {
        let directory = tempfile::tempdir().expect("a directory");
        let path = make(directory.path());
        let policy = LoadedPolicy::new(load_path(&path).expect("a policy"));
        let lines = Lines::default();
        let registry = Registry::with_settings(policy, clock(), lines.settings());
        let file = PolicyFile::new(registry.clone(), path);
        Agent { directory, lines, registry, file }
    }

    fn feed(&self) -> Handle<LoadedPolicy, ManualClock> {
        let here = Origin { scheme: "http", authority: "127.0.0.1:8787" };
        self.registry.endpoint_of("GET", here, "/v1/feed")
    }

    fn call(&self, code: u16) -> bool {
        let outcome = Outcome::new(Signal::Http(code), Request::Idempotent);
        self.feed().gate().map(|pass| drop(pass.record(&outcome))).is_ok()
    }

    /// Puts another text in the place of the file, as editors do it.
    fn write(&self, text: &str) {
        let other = self.directory.path().join("policy.toml~");
        fs::write(&other, text).expect("a directory of our own");
        fs::rename(other, self.file.path()).expect("a directory of our own");
    }

    /// The lines that there are, each without what differs from run to run.
    fn told(&self) -> Vec<String> {
        let directory = format!("{}/", self.directory.path().display());
        self.lines.all().iter().map(|line| line.replace(&directory, "")).collect()
    }

    /// Waits for as many lines, and not for ever.
    fn wait_for(&self, count: usize) {
        for _ in 0..2_000 {
            if self.lines.count() >= count {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(self.lines.count() >= count, "{:?}", self.told());
    }
}

#[test]
fn another_policy_is_taken_and_looks_again_at_what_was_disabled() {
    let agent = Agent::new();
    assert!(agent.call(404) && !agent.call(404));
    agent.write(LENIENT);
    assert_eq!(agent.file.reload(), Ok(Reloaded::Taken));
    assert!(agent.call(200) && agent.call(404) && agent.call(404));
    let told = agent.told();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(told[1], "INFO  POLICY policy.toml taken");
    assert!(told[2].starts_with("INFO  RECOVERED feed: 200"), "{told:?}");
}

#[test]
fn a_file_that_says_the_same_brings_no_probe_and_no_line() {
    let agent = Agent::new();
    assert!(agent.call(404));
    agent.write(&format!("# a comment\n{FIRST}"));
    assert_eq!(agent.file.reload(), Ok(Reloaded::Same));
    assert!(!agent.call(404));
    assert_eq!(agent.lines.count(), 1);
}

#[test]
fn a_bad_file_keeps_the_policy_and_costs_one_line_for_each_kind_of_bad() {
    let agent = Agent::new();
    agent.write(BROKEN);
    for _ in 0..3 {
        let faults = agent.file.reload().expect_err("no such key");
        assert_eq!(faults.len(), 1);
    }
    assert!(agent.call(404) && !agent.call(404), "the first policy decides");
    agent.write(BROKEN_AGAIN);
    assert!(agent.file.reload().is_err());
    fs::remove_file(agent.file.path()).expect("it is there");
    assert!(agent.file.reload().is_err());
    assert!(!agent.call(404), "no probe");
    let told = agent.told();
    assert_eq!(told.len(), 4, "{told:?}");
    let refused = "WARN  POLICY policy.toml refused, the one before it stays: P0";
    assert!([0, 2, 3].iter().all(|line| told[*line].starts_with(refused)), "{told:?}");
    assert!(told[0].contains(" at policy.toml:3:1: "), "{told:?}");
    assert!(told[2].ends_with("; 1 more, see `permanence check`"), "{told:?}");

    // What was refused and is well again is told too, though nothing has changed.
    agent.write(FIRST);
    assert_eq!(agent.file.reload(), Ok(Reloaded::Same));
    assert_eq!(agent.told()[4], "INFO  POLICY policy.toml taken");
}

#[test]
fn a_file_that_changes_is_loaded_until_nobody_watches() {
    let agent = Agent::new();
    let watch = agent.file.watch().expect("a directory that can be watched");
    agent.write(LENIENT);
    agent.wait_for(1);
    assert!(agent.call(404) && agent.call(404), "another policy decides");
    agent.write(BROKEN);
    agent.wait_for(2);
    fs::write(agent.file.path(), FIRST).expect("a directory of our own");
    agent.wait_for(3);
    drop(watch);
    agent.write(LENIENT);
    std::thread::sleep(Duration::from_millis(100));
    let told = agent.told();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[1].starts_with("WARN  POLICY") && told[2].starts_with("INFO  POLICY"), "{told:?}");
}

#[test]
fn what_has_changed_before_it_was_watched_is_seen() {
    let agent = Agent::new();
    agent.write(LENIENT);
    let _watch = agent.file.watch().expect("a directory that can be watched");
    agent.wait_for(1);
}

#[test]
fn a_file_that_is_extended_is_watched_where_it_is() {
    let agent = Agent::of(|directory| {
        fs::create_dir(directory.join("base")).expect("a directory of our own");
        fs::write(directory.join("base/fleet.toml"), FIRST).expect("a directory of our own");
        let path = directory.join("policy.toml");
        fs::write(&path, FIRST.replace("default", "base/fleet.toml")).expect("a directory");
        path
    });
    let _watch = agent.file.watch().expect("a directory that can be watched");
    fs::write(agent.directory.path().join("base/fleet.toml"), LENIENT).expect("a directory");
    agent.wait_for(1);
    assert!(agent.call(404) && agent.call(404), "another policy decides");
}

/// A volume of Kubernetes: the file is a link into a directory that is a link to the present version.
#[cfg(unix)]
#[test]
fn a_file_behind_links_that_are_exchanged_is_loaded_each_time() {
    use std::os::unix::fs::symlink;

    let turn_to = |directory: &Path, version: &str, text: &str| {
        fs::create_dir(directory.join(version)).expect("a directory of our own");
        fs::write(directory.join(version).join("policy.toml"), text).expect("a directory");
        symlink(version, directory.join("..data_tmp")).expect("a directory of our own");
        fs::rename(directory.join("..data_tmp"), directory.join("..data")).expect("a directory");
    };
    let agent = Agent::of(|directory| {
        turn_to(directory, "..1", FIRST);
        let path = directory.join("policy.toml");
        symlink("..data/policy.toml", &path).expect("a directory of our own");
        path
    });
    let _watch = agent.file.watch().expect("a directory that can be watched");
    for (count, text) in [LENIENT, FIRST, LENIENT].into_iter().enumerate() {
        turn_to(agent.directory.path(), &format!("..{}", count + 2), text);
        agent.wait_for(count + 1);
    }
    assert_eq!(agent.lines.count(), 3, "{:?}", agent.told());
}

#[test]
fn a_directory_that_is_not_there_cannot_be_watched() {
    let agent = Agent::new();
    let nowhere = agent.directory.path().join("nowhere/policy.toml");
    let error = PolicyFile::new(agent.registry.clone(), nowhere).watch().map(drop).unwrap_err();
    assert!(error.to_string().ends_with("/nowhere"), "{error}");
}

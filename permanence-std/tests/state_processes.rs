//! One state file under many processes, and under processes that are killed.
//!
//! The test binary starts itself: `worker` does nothing unless a test has started it.
//! `PERMANENCE_KILLS` sets how many processes are killed; 25 in an ordinary run.
#![cfg(all(feature = "state", unix))]
#![allow(missing_docs, clippy::panic, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use permanence_core::{Instant, Outcome, Policy, Request, Rule, Settings, Signal, Tracker};
use permanence_std::state::{Generation, Kept, StateFile, Store, StoreError, Stored, Swap};
use permanence_std::{EndpointKey, Origin};

const HERE: Origin<'static> = Origin { scheme: "http", authority: "127.0.0.1:8787" };
const PROCESSES: u64 = 10;
const UPDATES: u64 = 200;

fn key(template: &str) -> EndpointKey<'_> {
    EndpointKey { id: "status", method: "PUT", origin: HERE, template }
}

/// Everything stops the calls.
struct Absent;

impl Policy for Absent {
    fn rule(&self, _: &Signal<'_>) -> &Rule {
        const ABSENT: Rule = Rule {
            class: permanence_core::Class::Permanent,
            reason: permanence_core::Reason::RESOURCE_ABSENT,
            disable_after: core::num::NonZeroU16::new(1),
            ..Rule::SUCCESS
        };
        &ABSENT
    }

    fn settings(&self) -> &Settings {
        &Settings::LITERAL
    }
}

/// An endpoint in an episode.
fn disabled() -> Kept {
    let mut tracker = Tracker::new(7);
    let permit = tracker.admit(&Absent, Instant::ZERO).permit().unwrap();
    let outcome = Outcome::new(Signal::Http(404), Request::Idempotent);
    let _ = tracker.record(&Absent, permit, &outcome, Instant::ZERO);
    Kept { snapshot: tracker.snapshot(Instant::ZERO), taken_at: None }
}

/// One more of a place that others write too.
fn update(file: &StateFile, template: &str) -> Generation {
    let mut expected = Generation::ABSENT;
    loop {
        match file.compare_and_swap(&key(template), expected, &disabled()) {
            Ok(Swap::Stored(generation)) => return generation,
            Ok(Swap::Lost(found)) => expected = found.map_or(Generation::ABSENT, |(at, _)| at),
            Err(StoreError::Busy(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// What a process that was started by a test does.
#[test]
fn worker() {
    if std::env::var("PERMANENCE_WORKER").is_ok_and(|name| name == "named") {
        update(&StateFile::named("reporter").unwrap(), "/named");
        return;
    }
    let Ok(path) = std::env::var("PERMANENCE_STATE_FILE") else { return };
    let file = StateFile::at(path);
    let name = std::env::var("PERMANENCE_WORKER").unwrap();
    match std::env::var("PERMANENCE_UPDATES") {
        Ok(updates) => {
            for number in 0_u64..updates.parse().unwrap() {
                let own = format!("/own/{name}");
                update(&file, if number % 2 == 0 { "/shared" } else { &own });
            }
        }
        // Until it is killed: what it says is kept must be there.
        Err(_) => {
            for number in 0_u64.. {
                let template = format!("/{name}/{}", number % 50);
                let generation = update(&file, &template);
                println!("\nkept {template} {}", generation.number());
                std::io::stdout().flush().unwrap();
            }
        }
    }
}

fn start(path: &Path, name: &str, updates: Option<u64>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "worker", "--nocapture", "--test-threads=1"])
        .env("PERMANENCE_STATE_FILE", path)
        .env("PERMANENCE_WORKER", name)
        .stdout(if updates.is_some() { Stdio::null() } else { Stdio::piped() });
    if let Some(updates) = updates {
        command.env("PERMANENCE_UPDATES", updates.to_string());
    }
    command.spawn().unwrap()
}

fn generation(stored: &[Stored], template: &str) -> Option<u64> {
    let place = stored.iter().find(|place| place.key.borrowed() == key(template))?;
    Some(place.generation.number())
}

#[test]
fn a_named_file_stands_in_the_state_directory_of_its_user() {
    let (home, xdg) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = |xdg: &Path| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "worker"]).stdout(Stdio::null());
        command.env("PERMANENCE_WORKER", "named").env("HOME", home.path());
        assert!(command.env("XDG_STATE_HOME", xdg).status().unwrap().success());
    };
    run(xdg.path());
    run(Path::new(""));
    for directory in [xdg.path().to_owned(), home.path().join(".local/state")] {
        let file = StateFile::at(directory.join("permanence/reporter.state"));
        assert_eq!(generation(&file.load().unwrap(), "/named"), Some(1), "{directory:?}");
    }
}

#[test]
fn ten_processes_with_two_hundred_updates_each_lose_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reporter.state");
    let children = (0..PROCESSES).map(|name| start(&path, &name.to_string(), Some(UPDATES)));
    for mut child in children.collect::<Vec<_>>() {
        assert!(child.wait().unwrap().success());
    }
    let file = StateFile::at(&path);
    let stored = file.load().unwrap();
    assert!(file.take_quarantined().is_none());
    assert_eq!(generation(&stored, "/shared"), Some(PROCESSES * UPDATES / 2));
    for name in 0..PROCESSES {
        assert_eq!(
            generation(&stored, &format!("/own/{name}")),
            Some(UPDATES / 2),
            "process {name}"
        );
    }
}

#[test]
fn a_process_that_is_killed_at_any_instant_corrupts_nothing_and_forgets_nothing() {
    let kills = std::env::var("PERMANENCE_KILLS").map_or(25, |kills| kills.parse().unwrap());
    let seed = std::env::var("PERMANENCE_SEED").map_or(7, |seed| seed.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reporter.state");
    let stray = directory.path().join("reporter.state.tmp");
    let file = StateFile::at(&path);
    let mut draw = Draw(seed);
    let (mut writes, mut strays) = (0, 0);
    for number in 0..kills {
        let mut child = start(&path, &number.to_string(), None);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The first word says that it is at work; from there on it may be hit anywhere.
        let mut kept = lines.by_ref().map(Result::unwrap).filter(|line| line.starts_with("kept "));
        let mut last = vec![kept.next().expect("it writes")];
        std::thread::sleep(Duration::from_micros(draw.below(20_000)));
        child.kill().unwrap();
        last.extend(kept);
        child.wait().unwrap();

        strays += usize::from(stray.exists());
        let stored = file.load().unwrap();
        assert!(file.take_quarantined().is_none(), "kill {number}, seed {seed}");
        writes += last.len();
        for line in last {
            let mut words = line.split(' ').skip(1);
            let (template, said) = (words.next().unwrap(), words.next().unwrap());
            let found = generation(&stored, template);
            let said = said.parse::<u64>().unwrap();
            assert!(found.is_some_and(|found| found >= said), "{line}, kill {number}, seed {seed}");
        }
        assert!(!stray.exists(), "kill {number}");
    }
    println!("{kills} kills, {strays} of them within a write; {writes} writes, none lost");
}

/// A generator of draws: SplitMix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut draw = self.0;
        draw = (draw ^ (draw >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        draw = (draw ^ (draw >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (draw ^ (draw >> 31)) % most
    }
}

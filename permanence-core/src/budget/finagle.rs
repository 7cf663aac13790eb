//! A plain port of Finagle's token bucket, for comparison.

extern crate std;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{BudgetSettings, Counter, RetryBudget};
use crate::{Instant, Percent, Span};

/// The budget as `RetryBudget.scala`, `TokenBucket.scala` and `WindowedAdder.scala` have it: one
/// writer and nine closed windows of signed token counts, in 64-bit arithmetic.
struct Finagle {
    window: i64,
    writer: i64,
    closed: [i64; 9],
    place: usize,
    old: i64,
    reserve: i64,
    deposit: i64,
    cost: i64,
}

impl Finagle {
    fn new(settings: &BudgetSettings) -> Self {
        let percent = i64::from(settings.percent.value());
        let (deposit, cost) = if percent == 0 { (0, 1) } else { (1_000, 100_000 / percent) };
        let seconds = i64::from(settings.ttl.as_millis()) / 1_000;
        Finagle {
            window: i64::from(settings.ttl.as_millis()) / 10,
            writer: 0,
            closed: [0; 9],
            place: 0,
            old: 0,
            reserve: i64::from(settings.min_per_sec) * seconds * cost,
            deposit,
            cost,
        }
    }

    fn expire(&mut self, now: i64) {
        if now - self.old < self.window {
            return;
        }
        self.closed[self.place] = core::mem::take(&mut self.writer);
        self.place = (self.place + 1) % 9;
        for _ in 0..((now - self.old) / self.window - 1).min(9) {
            self.closed[self.place] = 0;
            self.place = (self.place + 1) % 9;
        }
        self.old = now;
    }

    fn deposit(&mut self, now: i64) {
        self.expire(now);
        self.writer += self.deposit;
    }

    fn withdraw(&mut self, now: i64) -> bool {
        self.expire(now);
        let granted = self.tokens() >= self.cost;
        if granted {
            self.writer -= self.cost;
        }
        granted
    }

    fn balance(&mut self, now: i64) -> i64 {
        self.expire(now);
        (self.tokens() / self.cost).max(0)
    }

    fn tokens(&self) -> i64 {
        self.writer + self.closed.iter().sum::<i64>() + self.reserve
    }
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Back(u16),
    Deposit,
    Forward(u16),
    Withdraw,
}

fn moves(most: u16) -> impl Strategy<Value = std::vec::Vec<Move>> {
    let one = prop_oneof![
        1 => (0..900_u16).prop_map(Move::Back),
        12 => Just(Move::Deposit),
        5 => (0..most).prop_map(Move::Forward),
        12 => Just(Move::Withdraw),
    ];
    prop::collection::vec(one, 300..600)
}

fn any_settings() -> impl Strategy<Value = BudgetSettings> {
    (1_000..60_000_u32, 0..4_u16, 0..=100_u8).prop_map(|(ttl, min_per_sec, percent)| {
        let percent = Percent::saturating(percent);
        BudgetSettings { ttl: Span::from_millis(ttl), min_per_sec, percent }
    })
}

/// What one comparison saw.
#[derive(Default)]
struct Tally {
    asked: u32,
    mismatches: u32,
    ours: u32,
    theirs: u32,
    ahead: bool,
}

fn compare<C: Counter>(settings: &BudgetSettings, moves: &[Move], burst: u16) -> Tally {
    let (mut ours, mut theirs) = (RetryBudget::<C>::new(), Finagle::new(settings));
    let (mut now, mut latest, mut tally) = (5_000_i64, 5_000, Tally::default());
    for one in moves {
        let at = Instant::from_millis(u64::try_from(now).unwrap());
        match *one {
            // Further back than one `ttl`, here at least a second, the two part on purpose.
            Move::Back(millis) => now = (now - i64::from(millis)).max(latest - 1_000),
            Move::Forward(millis) => {
                now += i64::from(millis);
                latest = latest.max(now);
            }
            Move::Deposit => {
                for _ in 0..burst {
                    ours.deposit(settings, at);
                    theirs.deposit(now);
                }
            }
            Move::Withdraw => {
                for _ in 0..burst {
                    // A balance promises no more than the slice can count.
                    let balance = i64::from(ours.balance(settings, at));
                    let room = i64::from(ours.room());
                    let same_balance = balance == theirs.balance(now).min(room);
                    let (our, their) = (ours.withdraw(settings, at), theirs.withdraw(now));
                    tally.asked += 1;
                    tally.mismatches += u32::from(our != their || !same_balance);
                    tally.ours += u32::from(our);
                    tally.theirs += u32::from(their);
                    tally.ahead |= tally.ours > tally.theirs;
                }
            }
        }
    }
    tally
}

/// A runner with a printed seed of its own, so that the count of comparisons is the same each time.
fn runner(cases: u32) -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"permanence: a budget is a ledger");
    TestRunner::new_with_rng(Config { cases, failure_persistence: None, ..Config::default() }, rng)
}

#[test]
fn every_decision_and_balance_is_finagles_while_no_slice_is_full() {
    let (asked, granted) = (core::cell::Cell::new(0), core::cell::Cell::new(0));
    runner(240)
        .run(&(any_settings(), moves(3_000)), |(settings, moves)| {
            // A slice sees some thirty deposits; this seed fills none.
            let tally = compare::<u8>(&settings, &moves, 3);
            asked.set(asked.get() + tally.asked);
            granted.set(granted.get() + tally.ours);
            prop_assert_eq!(tally.mismatches, 0);
            Ok(())
        })
        .unwrap();
    std::println!("{} asked, {} granted", asked.get(), granted.get());
    assert!(asked.get() >= 100_000, "{}", asked.get());
    assert!(granted.get() >= 20_000, "{}", granted.get());
    assert!(asked.get() - granted.get() >= 20_000, "{}", granted.get());
}

#[test]
fn a_servers_counters_agree_with_finagle_in_heavy_traffic() {
    let asked = core::cell::Cell::new(0);
    runner(30)
        .run(&(any_settings(), moves(3_000)), |(settings, moves)| {
            let tally = compare::<u32>(&settings, &moves, 40);
            asked.set(asked.get() + tally.asked);
            prop_assert_eq!(tally.mismatches, 0);
            Ok(())
        })
        .unwrap();
    assert!(asked.get() >= 100_000, "{}", asked.get());
}

#[test]
fn full_slices_never_grant_more_than_finagle() {
    let fewer = core::cell::Cell::new(0);
    runner(30)
        .run(&(any_settings(), moves(1_000)), |(settings, moves)| {
            let settings = BudgetSettings { min_per_sec: settings.min_per_sec * 20, ..settings };
            let tally = compare::<u8>(&settings, &moves, 30);
            fewer.set(fewer.get() + u32::from(tally.ours < tally.theirs));
            prop_assert!(!tally.ahead);
            Ok(())
        })
        .unwrap();
    assert!(fewer.get() >= 5, "{}", fewer.get());
}

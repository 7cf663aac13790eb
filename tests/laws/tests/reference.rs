//! The machine beside a naive one that is written straight from the idea: a counter, a flag, a time.
//!
//! They should agree wherever the idea says enough: one caller, one call at a time, no damping, no
//! ramp, no spread. Where its first form re-enabled an endpoint on any answer that was not
//! permanent, the naive machine is repaired: it takes a success, and probes soon after anything else.

use core::num::{NonZeroU8, NonZeroU16};

use permanence_core::{
    Admission, EventKind, Instant, Network, Outcome, Policy, Reprobe, Request, Settings, Signal,
    Span, Tracker,
};
use permanence_laws::Table;
use proptest::prelude::*;

const INTERVAL_MS: u64 = 10_800_000;
const SOON_MS: u64 = 30_000;

/// What came back, as the naive machine sees it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Answer {
    Absent,
    Cancelled,
    Fault,
    Success,
    Wrong,
}

impl Answer {
    fn outcome(self) -> Outcome<'static> {
        let signal = match self {
            Answer::Absent => Signal::Http(404),
            Answer::Cancelled => Signal::Cancelled,
            Answer::Fault => Signal::Http(429),
            Answer::Success => Signal::Http(204),
            Answer::Wrong => Signal::Network(Network::Certificate),
        };
        Outcome::new(signal, Request::Idempotent)
    }
}

/// A counter, a flag, a time.
#[derive(Debug)]
struct Naive {
    threshold: u64,
    failures: u64,
    cause: Option<Answer>,
    disabled: bool,
    moving: u64,
    probe_at: u64,
}

impl Naive {
    fn may_call(&self, now: u64) -> bool {
        !self.disabled || now >= self.probe_at
    }

    fn learn(&mut self, answer: Answer, now: u64) -> Option<&'static str> {
        match answer {
            Answer::Cancelled => {
                if self.disabled {
                    self.moving = (self.moving * 2).min(INTERVAL_MS);
                    let wait = if self.moving == 0 { INTERVAL_MS } else { self.moving };
                    self.probe_at = now + wait;
                }
                None
            }
            Answer::Success => {
                self.failures = 0;
                self.cause = None;
                std::mem::take(&mut self.disabled).then_some("RECOVERED")
            }
            Answer::Fault if self.disabled => {
                self.moving = if self.moving == 0 { SOON_MS } else { self.moving * 2 };
                self.moving = self.moving.min(INTERVAL_MS);
                self.probe_at = now + self.moving;
                None
            }
            Answer::Fault => {
                self.failures = 0;
                self.cause = None;
                None
            }
            Answer::Absent | Answer::Wrong => {
                let changed = self.cause.is_some_and(|cause| cause != answer);
                self.failures = if changed { 1 } else { self.failures + 1 };
                self.cause = Some(answer);
                if self.disabled {
                    self.moving = 0;
                    self.probe_at = now + INTERVAL_MS;
                    return changed.then_some("CHANGED");
                }
                // A remedy is given one try first.
                let threshold =
                    if answer == Answer::Wrong { self.threshold.max(2) } else { self.threshold };
                if self.failures < threshold {
                    return None;
                }
                self.disabled = true;
                self.moving = 0;
                self.probe_at = now + INTERVAL_MS;
                Some("DISABLED")
            }
        }
    }
}

fn policy(threshold: u16) -> Table {
    let settings = Settings { notice_after: NonZeroU8::MAX, ..Settings::LITERAL };
    let reprobe = Reprobe::Every { interval: Span::from_millis(10_800_000), ramp: None };
    let threshold = NonZeroU16::new(threshold).map_or(1, NonZeroU16::get);
    Table::new(settings, reprobe, threshold, 1, 0)
}

fn any_answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        4 => Just(Answer::Absent),
        1 => Just(Answer::Cancelled),
        1 => Just(Answer::Fault),
        2 => Just(Answer::Success),
        1 => Just(Answer::Wrong),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_machine_agrees_with_the_naive_one(
        threshold in 1..4_u16,
        seed: u32,
        history in proptest::collection::vec((1..4_000_000_u64, any_answer()), 1..200),
    ) {
        let policy = policy(threshold);
        let mut machine = Tracker::new(seed);
        let mut naive = Naive {
            threshold: u64::from(threshold),
            failures: 0, cause: None, disabled: false, moving: 0, probe_at: 0,
        };
        let mut now = 0;
        for (pause, answer) in history {
            now += pause;
            let at = Instant::from_millis(now);
            match machine.admit(&policy, at) {
                Admission::Skip(skip) => {
                    prop_assert!(!naive.may_call(now));
                    prop_assert_eq!(skip.until, Some(Instant::from_millis(naive.probe_at)));
                }
                Admission::Call(permit) => {
                    prop_assert!(naive.may_call(now));
                    let step = machine.record(&policy, permit, &answer.outcome(), at);
                    let line = step.event.map(|event| event.kind).map(EventKind::name);
                    prop_assert_eq!(line, naive.learn(answer, now));
                }
            }
        }
        prop_assert_eq!(policy.settings().notice_after, NonZeroU8::MAX);
    }
}

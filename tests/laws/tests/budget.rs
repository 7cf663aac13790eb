//! L7 from end to end: whatever comes back, tries after the first stay a share of the traffic.

use permanence_core::{
    Action, Instant, Outcome, Policy, Request, RetryBudget, Signal, Status, Tracker,
};
use permanence_laws::any_table;
use proptest::prelude::*;

/// Whatever a call gets.
fn any_answer() -> impl Strategy<Value = Signal<'static>> {
    prop_oneof![
        3 => Just(Signal::Http(204)),
        3 => Just(Signal::Http(503)),
        2 => Just(Signal::Http(429)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn retries_stay_within_the_budget_of_the_traffic(
        table in any_table(),
        seed: u32,
        calls in proptest::collection::vec((0..400_u64, any_answer(), any_answer()), 1..400),
    ) {
        let settings = &table.settings().budget;
        let mut tracker = Tracker::new(seed);
        let mut budget: RetryBudget<u32> = RetryBudget::new();
        let (mut requests, mut retries) = (Vec::new(), Vec::new());
        let mut now = Instant::from_millis(1);
        for (pause, first, second) in calls {
            now = Instant::from_millis(now.as_millis() + pause);
            budget.deposit(settings, now);
            requests.push(now);
            let Some(permit) = tracker.admit(&table, now).permit() else { continue };
            let outcome = Outcome::new(first, Request::Idempotent);
            let step = tracker.record(&table, permit, &outcome, now);
            let Action::Retry(offer) = step.action else { continue };
            prop_assert_ne!(tracker.status(), Status::Degraded);
            if offer.take(&mut budget, settings, now).is_some() {
                retries.push(now);
                // The pause is left out: the more tries there are in a window, the harder the test.
                if let Some(permit) = tracker.admit(&table, now).permit() {
                    let outcome = Outcome::new(second, Request::Idempotent);
                    let _ = tracker.record(&table, permit, &outcome, now);
                }
            }
        }
        // Ten slices of a second: what is withdrawn counts for nine seconds at least.
        for (place, first) in retries.iter().enumerate() {
            let within = |at: &Instant, from: u64| {
                at.as_millis() >= from && at.since(*first) < 9_000
            };
            let tried = retries[place..].iter().filter(|at| within(at, first.as_millis())).count();
            let from = first.as_millis().saturating_sub(10_000);
            let asked = requests.iter().filter(|at| within(at, from)).count();
            prop_assert!(tried <= 10 + asked / 10, "{tried} retries of {asked} requests");
        }
    }
}

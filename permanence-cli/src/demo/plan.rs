//! When the route is there and when it is not.

use std::ops::Range;

use permanence_core::{Instant, Span};

/// The cadence of both reporters.
pub(super) const TICK: Span = Span::from_secs(60);

/// Deploys happen between two ticks, in the middle: the tick before one still fails.
const LEAD_S: u64 = 30;

/// When the route is there: from 3/7 of the run for a seventh, and again after an outage of 1/84 of
/// the run. In seven days that is day 3, and two hours of a bad deploy on day 4.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Plan {
    ticks: u32,
    /// The ticks at which a call succeeds.
    deployed: [Range<u32>; 2],
}

impl Plan {
    pub(super) const fn of_days(days: u16) -> Self {
        let ticks = days as u32 * 1_440;
        let first = ticks * 3 / 7 + 1;
        let broken = ticks * 4 / 7 + 1;
        Plan { ticks, deployed: [first..broken, broken + ticks / 84..ticks] }
    }

    pub(super) const fn ticks(&self) -> u32 {
        self.ticks
    }

    /// The deploy that a call at this tick profits from, counted from zero.
    pub(super) fn deploy_at(&self, tick: u32) -> Option<usize> {
        self.deployed.iter().position(|ticks| ticks.contains(&tick))
    }

    pub(super) fn deploys(&self) -> usize {
        self.deployed.len()
    }

    /// Seconds from a deploy to a tick.
    pub(super) fn seconds_since_deploy(&self, deploy: usize, tick: u32) -> u64 {
        let first = self.deployed.get(deploy).map_or(tick, |ticks| ticks.start);
        u64::from(tick.saturating_sub(first)) * u64::from(TICK.as_millis() / 1_000) + LEAD_S
    }

    /// What happens when, for people.
    pub(super) fn story(&self) -> [(Instant, &'static str); 4] {
        let [first, second] = &self.deployed;
        let before = |tick: u32| {
            let seconds = u64::from(tick) * u64::from(TICK.as_millis() / 1_000);
            Instant::from_millis(seconds.saturating_sub(LEAD_S) * 1_000)
        };
        [
            (Instant::ZERO, "the route does not exist"),
            (before(first.start), "it is deployed"),
            (before(first.end), "a bad deploy takes it away"),
            (before(second.start), "the deploy is rolled back"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_days_have_a_deploy_on_day_three_and_two_bad_hours_on_day_four() {
        let plan = Plan::of_days(7);
        assert_eq!(plan.ticks(), 10_080);
        for (tick, deploy) in [
            (0, None),
            (4_320, None),
            (4_321, Some(0)),
            (5_760, Some(0)),
            (5_761, None),
            (5_880, None),
            (5_881, Some(1)),
            (10_079, Some(1)),
        ] {
            assert_eq!(plan.deploy_at(tick), deploy, "{tick}");
        }
    }

    #[test]
    fn the_first_tick_after_a_deploy_comes_half_a_minute_later() {
        let plan = Plan::of_days(7);
        assert_eq!(plan.seconds_since_deploy(0, 4_321), 30);
        assert_eq!(plan.seconds_since_deploy(1, 5_891), 630);
        let (deployed_at, _) = plan.story()[1];
        assert_eq!(deployed_at, Instant::from_millis(3 * 86_400_000 + 30_000));
    }
}

//! What a reporter has cost and lost.

use serde::Serialize;

use super::plan::Plan;

/// What a reporter has cost and lost.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub(super) struct Tally {
    /// Requests that went out.
    pub(super) calls: u64,
    /// Lines in the log.
    pub(super) lines: u64,
    /// Their bytes, ends of line included.
    pub(super) bytes: u64,
    /// What they cost an agent that reads its own log, at three bytes a token.
    pub(super) tokens: u64,
    /// Ticks without a call that would have succeeded.
    pub(super) lost_ticks: u64,
    /// Seconds from each deploy that was noticed to the first success.
    pub(super) detect_s: Vec<u64>,
    /// The last deploy that was detected.
    #[serde(skip)]
    noticed: Option<usize>,
}

impl Tally {
    /// Counts one line.
    pub(super) fn log(&mut self, line: &str) {
        self.lines += 1;
        self.bytes += u64::try_from(line.len()).unwrap_or(u64::MAX).saturating_add(1);
        self.tokens = self.bytes.div_ceil(3);
    }

    /// Counts a success at `tick`: the first one after a deploy is what detects it.
    pub(super) fn succeed(&mut self, plan: &Plan, tick: u32) {
        let deploy = plan.deploy_at(tick);
        if let Some(deploy) = deploy.filter(|_| deploy > self.noticed) {
            self.detect_s.push(plan.seconds_since_deploy(deploy, tick));
            self.noticed = Some(deploy);
        }
    }

    /// Counts a tick without a call.
    pub(super) fn skip(&mut self, plan: &Plan, tick: u32) {
        if plan.deploy_at(tick).is_some() {
            self.lost_ticks += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_success_after_a_deploy_detects_it() {
        let (plan, mut tally) = (Plan::of_days(7), Tally::default());
        for tick in [4_331, 4_332, 5_000, 5_881, 5_882] {
            tally.succeed(&plan, tick);
        }
        assert_eq!(tally.detect_s, [630, 30]);
    }

    #[test]
    fn a_deploy_that_nobody_noticed_leaves_no_figure() {
        let (plan, mut tally) = (Plan::of_days(7), Tally::default());
        tally.succeed(&plan, 5_882);
        assert_eq!(tally.detect_s, [90]);
    }

    #[test]
    fn a_skip_is_lost_only_where_a_call_would_have_succeeded() {
        let (plan, mut tally) = (Plan::of_days(7), Tally::default());
        for tick in [0, 4_320, 4_321, 4_322, 5_761] {
            tally.skip(&plan, tick);
        }
        assert_eq!(tally.lost_ticks, 2);
    }

    #[test]
    fn three_bytes_are_a_token() {
        let mut tally = Tally::default();
        tally.log("12345");
        tally.log("1");
        assert_eq!((tally.lines, tally.bytes, tally.tokens), (2, 8, 3));
    }
}

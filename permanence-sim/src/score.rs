//! What a strategy cost and what it lost.

use serde::Serialize;

/// What a strategy cost and what it lost over one scenario.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Score {
    /// Calls made, in-call retries included.
    pub calls: u64,
    /// Lines logged.
    pub lines: u64,
    /// Bytes logged, line ends included.
    pub bytes: u64,
    /// What the log costs a reader that pays by the token: bytes over three.
    pub tokens: u64,
    /// Ticks that were skipped although their call would have succeeded.
    pub lost_ticks: u64,
    /// Seconds from each recovery of the server to the first success seen; to the end of the run where
    /// none was seen.
    pub detect_s: Vec<u64>,
}

/// The median of every figure over several runs of one scenario; of an even number the lower one.
#[must_use]
pub fn median_of(scores: &[Score]) -> Score {
    let median = |figure: &dyn Fn(&Score) -> Option<u64>| {
        let mut figures: Vec<u64> = scores.iter().filter_map(figure).collect();
        figures.sort_unstable();
        figures.get(figures.len().saturating_sub(1) / 2).copied().unwrap_or(0)
    };
    let recoveries = scores.iter().map(|score| score.detect_s.len()).max().unwrap_or(0);
    Score {
        calls: median(&|score| Some(score.calls)),
        lines: median(&|score| Some(score.lines)),
        bytes: median(&|score| Some(score.bytes)),
        tokens: median(&|score| Some(score.tokens)),
        lost_ticks: median(&|score| Some(score.lost_ticks)),
        detect_s: (0..recoveries)
            .map(|place| median(&|score| score.detect_s.get(place).copied()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_taken_figure_by_figure() {
        let score = |calls, detect| Score { calls, detect_s: vec![detect], ..Score::default() };
        let median = median_of(&[score(1, 30), score(9, 10), score(5, 20)]);
        assert_eq!((median.calls, median.detect_s), (5, vec![20]));
    }
}

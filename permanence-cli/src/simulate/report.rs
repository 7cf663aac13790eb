//! The medians as a table and as JSON.

use permanence_sim::{Scenario, Score};
use serde_json::{Map, Value};

/// The medians of every scenario that was played.
#[derive(Default)]
pub(super) struct Report {
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    summary: &'static str,
    scores: [(&'static str, Score); 3],
}

impl Report {
    pub(super) fn add(&mut self, scenario: &Scenario, scores: [(&'static str, Score); 3]) {
        self.rows.push(Row { name: scenario.name, summary: scenario.summary, scores });
    }

    pub(super) fn print_json(&self) {
        let mut scenarios = Map::new();
        for row in &self.rows {
            let strategies = row
                .scores
                .iter()
                // A score is numbers alone, and those always serialise.
                .map(|(strategy, score)| {
                    let score = serde_json::to_value(score).unwrap_or(Value::Null);
                    ((*strategy).to_owned(), score)
                })
                .collect::<Map<_, _>>();
            scenarios.insert(row.name.to_owned(), Value::Object(strategies));
        }
        anstream::println!("{}", Value::Object(scenarios));
    }

    pub(super) fn print_text(&self, seeds: u32) {
        let bold = anstyle::Style::new().bold();
        for row in &self.rows {
            anstream::println!("{bold}{}{bold:#}: {}", row.name, row.summary);
            anstream::println!(
                "  {:10}{:>8}{:>8}{:>10}{:>10}{:>8}  detected after",
                "",
                "calls",
                "lines",
                "bytes",
                "tokens",
                "lost"
            );
            for (strategy, score) in &row.scores {
                anstream::println!(
                    "  {:10}{:>8}{:>8}{:>10}{:>10}{:>8}  {}",
                    strategy,
                    score.calls,
                    score.lines,
                    score.bytes,
                    score.tokens,
                    score.lost_ticks,
                    delays(&score.detect_s)
                );
            }
        }
        anstream::println!(
            "7 days, one tick a minute; medians over {seeds} seeds; tokens = bytes / 3; lost = ticks \
             skipped whose call would have succeeded"
        );
    }
}

/// One delay, or the median and the longest of many.
fn delays(delays: &[u64]) -> String {
    let mut sorted = delays.to_vec();
    sorted.sort_unstable();
    match sorted.as_slice() {
        [] => "-".to_owned(),
        [one] => format!("{one} s"),
        many => format!(
            "{} s (longest {} s, of {})",
            many[(many.len() - 1) / 2],
            many[many.len() - 1],
            many.len()
        ),
    }
}

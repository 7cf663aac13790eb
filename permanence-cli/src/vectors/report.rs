//! What became of the cases, as text and as JSON.

use anstyle::{AnsiColor, Style};
use serde::Serialize;

/// What became of one case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Finding {
    /// An expectation does not hold or is not known.
    Failed(String),
    /// Everything is as expected.
    Passed,
    /// The input asks for what the runner does not have.
    Skipped(String),
}

/// What became of all cases.
#[derive(Serialize)]
pub(super) struct Report {
    passed: usize,
    failed: usize,
    skipped: usize,
    cases: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    id: String,
    result: &'static str,
    detail: String,
}

impl Report {
    pub(super) fn new(findings: impl IntoIterator<Item = (String, Finding)>) -> Self {
        let mut report = Report { passed: 0, failed: 0, skipped: 0, cases: Vec::new() };
        for (id, finding) in findings {
            let (count, result, detail) = match finding {
                Finding::Failed(detail) => (&mut report.failed, "failed", detail),
                Finding::Passed => (&mut report.passed, "passed", String::new()),
                Finding::Skipped(detail) => (&mut report.skipped, "skipped", detail),
            };
            *count += 1;
            report.cases.push(Entry { id, result, detail });
        }
        report
    }

    pub(super) fn has_failures(&self) -> bool {
        self.failed > 0
    }

    pub(super) fn print_json(&self) {
        match serde_json::to_string(self) {
            Ok(text) => anstream::println!("{text}"),
            // Strings and counts always serialise.
            Err(error) => anstream::eprintln!("error: {error}"),
        }
    }

    pub(super) fn print_text(&self) {
        for entry in &self.cases {
            let style = match entry.result {
                "failed" => AnsiColor::Red.on_default().bold(),
                "skipped" => AnsiColor::Yellow.on_default(),
                _ => continue,
            };
            anstream::println!("{style}{}{style:#} {}: {}", entry.result, entry.id, entry.detail);
        }
        let style = if self.has_failures() {
            AnsiColor::Red.on_default().bold()
        } else {
            Style::new().bold()
        };
        let Report { passed, failed, skipped, .. } = self;
        anstream::println!("{style}{passed} passed, {failed} failed, {skipped} skipped{style:#}");
    }
}

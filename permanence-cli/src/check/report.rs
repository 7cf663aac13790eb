//! What was found in the files, as text and as JSON.

use std::collections::HashSet;

use permanence_core::{Reason, Rule};
use permanence_spec::{Compiled, Diagnostic, Diagnostics, EndpointPolicy};
use serde::Serialize;

/// What was found in all files.
#[derive(Default, Serialize)]
pub(super) struct Report {
    files: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    path: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Summary>,
    errors: Vec<Mistake>,
    /// How many more there are than the errors that are listed.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    #[serde(skip)]
    text: String,
}

/// What a good file comes to, counted over the file and all of its routes.
#[derive(Serialize)]
struct Summary {
    routes: usize,
    reasons: usize,
    rows: usize,
    rules: usize,
}

#[derive(Serialize)]
struct Mistake {
    code: &'static str,
    message: String,
    path: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    help: Option<String>,
}

impl Report {
    pub(super) fn add(&mut self, path: String, loaded: &Result<Compiled, Diagnostics>) {
        self.files.push(match loaded {
            Ok(compiled) => {
                let summary = Summary::of(compiled);
                let text = format!("{path}: {summary}\n");
                Entry {
                    path,
                    ok: true,
                    summary: Some(summary),
                    errors: Vec::new(),
                    left_out: 0,
                    text,
                }
            }
            Err(wrong) => Entry {
                path,
                ok: false,
                summary: None,
                errors: wrong.iter().map(Mistake::of).collect(),
                left_out: wrong.left_out(),
                text: wrong.to_string(),
            },
        });
    }

    pub(super) fn has_errors(&self) -> bool {
        self.files.iter().any(|file| !file.ok)
    }

    pub(super) fn print_json(&self) {
        match serde_json::to_string(self) {
            Ok(text) => anstream::println!("{text}"),
            // Strings and counts always serialise.
            Err(error) => anstream::eprintln!("error: {error}"),
        }
    }

    /// Files with mistakes are set apart by an empty line.
    pub(super) fn print_text(&self) {
        for (place, file) in self.files.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|before| self.files.get(before));
            if before.is_some_and(|before| !before.ok || !file.ok) {
                anstream::println!();
            }
            anstream::print!("{}", file.text);
        }
    }
}

impl Summary {
    fn of(compiled: &Compiled) -> Self {
        let routes = compiled.routes.iter().map(|route| &route.policy);
        let policies: Vec<&EndpointPolicy> =
            std::iter::once(&compiled.base).chain(routes).collect();
        let rows: HashSet<&Rule> = policies.iter().flat_map(|policy| &policy.rules).collect();
        let reasons: HashSet<Reason> = rows.iter().map(|row| row.reason).collect();
        let rules = policies.iter().flat_map(|policy| &policy.rule_set.rules);
        // A rule comes several times where its codes have rows of their own, and in every route.
        let rules: HashSet<&str> = rules.map(|rule| rule.id.as_str()).collect();
        Summary {
            routes: compiled.routes.len(),
            reasons: reasons.len(),
            rows: rows.len(),
            rules: rules.len(),
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = [
            (self.routes, "route"),
            (self.reasons, "reason"),
            (self.rows, "row"),
            (self.rules, "rule"),
        ];
        out.write_str("good")?;
        for (place, (count, name)) in counts.into_iter().enumerate() {
            let mark = if place == 0 { "; " } else { ", " };
            let plural = if count == 1 { "" } else { "s" };
            write!(out, "{mark}{count} {name}{plural}")?;
        }
        Ok(())
    }
}

impl Mistake {
    fn of(wrong: &Diagnostic) -> Self {
        let place = wrong.labels.first();
        Mistake {
            code: wrong.code.name(),
            message: wrong.message.clone(),
            path: place.map(|place| place.path.clone()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            help: wrong.help.clone(),
        }
    }
}

// The signature is that of `skip_serializing_if`.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

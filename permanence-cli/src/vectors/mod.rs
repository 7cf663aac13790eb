//! `permanence vectors`: runs conformance vectors against this implementation.
//!
//! A form turns the input of a case into what was observed, without a look at what is expected; the
//! judge compares the two. The vocabulary is that of `spec/vectors/README.md`.

mod answer;
mod bench;
mod case;
mod fields;
mod forms;
mod judge;
mod lines;
mod observed;
mod policy;
mod report;
mod rows;
mod rules;
mod script;

use std::path::PathBuf;

use clap::Args;

use self::case::Case;
use self::fields::Halt;
use self::report::{Finding, Report};
use crate::exit::Exit;

/// Run conformance vectors against this implementation.
#[derive(Args, Debug)]
#[command(after_help = crate::exit::HELP)]
pub(crate) struct Arguments {
    /// Files, and directories whose files with a `[[case]]` are taken.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// Run only the case with this id.
    #[arg(long, value_name = "ID")]
    only: Option<String>,
}

/// Runs the cases and prints what became of them.
pub(crate) fn run(arguments: &Arguments) -> Exit {
    let mut cases = match case::load(&arguments.paths) {
        Ok(cases) => cases,
        Err(error) => return crate::complain(&error),
    };
    if let Some(only) = &arguments.only {
        cases.retain(|case| case.id == *only);
        if cases.is_empty() {
            return crate::complain(&case::LoadError::NoSuchCase(only.clone()));
        }
    }
    let report = Report::new(cases.iter().map(|case| (case.id.clone(), examine(case))));
    if arguments.json {
        report.print_json();
    } else {
        report.print_text();
    }
    if report.has_failures() { Exit::Failure } else { Exit::Success }
}

/// Runs one case.
fn examine(case: &Case) -> Finding {
    let judged =
        forms::observe(&case.input).and_then(|observed| judge::compare(&observed, &case.expected));
    match judged {
        Ok(()) => Finding::Passed,
        Err(Halt::Mismatch(detail)) => Finding::Failed(detail),
        Err(Halt::OutOfReach(detail)) => Finding::Skipped(detail),
    }
}

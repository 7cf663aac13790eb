//! `permanence check`: everything that is wrong with policy files, before a program meets it.

mod report;

use std::path::PathBuf;

use clap::Args;

use self::report::Report;
use crate::exit::Exit;

/// Check policy files and everything that they extend.
///
/// Every mistake is printed at once, with its place and a way out, in the same words as the macro
/// and the loader use. A file without one gets one line that counts what is in it.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Policy files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  permanence check policy.toml
  permanence check --json policies/*.toml

The JSON object:
  {\"files\": [{\"path\", \"ok\", \"errors\": [{\"code\", \"message\", \"path\", \"line\", \"column\", \"help\"}]}]}
A file that is good has a \"summary\" of counts too.

Exit codes:
  0  every file is good
  1  a file has mistakes or cannot be read
  2  the command line cannot be read";

/// Checks the files and prints what was found.
pub(crate) fn run(arguments: &Arguments) -> Exit {
    let mut report = Report::default();
    for path in &arguments.files {
        report.add(path.display().to_string(), &permanence_spec::load_path(path));
    }
    if arguments.json {
        report.print_json();
    } else {
        report.print_text();
    }
    if report.has_errors() { Exit::Failure } else { Exit::Success }
}

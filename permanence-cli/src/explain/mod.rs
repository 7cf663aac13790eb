//! `permanence explain`: what a policy makes of one outcome, and why.

mod code;
mod decision;
mod delay;
#[cfg(test)]
mod examples;
mod follows;
mod given;
mod io;
mod look;
mod print;
mod row;
mod rules;
mod steps;
mod table;
mod words;

use std::fmt;

use clap::Args;
use clap::builder::PossibleValuesParser;
use permanence_spec::{Diagnostics, PACKS, Traced};
use serde::Serialize;

use self::code::Code;
use self::given::Given;
use self::table::Table;
use crate::exit::Exit;

/// Explain what a policy makes of an outcome: the decision, who took it, and what happens next.
///
/// Nothing is called; what the machine says is that of an endpoint that has just been created.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// What came back: 429, 429:insufficient_quota (with the provider's code), grpc:UNAVAILABLE or
    /// grpc:14, coap:4.04, net:dns, io:TimedOut (kinds of std::io::Error), unusable:200, cancelled.
    #[arg(value_name = "CODE", required_unless_present = "all")]
    code: Option<Code>,
    /// Print the whole table instead: every code of every notation, equal neighbours as a range.
    #[arg(long, conflicts_with_all = [
        "code", "headers", "request_headers", "body", "redirected_to", "idempotency_key", "phase",
    ])]
    all: bool,
    #[command(flatten)]
    given: Given,
    /// The policy: a file, "default" or "essay".
    #[arg(long, value_name = "FILE", default_value = "default")]
    policy: String,
    /// Attach a pack to it: openai, github, ...; may be given several times.
    #[arg(long = "use", value_name = "PACK", value_parser = packs())]
    packs: Vec<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  permanence explain 404
  permanence explain 429 --method POST --header 'retry-after: 120'
  permanence explain 429 --use openai --body '{\"error\":{\"code\":\"insufficient_quota\"}}'
  permanence explain io:TimedOut --method POST --idempotency-key
  permanence explain 404 --endpoint 'PUT /api/agents/17/status' --policy policy.toml --json
  permanence explain --all --policy policy.toml

Exit codes:
  0  the decision is printed, whatever it is
  2  the command line cannot be read, or the policy has mistakes";

/// Explains one outcome.
pub(crate) fn run(arguments: &Arguments) -> Exit {
    let policy = match load(&arguments.policy, &arguments.packs) {
        Ok(policy) => policy,
        Err(error) => return crate::complain(&error),
    };
    let Some(code) = &arguments.code else {
        return match Table::new(&policy, &arguments.given) {
            Ok(table) => show(arguments, &table, Table::print),
            Err(error) => crate::complain(&error),
        };
    };
    match decision::decide(&policy, code, &arguments.given) {
        Ok(decision) => show(arguments, &decision, print::print),
        Err(error) => crate::complain(&error),
    }
}

fn show<T: Serialize>(arguments: &Arguments, shown: &T, print: impl FnOnce(&T)) -> Exit {
    if !arguments.json {
        print(shown);
        return Exit::Success;
    }
    match serde_json::to_string(shown) {
        Ok(text) => {
            anstream::println!("{text}");
            Exit::Success
        }
        Err(error) => crate::complain(&error),
    }
}

/// The policy has mistakes: mend the file; `permanence check` prints the same.
#[derive(Debug)]
struct Faulty {
    policy: String,
    diagnostics: Diagnostics,
}

impl fmt::Display for Faulty {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the policy {} has mistakes\n\n{}", self.policy, self.diagnostics)
    }
}

impl std::error::Error for Faulty {}

fn packs() -> PossibleValuesParser {
    PossibleValuesParser::new(PACKS.iter().map(|pack| pack.name))
}

fn load(policy: &str, packs: &[String]) -> Result<Traced, Faulty> {
    let traced = match policy {
        _ if !packs.is_empty() => {
            let quoted = |text: &str| toml::Value::from(text).to_string();
            let packs: Vec<String> = packs.iter().map(|pack| quoted(pack)).collect();
            let text = format!(
                "[error_permanence]\nextends = {}\nuse = [{}]\n",
                quoted(policy),
                packs.join(", ")
            );
            permanence_spec::trace_str("<command line>", &text)
        }
        "default" => permanence_spec::trace_default(),
        "essay" => permanence_spec::trace_essay(),
        path => permanence_spec::trace_path(path),
    };
    traced.map_err(|diagnostics| Faulty { policy: policy.to_owned(), diagnostics })
}

//! The `permanence` command.
//!
//! Each subcommand is a module: it has its arguments and one function that runs it and says how the
//! process ends.

mod check;
mod demo;
mod exit;
mod explain;
mod loopback;
mod simulate;
mod vectors;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::exit::Exit;

/// When to stop calling, when to try again, and when there is something worth saying.
#[derive(Debug, Parser)]
#[command(name = "permanence", version, after_help = exit::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Arguments),
    Demo(demo::Arguments),
    Explain(Box<explain::Arguments>),
    Simulate(simulate::Arguments),
    Vectors(vectors::Arguments),
}

fn main() -> ExitCode {
    let exit = match Arguments::parse().command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Vectors(arguments) => vectors::run(&arguments),
    };
    exit.into()
}

/// What went wrong, on the standard error.
fn complain(error: &dyn std::error::Error) -> Exit {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{style}error{style:#}: {error}");
    Exit::Usage
}

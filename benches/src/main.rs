//! What permanence costs, beside its peers and in the same run.

mod adapters;
mod loopback;
mod report;
mod rounds;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What an adapter adds to a call over the loopback interface.
    Adapters(adapters::Arguments),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Arguments::parse().command {
        Command::Adapters(arguments) => adapters::run(&arguments),
    }
}

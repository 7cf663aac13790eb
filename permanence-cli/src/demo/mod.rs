//! `permanence demo`: two reporters and a route that is not there, over real HTTP.

mod laws;
mod plan;
mod report;
mod reporters;
mod server;
mod tally;
mod wire;

use std::fmt;
use std::io::{self, IsTerminal};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use permanence_core::{Policy, RoutePolicy, Signal, Timestamp};
use permanence_spec::{Diagnostics, LoadedPolicy};
use reqwest::Url;

use self::plan::{Plan, TICK};
use self::report::Report;
use self::reporters::{Gated, Naive};
use self::server::{RouteState, Server};
use self::wire::STATUS_URL;
use crate::exit::Exit;

/// The lines of a run depend on its seed alone.
const STARTED: Timestamp = Timestamp::from_unix_seconds(permanence_sim::STARTS_AT);

/// Watch two reporters call a route that is not there, over real HTTP.
///
/// A server on a free port of 127.0.0.1 lacks the route until 3/7 of the run, loses it again a
/// seventh later, and gets it back. One reporter calls and logs at each tick; the other goes through
/// the tower layer of permanence-std with the default policy. Time is moved by hand, so that days
/// take seconds.
#[derive(Args, Debug)]
#[command(after_help = "Exit code 1: a law was broken, or the server could not be reached.")]
pub(crate) struct Arguments {
    /// How many days to play.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    /// Places the probes within their spread.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object: {days, ticks, seed, naive, permanence, broken}, where naive and
    /// permanence have {calls, lines, bytes, tokens, lost_ticks, detect_s}.
    #[arg(long)]
    json: bool,
}

/// Why there is no outcome.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum Error {
    /// A call failed below HTTP.
    Client(reqwest::Error),
    /// The server or the runtime could not be started.
    Start(io::Error),
    /// The default policy is not one.
    Policy(Diagnostics),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Client(error) => write!(out, "the server could not be called: {error}"),
            Error::Start(error) => write!(out, "the server could not be started: {error}"),
            Error::Policy(diagnostics) => write!(out, "{diagnostics}"),
        }
    }
}

impl std::error::Error for Error {}

/// Plays the run and prints its outcome.
pub(crate) fn run(arguments: &Arguments) -> Exit {
    let report = match play(arguments) {
        Ok(report) => report,
        Err(error) => {
            let _ = crate::complain(&error);
            return Exit::Failure;
        }
    };
    if arguments.json {
        report.print_json()
    } else {
        report.print_text()
    }
    if report.broken.is_empty() { Exit::Success } else { Exit::Failure }
}

fn play(arguments: &Arguments) -> Result<Report, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(Error::Start)?.block_on(exchange(arguments))
}

async fn exchange(arguments: &Arguments) -> Result<Report, Error> {
    let policy = LoadedPolicy::new(permanence_spec::default_policy().map_err(Error::Policy)?);
    let endpoint = policy.endpoint("PUT", "/api/agents/{id}/status");
    let plan = Plan::of_days(arguments.days);
    let server = Server::start().await.map_err(Error::Start)?;
    let url = Url::parse(STATUS_URL).map_err(|error| Error::Start(io::Error::other(error)))?;

    let mut naive = Naive::new(url.clone(), server.port())?;
    let mut gated = Gated::new(policy, arguments.seed, STARTED, url, server.port())?;
    let progress = progress(plan.ticks());
    for tick in 0..plan.ticks() {
        let deployed = plan.deploy_at(tick).is_some();
        server.set_route(if deployed { RouteState::Deployed } else { RouteState::Absent });
        naive.tick(&plan, tick).await?;
        gated.tick(&plan, tick).await?;
        gated.clock().advance(TICK);
        progress.inc(1);
    }
    progress.finish_and_clear();

    let said = gated.said();
    let settings = endpoint.settings();
    let mut broken = std::mem::take(&mut gated.watch).broken();
    broken.extend(laws::calls(server.naive_calls(), naive.tally.calls));
    broken.extend(laws::calls(server.permanence_calls(), gated.tally.calls));
    broken.extend(laws::noise(&said.events, settings));
    broken.extend(laws::episodes(&said.events));
    let absent = endpoint.rule(&Signal::Http(404));
    broken.extend(laws::lost(gated.tally.lost_ticks, &plan, absent, settings));
    Ok(Report {
        days: arguments.days,
        ticks: plan.ticks(),
        seed: arguments.seed,
        naive: naive.tally,
        permanence: gated.tally,
        broken,
        plan,
        started: STARTED,
        naive_lines: [naive.first_line, naive.last_line],
        permanence_lines: said.lines,
    })
}

/// A bar on the standard error, on a terminal only.
fn progress(ticks: u32) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::from(ticks));
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} ticks") {
        bar.set_style(style);
    }
    bar
}

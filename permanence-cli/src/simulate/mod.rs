//! `permanence simulate`: what a policy costs and loses over seven days of virtual time.

mod report;

use std::io::IsTerminal;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use permanence_core::RoutePolicy;
use permanence_sim::{
    Naive, Permanence, SCENARIOS, Scenario, Score, Strategy, median_of, scenario, simulate,
};
use permanence_spec::LoadedPolicy;

use self::report::Report;
use crate::exit::Exit;

/// Play scenarios of seven days on virtual time: nothing sleeps, no network is touched.
///
/// A reporter with a tick of 60 s plays against a scripted server three times: naive (calls and
/// logs at every tick), with essay.toml as it stands, and with the default policy. The figures are
/// medians over the seeds.
#[derive(Args, Debug)]
#[command(after_help = scenarios_help())]
pub(crate) struct Arguments {
    /// Scenarios to play.
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "SCENARIO",
          value_parser = clap::builder::PossibleValuesParser::new(SCENARIOS.map(|known| known.name)))]
    scenarios: Vec<String>,
    /// Play every scenario.
    #[arg(long)]
    all: bool,
    /// How many seeds to play; each moves what happens by minutes to hours.
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// Print one JSON object: {scenario: {strategy: {calls, lines, bytes, tokens, lost_ticks, detect_s}}}.
    #[arg(long)]
    json: bool,
}

/// Plays the scenarios and prints the medians.
pub(crate) fn run(arguments: &Arguments) -> Exit {
    let (essay, default) =
        match (permanence_spec::essay_policy(), permanence_spec::default_policy()) {
            (Ok(essay), Ok(default)) => (LoadedPolicy::new(essay), LoadedPolicy::new(default)),
            (Err(error), _) | (_, Err(error)) => return crate::complain(&error),
        };
    let chosen: Vec<&Scenario> = if arguments.all {
        SCENARIOS.iter().collect()
    } else {
        arguments.scenarios.iter().filter_map(|name| scenario(name)).collect()
    };
    let progress = progress(chosen.len(), arguments.seeds);
    let mut report = Report::default();
    for scenario in chosen {
        progress.set_message(scenario.name);
        let play = |strategy: &dyn Fn(u32) -> Box<dyn Strategy>| -> Score {
            let scores: Vec<Score> = (0..arguments.seeds)
                .map(|seed| {
                    progress.inc(1);
                    simulate(&mut *strategy(seed), &scenario.server(u64::from(seed))).score
                })
                .collect();
            median_of(&scores)
        };
        report.add(
            scenario,
            [
                ("naive", play(&|_| Box::new(Naive))),
                ("essay", play(&|seed| reporter(&essay, seed))),
                ("default", play(&|seed| reporter(&default, seed))),
            ],
        );
    }
    progress.finish_and_clear();
    if arguments.json {
        report.print_json()
    } else {
        report.print_text(arguments.seeds)
    }
    Exit::Success
}

fn reporter(policy: &LoadedPolicy, seed: u32) -> Box<dyn Strategy> {
    let endpoint = policy.endpoint("PUT", "/api/agents/{id}/status");
    Box::new(Permanence::new(endpoint, seed))
}

/// A bar on the standard error, on a terminal only.
fn progress(scenarios: usize, seeds: u32) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let runs = u64::try_from(scenarios).unwrap_or(0) * u64::from(seeds) * 3;
    let bar = ProgressBar::new(runs);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}

fn scenarios_help() -> String {
    let mut help = String::from("Scenarios:\n");
    for scenario in &SCENARIOS {
        help.push_str(&format!("  {:18}{}\n", scenario.name, scenario.summary));
    }
    help
}

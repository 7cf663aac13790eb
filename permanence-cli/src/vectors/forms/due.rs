//! When the probes of many endpoints, or of one endpoint on many devices, come due.

use std::collections::BTreeSet;

use permanence_core::{Percent, Request, Signal};

use super::super::answer::Answer;
use super::super::bench::{Bench, Moment};
use super::super::fields::{Fields, Halt};
use super::super::observed::{Observed, count, integer, seed};
use super::super::policy::CasePolicy;

/// P0 has no spread, and these forms are about it.
const SPREAD: Percent = Percent::saturating(10);

pub(super) fn multi(input: &Fields<'_>) -> Result<Observed, Halt> {
    let keys: Vec<String> = match input.value("keys") {
        Some(toml::Value::Array(names)) => names.iter().map(ToString::to_string).collect(),
        _ => (0..input.required_number("keys")?).map(|key| format!("route-{key}")).collect(),
    };
    observe(input, keys.iter().map(|key| seed(key)))
}

pub(super) fn fleet(input: &Fields<'_>) -> Result<Observed, Halt> {
    // The endpoint is the same on every device, so its name parts nobody.
    for name in ["endpoint", "key", "route"] {
        input.text(name)?;
    }
    let names = ["devices", "fleet", "count", "instances", "processes"];
    let name = names.into_iter().find(|name| input.has(name)).unwrap_or("devices");
    let devices = input.required_number(name)?;
    observe(input, (0..devices).map(|serial| seed(&format!("status@{serial:08}"))))
}

fn observe(input: &Fields<'_>, seeds: impl IntoIterator<Item = u32>) -> Result<Observed, Halt> {
    let at = match input.number("all_disabled_at_ms")? {
        Some(at) => at,
        None => input.number("disabled_at_ms")?.unwrap_or(0),
    };
    let policy = due_policy(input)?;
    let answer = match input.text("out")? {
        Some(out) => Answer::parse(out)?,
        None => Answer::new(Signal::Http(404)),
    };
    let mut due = BTreeSet::new();
    for seed in seeds {
        let mut bench = Bench::new(&policy, seed, "GET", Request::Idempotent);
        let moment = Moment::at(at);
        if let Some(permit) = bench.poll(moment) {
            bench.report(permit, &answer, moment);
        }
        if !bench.is_shut() {
            return Err(Halt::mismatch("an endpoint was not disabled"));
        }
        due.extend(bench.tracker().wake_at().map(permanence_core::Instant::as_millis));
    }
    let mut observed = Observed::default();
    observed.set_number("distinct_due_times", count(due.len()));
    observed.set_list("due_ms", due.into_iter().map(integer).collect());
    Ok(observed)
}

/// P0 with the interval of the input, and the spread unless the case's policy has its own.
fn due_policy(input: &Fields<'_>) -> Result<CasePolicy, Halt> {
    let mut changes = match input.value("policy") {
        Some(toml::Value::Table(changes)) => changes.clone(),
        _ => toml::Table::new(),
    };
    if let Some(interval) = input.value("reprobe_ms") {
        changes.insert("reprobe_ms".to_owned(), interval.clone());
    }
    let spread = toml::Value::Integer(i64::from(SPREAD.value()));
    changes.entry("reprobe_spread_percent").or_insert(spread);
    let mut whole = toml::Table::new();
    whole.insert("policy".to_owned(), toml::Value::Table(changes));
    CasePolicy::from_input(&Fields::new("input", &whole))
}

//! Very many equal failures in a short time.

use permanence_core::Signal;

use super::super::answer::Answer;
use super::super::bench::{Bench, Moment};
use super::super::fields::{Fields, Halt};
use super::super::observed::{Observed, count};
use super::super::policy::CasePolicy;
use super::request;

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let policy = CasePolicy::from_input(input)?;
    let (method, request) = request(input)?;
    let reports = input.required_number("reports")?;
    let over = input.required_number("over_ms")?;
    let answer = Answer::from_fields(input)?;
    let bench = || Bench::new(&policy, 1, &method, request);
    let moment = |number: u64| Moment::at(over.saturating_mul(number) / reports.max(1));

    // All under way before the first answer comes.
    let mut at_once = bench();
    let permits: Vec<_> = (0..reports).filter_map(|_| at_once.poll(Moment::at(0))).collect();
    for (number, permit) in (0..).zip(permits) {
        at_once.report(permit, &answer, moment(number));
    }

    // One after another, each of them asking first.
    let mut in_turn = bench();
    for number in 0..reports {
        if let Some(permit) = in_turn.poll(moment(number)) {
            in_turn.report(permit, &answer, moment(number));
        }
    }
    let lines = count(in_turn.lines().len());
    let suppressed = carried_count(in_turn);

    let mut observed = at_once.observe();
    let most = lines.max(observed.lines.as_ref().map_or(0, |lines| count(lines.len())));
    observed.set_number("log_lines", most);
    if let Some(suppressed) = suppressed {
        observed.set_number("next_line_carries_suppressed_count", suppressed);
    }
    Ok(observed)
}

/// The count in the line that closes the episode, when the endpoint is well again.
fn carried_count(mut bench: Bench<'_>) -> Option<u64> {
    let before = bench.lines().len();
    let due = Moment::at(bench.tracker().wake_at()?.as_millis());
    let permit = bench.poll(due)?;
    bench.report(permit, &Answer::new(Signal::Http(200)), due);
    bench.lines().get(before).map(|line| u64::from(line.skipped))
}

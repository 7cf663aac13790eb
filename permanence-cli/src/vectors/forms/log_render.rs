//! The line that a failure makes.

use permanence_core::{Endpoint, Event, Policy, public_part, write_text};

use super::super::answer::Answer;
use super::super::bench::{Bench, Moment};
use super::super::fields::{Fields, Halt};
use super::super::observed::Observed;
use super::super::policy::CasePolicy;
use super::request;

/// One line as text.
pub(in super::super) fn line<P: Policy + ?Sized>(
    event: &Event,
    method: &str,
    target: &str,
    policy: &P,
) -> String {
    let endpoint = Endpoint { id: "status", method, target };
    let mut line = String::new();
    // Writing into a string cannot fail.
    let _ = write_text(event, &endpoint, policy, None, &mut line);
    line
}

/// The first line of an endpoint whose target is the whole URL, as somebody careless would give it.
pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let policy = CasePolicy::from_input(input)?;
    let (method, request) = request(input)?;
    let url = input.required_text("url")?;
    // The text of a client's own error has no way into a line.
    input.text("inner_error")?;
    let answer = Answer::from_fields(input)?;

    let mut bench = Bench::new(&policy, 1, &method, request).at_target(url);
    let moment = Moment::at(0);
    if let Some(permit) = bench.poll(moment) {
        bench.report(permit, &answer, moment);
    }
    let mut observed = bench.observe();
    let lines = observed.lines.as_deref().unwrap_or_default();
    let text = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    observed.set("line", text);
    observed.set("public_part", public_part(url));
    Ok(observed)
}

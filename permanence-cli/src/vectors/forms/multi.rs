//! Several endpoints side by side.

use permanence_core::Request;
use toml::Table;

use super::super::answer::Answer;
use super::super::bench::{Bench, Moment};
use super::super::fields::{Fields, Halt};
use super::super::observed::{Observed, seed};
use super::super::policy::CasePolicy;
use super::request;

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let policy = CasePolicy::from_input(input)?;
    let (method, request) = request(input)?;
    let mut endpoints = Endpoints { policy: &policy, method, request, benches: Vec::new() };
    for key in input.required_list("keys")? {
        endpoints.add(key.as_str().ok_or_else(|| input.unfit("keys", "a list of texts", key))?);
    }
    for report in input.required_tables("reports")? {
        let moment = Moment::at(report.required_number("t_ms")?);
        let bench = endpoints.of(report.required_text("key")?)?;
        let answer = Answer::from_fields(&report)?;
        if let Some(permit) = bench.poll(moment) {
            bench.report(permit, &answer, moment);
        }
        report.finish()?;
    }
    Ok(endpoints.observe(input.number("then_poll_ms")?))
}

struct Endpoints<'p> {
    policy: &'p CasePolicy,
    method: String,
    request: Request,
    benches: Vec<(String, Bench<'p>)>,
}

impl<'p> Endpoints<'p> {
    fn add(&mut self, key: &str) {
        let bench = Bench::new(self.policy, seed(key), &self.method, self.request);
        self.benches.push((key.to_owned(), bench));
    }

    fn of(&mut self, key: &str) -> Result<&mut Bench<'p>, Halt> {
        let found = self.benches.iter_mut().find(|(name, _)| name == key);
        found
            .map(|(_, bench)| bench)
            .ok_or_else(|| Halt::mismatch(format!("key {key:?} is not among the keys")))
    }

    /// Polls each endpoint once more, and collects the lines of all.
    fn observe(mut self, then: Option<u64>) -> Observed {
        let mut observed = Observed::default();
        if let Some(then) = then {
            let mut polls = Table::new();
            for (key, bench) in &mut self.benches {
                let called = bench.poll(Moment::at(then)).is_some();
                polls.insert(key.clone(), if called { "call" } else { "skip" }.into());
            }
            observed.set("polls", polls);
        }
        let mut lines: Vec<_> =
            self.benches.iter().flat_map(|(_, bench)| bench.lines().to_vec()).collect();
        lines.sort_by_key(|line| line.at);
        observed.set_lines(lines);
        observed
    }
}

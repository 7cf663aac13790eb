//! Many endpoints in a registry of a fixed size, along a script.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use permanence_core::{Request, RoutePolicy, write_text};
use permanence_std::{
    EndpointKey, Handle, Line as StdLine, LineSink, ManualClock, Origin, Registry, RegistrySettings,
};

use super::super::answer::Answer;
use super::super::fields::{Fields, Halt};
use super::super::lines::{Line, event_name};
use super::super::observed::{Observed, count};
use super::super::policy::CasePolicy;
use super::super::script::{Crowd, Subject};
use super::request;

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let policy = CasePolicy::from_input(input)?;
    let (method, request) = request(input)?;
    let capacity = input.required_number("capacity")?;
    let capacity = usize::try_from(capacity).ok().and_then(NonZeroUsize::new);
    let capacity = capacity.ok_or_else(|| Halt::mismatch("input.capacity is no size"))?;
    let crowd = Crowd::parse(input.required_text("script")?)?;

    let page = Page::default();
    let settings =
        RegistrySettings { capacity, routes: Vec::new(), seed: 1, sink: Box::new(page.clone()) };
    let registry = Registry::with_settings(EveryRoute(&policy), ManualClock::new(), settings);
    let mut observed = Observed::default();
    for group in &crowd.groups {
        let answer = Answer::parse(&group.out)?;
        for number in 0..group.subject.count() {
            let template = group.subject.template(number);
            for _ in 0..group.times {
                answer_once(&endpoint(&registry, &method, &template), &answer, request);
            }
        }
        if let Subject::Named(name) = &group.subject {
            let called = endpoint(&registry, &method, &group.subject.template(0)).gate().is_ok();
            observed.set(&format!("{name}_key_still_calls"), called);
        }
    }
    let lines = page.take();
    // The registry names each endpoint that it keeps disabled, as at a start.
    registry.report_standing();
    observed.set_number("tracked", count(page.take().len()));
    observed.set_lines(lines);
    Ok(observed)
}

/// One policy for all routes.
struct EveryRoute<'p>(&'p CasePolicy);

impl<'p> RoutePolicy for EveryRoute<'p> {
    type Endpoint = &'p CasePolicy;

    fn endpoint(&self, _: &str, _: &str) -> Self::Endpoint {
        self.0
    }
}

fn endpoint<'p>(
    registry: &Registry<EveryRoute<'p>, ManualClock>,
    method: &str,
    template: &str,
) -> Handle<EveryRoute<'p>, ManualClock> {
    let origin = Origin { scheme: "https", authority: "api.example.test" };
    registry.endpoint(&EndpointKey { id: template, method, origin, template })
}

fn answer_once(handle: &Handle<EveryRoute<'_>, ManualClock>, answer: &Answer, request: Request) {
    if let Ok(pass) = handle.gate() {
        let _ = pass.record(&answer.outcome(request));
    }
}

/// Collects lines.
#[derive(Clone, Debug, Default)]
struct Page(Arc<Mutex<Vec<Line>>>);

impl Page {
    fn take(&self) -> Vec<Line> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, line: Line) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl LineSink for Page {
    fn line(&self, line: &StdLine<'_>) {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = write_text(line.event, &line.endpoint, line.policy, line.wall, &mut text);
        self.add(Line {
            at: line.event.at.as_millis(),
            event: event_name(line.event.kind),
            level: line.event.kind.level(),
            text,
            skipped: line.event.skipped,
        });
    }

    fn full(&self, key: &EndpointKey<'_>) {
        self.add(Line {
            at: 0,
            event: "registry_full",
            level: permanence_core::Level::Warn,
            text: format!("no room for {}", key.id),
            skipped: 0,
        });
    }
}

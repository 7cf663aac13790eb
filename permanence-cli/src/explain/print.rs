//! A decision for people.

use anstyle::{AnsiColor, Style};

use super::decision::Decision;
use super::steps::Outcome;
use super::words;

pub(super) fn print(decision: &Decision) {
    let bold = Style::new().bold();
    let Decision { code, method, class, row, .. } = decision;
    let target = decision.endpoint.as_deref().unwrap_or(method);
    anstream::println!("{bold}{code}{bold:#} for {target}: {bold}{class}{bold:#}, {}", row.reason);
    anstream::println!();
    let class = if *class == row.class {
        (*class).to_owned()
    } else {
        format!("{class}; the row says {}", row.class)
    };
    field("class", &class);
    field("reason", &row.reason);
    field("scope", row.scope);
    field("processed", row.processed);
    field("remedy", row.remedy);
    let retry = &decision.retry_now;
    let verb = if retry.allowed { "yes" } else { "no" };
    field("retry now", &format!("{verb}: {}", retry.why));
    field(
        "delay",
        &match &decision.delay {
            Some(delay) => format!("{}, from {}", words::span(delay.span), delay.from),
            None => "none named by the server".to_owned(),
        },
    );
    field(
        "disable after",
        &match row.disable_after {
            Some(count) => format!("{count} in a row"),
            None => "never".to_owned(),
        },
    );
    field("re-probe", &probes(decision));
    let by = &decision.decided_by;
    let place = by.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
    let who = match &decision.rule {
        Some(_) if by.step == "rules" => by.detail.clone(),
        _ => format!("{}: {}", by.step, by.detail),
    };
    field("decided by", &format!("{who}{place}"));

    anstream::println!("\n{bold}Asked in this order{bold:#}");
    let guard = if decision.guard.applies { "applies" } else { "does not apply" };
    for step in &decision.steps {
        let style = match step.result {
            Outcome::Decided => AnsiColor::Green.on_default().bold(),
            Outcome::Adjusted => AnsiColor::Yellow.on_default(),
            Outcome::NotReached | Outcome::PassedOver => Style::new().dimmed(),
        };
        let result = step.result.words();
        let detail = match step.result {
            Outcome::NotReached => String::new(),
            _ => format!(": {}", step.detail),
        };
        anstream::println!("  {:20}{style}{result}{style:#}{detail}", step.step);
        for tried in step.tried.iter().take(MOST_TRIED) {
            anstream::println!("  {:20}- {} {}", "", tried.rule, tried.why.join(", "));
        }
        if step.tried.len() > MOST_TRIED {
            anstream::println!("  {:20}- and {} more", "", step.tried.len() - MOST_TRIED);
        }
    }
    anstream::println!("  {:20}{guard}: {}", "guard of writes", decision.guard.why);
    anstream::println!("\n{bold}Next{bold:#}: {}", decision.next);
}

/// How many of the rules that are not met are told one by one.
const MOST_TRIED: usize = 12;

fn field(name: &str, value: &str) {
    anstream::println!("  {name:15}{value}");
}

fn probes(decision: &Decision) -> String {
    let Some(probes) = decision.row.reprobe else { return decision.row.probes() };
    let mut text = format!("every {}", words::span(probes.interval));
    if let Some(ramp) = probes.ramp {
        text.push_str(&format!("; from {} on where it has worked before", words::span(ramp)));
    }
    if probes.spread_percent > 0 {
        text.push_str(&format!("; up to {}% later", probes.spread_percent));
    }
    text
}

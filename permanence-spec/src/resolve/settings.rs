//! The numbers of one endpoint.

use std::num::NonZeroU8;

use permanence_core::{Backoff, BudgetSettings, Settings, Span};

use crate::diagnostic::{Code, Finding, Findings};
use crate::layer::{Layer, Numbers};
use crate::syntax::{At, written};

use super::chain::Chain;

/// The topmost layer that says a number counts, else [`Settings::LITERAL`].
pub(super) fn resolve(chain: &Chain<'_>) -> Settings {
    let literal = Settings::LITERAL;
    Settings {
        backoff: Backoff {
            base: top(chain, |own| own.backoff_base).unwrap_or(literal.backoff.base),
            max: top(chain, |own| own.backoff_max).unwrap_or(literal.backoff.max),
            jitter: top(chain, |own| own.jitter).unwrap_or(literal.backoff.jitter),
        },
        budget: BudgetSettings {
            ttl: top(chain, |own| own.budget_ttl).unwrap_or(literal.budget.ttl),
            min_per_sec: top(chain, |own| own.budget_per_sec).unwrap_or(literal.budget.min_per_sec),
            percent: top(chain, |own| own.budget_percent).unwrap_or(literal.budget.percent),
        },
        confirm_max: top(chain, |own| own.confirm_max).unwrap_or(NonZeroU8::MIN),
        flap_window: top(chain, |own| own.flap_window)
            .map_or(literal.flap_window, |said| said.unwrap_or(Span::ZERO)),
        mode: top(chain, |own| own.mode).unwrap_or(literal.mode),
        notice_after: top(chain, |own| own.notice_after).unwrap_or(literal.notice_after),
        pacing: top(chain, |own| own.pacing).unwrap_or(literal.pacing),
        probe_lease: top(chain, |own| own.probe_lease).unwrap_or(literal.probe_lease),
        reminder: top(chain, |own| own.reminder).unwrap_or(literal.reminder),
        reprobe_spread: top(chain, |own| own.reprobe_spread).unwrap_or(literal.reprobe_spread),
        retry_after_max: top(chain, |own| own.retry_after_max).unwrap_or(literal.retry_after_max),
    }
}

fn top<T>(chain: &Chain<'_>, number: impl Fn(&Numbers) -> Option<At<T>>) -> Option<T> {
    said(chain, number).map(|said| said.value)
}

fn said<T>(chain: &Chain<'_>, number: impl Fn(&Numbers) -> Option<At<T>>) -> Option<At<T>> {
    chain.layers.iter().rev().find_map(|layer: &&Layer| number(&layer.numbers))
}

/// Reports a back-off whose first pause is longer than its longest.
pub(super) fn check_backoff(chain: &Chain<'_>, findings: &mut Findings) {
    let base = said(chain, |own| own.backoff_base);
    let max = said(chain, |own| own.backoff_max);
    let shortest = base.map_or(Settings::LITERAL.backoff.base, |said| said.value);
    let longest = max.map_or(Settings::LITERAL.backoff.max, |said| said.value);
    if shortest <= longest {
        return;
    }
    let (shortest, longest) = (written(shortest), written(longest));
    let message = format!("the back-off starts at {shortest} and ends at {longest}");
    let base = base.map(|said| (said.place, "the first pause is set here"));
    let max = max.map(|said| (said.place, "the longest pause is set here"));
    let mut places: Vec<_> = [base, max].into_iter().flatten().collect();
    // What the topmost file says is what its author can mend.
    places.sort_unstable();
    let Some(((first, _), rest)) = places.split_first() else { return };
    let mut finding = Finding::new(Code::BackoffOrder, *first, message);
    for (place, what) in rest {
        finding = finding.with_label(*place, *what);
    }
    findings.push(finding.with_help("base is the first pause and max the longest"));
}

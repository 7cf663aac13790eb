//! The order in which a policy is asked (SPEC 4.1): who decided, who was passed over and why.

use permanence_core::{Bits, Class, Directive, Rule, Signal};
use permanence_spec::{Compiled, CompiledRule, Exactness, ListedAs, Listing, Traced};
use serde::Serialize;

use super::rules;

/// One step of the order.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(super) struct Step {
    pub(super) step: &'static str,
    pub(super) result: Outcome,
    pub(super) detail: String,
    /// `path:line:column` of what decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    /// Rules about the code that were tried before and not met, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tried: Vec<Tried>,
}

/// A rule about the code that is not met.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub(super) struct Tried {
    pub(super) rule: String,
    pub(super) why: Vec<String>,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// It does not decide and yet changes something.
    Adjusted,
    Decided,
    NotReached,
    PassedOver,
}

impl Outcome {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Outcome::Adjusted => "adjusted",
            Outcome::Decided => "decided",
            Outcome::NotReached => "not reached",
            Outcome::PassedOver => "passed over",
        }
    }
}

/// What the steps are taken for.
pub(super) struct Question<'q> {
    pub(super) policy: &'q Traced,
    /// The endpoint as it was asked for, if one was.
    pub(super) endpoint: Option<&'q str>,
    /// The place of its route.
    pub(super) route: Option<usize>,
    pub(super) signal: Signal<'q>,
    pub(super) directive: Option<Directive>,
    /// What the probes of the policy found.
    pub(super) bits: Bits,
    /// Whether there is a body that no rule asks for.
    pub(super) unread: bool,
    /// The row before the server's word and the guard.
    pub(super) rule: &'q Rule,
}

/// All steps, in their order; exactly one has decided.
pub(super) fn steps(question: &Question<'_>) -> Vec<Step> {
    let mut steps = vec![server_word(question), of_rules(question)];
    let listings = question.policy.listings(question.route, &question.signal);
    if let Signal::Provider { .. } = question.signal {
        steps.push(provider_code(question, &listings));
    }
    steps.push(route(question, &listings));
    steps.extend(lists(question, &listings));
    steps.push(language(question, &listings));
    settle(&mut steps);
    steps
}

/// What comes after the step that decided has not been reached.
fn settle(steps: &mut [Step]) {
    let decided = steps.iter().position(|step| step.result == Outcome::Decided);
    for step in steps.iter_mut().skip(decided.map_or(usize::MAX, |place| place + 1)) {
        step.result = Outcome::NotReached;
        step.place = None;
    }
}

fn step(step: &'static str, result: Outcome, detail: impl Into<String>) -> Step {
    Step { step, result, detail: detail.into(), place: None, tried: Vec::new() }
}

fn server_word(question: &Question<'_>) -> Step {
    let name = "server's word";
    match question.directive {
        None => step(
            name,
            Outcome::PassedOver,
            "no x-should-retry, stripe-should-retry or pushback among the headers",
        ),
        Some(Directive::DoNotRetry) => {
            step(name, Outcome::Adjusted, "the server forbids another try; the class stays")
        }
        Some(Directive::Retry) if question.rule.class == Class::Permanent => step(
            name,
            Outcome::Adjusted,
            "the server asks for another try, which makes the permanent row below transient",
        ),
        Some(Directive::Retry) => {
            step(name, Outcome::Adjusted, "the server welcomes another try; the class stays")
        }
    }
}

/// Rules that look at more than the status: the first that is met counts.
fn of_rules(question: &Question<'_>) -> Step {
    let name = "rules";
    let set = &question.policy.compiled().policy(question.route).rule_set;
    let mut tried = Vec::new();
    for rule in set.rules.iter().filter(|rule| rule.codes.contains(&question.signal)) {
        if rule.matches(&question.signal, question.bits) {
            return Step { tried, ..met(name, question, rule) };
        }
        let why = rules::missing(set, rule, question.bits);
        tried.push(Tried { rule: rule.id.clone(), why });
    }
    let code = question.signal.code();
    let detail = match (set.rules.len(), tried.len()) {
        (0, _) => "the policy has none here".to_owned(),
        (1, 0) => format!("the one rule is not about {code}"),
        (count, 0) => format!("none of {count} is about {code}"),
        (_, 1) => format!("one is about {code} and not met"),
        (_, count) => format!("{count} are about {code}, and none is met"),
    };
    let unread = if question.unread { "; the body is not looked at" } else { "" };
    Step { tried, ..step(name, Outcome::PassedOver, format!("{detail}{unread}")) }
}

fn met(name: &'static str, question: &Question<'_>, rule: &CompiledRule) -> Step {
    let place = question.policy.rule_place(question.route, &rule.id);
    let place = place.map(|place| format!("{}:{}:{}", place.path, place.line, place.column));
    if rule.row.is_some() {
        return Step { place, ..step(name, Outcome::Decided, format!("rule {}", rule.id)) };
    }
    let mut says = Vec::new();
    says.extend(rule.processed.map(|_| "whether the peer acted".to_owned()));
    says.extend(rule.delay.as_ref().map(|delay| format!("the time ({})", rules::delay(delay))));
    let detail = format!("rule {} says {} and leaves the row", rule.id, says.join(" and "));
    Step { place, ..step(name, Outcome::Adjusted, detail) }
}

fn provider_code(question: &Question<'_>, listings: &[Listing]) -> Step {
    let name = "provider's code";
    let Signal::Provider { status, code } = question.signal else {
        return step(name, Outcome::PassedOver, "none is given");
    };
    let own = format!("{status}:{code}");
    match listings.first().filter(|listing| listing.code == own) {
        Some(listing) => decided(name, listing),
        None => {
            step(name, Outcome::PassedOver, format!("no list names {own}, which acts as {status}"))
        }
    }
}

fn route(question: &Question<'_>, listings: &[Listing]) -> Step {
    let name = "endpoint override";
    let Some(endpoint) = question.endpoint else {
        return step(name, Outcome::PassedOver, "no endpoint is given");
    };
    let compiled = question.policy.compiled();
    let route = question.route.and_then(|place| compiled.routes.get(place));
    let Some(route) = route else {
        let detail = match compiled.routes.len() {
            0 => "the policy has none".to_owned(),
            count => format!("none of {count} matches {endpoint}"),
        };
        return step(name, Outcome::PassedOver, detail);
    };
    let key = match &route.method {
        Some(method) => format!("{method} {}", route.template),
        None => route.template.clone(),
    };
    if let Some(listing) = listings.first().filter(|listing| listing.by_route) {
        let mut decided = decided(name, listing);
        decided.detail = format!("{key}: {}", decided.detail);
        return decided;
    }
    let changed = changed(compiled, question);
    if changed.is_empty() {
        let detail = format!("{key} says nothing about {}", question.signal.code());
        return step(name, Outcome::PassedOver, detail);
    }
    step(name, Outcome::Adjusted, format!("{key} changes {} of the row", changed.join(", ")))
}

/// The cells in which the row of the route differs from the one of all other endpoints.
fn changed(compiled: &Compiled, question: &Question<'_>) -> Vec<&'static str> {
    let (own, base) = (question.rule, compiled.base.rule(&question.signal));
    let cells = [
        ("the reason", own.reason != base.reason),
        ("the class", own.class != base.class),
        ("the scope", own.scope != base.scope),
        ("the remedy", own.remedy != base.remedy),
        ("the retry rule", own.retry != base.retry),
        ("the threshold", own.disable_after != base.disable_after),
        ("the probes", own.reprobe != base.reprobe),
    ];
    cells.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// The lists of all endpoints: exact codes, ranges and hundreds where there are such.
fn lists(question: &Question<'_>, listings: &[Listing]) -> Vec<Step> {
    let code = match question.signal {
        Signal::Provider { status, .. } => status.to_string(),
        Signal::Unusable { .. } => "unusable = true".to_owned(),
        signal => signal.code().to_string(),
    };
    let winner = listings.first().filter(|listing| !listing.by_route);
    let kinds: &[(&'static str, Exactness)] = match question.signal {
        Signal::Http(_) | Signal::Provider { .. } => &[
            ("exact code", Exactness::Exact),
            ("range", Exactness::Range),
            ("hundred", Exactness::Hundred),
        ],
        _ => &[("exact code", Exactness::Exact)],
    };
    let mut steps = Vec::new();
    for (name, exactness) in kinds {
        let own = |listing: &&Listing| {
            !listing.by_route && listing.exactness == *exactness && listing.code == code
        };
        // An entry that another one of a layer above has beaten, although it is more exact.
        let beaten = listings.iter().find(own);
        steps.push(match winner.filter(own) {
            Some(listing) => decided(name, listing),
            None => match beaten {
                Some(listing) => step(
                    name,
                    Outcome::PassedOver,
                    format!("{}, but a layer above says otherwise", described(listing)),
                ),
                None => step(name, Outcome::PassedOver, format!("no such entry for {code}")),
            },
        });
    }
    if let Some(listing) = winner.filter(|listing| listing.code != code && is_first(listing)) {
        let mut acted = decided("first of its class", listing);
        acted.detail = format!("nobody lists {code}, so that it acts as {}", acted.detail);
        steps.push(acted);
    }
    steps
}

/// Whether the code is one that others act as: 400 or 4.00, and not a provider's code.
fn is_first(listing: &Listing) -> bool {
    !listing.code.contains(':') && listing.code.ends_with("00")
}

fn language(question: &Question<'_>, listings: &[Listing]) -> Step {
    let name = "language";
    match (question.signal, listings.first()) {
        (Signal::Cancelled, _) => {
            step(name, Outcome::Decided, "a cancellation is evidence of nothing")
        }
        (_, None) => step(name, Outcome::Decided, "no list names it (SPEC 4.2)"),
        (_, Some(_)) => step(name, Outcome::PassedOver, "what nobody has said"),
    }
}

fn decided(name: &'static str, listing: &Listing) -> Step {
    let place = &listing.place;
    Step {
        step: name,
        result: Outcome::Decided,
        detail: described(listing),
        place: Some(format!("{}:{}:{}", place.path, place.line, place.column)),
        tried: Vec::new(),
    }
}

/// `404 in reasons.resource-absent`, and how it is written where that differs.
fn described(listing: &Listing) -> String {
    let under = match &listing.listed_as {
        ListedAs::Class(class) => format!("classes.{}", class.name()),
        ListedAs::Reason(name) => format!("reasons.{name}"),
    };
    let entry = match listing.exactness {
        Exactness::Exact => listing.code.clone(),
        Exactness::Hundred | Exactness::Range => {
            let place = &listing.place;
            let written = place.text.chars().skip(place.column.saturating_sub(1));
            let written: String = written.take(place.width).collect();
            format!("{} as {written}", listing.code)
        }
    };
    format!("{entry} in {under}")
}

//! The rules about more than the status: in which order, with which probes, to which rows.

use permanence_core::{BUILTIN_REASONS, Bits, Class, Reprobe, Rule};

use crate::diagnostic::{Code, Finding, Findings, nearest};
use crate::layer::{Layer, RowLayer, RuleLayer, Sign};
use crate::rule_set::{Codes, CompiledRule, OwnedDelay, OwnedProbe, RuleSet};
use crate::syntax::{Slot, written};

use super::chain::{Chain, Judged};
use super::endpoint::Rows;
use super::language::fitting_reason;
use super::row::{Medium, RowKey, rule as row_of};

/// The rules of all layers, those of the topmost one first; a rule takes the place of those below
/// that have its id.
pub(super) fn resolve(
    chain: &Chain<'_>,
    rows: &mut Rows<'_, '_>,
    findings: &mut Findings,
) -> RuleSet {
    let mut set = RuleSet::default();
    let rules = effective(chain);
    // A scanner that looks for a time as well has one place less for probes.
    let is_timed = rules.iter().any(|rule| matches!(rule.delay, Some(OwnedDelay::Json(..))));
    let most = if is_timed { Bits::MAX - 1 } else { Bits::MAX };
    for rule in rules {
        let (wanted, unwanted) = masks(rule, &mut set.probes);
        if set.probes.len() > most {
            let message = format!("`{}` asks one question too many", rule.id.value);
            let help = format!(
                "the rules of one endpoint ask {most} different questions at most; a list asks one"
            );
            let finding = Finding::new(Code::TooManyProbes, rule.id.place, message);
            findings.push(finding.with_help(help));
            return set;
        };
        for (codes, row) in places(chain, rule, rows) {
            set.rules.push(CompiledRule {
                id: rule.id.value.clone(),
                codes,
                wanted,
                unwanted,
                row,
                processed: rule.processed.map(|said| said.value),
                delay: rule.delay.clone(),
            });
        }
    }
    set
}

/// The rules of all layers, each id once.
fn effective<'a>(chain: &Chain<'a>) -> Vec<&'a RuleLayer> {
    let mut rules: Vec<&RuleLayer> = Vec::new();
    for rule in chain.layers.iter().rev().flat_map(|layer| &layer.rules) {
        if !rules.iter().any(|known| known.id.value == rule.id.value) {
            rules.push(rule);
        }
    }
    rules
}

/// The probes of a rule as masks; what nobody has asked yet is added to `probes`.
fn masks(rule: &RuleLayer, probes: &mut Vec<OwnedProbe>) -> (u64, u64) {
    let (mut wanted, mut unwanted) = (Bits::NONE, Bits::NONE);
    for condition in &rule.conditions {
        let known = probes.iter().position(|probe| *probe == condition.probe);
        let place = known.unwrap_or_else(|| {
            probes.push(condition.probe.clone());
            probes.len() - 1
        });
        match condition.sign {
            Sign::Unwanted => unwanted = unwanted.with(place),
            Sign::Wanted => wanted = wanted.with(place),
        }
    }
    (wanted.mask(), unwanted.mask())
}

/// The codes of a rule and its row; several where each code keeps the reason that it has.
fn places(
    chain: &Chain<'_>,
    rule: &RuleLayer,
    rows: &mut Rows<'_, '_>,
) -> Vec<(Codes, Option<u8>)> {
    if !rule.has_row() {
        return vec![(rule.codes.clone(), None)];
    }
    if rule.reason.is_some() {
        let medium = match rule.codes {
            Codes::Network(_) => Medium::Network,
            _ => Medium::Answer,
        };
        let place = rows.place_of_rule(own_row(chain, rule, medium));
        return vec![(rule.codes.clone(), Some(place))];
    }
    let mut groups: Vec<(u8, Vec<Slot>)> = Vec::new();
    for slot in slots(&rule.codes) {
        let place = rows.place_of_rule(row_of_slot(chain, rule, &slot));
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, slots)) => slots.push(slot),
            None => groups.push((place, vec![slot])),
        }
    }
    groups.into_iter().map(|(place, slots)| (codes(&slots), Some(place))).collect()
}

/// The row of a rule that has a reason.
fn own_row(chain: &Chain<'_>, rule: &RuleLayer, medium: Medium) -> Rule {
    let name = rule.reason.as_ref().map_or("", |reason| &reason.value);
    let reason = chain.names.reason(name);
    let own = chain.class_of(reason).unwrap_or(Class::Permanent);
    let judged = Judged { reason, class: rule.class.map_or(own, |class| class.value) };
    overlaid(row_of(chain, RowKey { judged, medium, scope: None, retry: None }), rule.row)
}

/// The row of one code of a rule that has none: the code's own, unless the rule gives it another
/// class.
fn row_of_slot(chain: &Chain<'_>, rule: &RuleLayer, slot: &Slot) -> Rule {
    let medium = match slot {
        Slot::Network(_) => Medium::Network,
        _ => Medium::Answer,
    };
    let judged = chain.judge(slot);
    let key = match rule.class {
        Some(class) if class.value != judged.class => {
            let reason = fitting_reason(slot, class.value);
            let judged = Judged { reason, class: class.value };
            RowKey { judged, medium, scope: None, retry: None }
        }
        _ => RowKey { judged, medium, scope: chain.scope(slot), retry: chain.retry(slot) },
    };
    overlaid(row_of(chain, key), rule.row)
}

/// A row with the cells that a rule fills in.
fn overlaid(row: Rule, cells: RowLayer) -> Rule {
    if matches!(row.class, Class::Success | Class::Ignored) {
        return row;
    }
    let (interval, ramp) = match row.reprobe {
        Reprobe::Every { interval, ramp } => (Some(interval), ramp),
        Reprobe::Never => (None, None),
    };
    let interval = cells.interval.map_or(interval, |said| said.value);
    // A ramp that is meant for longer intervals is no ramp for this one.
    let fitting = ramp.filter(|ramp| interval.is_none_or(|interval| *ramp <= interval));
    let ramp = cells.ramp.map_or(fitting, |said| said.value);
    Rule {
        scope: cells.scope.map_or(row.scope, |said| said.value),
        remedy: cells.remedy.map_or(row.remedy, |said| said.value),
        retry: cells.retry.map_or(row.retry, |said| said.value),
        disable_after: cells.disable_after.map_or(row.disable_after, |said| said.value),
        reprobe: match interval {
            Some(interval) => Reprobe::Every { interval, ramp },
            None => Reprobe::Never,
        },
        ..row
    }
}

fn slots(codes: &Codes) -> Vec<Slot> {
    match codes {
        // Such rules have a reason.
        Codes::Answers | Codes::Any => Vec::new(),
        Codes::Coap(bytes) => bytes.iter().copied().map(Slot::Coap).collect(),
        Codes::Grpc(codes) => codes.iter().copied().map(Slot::Grpc).collect(),
        Codes::Http(ranges) => {
            ranges.iter().flat_map(|(first, last)| *first..=*last).map(Slot::Http).collect()
        }
        Codes::Network(errors) => errors.iter().copied().map(Slot::Network).collect(),
    }
}

/// The codes of slots of one notation.
fn codes(slots: &[Slot]) -> Codes {
    let (mut coap, mut grpc, mut network) = (Vec::new(), Vec::new(), Vec::new());
    let mut http: Vec<(u16, u16)> = Vec::new();
    for slot in slots {
        match slot {
            Slot::Coap(byte) => coap.push(*byte),
            Slot::Grpc(code) => grpc.push(*code),
            Slot::Network(error) => network.push(*error),
            Slot::Http(status) | Slot::Provider(status, _) => match http.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(*status) => *last = *status,
                _ => http.push((*status, *status)),
            },
            Slot::Unusable => {}
        }
    }
    match slots.first() {
        Some(Slot::Coap(_)) => Codes::Coap(coap),
        Some(Slot::Grpc(_)) => Codes::Grpc(grpc),
        Some(Slot::Network(_)) => Codes::Network(network),
        _ => Codes::Http(http),
    }
}

/// Reports reasons that nobody knows, and ramps above their intervals.
pub(super) fn check_rules(chain: &Chain<'_>, layer: &Layer, findings: &mut Findings) {
    for rule in &layer.rules {
        if check_reason(chain, rule, findings) {
            check_ramp(chain, rule, findings);
        }
        check_expected(chain, rule, findings);
    }
}

fn check_reason(chain: &Chain<'_>, rule: &RuleLayer, findings: &mut Findings) -> bool {
    let Some(reason) = &rule.reason else { return true };
    let name = reason.value.as_str();
    let is_known = chain.names.knows(name)
        && (rule.class.is_some() || chain.class_of(chain.names.reason(name)).is_some());
    if !is_known {
        let message = format!("there is no reason `{name}` here");
        let known =
            BUILTIN_REASONS.into_iter().chain(chain.names.custom().iter().map(String::as_str));
        let help = format!("describe it: [error_permanence.reasons.{name}] with a class");
        let guess = nearest(name, known.filter(|known| *known != name));
        let finding = Finding::new(Code::UnknownReason, reason.place, message);
        findings.push(finding.with_guess(guess, help));
    }
    is_known
}

/// Reports tests that expect what there is not.
fn check_expected(chain: &Chain<'_>, rule: &RuleLayer, findings: &mut Findings) {
    for expect in rule.examples.iter().map(|example| &example.expect) {
        let rules = chain.layers.iter().flat_map(|layer| &layer.rules);
        let ids = rules.map(|rule| rule.id.value.as_str());
        let reasons = chain.names.custom().iter().map(String::as_str).chain(BUILTIN_REASONS);
        let known: Vec<&str> = ids.chain(reasons).chain(["none"]).collect();
        if known.contains(&expect.value.as_str()) {
            continue;
        }
        let message = format!("there is neither a rule nor a reason `{}` here", expect.value);
        let help = "expect the id of a rule, the name of a reason, or \"none\" for no rule";
        let guess = nearest(&expect.value, known);
        let finding = Finding::new(Code::BadExample, expect.place, message);
        findings.push(finding.with_guess(guess, help));
    }
}

fn check_ramp(chain: &Chain<'_>, rule: &RuleLayer, findings: &mut Findings) {
    let Some(said) = rule.row.ramp.map(|said| said.place) else { return };
    let rows: Vec<Rule> = match &rule.reason {
        Some(_) => vec![own_row(chain, rule, Medium::Answer)],
        None => slots(&rule.codes).iter().map(|slot| row_of_slot(chain, rule, slot)).collect(),
    };
    for row in rows {
        let Reprobe::Every { interval, ramp: Some(ramp) } = row.reprobe else { continue };
        if ramp > interval {
            let (ramp, interval) = (written(ramp), written(interval));
            let message = format!("the ramp starts at {ramp}, above the interval of {interval}");
            let finding = Finding::new(Code::LongRamp, said, message);
            findings.push(finding.with_help("make it shorter, or write reprobe_ramp = \"off\""));
            return;
        }
    }
}

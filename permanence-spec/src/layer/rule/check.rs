//! What the rules of one list say that does not go together.

use crate::diagnostic::{Code, Finding, Findings};
use crate::rule_set::{Codes, OwnedProbe, OwnedTest};

use super::{Condition, RuleLayer, Sign};

/// Reports rules that cannot match by themselves, and ids that are there twice.
pub(super) fn check_each(rules: &[RuleLayer], findings: &mut Findings) {
    for (place, rule) in rules.iter().enumerate() {
        check_conditions(&rule.conditions, findings);
        if matches!(rule.codes, Codes::Network(_)) {
            check_without_answer(rule, findings);
        }
        let (earlier, _) = rules.split_at(place);
        let Some(twin) = earlier.iter().find(|twin| twin.id.value == rule.id.value) else {
            continue;
        };
        let (first, second) = (twin.id.place.min(rule.id.place), twin.id.place.max(rule.id.place));
        let message = format!("there is a rule `{}` already", rule.id.value);
        let finding = Finding::new(Code::RuleTwice, second, message)
            .with_label(first, "first here")
            .with_help("ids stand in lines and in reports: give each rule its own");
        findings.push(finding);
    }
}

/// Reports rules that an earlier one leaves nothing; `rules` stand in the order in which they are
/// tried.
pub(super) fn check_reach(rules: &[RuleLayer], findings: &mut Findings) {
    for (place, rule) in rules.iter().enumerate() {
        let (earlier, _) = rules.split_at(place);
        let Some(first) = earlier.iter().find(|first| shadows(first, rule)) else { continue };
        let message = format!("`{}` is never reached", rule.id.value);
        let finding = Finding::new(Code::UnreachableRule, rule.id.place, message)
            .with_label(first.id.place, "this one matches all that it matches")
            .with_help("put the rule with more conditions first; rules about the body are tried before those about headers alone");
        findings.push(finding);
    }
}

fn check_conditions(conditions: &[Condition], findings: &mut Findings) {
    for (place, second) in conditions.iter().enumerate() {
        let (earlier, _) = conditions.split_at(place);
        let Some(first) = earlier.iter().find(|first| contradict(first, second)) else { continue };
        let (first, second) = (first.place.min(second.place), first.place.max(second.place));
        let message = "this never holds together with another condition of the rule";
        let finding = Finding::new(Code::Contradiction, second, message)
            .with_label(first, "the other condition")
            .with_help("the conditions of a rule hold all at once; make two rules of it");
        findings.push(finding);
    }
}

/// Where there was no answer nothing stands in it.
fn check_without_answer(rule: &RuleLayer, findings: &mut Findings) {
    let asks_answer = |condition: &&Condition| {
        condition.sign == Sign::Wanted && !condition.probe.target.is_in_request()
    };
    if let Some(condition) = rule.conditions.iter().find(asks_answer) {
        let message = "a network error has no answer that this could hold of";
        let help = "beside `net` only `method` and `request_header` make sense";
        let finding = Finding::new(Code::Contradiction, condition.place, message);
        findings.push(finding.with_help(help));
    }
    if let Some(said) = rule.processed {
        let message = "a network error is no answer, so that no rule can say what became of it";
        let help = "without an answer the phase decides: nothing sent is no, sent is unknown";
        findings.push(Finding::new(Code::BadRule, said.place, message).with_help(help));
    }
}

fn contradict(first: &Condition, second: &Condition) -> bool {
    match (first.sign, second.sign) {
        (Sign::Wanted, Sign::Unwanted) => first.probe.implies(&second.probe),
        (Sign::Unwanted, Sign::Wanted) => second.probe.implies(&first.probe),
        // Of several headers with one name, and of several places in a body, one is enough for each.
        (Sign::Wanted, Sign::Wanted) | (Sign::Unwanted, Sign::Unwanted) => false,
    }
}

/// Whether everything that meets `second` meets `first`.
fn shadows(first: &RuleLayer, second: &RuleLayer) -> bool {
    first.codes.covers(&second.codes)
        && first.conditions.iter().all(|wanted| follows(wanted, &second.conditions))
}

/// Whether `wanted` holds wherever all of `given` do.
fn follows(wanted: &Condition, given: &[Condition]) -> bool {
    given.iter().any(|given| match (wanted.sign, given.sign) {
        (Sign::Wanted, Sign::Wanted) => given.probe.implies(&wanted.probe),
        (Sign::Unwanted, Sign::Unwanted) => {
            wanted.probe.implies(&given.probe) || is_absence_of(&given.probe, &wanted.probe)
        }
        (Sign::Unwanted, Sign::Wanted) | (Sign::Wanted, Sign::Unwanted) => false,
    })
}

/// Whether a no to `exists` is a no to `other`.
fn is_absence_of(exists: &OwnedProbe, other: &OwnedProbe) -> bool {
    exists.test == OwnedTest::Exists && exists.target == other.target
}

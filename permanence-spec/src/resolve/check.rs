//! What can only be judged once all layers are known.

use permanence_core::{BUILTIN_REASONS, Class, Reason};

use crate::diagnostic::{Code, Finding, Findings, nearest};
use crate::layer::Layer;
use crate::syntax::written;

use super::chain::{Chain, Judged};
use super::row::Cells;
use super::rules::check_rules;
use super::settings::check_backoff;

/// Reports what the layers of `chain` say that does not go together.
pub(super) fn check(chain: &Chain<'_>, findings: &mut Findings) {
    for class in [Class::Permanent, Class::Transient, Class::Ambiguous] {
        // A number that no reason has: the cells of the class alone.
        check_ramp(chain, Judged { reason: Reason::from_number(u8::MAX), class }, findings);
    }
    check_backoff(chain, findings);
    for layer in &chain.layers {
        check_reasons(chain, layer, findings);
        check_lists(chain, layer, findings);
        check_rules(chain, layer, findings);
    }
}

fn check_reasons(chain: &Chain<'_>, layer: &Layer, findings: &mut Findings) {
    for own in &layer.reasons {
        let reason = chain.names.reason(&own.name.value);
        match chain.class_of(reason) {
            Some(class) => check_ramp(chain, Judged { reason, class }, findings),
            None => {
                let message = format!("the reason `{}` has no class", own.name.value);
                let guess = nearest(&own.name.value, BUILTIN_REASONS);
                let help = "give it one: class = \"permanent\", \"transient\" or \"ambiguous\"";
                let finding = Finding::new(Code::ReasonWithoutClass, own.name.place, message);
                findings.push(finding.with_guess(guess, help));
            }
        }
    }
}

fn check_ramp(chain: &Chain<'_>, judged: Judged, findings: &mut Findings) {
    let cells = Cells::of(chain, judged);
    let (Some(interval), Some(ramp)) = (cells.interval(), cells.ramp()) else { return };
    if ramp <= interval {
        return;
    }
    let Some(said) = cells.both.ramp else { return };
    let (ramp, interval) = (written(ramp), written(interval));
    let message = format!("the ramp starts at {ramp}, above the interval of {interval}");
    let finding = match cells.both.interval {
        Some(upper) if upper.place.source < said.place.source => {
            Finding::new(Code::LongRamp, upper.place, message)
                .with_label(said.place, "the ramp is set here")
        }
        Some(upper) => Finding::new(Code::LongRamp, said.place, message)
            .with_label(upper.place, "the interval is set here"),
        None => Finding::new(Code::LongRamp, said.place, message),
    };
    findings.push(finding.with_help("make it shorter, or write reprobe_ramp = \"off\""));
}

/// One layer must not list a code under a class and under a reason of another class.
fn check_lists(chain: &Chain<'_>, layer: &Layer, findings: &mut Findings) {
    for shared in layer.reason_of.shared_with(&layer.class_of) {
        let Some(own) = layer.reasons.get(shared.own.value) else { continue };
        let class = chain.class_of(chain.names.reason(&own.name.value));
        if class.is_none_or(|class| class == shared.theirs.value) {
            continue;
        }
        let (first, second) = (shared.theirs.place, shared.own.place);
        let (name, listed) = (&own.name.value, shared.theirs.value.name());
        let message = format!("{} is {listed} and `{name}`, which is not", shared.name);
        let finding = Finding::new(Code::CodeTwice, second, message)
            .with_label(first, format!("{listed} here"))
            .with_help("within one layer a code stands in one list only");
        findings.push(finding);
    }
}

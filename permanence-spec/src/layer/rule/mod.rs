//! The entries of `rule`: what the status cannot say.

mod check;
mod delay;
mod example;
mod pointer;
mod when;

use permanence_core::{Class, Processed};

use crate::diagnostic::{Code, Finding, Findings, Place};
use crate::rule_set::{Codes, OwnedDelay};
use crate::syntax::{
    At, Item, Section, read_class, read_processed, read_remedy, read_retry, read_scope,
};

pub(crate) use self::example::Example;
pub(crate) use self::when::{Condition, Sign};

use super::RowLayer;
use super::numbers::count_or_never;

/// One rule as it was written.
#[derive(Clone, Debug)]
pub(crate) struct RuleLayer {
    pub(crate) id: At<String>,
    pub(crate) codes: Codes,
    pub(crate) conditions: Vec<Condition>,
    /// Where `when` stands.
    pub(crate) when: Place,
    pub(crate) reason: Option<At<String>>,
    pub(crate) class: Option<At<Class>>,
    pub(crate) row: RowLayer,
    pub(crate) processed: Option<At<Processed>>,
    pub(crate) delay: Option<OwnedDelay>,
    pub(crate) examples: Vec<Example>,
}

impl RuleLayer {
    /// The same as a part of what is attached at `place`, without its examples.
    pub(crate) fn attached_at(self, place: Place) -> RuleLayer {
        let conditions = self.conditions.into_iter();
        RuleLayer {
            id: self.id.moved_to(place),
            codes: self.codes,
            conditions: conditions.map(|condition| Condition { place, ..condition }).collect(),
            when: place,
            reason: self.reason.map(|said| said.moved_to(place)),
            class: self.class.map(|said| said.moved_to(place)),
            row: self.row.moved_to(place),
            processed: self.processed.map(|said| said.moved_to(place)),
            delay: self.delay,
            examples: Vec::new(),
        }
    }

    /// Whether it looks into the body; such rules are tried first.
    pub(crate) fn is_about_body(&self) -> bool {
        self.conditions.iter().any(|condition| condition.probe.target.is_in_body())
    }

    /// Whether it says anything of the row, and not only where the time stands.
    pub(crate) fn has_row(&self) -> bool {
        self.reason.is_some() || self.class.is_some() || !self.row.is_empty()
    }
}

/// Reads the rules of one file or one route, in the order in which they are tried: those about the
/// body before those about headers alone, else in the order of the file.
pub(super) fn read_rules(section: &mut Section<'_>, findings: &mut Findings) -> Vec<RuleLayer> {
    let Some(item) = section.take("rule") else { return Vec::new() };
    let before = findings.len();
    let mut rules: Vec<RuleLayer> = Vec::new();
    for entry in item.list(findings) {
        if rules.len() == MOST_RULES {
            let message = format!("this is one rule more than {MOST_RULES}");
            let help = "a list takes several values: `status = [429, 503]`";
            let finding = Finding::new(Code::TooManyRules, entry.place, message);
            findings.push(finding.with_help(help));
            break;
        }
        rules.extend(read_rule(&entry, findings));
    }
    rules.sort_by_key(|rule| !rule.is_about_body());
    check::check_each(&rules, findings);
    // What a faulty rule would match nobody knows.
    if findings.len() == before {
        check::check_reach(&rules, findings);
    }
    rules
}

fn read_rule(item: &Item<'_>, findings: &mut Findings) -> Option<RuleLayer> {
    let mut table = Section::open(item, "", findings)?;
    let before = findings.len();
    let id = read_id(&mut table, item.place, findings);
    let when = when::read(&mut table, item.place, findings);
    let rule = RuleLayer {
        id: id.clone().unwrap_or(At { value: String::new(), place: item.place }),
        codes: when.codes,
        conditions: when.conditions,
        when: when.place,
        reason: table
            .take("reason")
            .and_then(|item| item.text(findings).map(|text| item.at(text.to_owned()))),
        class: table.take("class").and_then(|item| read_class(&item, findings)),
        row: read_row(&mut table, findings),
        processed: table.take("processed").and_then(|item| read_processed(&item, findings)),
        delay: table.take("retry_after").and_then(|item| delay::read(&item, findings)),
        examples: example::read(&mut table, findings),
    };
    let says_nothing = !rule.has_row() && rule.delay.is_none() && rule.processed.is_none();
    table.close(findings);
    if says_nothing && findings.len() == before {
        let message = "this rule says nothing of what follows";
        let help = "give it a reason, a class, a cell of a row, processed or retry_after";
        findings.push(Finding::new(Code::BadRule, rule.id.place, message).with_help(help));
    }
    check_row_has_reason(&rule, findings);
    check_harmless(&rule, findings);
    id.map(|_| rule)
}

fn read_id(table: &mut Section<'_>, rule: Place, findings: &mut Findings) -> Option<At<String>> {
    let help = "an id is lower-case letters, digits, dots, hyphens and underscores, 64 at most, a letter first: \"openai.quota\"";
    let Some(item) = table.take("id") else {
        let finding = Finding::new(Code::BadRuleId, rule, "this rule has no id");
        findings.push(finding.with_help(help));
        return None;
    };
    let text = item.text(findings)?;
    if !is_id(text) {
        let message = format!("`{text}` cannot be the id of a rule");
        findings.push(Finding::new(Code::BadRuleId, item.place, message).with_help(help));
        return None;
    }
    Some(item.at(text.to_owned()))
}

fn is_id(text: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_')
    };
    text.len() <= 64
        && text != "none"
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(plain)
}

fn read_row(table: &mut Section<'_>, findings: &mut Findings) -> RowLayer {
    let long = count_or_never(table, "disable_after_consecutive", findings);
    let short = count_or_never(table, "disable_after", findings);
    if let (Some(long), Some(short)) = (long, short) {
        let message = "`disable_after` is said twice";
        let finding = Finding::new(Code::CodeTwice, short.place, message)
            .with_label(long.place, "first here")
            .with_help("keep one of the two");
        findings.push(finding);
    }
    RowLayer {
        disable_after: long.or(short),
        network_disable_after: None,
        interval: table.span_or("reprobe_interval", Some("never"), findings),
        ramp: table.span_or("reprobe_ramp", Some("off"), findings),
        retry: table.take("retry").and_then(|item| read_retry(&item, findings)),
        remedy: table.take("remedy").and_then(|item| read_remedy(&item, findings)),
        scope: table.take("scope").and_then(|item| read_scope(&item, findings)),
    }
}

/// Without a reason each code keeps its own, so there have to be codes.
fn check_row_has_reason(rule: &RuleLayer, findings: &mut Findings) {
    let is_open = matches!(rule.codes, Codes::Answers | Codes::Any);
    if is_open && rule.has_row() && rule.reason.is_none() {
        let message = "this rule is about every code and has no reason";
        let help =
            "give it a reason, or codes in `when`, which then keep the reasons that they have";
        findings.push(Finding::new(Code::BadRule, rule.id.place, message).with_help(help));
    }
}

/// A success has nothing to disable, and no evidence has nothing to say.
fn check_harmless(rule: &RuleLayer, findings: &mut Findings) {
    let class = rule.class.map(|class| (class.value.name(), class.place));
    let reason = rule.reason.as_ref().map(|reason| (reason.value.as_str(), reason.place));
    let harmless = ["ignored", "ok", "success"];
    let found = class.into_iter().chain(reason).find(|(name, _)| harmless.contains(name));
    let Some((name, place)) = found else { return };
    if !rule.row.is_empty() {
        let message = format!("a rule that says `{name}` has no cells");
        let help = "success and ignored signals never disable, retry or wait for a probe";
        findings.push(Finding::new(Code::FixedReason, place, message).with_help(help));
    }
}

/// Each rule is compared with all before it.
const MOST_RULES: usize = 256;

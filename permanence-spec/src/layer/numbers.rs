//! The numbers that do not depend on the signal.

use std::num::{NonZeroU8, NonZeroU16};

use permanence_core::{Jitter, Mode, Pacing, Percent, Span};

use crate::diagnostic::{Code, Finding, Findings};
use crate::syntax::{At, Item, Section, read_jitter, read_pacing};

use super::{Layer, read_law};

/// The numbers that one layer sets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) backoff_base: Option<At<Span>>,
    pub(crate) backoff_max: Option<At<Span>>,
    pub(crate) budget_percent: Option<At<Percent>>,
    pub(crate) budget_per_sec: Option<At<u16>>,
    pub(crate) budget_ttl: Option<At<Span>>,
    pub(crate) confirm_max: Option<At<NonZeroU8>>,
    /// `None` inside: off.
    pub(crate) flap_window: Option<At<Option<Span>>>,
    pub(crate) jitter: Option<At<Jitter>>,
    pub(crate) mode: Option<At<Mode>>,
    pub(crate) notice_after: Option<At<NonZeroU8>>,
    pub(crate) pacing: Option<At<Pacing>>,
    pub(crate) probe_lease: Option<At<Span>>,
    /// `None` inside: off.
    pub(crate) reminder: Option<At<Option<Span>>>,
    pub(crate) reprobe_spread: Option<At<Percent>>,
    pub(crate) retry_after_max: Option<At<Span>>,
}

impl Numbers {
    /// The numbers that stand under `classes.permanent`.
    pub(super) fn read_permanent(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        self.reprobe_spread = percent(section, "reprobe_spread", findings);
        self.confirm_max = small_count(section, "confirm_max", findings);
        self.probe_lease = section.span("probe_lease", findings);
    }

    /// The numbers that stand under `classes.transient`.
    pub(super) fn read_transient(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        self.notice_after = small_count(section, "notice_after_consecutive", findings);
        self.pacing = section.take("pacing").and_then(|item| read_pacing(&item, findings));
        self.retry_after_max = section.span("retry_after_max", findings);
        if let Some(mut table) = section.below("backoff", findings) {
            self.backoff_base = table.span("base", findings);
            self.backoff_max = table.span("max", findings);
            self.jitter = table.take("jitter").and_then(|item| read_jitter(&item, findings));
            table.close(findings);
        }
        if let Some(mut table) = section.below("retry_budget", findings) {
            self.budget_per_sec = table
                .take("min_retries_per_sec")
                .and_then(|item| count(&item, 0, u16::MAX, findings).map(|rate| item.at(rate)));
            self.budget_percent = percent(&mut table, "percent_can_retry", findings);
            self.budget_ttl = table.span("ttl", findings);
            table.close(findings);
        }
    }
}

impl Layer {
    pub(super) fn read_logging(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        let Some(mut table) = section.below("logging", findings) else { return };
        if let Some(item) = table.take("warn_on_state_transition_only") {
            let said = item.truth(findings).map(|truth| item.at(truth));
            let why = "a line for every failure is what this library is there to prevent (L3, L4); for less, see `mode` and `flap_window`";
            read_law(said, &true, why, findings);
        }
        if let Some(item) = table.take("dedup_window") {
            let said = item.text(findings).map(|text| item.at(text));
            let why = "the only value is \"process_lifetime_or_until_transition\": lines end with the episode, not with a timer (L3)";
            read_law(said, &"process_lifetime_or_until_transition", why, findings);
        }
        self.numbers.flap_window = table.span_or("flap_window", Some("off"), findings);
        self.numbers.reminder =
            table.span_or("reminder", Some("off"), findings).filter(|said| is_rare(said, findings));
        table.close(findings);
    }
}

fn is_rare(reminder: &At<Option<Span>>, findings: &mut Findings) -> bool {
    let rare = reminder.value.is_none_or(|span| span >= ONE_DAY);
    if !rare {
        let message = "a reminder comes at most once a day";
        let finding = Finding::new(Code::FrequentReminder, reminder.place, message);
        findings.push(finding.with_help("write \"1d\" or more, or \"off\""));
    }
    rare
}

/// A count from 1 on, or `"never"`.
pub(super) fn count_or_never(
    section: &mut Section<'_>,
    key: &str,
    findings: &mut Findings,
) -> Option<At<Option<NonZeroU16>>> {
    let item = section.take(key)?;
    if item.value.as_str() == Some("never") {
        return Some(item.at(None));
    }
    let number = count(&item, 1, u16::MAX, findings)?;
    Some(item.at(NonZeroU16::new(number)))
}

fn small_count(
    section: &mut Section<'_>,
    key: &str,
    findings: &mut Findings,
) -> Option<At<NonZeroU8>> {
    let item = section.take(key)?;
    let number = count(&item, 1, u16::from(u8::MAX), findings)?;
    NonZeroU8::new(u8::try_from(number).ok()?).map(|number| item.at(number))
}

fn count(item: &Item<'_>, least: u16, most: u16, findings: &mut Findings) -> Option<u16> {
    let number = item.integer(findings)?;
    let fitting = u16::try_from(number).ok().filter(|count| (least..=most).contains(count));
    if fitting.is_none() {
        let message = format!("`{}` is {}", item.key, item.written());
        let help = format!("a number from {least} to {most}");
        findings.push(Finding::new(Code::BadCount, item.place, message).with_help(help));
    }
    fitting
}

/// A share: an integer, or text with a per cent sign.
fn percent(section: &mut Section<'_>, key: &str, findings: &mut Findings) -> Option<At<Percent>> {
    let item = section.take(key)?;
    let number = match item.value.as_str() {
        Some(text) => text.strip_suffix('%').and_then(|digits| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse::<i64>().unwrap_or(i64::MAX))
        }),
        None => Some(item.integer(findings)?),
    };
    let share = number.and_then(|number| Percent::new(u8::try_from(number).ok()?));
    if share.is_none() {
        let message = format!("`{}` is not a share between 0 and 100 per cent", item.key);
        let help = "write 10 or \"10%\"";
        findings.push(Finding::new(Code::BadPercent, item.place, message).with_help(help));
    }
    share.map(|share| item.at(share))
}

const ONE_DAY: Span = Span::from_secs(86_400);

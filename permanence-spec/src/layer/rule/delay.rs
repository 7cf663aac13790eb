//! `retry_after`: where the server's time stands.

use permanence_core::DelayUnit;

use crate::diagnostic::{Code, Finding, Findings};
use crate::rule_set::OwnedDelay;
use crate::syntax::{Item, parse_span};

use super::pointer;

/// Reads `"header:NAME"`, `"json:/pointer"`, each perhaps with a unit, or `"const:60s"`.
pub(super) fn read(item: &Item<'_>, findings: &mut Findings) -> Option<OwnedDelay> {
    let text = item.text(findings)?;
    if let Some(span) = text.strip_prefix("const:") {
        return parse_span(item, span, findings).map(OwnedDelay::Const);
    }
    if let Some(rest) = text.strip_prefix("json:") {
        let (pointer, unit) = unit_of(rest);
        let pointer = pointer::read(pointer, item.place, findings)?;
        return Some(OwnedDelay::Json(pointer, unit.unwrap_or(DelayUnit::Seconds)));
    }
    if let Some(rest) = text.strip_prefix("header:") {
        let (name, unit) = unit_of(rest);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !name.is_empty() && name.len() <= 64 && name.bytes().all(plain) {
            let unit = unit.unwrap_or(DelayUnit::RetryAfter);
            return Some(OwnedDelay::Header(name.to_ascii_lowercase(), unit));
        }
    }
    let message = format!("`{text}` does not say where a time stands");
    let help = "write \"header:NAME\", \"json:/pointer\", each with :seconds, :ms, :epoch or :duration behind it if need be, or \"const:60s\"";
    findings.push(Finding::new(Code::BadDelay, item.place, message).with_help(help));
    None
}

/// Splits a unit off; what follows the last colon and is none belongs to the name.
fn unit_of(text: &str) -> (&str, Option<DelayUnit>) {
    let split = text.rsplit_once(':').and_then(|(name, word)| {
        let (_, unit) = UNITS.iter().find(|(known, _)| *known == word)?;
        Some((name, Some(*unit)))
    });
    split.unwrap_or((text, None))
}

const UNITS: [(&str, DelayUnit); 4] = [
    ("duration", DelayUnit::Duration),
    ("epoch", DelayUnit::Epoch),
    ("ms", DelayUnit::Millis),
    ("seconds", DelayUnit::Seconds),
];

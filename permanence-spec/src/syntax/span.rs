//! Spans as text: `3h`, `1h30m`, `500ms`.

use permanence_core::Span;

use crate::diagnostic::{Code, Finding, Findings};

use super::{At, Item};

/// Reads `item` as a span, or as `word` for none.
pub(super) fn read_text(
    item: &Item<'_>,
    word: Option<&str>,
    findings: &mut Findings,
) -> Option<At<Option<Span>>> {
    let Some(text) = item.value.as_str() else {
        item.refuse_type("a span with its unit, such as \"3h\"", findings);
        return None;
    };
    if word == Some(text) {
        return Some(item.at(None));
    }
    let Some(millis) = parse(text) else {
        let mut help =
            "a span is numbers with units, largest first: 1d, 3h, 1h30m, 500ms".to_owned();
        if let Some(word) = word {
            help.push_str(&format!("; or `{word}`"));
        }
        let message = format!("`{text}` is not a span");
        findings.push(Finding::new(Code::BadSpan, item.place, message).with_help(help));
        return None;
    };
    let span = checked(item, millis, findings)?;
    Some(item.at(Some(span)))
}

/// Reads `item` as milliseconds.
pub(super) fn read_millis(item: &Item<'_>, findings: &mut Findings) -> Option<Span> {
    let millis = item.integer(findings)?;
    let Ok(millis) = u64::try_from(millis) else {
        let message = format!("`{}` is below zero", item.key);
        findings.push(Finding::new(Code::BadSpan, item.place, message));
        return None;
    };
    checked(item, millis, findings)
}

/// Reads a span that is a part of the text of `item`.
pub(crate) fn parse_span(item: &Item<'_>, text: &str, findings: &mut Findings) -> Option<Span> {
    let Some(millis) = parse(text) else {
        let message = format!("`{text}` is not a span");
        let help = "a span is numbers with units, largest first: 1d, 3h, 1h30m, 500ms";
        findings.push(Finding::new(Code::BadSpan, item.place, message).with_help(help));
        return None;
    };
    checked(item, millis, findings)
}

fn checked(item: &Item<'_>, millis: u64, findings: &mut Findings) -> Option<Span> {
    if millis == 0 {
        let message = format!("`{}` is a span of no length", item.key);
        findings.push(Finding::new(Code::ZeroSpan, item.place, message));
        return None;
    }
    if millis >= 1 << 31 {
        let message = format!("`{}` is 2^31 ms or longer", item.key);
        let help = "the longest span is 24d20h31m23s647ms, so that a 32-bit counter can carry it";
        findings.push(Finding::new(Code::LongSpan, item.place, message).with_help(help));
        return None;
    }
    Some(Span::from_millis_saturating(millis))
}

/// The milliseconds of a text such as `1h30m`: whole numbers, each with a unit, the units falling.
fn parse(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: u64 = 0;
    let mut last_unit = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        let letters = after.bytes().take_while(u8::is_ascii_lowercase).count();
        let (name, after) = after.split_at(letters);
        let (_, unit) = UNITS.iter().find(|(known, _)| *known == name)?;
        if number.is_empty() || *unit >= last_unit {
            return None;
        }
        // A number too long for its type is a span too long for the language.
        let number = number.parse::<u64>().unwrap_or(u64::MAX);
        total = total.saturating_add(number.saturating_mul(*unit));
        last_unit = *unit;
        rest = after;
    }
    (last_unit != u64::MAX).then_some(total)
}

/// A span as a policy file has it.
pub(crate) fn written(span: Span) -> String {
    let mut rest = u64::from(span.as_millis());
    let mut text = String::new();
    for (name, unit) in UNITS {
        if rest >= unit {
            text.push_str(&format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    text
}

const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_numbers_with_units_that_fall() {
        assert_eq!(parse("3h"), Some(10_800_000));
        assert_eq!(parse("90m"), Some(5_400_000));
        assert_eq!(parse("1h30m"), Some(5_400_000));
        assert_eq!(parse("500ms"), Some(500));
        assert_eq!(parse("1d2h3m4s5ms"), Some(93_784_005));
        assert_eq!(parse("0s"), Some(0));
        assert_eq!(parse("99999999999999999999999d"), Some(u64::MAX));
    }

    #[test]
    fn a_span_is_written_as_it_is_read() {
        for millis in [1, 500, 60_000, 5_400_000, 93_784_005, (1 << 31) - 1] {
            let text = written(Span::from_millis(millis));
            assert_eq!(parse(&text), Some(u64::from(millis)), "{text}");
        }
    }

    #[test]
    fn all_else_is_not_a_span() {
        for text in
            ["", "3", "h", "3 h", "3h ", "-3h", "3H", "1.5h", "30m1h", "1h1h", "3w", "3\u{b5}s"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

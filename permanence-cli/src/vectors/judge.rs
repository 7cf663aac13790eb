//! Compares what was observed with what is expected.

use toml::{Table, Value};

use super::fields::{Halt, as_fraction};
use super::lines::{AMBIGUOUS, Line, loudness};
use super::observed::Observed;

/// Compares what was observed with what is expected; every difference is told.
pub(super) fn compare(observed: &Observed, expected: &Table) -> Result<(), Halt> {
    let differences: Vec<String> = expected
        .iter()
        .filter_map(|(name, wanted)| judge(name, wanted, observed, expected).err())
        .collect();
    if differences.is_empty() { Ok(()) } else { Err(Halt::Mismatch(differences.join("; "))) }
}

fn judge(name: &str, wanted: &Value, observed: &Observed, expected: &Table) -> Result<(), String> {
    match name {
        // For the reader, or read along with another expectation.
        "note" | "calls_if_confirm_probe" | "may_also_log" | "tolerance_ms" => Ok(()),
        "actions" => judge_acts(wanted, found(name, observed)?),
        "always" => judge_bounds(wanted, found("delays", observed)?),
        "delay_ms" if expected.contains_key("tolerance_ms") => {
            let tolerance = expected.get("tolerance_ms").and_then(as_fraction).unwrap_or(0.0);
            judge_near(name, wanted, found(name, observed)?, tolerance)
        }
        "error_names" => judge_text(wanted, found("messages", observed)?, Wish::In),
        "suggests" => judge_text(wanted, found("help", observed)?, Wish::In),
        "line_must_contain" => judge_text(wanted, found("line", observed)?, Wish::In),
        "line_must_not_contain" => judge_text(wanted, found("line", observed)?, Wish::Out),
        "logs" => judge_logs(wanted, lines(observed)?, &texts(expected.get("may_also_log"))?),
        "logs_events" => judge_events(
            &texts(Some(wanted))?,
            lines(observed)?,
            &texts(expected.get("may_also_log"))?,
        ),
        "must_not_log" => judge_silence(&texts(Some(wanted))?, lines(observed)?),
        "rows" => judge_rows(wanted, found(name, observed)?),
        _ => judge_value(name, wanted, observed),
    }
}

fn found<'o>(name: &str, observed: &'o Observed) -> Result<&'o Value, String> {
    observed.values.get(name).ok_or_else(|| format!("unknown expectation {name}"))
}

fn lines(observed: &Observed) -> Result<&[Line], String> {
    observed.lines.as_deref().ok_or_else(|| "unknown expectation of lines".to_owned())
}

/// A value as it is, or a bound with `_min` or `_max`.
fn judge_value(name: &str, wanted: &Value, observed: &Observed) -> Result<(), String> {
    if let Some(value) = observed.values.get(name) {
        return if is_same(value, wanted) {
            Ok(())
        } else {
            Err(format!("{name} is {value}, expected {wanted}"))
        };
    }
    let Some((base, bound)) = bound_of(name) else {
        return Err(format!("unknown expectation {name}"));
    };
    let value = found(&base, observed).map_err(|_| format!("unknown expectation {name}"))?;
    let numbers: Option<Vec<f64>> = match value {
        Value::Array(list) => list.iter().map(as_fraction).collect(),
        value => as_fraction(value).map(|number| vec![number]),
    };
    let (Some(numbers), Some(limit)) = (numbers, as_fraction(wanted)) else {
        return Err(format!("{name}: {value} and {wanted} cannot be compared"));
    };
    let holds = match bound {
        Bound::Least => numbers.iter().all(|number| *number >= limit),
        Bound::Most => numbers.iter().all(|number| *number <= limit),
    };
    if holds { Ok(()) } else { Err(format!("{base} is {value}, expected {bound} {wanted}")) }
}

/// Whether two values are the same; a number is the same with and without a fraction of zero.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        _ => match (as_fraction(one), as_fraction(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        },
    }
}

/// What a bound is about: `calls` of `calls_max`, `due_ms` of `due_max_ms`.
fn bound_of(name: &str) -> Option<(String, Bound)> {
    [("_min", Bound::Least), ("_max", Bound::Most)].into_iter().find_map(|(word, bound)| {
        let (base, unit) = name.rsplit_once(word)?;
        matches!(unit, "" | "_ms" | "_s").then(|| (format!("{base}{unit}"), bound))
    })
}

#[derive(Clone, Copy)]
enum Bound {
    Least,
    Most,
}

impl std::fmt::Display for Bound {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Bound::Least => "at least",
            Bound::Most => "at most",
        })
    }
}

/// A text or a list of texts.
fn texts(value: Option<&Value>) -> Result<Vec<&str>, String> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(list)) => list
            .iter()
            .map(|value| value.as_str().ok_or_else(|| format!("{value} is no text")))
            .collect(),
        Some(value) => Err(format!("{value} is no list of texts")),
    }
}

/// Acts that only say to go on count where they are named.
fn judge_acts(wanted: &Value, acts: &Value) -> Result<(), String> {
    let wanted = texts(Some(wanted))?;
    let telling = ["renew", "surface", "drop_payload"];
    let acts: Vec<&str> = texts(Some(acts))?
        .into_iter()
        .filter(|act| telling.contains(act) || wanted.contains(act))
        .collect();
    if acts == wanted { Ok(()) } else { Err(format!("actions are {acts:?}, expected {wanted:?}")) }
}

/// Conditions such as `delay <= 500` on every delay.
fn judge_bounds(wanted: &Value, delays: &Value) -> Result<(), String> {
    let delays: Vec<f64> =
        delays.as_array().into_iter().flatten().filter_map(as_fraction).collect();
    for condition in texts(Some(wanted))? {
        let words: Vec<&str> = condition.split_whitespace().collect();
        let (Some("delay"), Some(relation), Some(Ok(limit)), 3) = (
            words.first().copied(),
            words.get(1).copied(),
            words.get(2).map(|word| word.replace('_', "").parse::<f64>()),
            words.len(),
        ) else {
            return Err(format!("condition {condition:?} not understood"));
        };
        let holds = |delay: f64| match relation {
            "<=" => Some(delay <= limit),
            "<" => Some(delay < limit),
            ">=" => Some(delay >= limit),
            ">" => Some(delay > limit),
            _ => None,
        };
        for delay in &delays {
            match holds(*delay) {
                None => return Err(format!("condition {condition:?} not understood")),
                Some(false) => return Err(format!("a delay is {delay}, expected {condition:?}")),
                Some(true) => {}
            }
        }
    }
    Ok(())
}

fn judge_near(name: &str, wanted: &Value, found: &Value, tolerance: f64) -> Result<(), String> {
    let numbers =
        |value: &Value| -> Option<Vec<f64>> { value.as_array()?.iter().map(as_fraction).collect() };
    let near = match (numbers(wanted), numbers(found)) {
        (Some(wanted), Some(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(&found).all(|(a, b)| (a - b).abs() <= tolerance)
        }
        _ => false,
    };
    if near { Ok(()) } else { Err(format!("{name} is {found}, expected {wanted} +- {tolerance}")) }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Wish {
    In,
    Out,
}

fn judge_text(wanted: &Value, text: &Value, wish: Wish) -> Result<(), String> {
    let text = text.as_str().unwrap_or_default();
    for part in texts(Some(wanted))? {
        if text.contains(part) != (wish == Wish::In) {
            let verb = if wish == Wish::In { "lacks" } else { "has" };
            return Err(format!("{text:?} {verb} {part:?}"));
        }
    }
    Ok(())
}

/// Exactly these lines, but for those that may also be there.
fn judge_logs(wanted: &Value, lines: &[Line], may_also: &[&str]) -> Result<(), String> {
    let list = wanted.as_array().ok_or_else(|| format!("{wanted} is no list of lines"))?;
    let wanted: Vec<&Table> = list
        .iter()
        .map(|value| value.as_table().ok_or_else(|| format!("{value} is no line")))
        .collect::<Result<_, _>>()?;
    let named = |event: &str| wanted.iter().any(|line| text_of(line, "event") == Some(event));
    let keep_ambiguous = named(AMBIGUOUS);
    let mut left = wanted.iter();
    let mut next = left.next();
    for line in lines.iter().filter(|line| line.event != AMBIGUOUS || keep_ambiguous) {
        match next {
            Some(wanted) if line_fits(line, wanted)? => next = left.next(),
            _ if may_also.contains(&line.event) => {}
            _ => {
                let wanted = next.map_or("no line".to_owned(), |wanted| format!("{wanted}"));
                return Err(format!(
                    "{} at {} was logged, expected {}",
                    line.event,
                    line.at,
                    wanted.trim().replace('\n', ", "),
                ));
            }
        }
    }
    match next {
        None => Ok(()),
        Some(wanted) => Err(format!(
            "nothing was logged for {}",
            wanted.to_string().trim().replace('\n', ", "),
        )),
    }
}

fn text_of<'t>(table: &'t Table, name: &str) -> Option<&'t str> {
    table.get(name).and_then(Value::as_str)
}

fn line_fits(line: &Line, wanted: &Table) -> Result<bool, String> {
    for (name, value) in wanted {
        let fits = match name.as_str() {
            "t_ms" => value.as_integer().and_then(|at| u64::try_from(at).ok()) == Some(line.at),
            "event" => value.as_str() == Some(line.event),
            "level_min" => {
                let least = value.as_str().and_then(loudness);
                let least = least.ok_or_else(|| format!("level {value} not understood"))?;
                loudness(line.level.name()).is_some_and(|level| level >= least)
            }
            "note" => true,
            _ => return Err(format!("unknown expectation {name} of a line")),
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

fn judge_events(wanted: &[&str], lines: &[Line], may_also: &[&str]) -> Result<(), String> {
    let keep =
        |event: &str| wanted.contains(&event) || (event != AMBIGUOUS && !may_also.contains(&event));
    let events: Vec<&str> =
        lines.iter().map(|line| line.event).filter(|event| keep(event)).collect();
    if events == wanted {
        Ok(())
    } else {
        Err(format!("the lines are {events:?}, expected {wanted:?}"))
    }
}

fn judge_silence(unwanted: &[&str], lines: &[Line]) -> Result<(), String> {
    match lines.iter().find(|line| unwanted.contains(&line.event)) {
        None => Ok(()),
        Some(line) => Err(format!("{} at {} was logged", line.event, line.at)),
    }
}

/// Each row as far as its fields are given.
fn judge_rows(wanted: &Value, found: &Value) -> Result<(), String> {
    let (Some(wanted), Some(found)) = (wanted.as_array(), found.as_array()) else {
        return Err("rows are no list".to_owned());
    };
    if wanted.len() != found.len() {
        return Err(format!("there are {} rows, expected {}", found.len(), wanted.len()));
    }
    let mut differences = Vec::new();
    for (place, (wanted, found)) in wanted.iter().zip(found).enumerate() {
        let (Some(wanted), Some(found)) = (wanted.as_table(), found.as_table()) else {
            return Err("a row is no table".to_owned());
        };
        let row = Observed {
            values: found.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            lines: None,
        };
        for (name, value) in wanted.iter().filter(|(name, _)| *name != "note") {
            if let Err(difference) = judge_value(name, value, &row) {
                differences.push(format!("row {}: {difference}", place + 1));
            }
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("; ")) }
}

#[cfg(test)]
mod tests {
    use permanence_core::Level;

    use super::*;

    fn differ(observed: &Observed, expected: &str) -> Option<String> {
        match compare(observed, &toml::from_str(expected).unwrap()) {
            Ok(()) => None,
            Err(Halt::Mismatch(detail) | Halt::OutOfReach(detail)) => Some(detail),
        }
    }

    fn three_calls() -> Observed {
        let mut observed = Observed::default();
        observed.set_number("calls", 3);
        let line =
            |at, event| Line { at, event, level: Level::Warn, text: String::new(), skipped: 0 };
        observed.set_lines(vec![line(0, "degraded"), line(5, "disabled")]);
        observed
    }

    #[test]
    fn an_unknown_expectation_is_a_difference() {
        let said = differ(&three_calls(), "call_count = 3");
        assert_eq!(said.as_deref(), Some("unknown expectation call_count"));
        let said = differ(&three_calls(), "polls_max = 3");
        assert_eq!(said.as_deref(), Some("unknown expectation polls_max"));
    }

    #[test]
    fn numbers_are_equal_or_within_bounds() {
        assert_eq!(differ(&three_calls(), "calls = 3\ncalls_min = 3\ncalls_max = 3"), None);
        assert_eq!(
            differ(&three_calls(), "calls_max = 2").as_deref(),
            Some("calls is 3, expected at most 2")
        );
    }

    #[test]
    fn lines_are_exact_but_for_those_that_may_also_be_there() {
        let disabled = "logs = [{ t_ms = 5, event = 'disabled', level_min = 'warn' }]";
        assert_eq!(
            differ(&three_calls(), disabled).as_deref(),
            Some(
                "degraded at 0 was logged, expected event = \"disabled\", level_min = \"warn\", t_ms = 5"
            )
        );
        assert_eq!(
            differ(&three_calls(), &format!("{disabled}\nmay_also_log = ['degraded']")),
            None
        );
        assert!(differ(&three_calls(), "logs = []").is_some());
        assert!(differ(&three_calls(), "logs_events = ['disabled']").is_some());
        assert!(differ(&three_calls(), "must_not_log = ['degraded']").is_some());
    }
}

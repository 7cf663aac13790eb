//! What headers say: one at a time, with a clock, and several of one answer.

use permanence_core::retry_after::{
    Reference, ServerDelay, directive_from_headers, epoch_seconds, from_headers, http_date,
    seconds_or_date,
};
use permanence_core::scan::probe_headers;
use permanence_core::{Bits, Civil, Directive, Span, Target, Timestamp};
use toml::Value;

use super::super::fields::{Fields, Halt};
use super::super::observed::{Observed, integer};
use super::super::policy::probes;

/// The `Retry-After` of an answer without any other field, on a device without a clock.
pub(in super::super) fn retry_after_alone(value: &str) -> Option<Span> {
    seconds_or_date(value.as_bytes(), Reference::NONE).map(ServerDelay::as_span)
}

pub(super) fn values(input: &Fields<'_>) -> Result<Observed, Halt> {
    let now = wall_clock(input)?;
    let reference = Reference { response_date: None, now };
    let most = input.number("retry_after_max_s")?;
    let most = ServerDelay::from_seconds(most.unwrap_or(86_400));

    let mut observed = Observed::default();
    let delays = each(input.required_list("values")?, |value| seconds_or_date(value, reference))?;
    observed.set_list("delay_s", delays.iter().map(|delay| in_seconds(*delay)).collect());
    let bounded = delays.iter().map(|delay| in_seconds(delay.map(|delay| delay.min(most))));
    observed.set_list("effective_delay_s", bounded.collect());
    if let Some(epochs) = input.list("epoch_header_values")? {
        let delays = each(epochs, |value| epoch_seconds(value, reference))?;
        observed.set_list("epoch_delay_s", delays.into_iter().map(in_seconds).collect());
    }
    Ok(observed)
}

pub(super) fn dates(input: &Fields<'_>) -> Result<Observed, Halt> {
    let mut delays = Vec::new();
    for row in input.required_tables("rows")? {
        let now = wall_clock(&row)?;
        let response_date = row.text("date")?.and_then(|date| http_date(date.as_bytes(), now));
        let reference = Reference { response_date, now };
        let value = row.required_text("retry_after")?;
        delays.push(in_seconds(seconds_or_date(value.as_bytes(), reference)));
        row.finish()?;
    }
    let mut observed = Observed::default();
    observed.set_list("delay_s", delays);
    Ok(observed)
}

pub(super) fn sets(input: &Fields<'_>) -> Result<Observed, Halt> {
    let now = wall_clock(input)?;
    // One answer alone, or a list of them.
    let single = input.value("headers");
    let lists = ["responses", "rows", "sets", "values"];
    let name = lists.into_iter().find(|name| input.has(name)).unwrap_or("rows");
    let answers = match single {
        Some(headers) => std::slice::from_ref(headers),
        None => input.required_list(name)?,
    };
    let (mut delays, mut directives) = (Vec::new(), Vec::new());
    for value in answers {
        let (headers, now) = match value {
            Value::Table(table) if single.is_none() => {
                let row = Fields::new(format!("input.{name}"), table);
                let now = wall_clock(&row)?.or(now);
                let headers = match row.value("headers") {
                    Some(headers) => {
                        row.finish()?;
                        Headers::read(headers)?
                    }
                    None => Headers::read_table(table.iter().filter(|(name, _)| *name != "now"))?,
                };
                (headers, now)
            }
            headers => (Headers::read(headers)?, now),
        };
        delays.push(headers.delay(now));
        directives.push(match headers.directive() {
            None => "none",
            Some(Directive::DoNotRetry) => "do_not_retry",
            Some(Directive::Retry) => "retry",
        });
    }
    let millis: Vec<Value> = delays.iter().map(|delay| in_millis(*delay)).collect();
    let seconds: Vec<Value> = delays.into_iter().map(in_seconds).collect();
    let directives: Vec<Value> = directives.into_iter().map(Value::from).collect();
    let mut observed = Observed::default();
    for (name, list) in [("delay_ms", millis), ("delay_s", seconds), ("directive", directives)] {
        match (single, list.as_slice()) {
            (Some(_), [only]) => observed.set(name, only.clone()),
            _ => observed.set_list(name, list),
        }
    }
    Ok(observed)
}

/// The fields of one answer, in order; a name may come twice.
pub(in super::super) struct Headers(Vec<(String, String)>);

impl Headers {
    /// Reads a table of names and values, a list of pairs or of `Name: value`, or a list of values of
    /// `Retry-After`.
    pub(in super::super) fn read(value: &Value) -> Result<Self, Halt> {
        match value {
            Value::Table(table) => Headers::read_table(table),
            Value::Array(list) => {
                let pairs = list.iter().map(pair).collect::<Option<Vec<_>>>();
                pairs.map(Headers).ok_or_else(|| unread(value))
            }
            _ => Err(unread(value)),
        }
    }

    fn read_table<'t>(
        table: impl IntoIterator<Item = (&'t String, &'t Value)>,
    ) -> Result<Self, Halt> {
        let mut headers = Vec::new();
        for (name, value) in table {
            let values = match value {
                Value::Array(list) => list.as_slice(),
                single => std::slice::from_ref(single),
            };
            for value in values {
                let text = value.as_str().ok_or_else(|| unread(value))?;
                headers.push((name.replace('_', "-"), text.to_owned()));
            }
        }
        Ok(Headers(headers))
    }

    /// A field that says nothing of delays and retries, and that no rule of P0 asks for.
    pub(in super::super) fn stranger(&self) -> Option<&str> {
        let asked = |name: &str| {
            probes().iter().any(|probe| matches!(probe.target, Target::Header(known) if known.eq_ignore_ascii_case(name)))
        };
        let telling = |name: &str| TELLING.iter().any(|known| known.eq_ignore_ascii_case(name));
        let names = self.0.iter().map(|(name, _)| name.as_str());
        names.into_iter().find(|name| !telling(name) && !asked(name))
    }

    /// What P0's rules find in these fields.
    pub(in super::super) fn bits(&self) -> Bits {
        probe_headers(probes(), self.iter())
    }

    pub(in super::super) fn delay(&self, now: Option<Timestamp>) -> Option<ServerDelay> {
        from_headers(self.iter(), now)
    }

    pub(in super::super) fn directive(&self) -> Option<Directive> {
        directive_from_headers(self.iter())
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
    }
}

/// The fields of an answer that tell of delays and retries.
const TELLING: [&str; 7] = [
    "date",
    "grpc-retry-pushback-ms",
    "retry-after",
    "retry-after-ms",
    "stripe-should-retry",
    "x-ms-retry-after-ms",
    "x-should-retry",
];

fn pair(value: &Value) -> Option<(String, String)> {
    let (name, value) = match value {
        Value::String(line) => match line.split_once(':') {
            // A date has colons too, but none behind a name.
            Some((name, value)) if is_name(name) => (name, value),
            _ => ("retry-after", line.as_str()),
        },
        Value::Array(pair) => match pair.as_slice() {
            [name, value] => (name.as_str()?, value.as_str()?),
            _ => return None,
        },
        _ => return None,
    };
    Some((name.trim().to_owned(), value.to_owned()))
}

fn is_name(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
}

fn unread(value: &Value) -> Halt {
    Halt::out_of_reach(format!("headers {value} not understood"))
}

fn each(
    values: &[Value],
    parse: impl Fn(&[u8]) -> Option<ServerDelay>,
) -> Result<Vec<Option<ServerDelay>>, Halt> {
    values
        .iter()
        .map(|value| match value.as_str() {
            Some(text) => Ok(parse(text.as_bytes())),
            None => Err(Halt::mismatch(format!("the value {value} is no text"))),
        })
        .collect()
}

fn in_seconds(delay: Option<ServerDelay>) -> Value {
    match delay {
        Some(delay) if delay < ServerDelay::MAX && delay.as_millis() % 1_000 != 0 =>
        {
            #[expect(clippy::cast_precision_loss)]
            Value::Float(delay.as_millis() as f64 / 1_000.0)
        }
        Some(delay) if delay < ServerDelay::MAX => integer(delay.as_millis() / 1_000),
        delay => in_millis(delay),
    }
}

fn in_millis(delay: Option<ServerDelay>) -> Value {
    match delay {
        None => "none".into(),
        Some(ServerDelay::MAX) => "saturate".into(),
        Some(delay) => integer(delay.as_millis()),
    }
}

fn wall_clock(fields: &Fields<'_>) -> Result<Option<Timestamp>, Halt> {
    let Some(text) = fields.text("now")? else { return Ok(None) };
    match timestamp(text) {
        Some(now) => Ok(Some(now)),
        None => Err(Halt::mismatch(format!("now: {text:?} is no time of RFC 3339 in UTC"))),
    }
}

/// `2026-11-29T20:00:00Z`; offsets and fractions are not part of the vocabulary.
fn timestamp(text: &str) -> Option<Timestamp> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-');
    let mut time = time.splitn(3, ':');
    Timestamp::from_civil(Civil {
        year: date.next()?.parse().ok()?,
        month: date.next()?.parse().ok()?,
        day: date.next()?.parse().ok()?,
        hour: time.next()?.parse().ok()?,
        minute: time.next()?.parse().ok()?,
        second: time.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_an_answer_come_in_several_shapes() {
        let delay = |text: &str| {
            let table: toml::Table = toml::from_str(&format!("it = {text}")).unwrap();
            let headers = Headers::read(&table["it"]).unwrap();
            headers.delay(None).map(ServerDelay::as_millis)
        };
        assert_eq!(delay("{ retry_after = '7' }"), Some(7_000));
        assert_eq!(delay("['Retry-After: 7']"), Some(7_000));
        assert_eq!(delay("[['retry-after', '7']]"), Some(7_000));
        assert_eq!(delay("['7']"), Some(7_000));
        assert_eq!(delay("['7', '7']"), None);
    }

    #[test]
    fn a_time_is_read_to_the_second() {
        let seconds = |text| timestamp(text).map(Timestamp::as_unix_seconds);
        assert_eq!(seconds("1970-01-02T00:00:01Z"), Some(86_401));
        assert_eq!(seconds("2026-11-29T20:00:00"), None);
        assert_eq!(seconds("2026-13-29T20:00:00Z"), None);
    }
}

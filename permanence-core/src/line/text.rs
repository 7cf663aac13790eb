//! The line for people.

use core::fmt::{Result, Write};

use super::Line;
use super::calendar::{write_date, write_hour_and_minute};
use super::code::write_code;
use super::escape::write_escaped;
use crate::digits::{write_decimal, write_hex4, write_span};
use crate::{Cause, EventKind, Level, Reason, public_part};

pub(super) fn write(line: &Line<'_>, out: &mut dyn Write) -> Result {
    line.write_head(out)?;
    match line.event.kind {
        EventKind::Ambiguous => line.write_ambiguous(out)?,
        EventKind::Changed => line.write_changed(out)?,
        EventKind::Degraded => line.write_degraded(out)?,
        EventKind::Disabled => line.write_disabled(out)?,
        EventKind::Gone => line.write_gone(out)?,
        EventKind::Recovered => line.write_recovered(out)?,
        EventKind::Rejected => {
            line.write_cause(out)?;
            out.write_str("; payload dropped; calling goes on")?;
        }
        EventKind::Still => line.write_still(out)?,
    }
    // What is ambiguous is one operation, everything else an episode of the endpoint.
    out.write_str(if line.event.kind == EventKind::Ambiguous { " op=" } else { " ep=" })?;
    write_hex4(out, line.event.episode.number())
}

impl Line<'_> {
    /// Level, word, endpoint; method and target in the lines that tell somebody to look.
    fn write_head(&self, out: &mut dyn Write) -> Result {
        let kind = self.event.kind;
        out.write_str(match kind.level() {
            Level::Error => "ERROR ",
            Level::Info => "INFO  ",
            Level::Warn => "WARN  ",
        })?;
        out.write_str(kind.name())?;
        if self.event.observed {
            out.write_str(" (observed)")?;
        }
        let names = [self.endpoint.id, self.endpoint.method, public_part(self.endpoint.target)];
        let shown = match kind {
            EventKind::Ambiguous | EventKind::Disabled | EventKind::Gone | EventKind::Rejected => 3,
            EventKind::Changed | EventKind::Degraded | EventKind::Recovered | EventKind::Still => 1,
        };
        for name in names.into_iter().take(shown).filter(|name| !name.is_empty()) {
            out.write_char(' ')?;
            write_clean(out, name)?;
        }
        out.write_str(": ")
    }

    fn write_ambiguous(&self, out: &mut dyn Write) -> Result {
        if self.event.cause.is_network() {
            write_code(out, self.event.cause.code())?;
            out.write_str(" after send")?;
        } else {
            self.write_cause(out)?;
            out.write_str(", fate unknown")?;
        }
        out.write_str(", no idempotency key; not retried; verify by hand")
    }

    fn write_changed(&self, out: &mut dyn Write) -> Result {
        if let Some(previous) = self.event.previous {
            write_named(out, previous, self.previous_reason)?;
            out.write_str(" -> ")?;
        }
        self.write_cause(out)?;
        out.write_str("; still disabled")?;
        self.write_next(out, &PROBE)
    }

    fn write_degraded(&self, out: &mut dyn Write) -> Result {
        self.write_cause(out)?;
        if self.event.streak > 1 {
            out.write_str(" x")?;
            write_decimal(out, u32::from(self.event.streak))?;
        }
        match self.event.next_at {
            Some(_) => self.write_next(out, &DEFERRED),
            None => out.write_str("; retrying at cadence"),
        }
    }

    fn write_disabled(&self, out: &mut dyn Write) -> Result {
        self.write_cause(out)?;
        out.write_str("; calls stopped")?;
        self.write_next(out, &PROBE)?;
        if !self.event.every.is_zero() {
            let first = self.event.next_at.map_or(0, |next_at| next_at.since(self.event.at));
            let ramp = first < u64::from(self.event.every.as_millis());
            out.write_str(if ramp { " (then up to every " } else { " (every " })?;
            write_span(out, u64::from(self.event.every.as_millis()))?;
            out.write_char(')')?;
        }
        self.write_reopened(out)
    }

    fn write_gone(&self, out: &mut dyn Write) -> Result {
        if self.event.cause.reason() == Reason::GONE {
            write_code(out, self.event.cause.code())?;
        } else {
            self.write_cause(out)?;
        }
        out.write_str("; never re-probed; remove it from config, or: permanence recheck ")?;
        write_clean(out, self.endpoint.id)
    }

    fn write_recovered(&self, out: &mut dyn Write) -> Result {
        write_code(out, self.event.cause.code())?;
        out.write_str(" after ")?;
        write_span(out, self.event.lasted_ms)?;
        let skipped =
            Counted { number: self.event.skipped, one: " call skipped", more: " calls skipped" };
        write_counts(out, &[self.probes(), skipped])?;
        self.write_reopened(out)
    }

    fn write_still(&self, out: &mut dyn Write) -> Result {
        self.write_cause(out)?;
        out.write_char(' ')?;
        write_span(out, self.event.lasted_ms)?;
        let skipped = Counted { number: self.event.skipped, one: " skipped", more: " skipped" };
        write_counts(out, &[self.probes(), skipped])?;
        self.write_next(out, &NEXT)
    }

    fn write_cause(&self, out: &mut dyn Write) -> Result {
        write_named(out, self.event.cause, self.reason)
    }

    /// The time of the next call, from a day ahead on with its date; without a clock the span up to
    /// it; nothing if there is no such call.
    fn write_next(&self, out: &mut dyn Write, words: &Words) -> Result {
        let Some(next_at) = self.event.next_at else { return Ok(()) };
        let wait = next_at.since(self.event.at);
        out.write_str(words.lead)?;
        let Some(clock) = self.clock else {
            out.write_str(words.span)?;
            return write_span(out, wait);
        };
        out.write_str(words.time)?;
        let time = clock.time_of(next_at).civil();
        if wait >= MILLIS_PER_DAY {
            write_date(out, time)?;
            out.write_char('T')?;
        }
        write_hour_and_minute(out, time)?;
        out.write_char('Z')
    }

    fn write_reopened(&self, out: &mut dyn Write) -> Result {
        let reentries = u32::from(self.event.reentries);
        if reentries == 0 {
            return Ok(());
        }
        out.write_str("; reopened ")?;
        write_decimal(out, reentries)?;
        out.write_str(if reentries == 1 { " time" } else { " times" })
    }

    fn probes(&self) -> Counted {
        Counted { number: u32::from(self.event.probes), one: " probe", more: " probes" }
    }
}

/// The words around the time of the next call.
struct Words {
    lead: &'static str,
    span: &'static str,
    time: &'static str,
}

const DEFERRED: Words = Words { lead: "; deferred ", span: "for ", time: "until " };
const NEXT: Words = Words { lead: "; next ", span: "in ", time: "" };
const PROBE: Words = Words { lead: "; next probe ", span: "in ", time: "" };

/// A number of things.
struct Counted {
    number: u32,
    one: &'static str,
    more: &'static str,
}

/// Writes the counts that are not zero.
fn write_counts(out: &mut dyn Write, counts: &[Counted]) -> Result {
    let mut mark = "; ";
    for count in counts.iter().filter(|count| count.number > 0) {
        out.write_str(mark)?;
        write_decimal(out, count.number)?;
        out.write_str(if count.number == 1 { count.one } else { count.more })?;
        mark = ", ";
    }
    Ok(())
}

fn write_named(out: &mut dyn Write, cause: Cause, reason: &str) -> Result {
    write_code(out, cause.code())?;
    out.write_char(' ')?;
    write_clean(out, reason)
}

fn write_clean(out: &mut dyn Write, text: &str) -> Result {
    write_escaped(out, text, &['\\'])
}

const MILLIS_PER_DAY: u64 = 86_400_000;

//! The line for machines.

use core::fmt::{Result, Write};

use super::Line;
use super::calendar::write_date_and_time;
use super::code::write_code;
use super::escape::write_escaped;
use crate::digits::{write_hex4, write_long};
use crate::{Cause, SignalKind, public_part};

pub(super) fn write(line: &Line<'_>, out: &mut dyn Write) -> Result {
    let event = line.event;
    let mut object = Object { out, mark: "{" };
    object.number("v", VERSION)?;
    object.text("level", event.kind.level().name())?;
    object.member("event")?;
    write_lower(object.out, event.kind.name())?;
    object.text("endpoint", line.endpoint.id)?;
    object.text_unless_empty("method", line.endpoint.method)?;
    object.text_unless_empty("target", public_part(line.endpoint.target))?;
    object.cause("cause", event.cause, line.reason)?;
    if let Some(previous) = event.previous {
        object.cause("previous", previous, line.previous_reason)?;
    }
    object.member("episode")?;
    object.out.write_char('"')?;
    write_hex4(object.out, event.episode.number())?;
    object.out.write_char('"')?;
    object.number("at_ms", event.at.as_millis())?;
    object.number_unless_zero("lasted_ms", event.lasted_ms)?;
    if let Some(next_at) = event.next_at {
        object.number("next_in_ms", next_at.since(event.at))?;
        if let Some(clock) = line.clock {
            object.member("next_at")?;
            object.out.write_char('"')?;
            write_date_and_time(object.out, clock.time_of(next_at).civil())?;
            object.out.write_char('"')?;
        }
    }
    object.number_unless_zero("every_ms", u64::from(event.every.as_millis()))?;
    object.number_unless_zero("streak", u64::from(event.streak))?;
    object.number_unless_zero("probes", u64::from(event.probes))?;
    object.number_unless_zero("skipped", u64::from(event.skipped))?;
    object.number_unless_zero("reopened", u64::from(event.reentries))?;
    if event.observed {
        object.member("observed")?;
        object.out.write_str("true")?;
    }
    object.out.write_char('}')
}

/// An object that is being written.
struct Object<'o> {
    out: &'o mut dyn Write,
    mark: &'static str,
}

impl Object<'_> {
    /// Opens the object or goes on with it, up to the colon.
    fn member(&mut self, key: &str) -> Result {
        self.out.write_str(self.mark)?;
        self.mark = ",";
        self.out.write_char('"')?;
        self.out.write_str(key)?;
        self.out.write_str("\":")
    }

    fn number(&mut self, key: &str, number: u64) -> Result {
        self.member(key)?;
        write_long(self.out, number)
    }

    fn number_unless_zero(&mut self, key: &str, number: u64) -> Result {
        if number == 0 { Ok(()) } else { self.number(key, number) }
    }

    fn text(&mut self, key: &str, text: &str) -> Result {
        self.member(key)?;
        self.out.write_char('"')?;
        write_escaped(self.out, text, &['"', '\\'])?;
        self.out.write_char('"')
    }

    fn text_unless_empty(&mut self, key: &str, text: &str) -> Result {
        if text.is_empty() { Ok(()) } else { self.text(key, text) }
    }

    fn cause(&mut self, key: &str, cause: Cause, reason: &str) -> Result {
        self.member(key)?;
        let code = cause.code();
        let mut object = Object { out: &mut *self.out, mark: "{" };
        object.text("kind", kind_name(code.kind()))?;
        match code.kind() {
            SignalKind::Cancelled => {}
            SignalKind::Http | SignalKind::Unusable => {
                object.number("code", u64::from(code.number()))?;
            }
            SignalKind::Coap | SignalKind::Grpc | SignalKind::Network => {
                object.member("code")?;
                object.out.write_char('"')?;
                write_code(object.out, code)?;
                object.out.write_char('"')?;
            }
        }
        object.text("reason", reason)?;
        object.out.write_char('}')
    }
}

const fn kind_name(kind: SignalKind) -> &'static str {
    match kind {
        SignalKind::Cancelled => "cancelled",
        SignalKind::Coap => "coap",
        SignalKind::Grpc => "grpc",
        SignalKind::Http => "http",
        SignalKind::Network => "network",
        SignalKind::Unusable => "unusable",
    }
}

fn write_lower(out: &mut dyn Write, word: &str) -> Result {
    out.write_char('"')?;
    for character in word.chars() {
        out.write_char(character.to_ascii_lowercase())?;
    }
    out.write_char('"')
}

/// Counted up when a key changes its meaning or goes.
const VERSION: u64 = 1;

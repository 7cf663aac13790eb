//! What a form has observed, by the names that expectations have.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::lines::Line;

/// What a form has observed.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    /// Values by name; lists and tables as cases write them.
    pub(super) values: BTreeMap<String, Value>,
    /// The lines, where the form has any.
    pub(super) lines: Option<Vec<Line>>,
}

impl Observed {
    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.values.insert(name.to_owned(), value.into());
    }

    pub(super) fn set_number(&mut self, name: &str, number: u64) {
        self.set(name, integer(number));
    }

    pub(super) fn set_list<V: Into<Value>>(&mut self, name: &str, list: Vec<V>) {
        self.set(name, Value::Array(list.into_iter().map(Into::into).collect()));
    }

    /// The lines, with their number and their size.
    pub(super) fn set_lines(&mut self, lines: Vec<Line>) {
        let bytes: usize = lines.iter().map(|line| line.text.len() + 1).sum();
        self.set_number("log_lines", count(lines.len()));
        self.set_number("log_bytes", count(bytes));
        self.lines = Some(lines);
    }
}

/// A number as TOML has it; what does not fit is as large as can be.
pub(super) fn integer(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(super) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// A table of a few texts and numbers.
pub(super) fn table<const N: usize>(fields: [(&str, Value); N]) -> Table {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A hash of a name (FNV-1a), as an endpoint and a device get their seeds.
pub(super) fn seed(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

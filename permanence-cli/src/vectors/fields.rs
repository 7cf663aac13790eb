//! Fields of an input, read by name; those that nobody has read are reported.

use std::cell::RefCell;
use std::collections::BTreeSet;

use toml::{Table, Value};

/// Why a case ends without an answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Halt {
    /// Something is not as it should be: the case fails.
    Mismatch(String),
    /// The input asks for what the runner does not have: the case is skipped.
    OutOfReach(String),
}

impl Halt {
    pub(super) fn mismatch(detail: impl Into<String>) -> Self {
        Halt::Mismatch(detail.into())
    }

    pub(super) fn out_of_reach(detail: impl Into<String>) -> Self {
        Halt::OutOfReach(detail.into())
    }
}

/// A table of the input that remembers which of its fields were read.
pub(super) struct Fields<'a> {
    place: String,
    table: &'a Table,
    read: RefCell<BTreeSet<String>>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(place: impl Into<String>, table: &'a Table) -> Self {
        Fields { place: place.into(), table, read: RefCell::new(BTreeSet::new()) }
    }

    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        self.read.borrow_mut().insert(name.to_owned());
        self.table.get(name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// The names of the fields that start with `prefix`.
    pub(super) fn names_with(&self, prefix: &str) -> Vec<&'a str> {
        self.table.keys().map(String::as_str).filter(|name| name.starts_with(prefix)).collect()
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Halt> {
        self.value(name)
            .map(|value| {
                value
                    .as_integer()
                    .and_then(|number| u64::try_from(number).ok())
                    .ok_or_else(|| self.unfit(name, "a number from zero", value))
            })
            .transpose()
    }

    pub(super) fn required_number(&self, name: &str) -> Result<u64, Halt> {
        self.number(name)?.ok_or_else(|| self.missing(name))
    }

    /// A number that fits 32 bits.
    pub(super) fn small_number(&self, name: &str) -> Result<Option<u32>, Halt> {
        self.number(name)?
            .map(|number| {
                u32::try_from(number).map_err(|_| {
                    Halt::mismatch(format!("{}.{name}: {number} is past 2^32 - 1", self.place))
                })
            })
            .transpose()
    }

    pub(super) fn fraction(&self, name: &str) -> Result<Option<f64>, Halt> {
        self.value(name)
            .map(|value| as_fraction(value).ok_or_else(|| self.unfit(name, "a fraction", value)))
            .transpose()
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Halt> {
        self.value(name)
            .map(|value| value.as_str().ok_or_else(|| self.unfit(name, "a text", value)))
            .transpose()
    }

    pub(super) fn required_text(&self, name: &str) -> Result<&'a str, Halt> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Halt> {
        self.value(name)
            .map(|value| value.as_bool().ok_or_else(|| self.unfit(name, "true or false", value)))
            .transpose()
    }

    pub(super) fn list(&self, name: &str) -> Result<Option<&'a [Value]>, Halt> {
        self.value(name)
            .map(|value| {
                value.as_array().map(Vec::as_slice).ok_or_else(|| self.unfit(name, "a list", value))
            })
            .transpose()
    }

    pub(super) fn required_list(&self, name: &str) -> Result<&'a [Value], Halt> {
        self.list(name)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn table(&self, name: &str) -> Result<Option<Fields<'a>>, Halt> {
        self.value(name)
            .map(|value| match value {
                Value::Table(table) => Ok(Fields::new(format!("{}.{name}", self.place), table)),
                _ => Err(self.unfit(name, "a table", value)),
            })
            .transpose()
    }

    /// The tables of a list of tables.
    pub(super) fn required_tables(&self, name: &str) -> Result<Vec<Fields<'a>>, Halt> {
        let list = self.required_list(name)?;
        list.iter()
            .enumerate()
            .map(|(place, value)| match value {
                Value::Table(table) => {
                    Ok(Fields::new(format!("{}.{name}[{place}]", self.place), table))
                }
                _ => Err(self.unfit(name, "a list of tables", value)),
            })
            .collect()
    }

    /// Ends the reading.
    pub(super) fn finish(&self) -> Result<(), Halt> {
        let read = self.read.borrow();
        let unread: Vec<&str> = self
            .table
            .keys()
            .map(String::as_str)
            .filter(|name| !read.contains(*name) && *name != "note")
            .collect();
        if unread.is_empty() {
            return Ok(());
        }
        Err(Halt::out_of_reach(format!("{}: {} not understood", self.place, unread.join(", "))))
    }

    pub(super) fn missing(&self, name: &str) -> Halt {
        Halt::mismatch(format!("{}.{name} is missing", self.place))
    }

    pub(super) fn unfit(&self, name: &str, wanted: &str, found: &Value) -> Halt {
        Halt::mismatch(format!("{}.{name}: {wanted} was wanted and {found} found", self.place))
    }
}

/// A number, whole or not.
pub(super) fn as_fraction(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        #[expect(clippy::cast_precision_loss)]
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_nobody_reads_is_named() {
        let table: Table = toml::from_str("known = 1\nodd = 2\nnote = 'x'").unwrap();
        let fields = Fields::new("input", &table);
        assert_eq!(fields.number("known"), Ok(Some(1)));
        assert_eq!(fields.finish(), Err(Halt::out_of_reach("input: odd not understood")));
    }

    #[test]
    fn a_wrong_type_is_told_with_what_was_found() {
        let table: Table = toml::from_str("tick_ms = 'soon'").unwrap();
        let Err(Halt::Mismatch(detail)) = Fields::new("input", &table).number("tick_ms") else {
            panic!("a text is no number")
        };
        assert_eq!(detail, "input.tick_ms: a number from zero was wanted and \"soon\" found");
    }
}

//! One value of the file, and what it is asked to be.

use toml::Spanned;
use toml::de::DeValue;

use crate::diagnostic::{Code, Finding, Findings, Place};

/// A value that has been read, and where it stood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

impl<T> At<T> {
    /// The same, as if it had stood at `place`.
    pub(crate) fn moved_to(self, place: Place) -> At<T> {
        At { value: self.value, place }
    }
}

/// One value of the file, not yet read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'t> {
    /// The key, or the key of the list that the value stands in.
    pub(crate) key: &'t str,
    pub(crate) key_place: Place,
    pub(crate) place: Place,
    pub(crate) value: &'t DeValue<'t>,
}

impl<'t> Item<'t> {
    pub(crate) fn at<T>(&self, value: T) -> At<T> {
        At { value, place: self.place }
    }

    pub(crate) fn text(&self, findings: &mut Findings) -> Option<&'t str> {
        let text = self.value.as_str();
        if text.is_none() {
            self.refuse_type("a string", findings);
        }
        text
    }

    pub(crate) fn integer(&self, findings: &mut Findings) -> Option<i64> {
        let number = self.maybe_integer();
        if number.is_none() {
            self.refuse_type("an integer", findings);
        }
        number
    }

    /// The number, where another type is welcome too; one that is out of all range is the nearest
    /// end of the range.
    pub(crate) fn maybe_integer(&self) -> Option<i64> {
        let integer = self.value.as_integer()?;
        let wide = i128::from_str_radix(integer.as_str(), integer.radix());
        Some(wide.ok().and_then(|wide| i64::try_from(wide).ok()).unwrap_or(i64::MAX))
    }

    /// A number, `true` or `false` as JSON writes it.
    pub(crate) fn maybe_bare(&self) -> Option<String> {
        match self.value {
            DeValue::Boolean(truth) => Some(truth.to_string()),
            DeValue::Float(number) => Some(number.as_str().to_owned()),
            DeValue::Integer(_) => self.maybe_integer().map(|number| number.to_string()),
            _ => None,
        }
    }

    /// An integer as it is written, however long.
    pub(crate) fn written(&self) -> String {
        self.value.as_integer().map(ToString::to_string).unwrap_or_default()
    }

    pub(crate) fn truth(&self, findings: &mut Findings) -> Option<bool> {
        let truth = self.value.as_bool();
        if truth.is_none() {
            self.refuse_type("true or false", findings);
        }
        truth
    }

    pub(crate) fn list(&self, findings: &mut Findings) -> Vec<Item<'t>> {
        let Some(array) = self.value.as_array() else {
            self.refuse_type("a list", findings);
            return Vec::new();
        };
        array
            .iter()
            .map(|element| Item {
                place: self.place_of(element),
                value: element.get_ref(),
                ..*self
            })
            .collect()
    }

    pub(crate) fn place_of<T>(&self, spanned: &Spanned<T>) -> Place {
        let span = spanned.span();
        Place { source: self.place.source, start: span.start, end: span.end }
    }

    pub(crate) fn refuse_type(&self, wanted: &str, findings: &mut Findings) {
        let found = match self.value.type_str() {
            "array" => "a list",
            "boolean" => "true or false",
            "datetime" => "a date",
            "float" => "a fraction",
            "integer" => "an integer",
            "string" => "a string",
            _ => "a table",
        };
        let message = format!("`{}` takes {wanted}, not {found}", self.key);
        findings.push(Finding::new(Code::WrongType, self.place, message));
    }
}

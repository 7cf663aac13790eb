//! A table whose keys are all known.

use toml::de::DeTable;

use crate::diagnostic::{Code, Finding, Findings, Place, nearest};

use super::{At, Item, span};
use permanence_core::Span;

/// A table of the file; what is not taken from it is a fault.
#[derive(Debug)]
pub(crate) struct Section<'t> {
    /// The dotted path below `error_permanence`, for messages.
    path: String,
    /// In the order of the text.
    items: Vec<Item<'t>>,
    /// Every key that has been asked for.
    known: Vec<String>,
}

impl<'t> Section<'t> {
    /// The whole of a file.
    pub(crate) fn of_file(table: &'t DeTable<'t>, source: usize) -> Self {
        Section::new(String::new(), table, source)
    }

    /// The table that `item` has to be.
    pub(crate) fn open(item: &Item<'t>, parent: &str, findings: &mut Findings) -> Option<Self> {
        let Some(table) = item.value.as_table() else {
            item.refuse_type("a table", findings);
            return None;
        };
        let dot = if parent.is_empty() { "" } else { "." };
        Some(Section::new(format!("{parent}{dot}{}", item.key), table, item.place.source))
    }

    fn new(path: String, table: &'t DeTable<'t>, source: usize) -> Self {
        let mut items: Vec<Item<'t>> = table
            .iter()
            .map(|(key, value)| Item {
                key: key.get_ref(),
                key_place: Place { source, start: key.span().start, end: key.span().end },
                place: Place { source, start: value.span().start, end: value.span().end },
                value: value.get_ref(),
            })
            .collect();
        items.sort_by_key(|item| item.key_place);
        Section { path, items, known: Vec::new() }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Takes the value of `key` out of the section.
    pub(crate) fn take(&mut self, key: &str) -> Option<Item<'t>> {
        self.known.push(key.to_owned());
        let place = self.items.iter().position(|item| item.key == key)?;
        Some(self.items.remove(place))
    }

    /// Takes all that is left: the keys are names of the user's own.
    pub(crate) fn take_rest(&mut self) -> Vec<Item<'t>> {
        std::mem::take(&mut self.items)
    }

    /// Opens the section below `key`, if there is one.
    pub(crate) fn below(&mut self, key: &str, findings: &mut Findings) -> Option<Section<'t>> {
        let item = self.take(key)?;
        Section::open(&item, &self.path, findings)
    }

    /// A span: text under `key`, or an integer under `key` with `_ms` at its end.
    pub(crate) fn span(&mut self, key: &str, findings: &mut Findings) -> Option<At<Span>> {
        self.span_or(key, None, findings)?.transposed()
    }

    /// A span, or `word` for none.
    pub(crate) fn span_or(
        &mut self,
        key: &str,
        word: Option<&str>,
        findings: &mut Findings,
    ) -> Option<At<Option<Span>>> {
        let text = self.take(key);
        let number = self.take(&format!("{key}_ms"));
        if let (Some(text), Some(number)) = (&text, &number) {
            let message = format!("`{}` is said twice", text.key);
            let finding = Finding::new(Code::CodeTwice, number.key_place, message)
                .with_label(text.key_place, "first here")
                .with_help("keep one of the two");
            findings.push(finding);
        }
        if let Some(item) = text {
            return span::read_text(&item, word, findings);
        }
        let item = number?;
        let span = span::read_millis(&item, findings)?;
        Some(item.at(Some(span)))
    }

    /// Reports every key that nobody has asked for.
    pub(crate) fn close(self, findings: &mut Findings) {
        for item in &self.items {
            let place = match self.path.as_str() {
                "" => "beside [error_permanence]".to_owned(),
                path => format!("in `{path}`"),
            };
            let message = format!("there is no key `{}` {place}", item.key);
            let finding = Finding::new(Code::UnknownKey, item.key_place, message);
            findings.push(self.guide(item.key, finding));
        }
    }

    /// With a help line that says where `key` belongs or what it may have been meant to be.
    fn guide(&self, key: &str, finding: Finding) -> Finding {
        if self.path.is_empty() {
            return finding.with_help("everything stands below [error_permanence]");
        }
        if let Some((_, home)) = HOMES.iter().find(|(known, _)| *known == key) {
            return finding.with_help(format!("`{key}` stands in {home}"));
        }
        let guess = nearest(key, self.known.iter().map(String::as_str));
        finding.with_guess(guess, format!("the keys are {}", listed(&self.known)))
    }
}

impl At<Option<Span>> {
    fn transposed(self) -> Option<At<Span>> {
        let place = self.place;
        self.value.map(|value| At { value, place })
    }
}

/// The keys in alphabetical order, without the `_ms` twins.
fn listed(known: &[String]) -> String {
    let mut names: Vec<&str> =
        known.iter().map(String::as_str).filter(|name| !name.ends_with("_ms")).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// Keys that have one home only, for those who look for it elsewhere.
const HOMES: [(&str, &str); 13] = [
    ("backoff", "classes.transient"),
    ("class", "reasons.NAME"),
    ("confirm_max", "classes.permanent"),
    ("extends", "[error_permanence] of a file, not of a route"),
    ("flap_window", "logging"),
    ("notice_after_consecutive", "classes.transient"),
    ("pacing", "classes.transient"),
    ("per_endpoint_overrides", "[error_permanence] of a file, not of a route"),
    ("probe_lease", "classes.permanent"),
    ("reminder", "logging"),
    ("reprobe_spread", "classes.permanent"),
    ("retry_after_max", "classes.transient"),
    ("retry_budget", "classes.transient"),
];

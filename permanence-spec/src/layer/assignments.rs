//! Which code stands in which list of one layer.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Finding, Findings, Place};
use crate::syntax::{At, CodeKind, Level, Pattern, Section, Slot, read_pattern};

/// The lists of one layer, turned around: from codes to what they are listed under.
#[derive(Clone, Debug)]
pub(crate) struct Assignments<T> {
    exact: BTreeMap<Slot, At<T>>,
    /// By status; ranges of one layer do not overlap.
    ranges: BTreeMap<u16, At<T>>,
    hundreds: BTreeMap<u16, At<T>>,
}

impl<T> Default for Assignments<T> {
    fn default() -> Self {
        Assignments { exact: BTreeMap::new(), ranges: BTreeMap::new(), hundreds: BTreeMap::new() }
    }
}

/// What a layer says about one code, and how exactly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit<T> {
    pub(crate) value: T,
    pub(crate) level: Level,
    /// Where it says so.
    pub(crate) place: Place,
}

/// One code that two kinds of lists name.
#[derive(Debug)]
pub(crate) struct Shared<T, U> {
    pub(crate) name: String,
    pub(crate) own: At<T>,
    pub(crate) theirs: At<U>,
}

impl<T: Copy> Assignments<T> {
    /// Reads the list under `key`; all of its codes mean `value`.
    pub(crate) fn read(
        &mut self,
        section: &mut Section<'_>,
        key: &str,
        kind: CodeKind,
        value: T,
        findings: &mut Findings,
    ) {
        let Some(item) = section.take(key) else { return };
        for element in item.list(findings) {
            if let Some(pattern) = read_pattern(&element, kind, findings) {
                self.insert(&pattern.value, At { value, place: pattern.place }, findings);
            }
        }
    }

    /// Says that `pattern` means `said`; a code that means something already is a fault.
    pub(crate) fn insert(&mut self, pattern: &Pattern, said: At<T>, findings: &mut Findings) {
        let clash = match pattern {
            Pattern::Exact(slot) => match self.exact.get(slot) {
                Some(first) => Some(first.place),
                None => {
                    self.exact.insert(slot.clone(), said);
                    None
                }
            },
            Pattern::Hundred(hundred) => match self.hundreds.get(hundred) {
                Some(first) => Some(first.place),
                None => {
                    self.hundreds.insert(*hundred, said);
                    None
                }
            },
            Pattern::Range(first, last) => {
                let taken = self.ranges.range(*first..=*last).next().map(|(_, said)| said.place);
                if taken.is_none() {
                    self.ranges.extend((*first..=*last).map(|status| (status, said)));
                }
                taken
            }
        };
        if let Some(first) = clash {
            findings.push(twice(pattern, said.place, first));
        }
    }

    /// What the layer says about `slot`: its own entry, else its range, else its hundred.
    pub(crate) fn of(&self, slot: &Slot) -> Option<Hit<T>> {
        let hit =
            |level: Level| move |said: &At<T>| Hit { value: said.value, level, place: said.place };
        if let Some(said) = self.exact.get(slot) {
            return Some(hit(Level::Exact)(said));
        }
        let Slot::Http(status) = slot else { return None };
        let range = self.ranges.get(status).map(hit(Level::Range));
        range.or_else(|| self.hundreds.get(&(status - status % 100)).map(hit(Level::Hundred)))
    }

    /// What both of two kinds of lists say equally exactly.
    pub(crate) fn shared_with<U: Copy>(&self, other: &Assignments<U>) -> Vec<Shared<T, U>> {
        let mut shared = Vec::new();
        for (slot, own) in &self.exact {
            if let Some(theirs) = other.exact.get(slot) {
                let name = slot.to_string();
                shared.push(Shared { name, own: *own, theirs: *theirs });
            }
        }
        for (status, own) in &self.ranges {
            if let Some(theirs) = other.ranges.get(status) {
                let name = status.to_string();
                shared.push(Shared { name, own: *own, theirs: *theirs });
            }
        }
        for (hundred, own) in &self.hundreds {
            if let Some(theirs) = other.hundreds.get(hundred) {
                let name = Pattern::Hundred(*hundred).to_string();
                shared.push(Shared { name, own: *own, theirs: *theirs });
            }
        }
        shared
    }

    /// The codes of providers that are named.
    pub(crate) fn provider_codes(&self) -> impl Iterator<Item = (u16, &str)> {
        self.exact.keys().filter_map(|slot| match slot {
            Slot::Provider(status, code) => Some((*status, code.as_str())),
            _ => None,
        })
    }
}

fn twice(pattern: &Pattern, second: Place, first: Place) -> Finding {
    let name = pattern.to_string();
    let message = match pattern {
        Pattern::Range(..) => format!("{name} overlaps a range that is listed already"),
        _ => format!("{name} is listed twice"),
    };
    Finding::new(Code::CodeTwice, second, message)
        .with_label(first, "first here")
        .with_help("within one layer a code stands in one list only")
}

//! One file, or one route of it, as it was written: nothing inherited, everything optional.

mod assignments;
mod class;
mod document;
mod numbers;
mod reason;
mod row;
mod rule;

use permanence_core::{Class, Processed, Retry, Scope};

use crate::diagnostic::{Code, Finding, Findings};
use crate::packs;
use crate::syntax::{At, CodeKind, Section, read_mode};

pub(crate) use self::assignments::Assignments;
pub(crate) use self::class::ClassRows;
pub(crate) use self::document::{Document, RouteLayer};
pub(crate) use self::numbers::Numbers;
pub(crate) use self::reason::ReasonLayer;
pub(crate) use self::row::RowLayer;
pub(crate) use self::rule::{Example, RuleLayer, Sign};

/// What one file or one route says.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub(crate) numbers: Numbers,
    pub(crate) classes: ClassRows,
    pub(crate) reasons: Vec<ReasonLayer>,
    /// The codes listed under classes.
    pub(crate) class_of: Assignments<Class>,
    /// The codes listed under reasons, as places in `reasons`.
    pub(crate) reason_of: Assignments<usize>,
    pub(crate) processed_of: Assignments<Processed>,
    pub(crate) scope_of: Assignments<Scope>,
    pub(crate) retry_of: Assignments<Retry>,
    /// In the order in which they are tried, those of packs last.
    pub(crate) rules: Vec<RuleLayer>,
}

impl Layer {
    /// Reads all keys that a file and a route have in common, and leaves the others.
    fn read(section: &mut Section<'_>, findings: &mut Findings) -> Layer {
        let mut layer = Layer::default();
        if let Some(item) = section.take("mode") {
            layer.numbers.mode = read_mode(&item, findings);
        }
        layer.read_classes(section, findings);
        layer.read_reasons(section, findings);
        layer.read_logging(section, findings);
        layer.read_processed(section, findings);
        layer.read_scope(section, findings);
        layer.read_retry(section, findings);
        layer.rules = rule::read_rules(section, findings);
        layer.rules.extend(packs::read_use(section, findings));
        layer
    }

    fn read_processed(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        let words =
            [("no", Processed::No), ("yes", Processed::Yes), ("unknown", Processed::Unknown)];
        let Some(mut table) = section.below("processed", findings) else { return };
        for (key, value) in words {
            self.processed_of.read(&mut table, key, CodeKind::Answered, value, findings);
        }
        table.close(findings);
    }

    fn read_scope(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        let scopes = [Scope::Credential, Scope::Endpoint, Scope::Origin, Scope::Payload];
        let Some(mut table) = section.below("scope", findings) else { return };
        for scope in scopes {
            self.scope_of.read(&mut table, scope.name(), CodeKind::Any, scope, findings);
        }
        table.close(findings);
    }

    fn read_retry(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        let rules = [Retry::Backoff, Retry::Cadence, Retry::Never, Retry::Once, Retry::Renew];
        let Some(mut table) = section.below("retry", findings) else { return };
        for retry in rules {
            self.retry_of.read(&mut table, retry.name(), CodeKind::Any, retry, findings);
        }
        table.close(findings);
    }
}

/// Refuses any other value than the one that a law of the machine stands for.
fn read_law<T: PartialEq>(read: Option<At<T>>, law: &T, why: &str, findings: &mut Findings) {
    if let Some(found) = read.filter(|found| found.value != *law) {
        let message = "this cannot be switched off";
        findings.push(Finding::new(Code::LawStands, found.place, message).with_help(why));
    }
}

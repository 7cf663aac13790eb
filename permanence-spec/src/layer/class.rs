//! The tables `classes.permanent`, `classes.transient` and `classes.ambiguous`.

use permanence_core::Class;

use crate::diagnostic::Findings;
use crate::syntax::{CodeKind, Section};

use super::{Layer, RowLayer, read_law};

/// The rows of the three classes of failure.
#[derive(Debug, Default)]
pub(crate) struct ClassRows {
    permanent: RowLayer,
    transient: RowLayer,
    ambiguous: RowLayer,
}

impl ClassRows {
    /// The cells that are filled in for `class`; none for a class that is no failure.
    pub(crate) fn of(&self, class: Class) -> RowLayer {
        match class {
            Class::Ambiguous => self.ambiguous,
            Class::Permanent => self.permanent,
            Class::Transient => self.transient,
            Class::Ignored | Class::Success => RowLayer::default(),
        }
    }
}

impl Layer {
    pub(super) fn read_classes(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        let Some(mut classes) = section.below("classes", findings) else { return };
        if let Some(mut table) = classes.below("permanent", findings) {
            self.classes.permanent = self.read_class(&mut table, Class::Permanent, findings);
            self.numbers.read_permanent(&mut table, findings);
            table.close(findings);
        }
        if let Some(mut table) = classes.below("transient", findings) {
            self.classes.transient = self.read_class(&mut table, Class::Transient, findings);
            self.numbers.read_transient(&mut table, findings);
            table.close(findings);
        }
        if let Some(mut table) = classes.below("ambiguous", findings) {
            self.classes.ambiguous = self.read_class(&mut table, Class::Ambiguous, findings);
            read_guard(&mut table, findings);
            table.close(findings);
        }
        classes.close(findings);
    }

    fn read_class(
        &mut self,
        table: &mut Section<'_>,
        class: Class,
        findings: &mut Findings,
    ) -> RowLayer {
        for (key, kind) in CODE_LISTS {
            self.class_of.read(table, key, kind, class, findings);
        }
        RowLayer::read(table, findings)
    }
}

/// The two keys that state the guard of unkeyed writes; it stands whatever they say.
fn read_guard(table: &mut Section<'_>, findings: &mut Findings) {
    let why = "a write that is neither idempotent nor keyed is never repeated while its fate is unknown (L5); if the peer does not act on some answer, list that code under processed.no";
    if let Some(item) = table.take("require_idempotency_key") {
        let said = item.truth(findings).map(|truth| item.at(truth));
        read_law(said, &true, why, findings);
    }
    if let Some(item) = table.take("on_unsafe_write_timeout") {
        let said = item.text(findings).map(|text| item.at(text));
        read_law(said, &"surface", why, findings);
    }
}

/// The lists that classes and reasons have in common.
pub(super) const CODE_LISTS: [(&str, CodeKind); 4] = [
    ("status_codes", CodeKind::Http),
    ("grpc_codes", CodeKind::Grpc),
    ("coap_codes", CodeKind::Coap),
    ("network_errors", CodeKind::Network),
];

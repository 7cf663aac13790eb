//! The tables `reasons.NAME`.

use permanence_core::{BUILTIN_REASONS, Class, Reason};

use crate::diagnostic::{Code, Finding, Findings, nearest};
use crate::syntax::{At, CodeKind, Item, Pattern, Section, Slot, read_class};

use super::class::CODE_LISTS;
use super::{Layer, RowLayer};

/// What one layer says about one reason.
#[derive(Debug)]
pub(crate) struct ReasonLayer {
    pub(crate) name: At<String>,
    pub(crate) class: Option<At<Class>>,
    pub(crate) row: RowLayer,
}

impl Layer {
    pub(super) fn read_reasons(&mut self, section: &mut Section<'_>, findings: &mut Findings) {
        let Some(mut reasons) = section.below("reasons", findings) else { return };
        let path = reasons.path().to_owned();
        for item in reasons.take_rest() {
            self.read_reason(&item, &path, findings);
        }
    }

    fn read_reason(&mut self, item: &Item<'_>, path: &str, findings: &mut Findings) {
        if !is_reason_name(item.key) {
            let message = format!("`{}` cannot be the name of a reason", item.key);
            let help =
                "a name is lower-case letters, digits and hyphens, 32 at most, a letter first";
            let guess = nearest(item.key, BUILTIN_REASONS);
            let finding = Finding::new(Code::BadReason, item.key_place, message);
            findings.push(finding.with_guess(guess, help));
            return;
        }
        let Some(mut table) = Section::open(item, path, findings) else { return };
        let place = self.reasons.len();
        for (key, kind) in CODE_LISTS {
            self.reason_of.read(&mut table, key, kind, place, findings);
        }
        self.reason_of.read(&mut table, "provider_codes", CodeKind::Provider, place, findings);
        let unusable = table.take("unusable");
        if let Some(item) = unusable.filter(|item| item.truth(findings) == Some(true)) {
            self.reason_of.insert(&Pattern::Exact(Slot::Unusable), item.at(place), findings);
        }
        // A class that cannot be read has been reported; the reason does not lack one as well.
        let class = table
            .take("class")
            .map(|item| read_class(&item, findings).unwrap_or(item.at(Class::Permanent)));
        let row = RowLayer::read(&mut table, findings);
        table.close(findings);
        check_fixed(item, class, &row, findings);
        let name = At { value: item.key.to_owned(), place: item.key_place };
        self.reasons.push(ReasonLayer { name, class, row });
    }
}

/// A success has nothing to disable, and no evidence has nothing to say.
fn check_fixed(item: &Item<'_>, class: Option<At<Class>>, row: &RowLayer, findings: &mut Findings) {
    let own = Reason::from_builtin_name(item.key);
    let fixed = own == Some(Reason::SUCCESS) || own == Some(Reason::IGNORED);
    let harmless =
        class.is_some_and(|class| matches!(class.value, Class::Success | Class::Ignored));
    if (fixed && (class.is_some() || !row.is_empty())) || (harmless && !row.is_empty()) {
        let message = format!("the reason `{}` takes codes and nothing else", item.key);
        let help = "success and ignored signals never disable, retry or wait for a probe";
        findings.push(Finding::new(Code::FixedReason, item.key_place, message).with_help(help));
    }
}

fn is_reason_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.len() <= 32
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(plain)
}

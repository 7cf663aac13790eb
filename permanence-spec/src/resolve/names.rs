//! The reasons that a policy names itself get their numbers.

use permanence_core::Reason;

use crate::diagnostic::{Code, Finding, Findings};
use crate::layer::{Document, Layer};

/// The names, in the order in which they were met, base first.
#[derive(Debug)]
pub(crate) struct Names {
    custom: Vec<String>,
}

impl Names {
    /// Numbers all names; with more of them than numbers nothing after this makes sense.
    pub(super) fn collect(documents: &[Document], findings: &mut Findings) -> Option<Names> {
        let mut names = Names { custom: Vec::new() };
        for document in documents {
            names.add(&document.layer, findings)?;
            for route in &document.routes {
                names.add(&route.layer, findings)?;
            }
        }
        Some(names)
    }

    fn add(&mut self, layer: &Layer, findings: &mut Findings) -> Option<()> {
        for reason in &layer.reasons {
            let name = &reason.name.value;
            if Reason::from_builtin_name(name).is_some() || self.custom.contains(name) {
                continue;
            }
            if self.custom.len() == MOST {
                let message = format!("`{name}` is one reason too many");
                let help = format!("a policy names {MOST} reasons itself at most");
                let finding = Finding::new(Code::TooManyReasons, reason.name.place, message);
                findings.push(finding.with_help(help));
                return None;
            }
            self.custom.push(name.clone());
        }
        Some(())
    }

    /// The reason called `name`; every name that was written down has one.
    pub(super) fn reason(&self, name: &str) -> Reason {
        if let Some(reason) = Reason::from_builtin_name(name) {
            return reason;
        }
        let place = self.custom.iter().position(|known| known == name);
        let number = place.and_then(|place| u8::try_from(place).ok()).unwrap_or(0);
        Reason::from_number(Reason::FIRST_CUSTOM.saturating_add(number))
    }

    /// The name of `reason`.
    pub(super) fn name(&self, reason: Reason) -> &str {
        let place = reason.number().checked_sub(Reason::FIRST_CUSTOM).map(usize::from);
        let custom = place.and_then(|place| self.custom.get(place)).map(String::as_str);
        reason.builtin_name().or(custom).unwrap_or("unknown")
    }

    /// Whether any reason is called `name`.
    pub(super) fn knows(&self, name: &str) -> bool {
        Reason::from_builtin_name(name).is_some() || self.custom.iter().any(|known| known == name)
    }

    pub(super) fn custom(&self) -> &[String] {
        &self.custom
    }
}

const MOST: usize = 64;

//! The layers that speak about one endpoint, and what they say together.

use permanence_core::{Class, Processed, Reason, Retry, Scope};

use crate::layer::{Assignments, Layer, RowLayer};
use crate::syntax::{At, Slot};

use super::language::{fitting_reason, natural_class, unlisted_reason};
use super::names::Names;

/// The layers, the one that extends nothing first and the route's own last.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    pub(super) layers: Vec<&'a Layer>,
    pub(super) names: &'a Names,
}

/// What a code was judged to be.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct Judged {
    pub(super) reason: Reason,
    pub(super) class: Class,
}

impl<'a> Chain<'a> {
    pub(super) fn new(layers: Vec<&'a Layer>, names: &'a Names) -> Self {
        Chain { layers, names }
    }

    /// The same chain with more layers on top.
    pub(super) fn with(&self, more: impl Iterator<Item = &'a Layer>) -> Self {
        let mut layers = self.layers.clone();
        layers.extend(more);
        Chain { layers, names: self.names }
    }

    /// What `slot` is: the topmost layer that lists it decides; a status and a CoAP code that none
    /// lists act as the first of their class (RFC 9110 section 15, RFC 7252 section 5.9).
    pub(super) fn judge(&self, slot: &Slot) -> Judged {
        self.judge_below(slot, self.layers.len())
    }

    /// Whether a layer lists `slot` itself.
    pub(super) fn is_listed(&self, slot: &Slot) -> bool {
        self.listed(slot, self.layers.len()).is_some()
    }

    fn judge_below(&self, slot: &Slot, end: usize) -> Judged {
        self.listed(slot, end)
            .or_else(|| self.listed(&first_of_class(slot)?, end))
            .unwrap_or_else(|| self.natural(unlisted_reason(slot)))
    }

    /// What the first `end` layers list `slot` as.
    fn listed(&self, slot: &Slot, end: usize) -> Option<Judged> {
        let below = self.layers.get(..end)?;
        let (place, layer) = below.iter().enumerate().rev().find(|(_, layer)| {
            layer.reason_of.of(slot).is_some() || layer.class_of.of(slot).is_some()
        })?;
        let (by_reason, by_class) = (layer.reason_of.of(slot), layer.class_of.of(slot));
        match (by_reason, by_class) {
            (Some(reason), Some(class)) if class.level > reason.level => {
                Some(self.listed_as_class(slot, class.value, place))
            }
            (Some(reason), _) => {
                let name = layer.reasons.get(reason.value).map(|reason| &reason.name.value)?;
                Some(self.natural(self.names.reason(name)))
            }
            (None, class) => Some(self.listed_as_class(slot, class?.value, place)),
        }
    }

    /// A list of a class keeps the reason that the code had below, if that one is of the class.
    fn listed_as_class(&self, slot: &Slot, class: Class, place: usize) -> Judged {
        match self.listed(slot, place) {
            Some(below) if below.class == class => below,
            _ => Judged { reason: fitting_reason(slot, class), class },
        }
    }

    /// A reason with the class that it has in this chain.
    fn natural(&self, reason: Reason) -> Judged {
        // A reason without any class has been reported; what stands in for it is never seen.
        Judged { reason, class: self.class_of(reason).unwrap_or(Class::Permanent) }
    }

    /// The class of `reason`: the topmost layer that gives it one, else its own.
    pub(super) fn class_of(&self, reason: Reason) -> Option<Class> {
        let given = |layer: &&Layer| {
            let mut own = layer.reasons.iter().filter(|own| self.is(reason, &own.name));
            own.find_map(|own| own.class)
        };
        let given = self.layers.iter().rev().find_map(given).map(|class| class.value);
        given.or_else(|| natural_class(reason))
    }

    /// The cells that the classes fill in, the topmost layer first.
    pub(super) fn class_cells(&self, class: Class) -> RowLayer {
        let rows = self.layers.iter().map(|layer| layer.classes.of(class));
        rows.fold(RowLayer::default(), RowLayer::under)
    }

    /// The cells that the reasons fill in, the topmost layer first.
    pub(super) fn reason_cells(&self, reason: Reason) -> RowLayer {
        let own = self.layers.iter().flat_map(|layer| &layer.reasons);
        let own = own.filter(|own| self.is(reason, &own.name)).map(|own| own.row);
        own.fold(RowLayer::default(), RowLayer::under)
    }

    /// What the peer did, if a layer says so; never guessed from another code, for it is what keeps
    /// a write from being repeated.
    pub(super) fn processed(&self, slot: &Slot) -> Option<Processed> {
        let hit = |layer: &&Layer| layer.processed_of.of(slot);
        self.layers.iter().rev().find_map(hit).map(|hit| hit.value)
    }

    /// The scope of `slot` alone, if a layer says so.
    pub(super) fn scope(&self, slot: &Slot) -> Option<Scope> {
        self.refined(slot, |layer| &layer.scope_of)
    }

    /// The retry rule of `slot` alone, if a layer says so.
    pub(super) fn retry(&self, slot: &Slot) -> Option<Retry> {
        self.refined(slot, |layer| &layer.retry_of)
    }

    /// What the topmost layer that says it says of `slot`, unless a layer above has made another
    /// thing of that code.
    fn refined<T: Copy + 'a>(
        &self,
        slot: &Slot,
        table: impl Fn(&'a Layer) -> &'a Assignments<T>,
    ) -> Option<T> {
        let layers = self.layers.iter().enumerate().rev();
        let mut said = layers.filter_map(|(place, layer)| Some((place, table(layer).of(slot)?)));
        let (place, hit) = said.next()?;
        (self.judge_below(slot, place + 1) == self.judge(slot)).then_some(hit.value)
    }

    fn is(&self, reason: Reason, name: &At<String>) -> bool {
        self.names.reason(&name.value) == reason
    }
}

/// The code that an unlisted one acts as.
pub(super) fn first_of_class(slot: &Slot) -> Option<Slot> {
    match slot {
        // Numbers outside 100 to 599 are a server fault, whatever 500 is.
        Slot::Http(status @ 100..=599) => Some(Slot::Http(status - status % 100)),
        Slot::Coap(byte) => Some(Slot::Coap(byte & 0xe0)),
        _ => None,
    }
}

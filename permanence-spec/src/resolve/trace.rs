//! Every list of a chain of layers that names a code, in the order in which they count.

use permanence_core::Class;

use crate::diagnostic::{Findings, Place};
use crate::layer::{Document, Layer};
use crate::syntax::{Level, Slot};

use super::chain::{Chain, first_of_class};
use super::names::Names;

/// One list that names a code.
#[derive(Debug)]
pub(crate) struct Listed {
    /// The code as which the one asked for was looked up.
    pub(crate) slot: Slot,
    pub(crate) level: Level,
    pub(crate) under: Under,
    /// Whether a route says so, or a file for all endpoints.
    pub(crate) speaker: Speaker,
    pub(crate) place: Place,
}

/// What a list stands under.
#[derive(Clone, Debug)]
pub(crate) enum Under {
    Class(Class),
    Reason(String),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Speaker {
    File,
    Route,
}

/// The lists that name `slot`, the one that decides first; then those that name what an unlisted
/// code acts as. `route` is the method and the template of a route of the policy.
pub(crate) fn listings(
    documents: &[Document],
    route: Option<(Option<&str>, &str)>,
    slot: &Slot,
) -> Vec<Listed> {
    // The documents have been compiled, so that their names can be numbered.
    let Some(names) = Names::collect(documents, &mut Findings::default()) else {
        return Vec::new();
    };
    let root = Chain::new(documents.iter().map(|document| &document.layer).collect(), &names);
    let own = documents
        .iter()
        .flat_map(|document| &document.routes)
        .filter(|layer| route == Some((layer.key.method.as_deref(), layer.key.template.as_str())));
    let keys: Vec<_> = own.map(|layer| &layer.key).collect();
    let all = documents.iter().flat_map(|document| &document.routes);
    let same = all.filter(|layer| keys.iter().any(|key| key.is_same(&layer.key)));
    let chain = root.with(same.map(|layer| &layer.layer));

    let mut slots = vec![slot.clone()];
    if let Slot::Provider(status, _) = slot {
        slots.push(Slot::Http(*status));
    }
    let first = slots.last().and_then(first_of_class);
    slots.extend(first.filter(|first| *first != *slot));
    let mut found = Vec::new();
    for slot in slots {
        for (place, layer) in chain.layers.iter().enumerate().rev() {
            let speaker = if place < documents.len() { Speaker::File } else { Speaker::Route };
            found.extend(of_layer(layer, &slot, speaker));
        }
    }
    found
}

/// The lists of one layer that name `slot`: at most one of classes and one of reasons, the more
/// exact one first.
fn of_layer(layer: &Layer, slot: &Slot, speaker: Speaker) -> Vec<Listed> {
    let listed = |under, level, place| Listed { slot: slot.clone(), level, under, speaker, place };
    let reason = layer.reason_of.of(slot).and_then(|hit| {
        let name = layer.reasons.get(hit.value)?.name.value.clone();
        Some(listed(Under::Reason(name), hit.level, hit.place))
    });
    let class = layer.class_of.of(slot);
    let class = class.map(|hit| listed(Under::Class(hit.value), hit.level, hit.place));
    let mut both: Vec<Listed> = reason.into_iter().chain(class).collect();
    // Stable: between equals the reason stays first.
    both.sort_by_key(|listed| std::cmp::Reverse(listed.level));
    both
}

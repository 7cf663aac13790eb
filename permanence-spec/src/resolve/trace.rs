//! Who says what of a code, in the order in which they count.

use permanence_core::Class;

use crate::diagnostic::Place;
use crate::layer::{Document, Layer, RouteLayer};
use crate::syntax::{Level, Slot};

use super::chain::first_of_class;

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

/// The method and the template of a route of the policy.
pub(crate) type RouteName<'r> = (Option<&'r str>, &'r str);

/// The lists that name `slot`, the one that decides first; then those that name what an unlisted
/// code acts as.
pub(crate) fn listings(
    documents: &[Document],
    route: Option<RouteName<'_>>,
    slot: &Slot,
) -> Vec<Listed> {
    let mut slots = vec![slot.clone()];
    if let Slot::Provider(status, _) = slot {
        slots.push(Slot::Http(*status));
    }
    let first = slots.last().and_then(first_of_class);
    slots.extend(first.filter(|first| *first != *slot));
    let layers = layers(documents, route);
    let mut found = Vec::new();
    for slot in slots {
        for (layer, speaker) in layers.iter().rev() {
            found.extend(of_layer(layer, &slot, *speaker));
        }
    }
    found
}

/// Where the rule called `id` stands, the one that counts.
pub(crate) fn rule_place(
    documents: &[Document],
    route: Option<RouteName<'_>>,
    id: &str,
) -> Option<Place> {
    let layers = layers(documents, route);
    let mut rules = layers.iter().rev().flat_map(|(layer, _)| &layer.rules);
    rules.find(|rule| rule.id.value == id).map(|rule| rule.id.place)
}

/// The layers of a route, as they are compiled: the one that extends nothing first.
fn layers<'d>(
    documents: &'d [Document],
    route: Option<RouteName<'_>>,
) -> Vec<(&'d Layer, Speaker)> {
    let routes = || documents.iter().flat_map(|document| &document.routes);
    let is_named = |layer: &&RouteLayer| {
        route == Some((layer.key.method.as_deref(), layer.key.template.as_str()))
    };
    let key = routes().find(is_named).map(|layer| &layer.key);
    let own = routes().filter(|layer| key.is_some_and(|key| layer.key.is_same(key)));
    let files = documents.iter().map(|document| (&document.layer, Speaker::File));
    files.chain(own.map(|layer| (&layer.layer, Speaker::Route))).collect()
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

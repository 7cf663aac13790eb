//! From files as they were written to tables without a gap: who inherits what from whom.

mod chain;
mod check;
mod endpoint;
mod examples;
mod language;
mod names;
mod row;
mod rules;
mod settings;
mod trace;

use std::path::PathBuf;

use crate::compiled::{Compiled, Route};
use crate::diagnostic::{Findings, Place};
use crate::layer::{Document, RouteLayer};

use self::chain::Chain;
use self::names::Names;

pub(crate) use self::trace::{Listed, RouteName, Speaker, Under, listings, rule_place};

/// Resolves `documents`, of which each one extends the one before it; nothing, if that is hopeless.
pub(crate) fn compile(
    documents: &[Document],
    files: Vec<PathBuf>,
    findings: &mut Findings,
) -> Option<Compiled> {
    let names = Names::collect(documents, findings)?;
    let root = Chain::new(documents.iter().map(|document| &document.layer).collect(), &names);
    let routes: Vec<(&RouteLayer, Chain<'_>)> = merged_routes(documents)
        .into_iter()
        .map(|route| {
            let all = documents.iter().flat_map(|document| &document.routes);
            let same = all.filter(|other| other.key.is_same(&route.key));
            (route, root.with(same.map(|other| &other.layer)))
        })
        .collect();
    check::check(&root, findings);
    for (_, chain) in &routes {
        check::check(chain, findings);
    }
    if !findings.is_empty() {
        return None;
    }
    let base = endpoint::resolve(&root, Place::START, findings);
    let routes = routes
        .iter()
        .map(|(route, chain)| Route {
            method: route.key.method.clone(),
            template: route.key.template.clone(),
            policy: endpoint::resolve(chain, route.place, findings),
        })
        .collect();
    if findings.is_empty() {
        examples::run(documents, &names, findings);
    }
    let custom_reasons = names.custom().to_vec();
    Some(Compiled { base, routes, custom_reasons, files })
}

/// The routes of all files, each once: those of a file come before those of what it extends.
fn merged_routes(documents: &[Document]) -> Vec<&RouteLayer> {
    let mut merged: Vec<&RouteLayer> = Vec::new();
    for route in documents.iter().rev().flat_map(|document| &document.routes) {
        if !merged.iter().any(|known| known.key.is_same(&route.key)) {
            merged.push(route);
        }
    }
    merged
}

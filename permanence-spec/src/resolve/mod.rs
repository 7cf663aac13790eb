//! From files as they were written to tables without a gap: who inherits what from whom.

mod chain;
mod check;
mod endpoint;
mod language;
mod names;
mod row;
mod settings;

use std::path::PathBuf;

use crate::compiled::{Compiled, Route};
use crate::diagnostic::{Findings, Place};
use crate::layer::{Document, RouteLayer};

use self::chain::Chain;
use self::names::Names;

/// Resolves `documents`, of which each one extends the one before it.
pub(crate) fn compile(
    documents: &[Document],
    files: Vec<PathBuf>,
    findings: &mut Findings,
) -> Compiled {
    let names = Names::collect(documents, findings);
    let root = Chain::new(documents.iter().map(|document| &document.layer).collect(), &names);
    let base = endpoint::resolve(&root, Place::START, findings);
    let routes = merged_routes(documents)
        .into_iter()
        .map(|route| {
            let own = documents.iter().flat_map(|document| &document.routes);
            let own = own.filter(|other| other.key.is_same(&route.key)).map(|other| &other.layer);
            let chain = root.with(own);
            Route {
                method: route.key.method.clone(),
                template: route.key.template.clone(),
                policy: endpoint::resolve(&chain, route.place, findings),
            }
        })
        .collect();
    Compiled { base, routes, custom_reasons: names.into_custom(), files }
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

//! A whole file: its own layer, what it extends and its routes.

use toml::de::DeTable;

use crate::diagnostic::{Code, Finding, Findings, Place, nearest};
use crate::syntax::{At, RouteKey, Section, read_route};

use super::Layer;

/// A file as it was written.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) extends: Option<At<String>>,
    pub(crate) layer: Layer,
    /// In the order of the file.
    pub(crate) routes: Vec<RouteLayer>,
}

/// What a file says about one route.
#[derive(Debug)]
pub(crate) struct RouteLayer {
    pub(crate) key: RouteKey,
    pub(crate) place: Place,
    pub(crate) layer: Layer,
}

impl Document {
    /// Reads the text of the file with the number `source`; what is wrong goes to `findings`.
    pub(crate) fn read(text: &str, source: usize, findings: &mut Findings) -> Document {
        let (table, faults) = DeTable::parse_recoverable(text);
        if !faults.is_empty() {
            report_syntax(&faults, text, source, findings);
            // What recovery makes of the rest would only add faults that are none.
            return Document::default();
        }
        let mut file = Section::of_file(table.get_ref(), source);
        let Some(item) = file.take(ROOT) else {
            refuse_without_policy(file, source, findings);
            return Document::default();
        };
        file.close(findings);
        let Some(mut section) = Section::open(&item, "", findings) else {
            return Document::default();
        };
        let extends =
            section.take("extends").and_then(|item| Some(item.at(item.text(findings)?.to_owned())));
        let layer = Layer::read(&mut section, findings);
        let routes = read_routes(&mut section, findings);
        section.close(findings);
        Document { extends, layer, routes }
    }
}

/// Reports the first fault of each line; those after it are mostly its echoes.
fn report_syntax(faults: &[toml::de::Error], text: &str, source: usize, findings: &mut Findings) {
    let mut reported = 0;
    for fault in faults {
        let span = fault.span().unwrap_or(text.len()..text.len());
        if span.start < reported {
            continue;
        }
        let rest = text.get(span.start..).unwrap_or("");
        reported = span.start + rest.find('\n').map_or(rest.len(), |end| end + 1);
        let place = Place { source, start: span.start, end: span.end };
        let message = format!("not TOML: {}", fault.message());
        findings.push(Finding::new(Code::Syntax, place, message));
    }
}

fn refuse_without_policy(mut file: Section<'_>, source: usize, findings: &mut Findings) {
    let items = file.take_rest();
    let close = items.iter().find(|item| nearest(item.key, [ROOT]).is_some());
    let place = close.map_or(Place { source, start: 0, end: 0 }, |item| item.key_place);
    let message = format!("there is no table [{ROOT}]");
    let help = format!(
        "a policy stands below [{ROOT}]; to take the default as it is, write extends = \"default\" there"
    );
    let guess = close.map(|_| ROOT);
    findings.push(Finding::new(Code::NoPolicy, place, message).with_guess(guess, help));
}

fn read_routes(section: &mut Section<'_>, findings: &mut Findings) -> Vec<RouteLayer> {
    let Some(mut table) = section.below("per_endpoint_overrides", findings) else {
        return Vec::new();
    };
    let path = table.path().to_owned();
    let mut routes: Vec<RouteLayer> = Vec::new();
    for item in table.take_rest() {
        if routes.len() == MOST_ROUTES {
            let message = format!("a file names {MOST_ROUTES} routes at most");
            let help = "let a name in braces stand for what the routes differ in";
            let finding = Finding::new(Code::TooManyRoutes, item.key_place, message);
            findings.push(finding.with_help(help));
            break;
        }
        let key = read_route(&item, findings);
        let Some(mut own) = Section::open(&item, &path, findings) else { continue };
        let layer = Layer::read(&mut own, findings);
        own.close(findings);
        let Some(key) = key else { continue };
        if let Some(finding) = shadowed(&routes, &key, item.key_place) {
            findings.push(finding);
        }
        routes.push(RouteLayer { key, place: item.key_place, layer });
    }
    routes
}

/// What is wrong with a route that comes after `earlier` ones, if anything is.
fn shadowed(earlier: &[RouteLayer], key: &RouteKey, place: Place) -> Option<Finding> {
    let first = earlier.iter().find(|route| route.key.covers(key))?;
    let (code, message, help) = if first.key.is_same(key) {
        (Code::RouteTwice, "this route is there already", "put what both say into one table")
    } else {
        let message = "this route is never reached: an earlier one matches all that it matches";
        (Code::UnreachableRoute, message, "put the more specific route first")
    };
    Some(Finding::new(code, place, message).with_label(first.place, "first here").with_help(help))
}

/// Each route is compared with all before it, and has tables of its own.
const MOST_ROUTES: usize = 1_000;

/// The table that a policy stands in.
const ROOT: &str = "error_permanence";

//! The entries of `test`: answers, and what a rule makes of them.

use crate::diagnostic::{Code, Finding, Findings, Place};
use crate::syntax::{At, CodeKind, Item, Pattern, Section, Slot, read_pattern};

/// One answer and what is to come of it.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) slot: Slot,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) request_headers: Vec<(String, String)>,
    pub(crate) method: String,
    pub(crate) body: String,
    pub(crate) redirect: Option<String>,
    /// The id of a rule, the name of a reason, or `none`.
    pub(crate) expect: At<String>,
    pub(crate) place: Place,
}

/// Reads the list under `test`.
pub(super) fn read(rule: &mut Section<'_>, findings: &mut Findings) -> Vec<Example> {
    let Some(item) = rule.take("test") else { return Vec::new() };
    let path = rule.path().to_owned();
    let entries = item.list(findings);
    entries.iter().filter_map(|entry| read_example(entry, &path, findings)).collect()
}

fn read_example(item: &Item<'_>, path: &str, findings: &mut Findings) -> Option<Example> {
    let mut table = Section::open(item, path, findings)?;
    let slot = read_slot(&mut table, item.place, findings);
    let headers = read_headers(&mut table, "headers", findings);
    let request_headers = read_headers(&mut table, "request_headers", findings);
    let text = |key: &str, table: &mut Section<'_>, findings: &mut Findings| {
        table.take(key).and_then(|item| item.text(findings).map(str::to_owned))
    };
    let method = text("method", &mut table, findings);
    let body = text("body", &mut table, findings);
    let redirect = text("redirect", &mut table, findings);
    let expect = table.take("expect");
    if expect.is_none() {
        let message = "this test does not say what to expect";
        let help = "expect = the id of a rule, the name of a reason, or \"none\" for no rule";
        findings.push(Finding::new(Code::BadExample, item.place, message).with_help(help));
    }
    let expect = expect.and_then(|item| Some(item.at(item.text(findings)?.to_owned())));
    table.close(findings);
    Some(Example {
        slot: slot?,
        headers,
        request_headers,
        method: method.unwrap_or_else(|| "GET".to_owned()),
        body: body.unwrap_or_default(),
        redirect,
        expect: expect?,
        place: item.place,
    })
}

/// The one code that came back.
fn read_slot(table: &mut Section<'_>, place: Place, findings: &mut Findings) -> Option<Slot> {
    let codes = CODES.map(|(key, kind)| Some((table.take(key)?, kind)));
    let mut codes = codes.into_iter().flatten();
    let (Some((item, kind)), None) = (codes.next(), codes.next()) else {
        let message = "a test has one code that came back";
        let help = "write status, grpc, coap or net";
        findings.push(Finding::new(Code::BadExample, place, message).with_help(help));
        return None;
    };
    match read_pattern(&item, kind, findings)?.value {
        Pattern::Exact(slot) => Some(slot),
        pattern => {
            let message = format!("{pattern} is more than one status");
            findings.push(Finding::new(Code::BadExample, item.place, message));
            None
        }
    }
}

fn read_headers(
    table: &mut Section<'_>,
    key: &str,
    findings: &mut Findings,
) -> Vec<(String, String)> {
    let Some(mut names) = table.below(key, findings) else { return Vec::new() };
    let items = names.take_rest();
    let value = |item: &Item<'_>, findings: &mut Findings| match item.maybe_bare() {
        Some(bare) => Some(bare),
        None => item.text(findings).map(str::to_owned),
    };
    items
        .iter()
        .filter_map(|item| Some((item.key.to_ascii_lowercase(), value(item, findings)?)))
        .collect()
}

const CODES: [(&str, CodeKind); 4] = [
    ("status", CodeKind::Http),
    ("grpc", CodeKind::Grpc),
    ("coap", CodeKind::Coap),
    ("net", CodeKind::Network),
];

//! The tables of one endpoint.

use std::array;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use permanence_core::{Network, Processed, Rule, Signal, default_processed};

use crate::compiled::{CodeRows, EndpointPolicy, ProcessedRows, ProviderRow, http_rows};
use crate::diagnostic::{Code, Finding, Findings, Place};
use crate::syntax::Slot;

use super::chain::Chain;
use super::row::{Medium, RowKey, rule};
use super::{rules, settings};

/// Resolves everything that `chain` says; `place` is where the endpoint is named.
pub(super) fn resolve(chain: &Chain<'_>, place: Place, findings: &mut Findings) -> EndpointPolicy {
    let mut rows = Rows::new(chain);
    let rule_set = Arc::new(rules::resolve(chain, &mut rows, findings));
    let policy = EndpointPolicy {
        settings: settings::resolve(chain),
        http: http_rows(|status| rows.place(&Slot::Http(status))),
        grpc: CodeRows {
            table: array::from_fn(|code| rows.place(&Slot::Grpc(byte(code)))),
            other: rows.place(&Slot::Grpc(u8::MAX)),
        },
        coap: array::from_fn(|code| rows.place(&Slot::Coap(byte(code)))),
        network: Network::ALL.map(|network| rows.place(&Slot::Network(network))),
        unusable: rows.place(&Slot::Unusable),
        provider: provider_rows(chain, &mut rows),
        processed: processed_rows(chain),
        rule_set,
        rules: Vec::new(),
    };
    if rows.overflowed {
        let finding = Finding::new(Code::TooManyRows, place, "one endpoint has more than 256 rows");
        findings.push(finding.with_help("let reasons share their settings"));
    }
    EndpointPolicy { rules: rows.rules, ..policy }
}

/// The rows that have been needed so far.
pub(super) struct Rows<'c, 'a> {
    chain: &'c Chain<'a>,
    rules: Vec<Rule>,
    known: HashMap<RowKey, u8>,
    overflowed: bool,
}

impl<'c, 'a> Rows<'c, 'a> {
    fn new(chain: &'c Chain<'a>) -> Self {
        let rules = vec![Rule::SUCCESS, Rule::IGNORED];
        Rows { chain, rules, known: HashMap::new(), overflowed: false }
    }

    fn place(&mut self, slot: &Slot) -> u8 {
        let medium = match slot {
            Slot::Network(_) => Medium::Network,
            _ => Medium::Answer,
        };
        self.place_of(RowKey {
            judged: self.chain.judge(slot),
            medium,
            scope: self.chain.scope(slot),
            retry: self.chain.retry(slot),
        })
    }

    fn place_of(&mut self, key: RowKey) -> u8 {
        if let Some(place) = self.known.get(&key) {
            return *place;
        }
        let place = self.place_of_rule(rule(self.chain, key));
        self.known.insert(key, place);
        place
    }

    pub(super) fn place_of_rule(&mut self, rule: Rule) -> u8 {
        let place = self.rules.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        });
        u8::try_from(place).unwrap_or_else(|_| {
            self.overflowed = true;
            0
        })
    }
}

fn provider_rows(chain: &Chain<'_>, rows: &mut Rows<'_, '_>) -> Vec<ProviderRow> {
    let mut codes: BTreeSet<(u16, &str)> = BTreeSet::new();
    for layer in &chain.layers {
        codes.extend(layer.reason_of.provider_codes());
        codes.extend(layer.processed_of.provider_codes());
        codes.extend(layer.scope_of.provider_codes());
        codes.extend(layer.retry_of.provider_codes());
    }
    let row = |(status, code): (u16, &str)| {
        let slot = Slot::Provider(status, code.to_owned());
        let plain = Slot::Http(status);
        let rule = if chain.is_listed(&slot) {
            rows.place(&slot)
        } else {
            // Nobody gave the code a reason of its own: it is its status, refined.
            rows.place_of(RowKey {
                judged: chain.judge(&plain),
                medium: Medium::Answer,
                scope: chain.scope(&slot).or(chain.scope(&plain)),
                retry: chain.retry(&slot).or(chain.retry(&plain)),
            })
        };
        let processed = chain.processed(&slot).unwrap_or_else(|| http_processed(chain, status));
        ProviderRow { status, code: code.to_owned(), rule, processed }
    };
    codes.into_iter().map(row).collect()
}

fn processed_rows(chain: &Chain<'_>) -> ProcessedRows {
    let grpc = |code: u8| {
        let said = chain.processed(&Slot::Grpc(code));
        said.unwrap_or(default_processed(&Signal::Grpc(code)))
    };
    let coap = |code: u8| {
        let said = chain.processed(&Slot::Coap(code));
        said.unwrap_or(default_processed(&Signal::Coap(code)))
    };
    ProcessedRows {
        http: http_rows(|status| http_processed(chain, status)),
        grpc: CodeRows { table: array::from_fn(|code| grpc(byte(code))), other: grpc(u8::MAX) },
        coap: array::from_fn(|code| coap(byte(code))),
    }
}

fn http_processed(chain: &Chain<'_>, status: u16) -> Processed {
    let said = chain.processed(&Slot::Http(status));
    said.unwrap_or(default_processed(&Signal::Http(status)))
}

/// The place of a table as the code that it stands for.
fn byte(place: usize) -> u8 {
    u8::try_from(place).unwrap_or(u8::MAX)
}

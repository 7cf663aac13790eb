//! The rules about more than the status, as a chain of conditions on masks.

use permanence_core::Network;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::probes;
use super::rows::Rows;
use super::values::{self, byte, variant};
use crate::{Codes, Compiled, CompiledRule, EndpointPolicy};

/// Whether any endpoint has rules; a policy without them has none of their code.
pub(super) fn are_there(compiled: &Compiled) -> bool {
    let routes = compiled.routes.iter().map(|route| &route.policy);
    routes.chain([&compiled.base]).any(|policy| !policy.rule_set.rules.is_empty())
}

/// The probes of one endpoint and what follows from their answers.
///
/// `earlier` are the endpoints that have been written; what is the same as theirs refers to it.
pub(super) fn items(
    name: &Ident,
    policy: &EndpointPolicy,
    rows: &Rows,
    earlier: &[(&Ident, &EndpointPolicy)],
) -> TokenStream {
    let rules = &policy.rule_set;
    let same = |known: &&(&Ident, &EndpointPolicy)| known.1.rule_set.probes == rules.probes;
    let probes = match earlier.iter().find(same) {
        Some((first, _)) => quote!(#first::PROBES),
        None => {
            let probes = rules.probes.iter().map(probes::probe);
            quote!(&[#(#probes),*])
        }
    };
    let same = |known: &&(&Ident, &EndpointPolicy)| is_same(policy, known.1, rows);
    let (needs_body, refinement) = match earlier.iter().find(same) {
        Some((first, _)) => {
            (quote!(#first::needs_body(status)), quote!(#first::refinement(signal, bits)))
        }
        None => (needs_body(policy), chain(name, policy, rows)),
    };
    quote! {
        const PROBES: &'static [permanence::Probe<'static>] = #probes;

        fn needs_body(status: u16) -> bool {
            #needs_body
        }

        fn refinement(
            signal: &permanence::Signal<'_>,
            bits: permanence::Bits,
        ) -> ::core::option::Option<permanence::Refinement<'static>> {
            #refinement
        }
    }
}

/// The conditions by which a remembered cause finds the row of its rule, over `kind`, `number` and
/// `reason`.
pub(super) fn of_cause(policy: &EndpointPolicy, rows: &Rows) -> TokenStream {
    let mut known: Vec<(&Codes, u8)> = Vec::new();
    let mut conditions = TokenStream::new();
    for rule in &policy.rule_set.rules {
        let Some(place) = rule.row else { continue };
        let Some(row) = policy.rules.get(usize::from(place)) else { continue };
        let reason = row.reason.number();
        if known.contains(&(&rule.codes, reason)) {
            continue;
        }
        known.push((&rule.codes, reason));
        let codes = codes(&rule.codes);
        let reason = Literal::u8_unsuffixed(reason);
        let row = rows.expression(rows.number(policy, place));
        conditions.extend(quote! {
            if reason == #reason && #codes {
                return #row;
            }
        });
    }
    conditions
}

/// The methods of `Policy`, where there are rules; `answer` writes the body of one from the way in
/// which an endpoint is asked.
pub(super) fn methods(answer: impl Fn(TokenStream) -> TokenStream) -> TokenStream {
    let probes = answer(quote!(PROBES));
    let needs_body = answer(quote!(needs_body(status)));
    let refinement = answer(quote!(refinement(signal, bits)));
    quote! {
        fn probes(&self) -> &[permanence::Probe<'_>] {
            #probes
        }

        fn needs_body(&self, status: u16) -> bool {
            #needs_body
        }

        fn refinement(
            &self,
            signal: &permanence::Signal<'_>,
            bits: permanence::Bits,
        ) -> ::core::option::Option<permanence::Refinement<'_>> {
            #refinement
        }
    }
}

/// Whether two endpoints say the same; places of rows differ from one to the next.
fn is_same(one: &EndpointPolicy, other: &EndpointPolicy, rows: &Rows) -> bool {
    let resolved = |policy: &EndpointPolicy, rule: &CompiledRule| match rule.row {
        Some(place) => vec![rows.number(policy, place)],
        // Without a row it is that of the code, which another endpoint may judge otherwise.
        None => numbers_of_codes(policy, rows),
    };
    let (mine, theirs) = (&one.rule_set, &other.rule_set);
    let codes = |policy: &EndpointPolicy| -> Vec<(u16, String)> {
        policy.provider.iter().map(|row| (row.status, row.code.clone())).collect()
    };
    mine.probes == theirs.probes
        && codes(one) == codes(other)
        && mine.rules.len() == theirs.rules.len()
        && mine.rules.iter().zip(&theirs.rules).all(|(mine, theirs)| {
            mine.row.is_some() == theirs.row.is_some()
                && resolved(one, mine) == resolved(other, theirs)
                && CompiledRule { row: None, ..mine.clone() }
                    == CompiledRule { row: None, ..theirs.clone() }
        })
}

/// The rows of all codes.
fn numbers_of_codes(policy: &EndpointPolicy, rows: &Rows) -> Vec<usize> {
    let http = policy.http.table.iter().chain([&policy.http.other]);
    let grpc = policy.grpc.table.iter().chain([&policy.grpc.other]);
    let others = policy.coap.iter().chain(&policy.network).chain([&policy.unusable]);
    let provider = policy.provider.iter().map(|row| &row.rule);
    let places = http.chain(grpc).chain(others).chain(provider);
    places.map(|place| rows.number(policy, *place)).collect()
}

fn needs_body(policy: &EndpointPolicy) -> TokenStream {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for status in (0..=u16::MAX).filter(|status| policy.rule_set.needs_body(*status)) {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(status) => *last = status,
            _ => runs.push((status, status)),
        }
    }
    match runs.as_slice() {
        [] => quote!(false),
        [(0, u16::MAX)] => quote!(true),
        _ => {
            let patterns = patterns(&runs, Literal::u16_unsuffixed);
            quote!(::core::matches!(status, #patterns))
        }
    }
}

fn chain(name: &Ident, policy: &EndpointPolicy, rows: &Rows) -> TokenStream {
    if policy.rule_set.rules.is_empty() {
        return quote!(None);
    }
    let rules = policy.rule_set.rules.iter().map(|rule| {
        let codes = codes(&rule.codes);
        let (wanted, unwanted) = (mask(rule.wanted), mask(rule.unwanted));
        let wanted = (rule.wanted != 0).then(|| quote!(&& mask & #wanted == #wanted));
        let unwanted = (rule.unwanted != 0).then(|| quote!(&& mask & #unwanted == 0));
        let id = &rule.id;
        let row = match rule.row {
            Some(place) => rows.expression(rows.number(policy, place)),
            None => quote!(#name::of_signal(signal)),
        };
        let processed = optional(rule.processed.map(values::processed));
        let delay = optional(rule.delay.as_ref().map(probes::delay));
        quote! {
            if #codes #wanted #unwanted {
                return Some(permanence::Refinement {
                    id: #id,
                    rule: #row.rule(),
                    processed: #processed,
                    delay: #delay,
                });
            }
        }
    });
    quote! {
        let code = signal.code();
        let (kind, number, mask) = (code.kind(), code.number(), bits.mask());
        #(#rules)*
        None
    }
}

fn optional(of: Option<TokenStream>) -> TokenStream {
    match of {
        Some(of) => quote!(Some(#of)),
        None => quote!(None),
    }
}

/// A mask as it is read: `0x5`.
fn mask(of: u64) -> Literal {
    format!("{of:#x}").parse().unwrap_or_else(|_| Literal::u64_unsuffixed(of))
}

/// Whether a signal is one of `codes`, over its `kind` and its `number`.
fn codes(of: &Codes) -> TokenStream {
    let (kinds, numbers) = match of {
        Codes::Any => {
            return quote!(!::core::matches!(kind, permanence::SignalKind::Cancelled));
        }
        Codes::Answers => {
            return quote!(::core::matches!(
                kind,
                permanence::SignalKind::Coap
                    | permanence::SignalKind::Grpc
                    | permanence::SignalKind::Http
                    | permanence::SignalKind::Unusable
            ));
        }
        Codes::Coap(bytes) => {
            let bytes = bytes.iter().map(|code| byte(u16::from(*code)));
            (quote!(permanence::SignalKind::Coap), quote!(#(#bytes)|*))
        }
        Codes::Grpc(codes) => {
            let codes = codes.iter().map(|code| Literal::u8_unsuffixed(*code));
            (quote!(permanence::SignalKind::Grpc), quote!(#(#codes)|*))
        }
        Codes::Http(ranges) => (
            quote!(permanence::SignalKind::Http | permanence::SignalKind::Unusable),
            patterns(ranges, Literal::u16_unsuffixed),
        ),
        Codes::Network(errors) => return networks(errors),
    };
    quote!(::core::matches!((kind, number), (#kinds, #numbers)))
}

/// Network errors by their names rather than by their numbers.
fn networks(errors: &[Network]) -> TokenStream {
    let errors = errors.iter().map(|error| variant(*error));
    quote!(::core::matches!(
        signal,
        permanence::Signal::Network(#(permanence::Network::#errors)|*)
    ))
}

fn patterns(ranges: &[(u16, u16)], literal: impl Fn(u16) -> Literal) -> TokenStream {
    let patterns = ranges.iter().map(|(first, last)| {
        let (start, end) = (literal(*first), literal(*last));
        if first == last { quote!(#start) } else { quote!(#start..=#end) }
    });
    quote!(#(#patterns)|*)
}

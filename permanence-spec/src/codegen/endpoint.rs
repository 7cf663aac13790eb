//! The tables of one endpoint, as functions from codes to rows.

use permanence_core::Network;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::arms::{Table, arms, listed, most_common};
use super::names::Names;
use super::processed;
use super::refinements;
use super::rows::Rows;
use super::values::{self, byte, variant};
use crate::{Compiled, EndpointPolicy, HTTP_FIRST, HTTP_LAST, HTTP_LEN};

/// The policy of all other endpoints, and those of the routes in the order of the file.
pub(super) struct Endpoints<'c> {
    rows: &'c Rows,
    all: Vec<Endpoint<'c>>,
    has_rules: bool,
}

impl<'c> Endpoints<'c> {
    pub(super) fn new(compiled: &'c Compiled, rows: &'c Rows, names: &mut Names) -> Self {
        let mut all = vec![Endpoint::new(&compiled.base, names.type_of("Base"), rows)];
        for route in &compiled.routes {
            let method = route.method.as_deref().unwrap_or("Any");
            let name = names.type_of(&format!("{method} {}", route.template));
            all.push(Endpoint::new(&route.policy, name, rows));
        }
        Endpoints { rows, all, has_rules: refinements::are_there(compiled) }
    }

    pub(super) fn base(&self) -> &Ident {
        self.all.first().map_or(self.rows.enum_name(), |base| &base.name)
    }

    /// The names of the endpoints of the routes.
    pub(super) fn routes(&self) -> impl Iterator<Item = &Ident> {
        self.all.iter().skip(1).map(|endpoint| &endpoint.name)
    }

    pub(super) fn items(&self) -> TokenStream {
        let items = self.all.iter().enumerate().map(|(place, endpoint)| {
            let (earlier, _) = self.all.split_at(place);
            let items = endpoint.items(self.rows, earlier);
            let rules = self.has_rules.then(|| endpoint.refinements(self.rows, earlier));
            quote!(#items #rules)
        });
        quote!(#(#items)*)
    }
}

/// One endpoint, its places turned into the numbers of rows that all endpoints share.
struct Endpoint<'c> {
    name: Ident,
    policy: &'c EndpointPolicy,
    http: Vec<usize>,
    http_other: usize,
    grpc: Vec<usize>,
    grpc_other: usize,
    coap: Vec<usize>,
    network: Vec<usize>,
}

impl<'c> Endpoint<'c> {
    fn new(policy: &'c EndpointPolicy, name: Ident, rows: &Rows) -> Self {
        let number = |place: &u8| rows.number(policy, *place);
        Endpoint {
            name,
            policy,
            http: policy.http.table.iter().map(number).collect(),
            http_other: number(&policy.http.other),
            grpc: policy.grpc.table.iter().map(number).collect(),
            grpc_other: number(&policy.grpc.other),
            coap: policy.coap.iter().map(number).collect(),
            network: policy.network.iter().map(number).collect(),
        }
    }

    /// A type without values whose functions are the tables; one that is the same as that of an
    /// earlier endpoint refers to it.
    fn items(&self, rows: &Rows, earlier: &[Endpoint<'_>]) -> TokenStream {
        let name = &self.name;
        let row = rows.enum_name();
        let settings = values::settings(&self.policy.settings);
        let http = self.http(rows, earlier);
        let grpc = self.grpc(rows, earlier);
        let coap = self.coap(rows, earlier);
        let network = self.network(rows, earlier);
        let of_signal = self.of_signal(rows);
        let of_cause = self.of_cause(rows);
        let same = |other: &&Endpoint<'_>| processed::is_same(self.policy, other.policy);
        let processed = match earlier.iter().find(same) {
            Some(first) => processed::reference(&first.name),
            None => processed::function(self.policy),
        };
        quote! {
            struct #name;

            impl #name {
                const SETTINGS: permanence::Settings = #settings;

                #http

                const fn grpc(code: u8) -> #row {
                    #grpc
                }

                const fn coap(byte: u8) -> #row {
                    #coap
                }

                const fn network(error: permanence::Network) -> #row {
                    #network
                }

                #of_signal
                #of_cause
                #processed
            }
        }
    }

    fn refinements(&self, rows: &Rows, earlier: &[Endpoint<'_>]) -> TokenStream {
        let name = &self.name;
        let earlier: Vec<_> = earlier.iter().map(|other| (&other.name, other.policy)).collect();
        let items = refinements::items(name, self.policy, rows, &earlier);
        quote! {
            impl #name {
                #items
            }
        }
    }

    /// The match over statuses, and a table of it that is made when the program is compiled: one
    /// load instead of a jump.
    fn http(&self, rows: &Rows, earlier: &[Endpoint<'_>]) -> TokenStream {
        let (name, row) = (&self.name, rows.enum_name());
        let same =
            |other: &&Endpoint<'_>| other.http == self.http && other.http_other == self.http_other;
        if let Some(Endpoint { name: first, .. }) = earlier.iter().find(same) {
            return quote! {
                #[inline]
                fn http_from_table(status: u16) -> #row {
                    #first::http_from_table(status)
                }
            };
        }
        let table =
            Table { values: &self.http, first: HTTP_FIRST, block: 100, other: self.http_other };
        let arms = arms(&table, Literal::u16_unsuffixed, |number| rows.expression(number));
        let other = rows.expression(self.http_other);
        let first = Literal::u16_unsuffixed(HTTP_FIRST);
        let last = Literal::u16_unsuffixed(HTTP_LAST);
        let length = Literal::usize_unsuffixed(HTTP_LEN);
        quote! {
            const fn http(status: u16) -> #row {
                match status {
                    #arms
                }
            }

            #[inline]
            fn http_from_table(status: u16) -> #row {
                static TABLE: [#row; #length] = {
                    let mut table = [#other; #length];
                    let mut status = #first;
                    while status <= #last {
                        table[(status - #first) as usize] = #name::http(status);
                        status += 1;
                    }
                    table
                };
                match TABLE.get(status.wrapping_sub(#first) as usize) {
                    Some(row) => *row,
                    None => #other,
                }
            }
        }
    }

    fn grpc(&self, rows: &Rows, earlier: &[Endpoint<'_>]) -> TokenStream {
        let same =
            |other: &&Endpoint<'_>| other.grpc == self.grpc && other.grpc_other == self.grpc_other;
        if let Some(Endpoint { name, .. }) = earlier.iter().find(same) {
            return quote!(#name::grpc(code));
        }
        let codes: Vec<Literal> = (0..=u8::MAX).map(Literal::u8_unsuffixed).collect();
        let values = codes.iter().zip(self.grpc.iter().copied());
        let arms = listed(values, self.grpc_other, |number| rows.expression(number));
        quote! {
            match code {
                #arms
            }
        }
    }

    fn coap(&self, rows: &Rows, earlier: &[Endpoint<'_>]) -> TokenStream {
        if let Some(Endpoint { name, .. }) = earlier.iter().find(|other| other.coap == self.coap) {
            return quote!(#name::coap(byte));
        }
        let other = most_common(&self.coap).unwrap_or(rows.ignored());
        // A class of CoAP codes is 32 bytes long.
        let table = Table { values: &self.coap, first: 0, block: 32, other };
        let arms = arms(&table, byte, |number| rows.expression(number));
        quote! {
            match byte {
                #arms
            }
        }
    }

    fn network(&self, rows: &Rows, earlier: &[Endpoint<'_>]) -> TokenStream {
        let same = |other: &&Endpoint<'_>| other.network == self.network;
        if let Some(Endpoint { name, .. }) = earlier.iter().find(same) {
            return quote!(#name::network(error));
        }
        let other = most_common(&self.network).unwrap_or(rows.ignored());
        let errors = Network::ALL.map(|error| {
            let error = variant(error);
            quote!(permanence::Network::#error)
        });
        let values = errors.iter().zip(self.network.iter().copied());
        let arms = listed(values, other, |number| rows.expression(number));
        quote! {
            match error {
                #arms
            }
        }
    }

    fn of_signal(&self, rows: &Rows) -> TokenStream {
        let (name, row) = (&self.name, rows.enum_name());
        let unusable = rows.expression(rows.number(self.policy, self.policy.unusable));
        let ignored = rows.expression(rows.ignored());
        let provider_arm = if self.policy.provider.is_empty() {
            quote! {
                permanence::Signal::Provider { status, .. } => #name::http_from_table(status),
            }
        } else {
            let codes = self.policy.provider.iter().map(|provider| {
                let status = Literal::u16_unsuffixed(provider.status);
                let code = &provider.code;
                let row = rows.expression(rows.number(self.policy, provider.rule));
                quote!((#status, #code) => #row,)
            });
            quote! {
                permanence::Signal::Provider { status, code } => match (status, code) {
                    #(#codes)*
                    _ => #name::http_from_table(status),
                },
            }
        };
        quote! {
            #[inline]
            fn of_signal(signal: &permanence::Signal<'_>) -> #row {
                match *signal {
                    permanence::Signal::Http(status) => #name::http_from_table(status),
                    _ => #name::of_others(signal),
                }
            }

            /// Out of line, so that the way of HTTP is short where it is inlined.
            #[inline(never)]
            fn of_others(signal: &permanence::Signal<'_>) -> #row {
                match *signal {
                    #provider_arm
                    permanence::Signal::Grpc(code) => #name::grpc(code),
                    permanence::Signal::Coap(byte) => #name::coap(byte),
                    permanence::Signal::Network(error) => #name::network(error),
                    permanence::Signal::Unusable { .. } => #unusable,
                    _ => #ignored,
                }
            }
        }
    }

    /// A cause keeps neither a provider's code nor what was found in the answer; its reason tells which
    /// of the codes of its status, or which of the rules about it, it was.
    fn of_cause(&self, rows: &Rows) -> TokenStream {
        let (name, row) = (&self.name, rows.enum_name());
        let mut known = Vec::new();
        let mut arms = TokenStream::new();
        let mut arms_of_some = TokenStream::new();
        for provider in &self.policy.provider {
            let rule = |place: u8| self.policy.rules.get(usize::from(place));
            let Some(coded) = rule(provider.rule) else { continue };
            let plain = rule(self.policy.http.of(provider.status));
            let is_plain = plain.is_some_and(|plain| plain.reason == coded.reason);
            if is_plain || known.contains(&(provider.status, coded.reason)) {
                continue;
            }
            known.push((provider.status, coded.reason));
            let status = Literal::u16_unsuffixed(provider.status);
            let reason = Literal::u8_unsuffixed(coded.reason.number());
            let row = rows.expression(rows.number(self.policy, provider.rule));
            let pattern = quote!((permanence::SignalKind::Http, #status, #reason));
            arms.extend(quote!(#pattern => #row,));
            arms_of_some.extend(quote!(#pattern => Some(#row),));
        }
        let refined = refinements::of_cause(self.policy, rows);
        if !refined.is_empty() {
            return quote! {
                fn of_cause(cause: permanence::Cause) -> #row {
                    let code = cause.code();
                    let reason = cause.reason().number();
                    let coded = match (code.kind(), code.number(), reason) {
                        #arms_of_some
                        _ => None,
                    };
                    if let Some(row) = coded {
                        return row;
                    }
                    let signal = &cause.signal();
                    let plain = #name::of_signal(signal);
                    if plain.rule().reason.number() == reason {
                        return plain;
                    }
                    let (kind, number) = (signal.code().kind(), signal.code().number());
                    #refined
                    plain
                }
            };
        }
        if arms.is_empty() {
            return quote! {
                fn of_cause(cause: permanence::Cause) -> #row {
                    #name::of_signal(&cause.signal())
                }
            };
        }
        quote! {
            fn of_cause(cause: permanence::Cause) -> #row {
                let code = cause.code();
                match (code.kind(), code.number(), cause.reason().number()) {
                    #arms
                    _ => #name::of_signal(&cause.signal()),
                }
            }
        }
    }
}

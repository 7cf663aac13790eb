//! The second axis: only what a policy says otherwise than the language.

use permanence_core::{Processed, Signal, default_processed};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::values::{self, byte};
use crate::{EndpointPolicy, HTTP_FIRST, HTTP_LAST};

/// Whether two endpoints say the same.
pub(super) fn is_same(one: &EndpointPolicy, other: &EndpointPolicy) -> bool {
    one.processed == other.processed && one.provider == other.provider
}

/// The function of an endpoint that says the same as `first`.
pub(super) fn reference(first: &Ident) -> TokenStream {
    quote! {
        fn processed(signal: &permanence::Signal<'_>) -> permanence::Processed {
            #first::processed(signal)
        }
    }
}

/// Whether a peer that answered with a signal acted on the request.
pub(super) fn function(policy: &EndpointPolicy) -> TokenStream {
    let http = http_arms(policy);
    let grpc = grpc_arms(policy);
    let coap = (0..=u8::MAX)
        .zip(policy.processed.coap)
        .map(|(code, found)| (byte(code.into()), found, default_processed(&Signal::Coap(code))));
    let coap = differing(coap);
    let codes = policy.provider.iter().map(|provider| {
        let status = Literal::u16_unsuffixed(provider.status);
        let (code, processed) = (&provider.code, values::processed(provider.processed));
        quote!(permanence::Signal::Provider { status: #status, code: #code } => #processed,)
    });
    let standard = quote!(permanence::default_processed(signal));
    let http = matched(&quote!(status), &http, &standard);
    let grpc = matched(&quote!(code), &grpc, &standard);
    let coap = matched(&quote!(byte), &coap, &standard);
    quote! {
        fn processed(signal: &permanence::Signal<'_>) -> permanence::Processed {
            match *signal {
                #(#codes)*
                permanence::Signal::Http(status) | permanence::Signal::Provider { status, .. } => {
                    #http
                }
                permanence::Signal::Grpc(code) => #grpc,
                permanence::Signal::Coap(byte) => #coap,
                _ => #standard,
            }
        }
    }
}

/// A match over `number`, or nothing but the rest where there are no arms.
fn matched(number: &TokenStream, arms: &TokenStream, rest: &TokenStream) -> TokenStream {
    if arms.is_empty() {
        return rest.clone();
    }
    quote! {
        match #number {
            #arms
            _ => #rest,
        }
    }
}

fn http_arms(policy: &EndpointPolicy) -> TokenStream {
    let rows = &policy.processed.http;
    let standard = |status: u16| default_processed(&Signal::Http(status));
    let named = (HTTP_FIRST..=HTTP_LAST)
        .map(|status| (Literal::u16_unsuffixed(status), rows.of(status), standard(status)));
    let named = differing(named);
    if rows.other == standard(0) {
        return named;
    }
    let (first, last) = (Literal::u16_unsuffixed(HTTP_FIRST), Literal::u16_unsuffixed(HTTP_LAST));
    let other = values::processed(rows.other);
    quote! {
        #named
        ..#first => #other,
        _ if status > #last => #other,
    }
}

fn grpc_arms(policy: &EndpointPolicy) -> TokenStream {
    let rows = &policy.processed.grpc;
    let standard = |code: u8| default_processed(&Signal::Grpc(code));
    differing(
        (0..=u8::MAX).map(|code| (Literal::u8_unsuffixed(code), rows.of(code), standard(code))),
    )
}

/// The arms of those codes whose value is not the standard one.
fn differing(values: impl Iterator<Item = (Literal, Processed, Processed)>) -> TokenStream {
    let mut arms = TokenStream::new();
    let values: Vec<_> = values.filter(|(_, found, standard)| found != standard).collect();
    for wanted in [Processed::No, Processed::Unknown, Processed::Yes] {
        let codes = values.iter().filter(|(_, found, _)| *found == wanted).map(|(code, ..)| code);
        let codes: Vec<_> = codes.collect();
        if !codes.is_empty() {
            let wanted = values::processed(wanted);
            arms.extend(quote!(#(#codes)|* => #wanted,));
        }
    }
    arms
}

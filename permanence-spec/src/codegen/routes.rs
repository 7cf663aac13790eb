//! Who asks which table: the traits of the core for the generated types.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::endpoint::Endpoints;
use super::{Shared, refinements};
use crate::Compiled;

/// A policy without routes is its own endpoint.
pub(super) fn single(name: &Ident, base: &Ident, shared: &Shared) -> TokenStream {
    let policy = policy_of_base(name, base, shared);
    quote! {
        #policy

        impl permanence::RoutePolicy for #name {
            type Endpoint = #name;

            fn endpoint(&self, _: &str, _: &str) -> #name {
                #name
            }
        }
    }
}

/// A policy with routes hands out endpoints.
pub(super) fn several(
    compiled: &Compiled,
    name: &Ident,
    endpoint: &Ident,
    endpoints: &Endpoints<'_>,
    shared: &Shared,
) -> TokenStream {
    let base = endpoints.base();
    let policy = policy_of_base(name, base, shared);
    let all: Vec<&Ident> = std::iter::once(base).chain(endpoints.routes()).collect();
    let custom_names = &shared.custom_names;
    let rules = shared.has_rules.then(|| {
        refinements::methods(|asked| {
            quote! {
                match self {
                    #(#endpoint::#all => #all::#asked,)*
                }
            }
        })
    });
    let choices = compiled.routes.iter().zip(endpoints.routes()).map(|(route, variant)| {
        let template = &route.template;
        let method = route.method.as_ref().map(|method| quote!(method == #method &&));
        quote! {
            if #method permanence::route_matches(#template, path) {
                return #endpoint::#variant;
            }
        }
    });
    quote! {
        #policy

        impl permanence::RoutePolicy for #name {
            type Endpoint = #endpoint;

            fn endpoint(&self, method: &str, path: &str) -> #endpoint {
                #(#choices)*
                #endpoint::#base
            }
        }

        impl permanence::Policy for #endpoint {
            #[inline]
            fn rule(&self, signal: &permanence::Signal<'_>) -> &permanence::Rule {
                match self {
                    #(#endpoint::#all => #all::of_signal(signal).rule(),)*
                }
            }

            fn settings(&self) -> &permanence::Settings {
                match self {
                    #(#endpoint::#all => &#all::SETTINGS,)*
                }
            }

            fn cause_rule(&self, cause: permanence::Cause) -> &permanence::Rule {
                match self {
                    #(#endpoint::#all => #all::of_cause(cause).rule(),)*
                }
            }

            fn answered_processed(
                &self,
                signal: &permanence::Signal<'_>,
            ) -> permanence::Processed {
                match self {
                    #(#endpoint::#all => #all::processed(signal),)*
                }
            }

            #rules
            #custom_names
        }
    }
}

/// The enum of the endpoints.
pub(super) fn endpoint_type(
    compiled: &Compiled,
    visibility: &TokenStream,
    endpoint: &Ident,
    endpoints: &Endpoints<'_>,
) -> TokenStream {
    let base = endpoints.base();
    let routes = compiled.routes.iter().zip(endpoints.routes()).map(|(route, variant)| {
        let title = match &route.method {
            Some(method) => format!(" `{method} {}`", route.template),
            None => format!(" `{}`, by every method", route.template),
        };
        quote! {
            #[doc = #title]
            #variant,
        }
    });
    quote! {
        /// The policy as one endpoint sees it.
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::cmp::Eq,
            ::core::cmp::PartialEq,
        )]
        #[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
        #visibility enum #endpoint {
            /// Every endpoint without a route of its own.
            #base,
            #(#routes)*
        }
    }
}

fn policy_of_base(name: &Ident, base: &Ident, shared: &Shared) -> TokenStream {
    let custom_names = &shared.custom_names;
    let rules = shared.has_rules.then(|| refinements::methods(|asked| quote!(#base::#asked)));
    quote! {
        impl permanence::Policy for #name {
            #[inline]
            fn rule(&self, signal: &permanence::Signal<'_>) -> &permanence::Rule {
                #base::of_signal(signal).rule()
            }

            fn settings(&self) -> &permanence::Settings {
                &#base::SETTINGS
            }

            fn cause_rule(&self, cause: permanence::Cause) -> &permanence::Rule {
                #base::of_cause(cause).rule()
            }

            fn answered_processed(
                &self,
                signal: &permanence::Signal<'_>,
            ) -> permanence::Processed {
                #base::processed(signal)
            }

            #rules
            #custom_names
        }
    }
}

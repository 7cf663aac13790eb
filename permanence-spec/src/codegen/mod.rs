//! From checked tables to Rust: a policy that is compiled in.
//!
//! What comes out is plain: a match over signals that returns references to constants. The macro, the
//! build script and the command line emit the same tokens.

mod arms;
mod endpoint;
mod names;
mod probes;
mod processed;
mod refinements;
mod routes;
mod rows;
mod values;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use self::endpoint::Endpoints;
use self::names::Names;
use self::rows::Rows;
use crate::Compiled;

/// What the generated items are called and where they find the core.
///
/// # Examples
///
/// ```
/// use permanence_spec::codegen::{Shape, emit};
///
/// let compiled = permanence_spec::default_policy().unwrap();
/// let text = emit(&compiled, &Shape::default()).to_string();
/// assert!(text.contains("pub struct Policy"));
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    /// The path of `permanence_core`, as the place of the generated items sees it.
    pub core: TokenStream,
    /// The name of the policy.
    pub name: Ident,
    /// The visibility of the policy; empty for private.
    pub visibility: TokenStream,
}

impl Default for Shape {
    /// `pub struct Policy`, with the core at `::permanence_core`.
    fn default() -> Self {
        Shape {
            core: quote!(::permanence_core),
            name: Ident::new("Policy", Span::call_site()),
            visibility: quote!(pub),
        }
    }
}

/// The items of a policy: a unit type that implements `Policy` and `RoutePolicy`.
///
/// A policy with routes has an enum beside it, `PolicyEndpoint` for a policy called `Policy`, with
/// one variant for each route. The items need no allocator, no standard library and no prelude, and
/// have no panic path.
#[must_use]
pub fn emit(compiled: &Compiled, shape: &Shape) -> TokenStream {
    let Shape { core, name, visibility } = shape;
    let endpoint_name = format_ident!("{name}Endpoint");
    let mut names = Names::new(["permanence", &name.to_string(), &endpoint_name.to_string()]);
    let row_type = names.type_of("Row");
    let reasons = compiled.custom_reasons.as_slice();
    let rows = Rows::new(compiled, row_type);
    let endpoints = Endpoints::new(compiled, &rows, &mut names);

    let row_items = rows.items();
    let endpoint_items = endpoints.items();
    let custom_names = custom_reason_name(reasons);
    let shared = Shared { custom_names, has_rules: refinements::are_there(compiled) };
    let routes = if compiled.routes.is_empty() {
        routes::single(name, endpoints.base(), &shared)
    } else {
        routes::several(compiled, name, &endpoint_name, &endpoints, &shared)
    };
    let endpoint_type = (!compiled.routes.is_empty())
        .then(|| routes::endpoint_type(compiled, visibility, &endpoint_name, &endpoints));
    let derives = quote!(#[derive(
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::fmt::Debug,
        ::core::default::Default,
        ::core::cmp::Eq,
        ::core::cmp::PartialEq,
    )]);
    quote! {
        /// A policy that is compiled in.
        #derives
        #[allow(unreachable_pub)]
        #visibility struct #name;

        #endpoint_type

        #[allow(
            unused,
            clippy::all,
            clippy::nursery,
            clippy::pedantic,
            clippy::restriction
        )]
        const _: () = {
            use ::core::option::Option::{None, Some};
            use #core as permanence;

            #row_items
            #endpoint_items
            #routes
        };
    }
}

/// What every type that implements `Policy` has in common.
struct Shared {
    custom_names: TokenStream,
    has_rules: bool,
}

/// The method of `Policy` that names the policy's own reasons, where there are any.
fn custom_reason_name(reasons: &[String]) -> TokenStream {
    if reasons.is_empty() {
        return TokenStream::new();
    }
    let arms = reasons.iter().zip(values::custom_numbers()).map(|(name, number)| {
        let number = number.to_token_stream();
        quote!(#number => Some(#name),)
    });
    quote! {
        fn custom_reason_name(
            &self,
            reason: permanence::Reason,
        ) -> ::core::option::Option<&str> {
            match reason.number() {
                #(#arms)*
                _ => None,
            }
        }
    }
}

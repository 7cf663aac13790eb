//! The rows of all tables together, as an enum that knows its rules.

use permanence_core::{Reason, Rule};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::names::Names;
use super::values;
use crate::{Compiled, EndpointPolicy};

/// The distinct rules of a policy and its routes, each with a name.
pub(super) struct Rows {
    enum_name: Ident,
    rules: Vec<(Rule, Ident)>,
}

impl Rows {
    pub(super) fn new(compiled: &Compiled, enum_name: Ident) -> Self {
        let mut rows = Rows { enum_name, rules: Vec::new() };
        let mut names = Names::new([]);
        let routes = compiled.routes.iter().map(|route| &route.policy);
        for policy in std::iter::once(&compiled.base).chain(routes) {
            // A place outside the table stands for this one.
            for rule in policy.rules.iter().chain([&Rule::IGNORED]) {
                if rows.place(rule).is_none() {
                    let name = names.type_of(reason_name(compiled, rule.reason));
                    rows.rules.push((*rule, name));
                }
            }
        }
        rows
    }

    /// The number, over all tables, of the rule that stands at `place` in the table of `policy`.
    pub(super) fn number(&self, policy: &EndpointPolicy, place: u8) -> usize {
        let rule = policy.rules.get(usize::from(place)).unwrap_or(&Rule::IGNORED);
        self.place(rule).unwrap_or(0)
    }

    /// The row with this number, as an expression.
    pub(super) fn expression(&self, number: usize) -> TokenStream {
        let enum_name = &self.enum_name;
        match self.rules.get(number) {
            Some((_, name)) => quote!(#enum_name::#name),
            None => TokenStream::new(),
        }
    }

    /// The row of no evidence.
    pub(super) fn ignored(&self) -> usize {
        self.place(&Rule::IGNORED).unwrap_or(0)
    }

    pub(super) fn enum_name(&self) -> &Ident {
        &self.enum_name
    }

    /// The enum, and the rule of each variant.
    pub(super) fn items(&self) -> TokenStream {
        let enum_name = &self.enum_name;
        let variants = self.rules.iter().map(|(_, name)| name);
        let arms = self.rules.iter().map(|(rule, name)| {
            let rule = values::rule(rule);
            quote!(#enum_name::#name => const { &#rule },)
        });
        quote! {
            /// A row of the table.
            #[derive(::core::clone::Clone, ::core::marker::Copy)]
            enum #enum_name {
                #(#variants,)*
            }

            impl #enum_name {
                #[inline]
                const fn rule(self) -> &'static permanence::Rule {
                    match self {
                        #(#arms)*
                    }
                }
            }
        }
    }

    fn place(&self, rule: &Rule) -> Option<usize> {
        self.rules.iter().position(|(known, _)| known == rule)
    }
}

fn reason_name(compiled: &Compiled, reason: Reason) -> &str {
    reason.builtin_name().or_else(|| compiled.custom_reason_name(reason)).unwrap_or("unknown")
}

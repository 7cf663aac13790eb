//! From a path to items, or to one error for each fault.

use std::path::PathBuf;
use std::{env, path};

use permanence_spec::codegen::emit;
use permanence_spec::{Diagnostics, default_policy, load_path_in};
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::arguments::Arguments;

pub(crate) fn policy(arguments: &Arguments) -> TokenStream {
    let Some(literal) = &arguments.path else { return default(arguments) };
    let root = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    match load_path_in(&root, literal.value()) {
        Ok(compiled) => {
            let mut items = watch(&compiled.files);
            items.extend(emit(&compiled, &arguments.shape));
            items
        }
        Err(faults) => {
            let mut items = watch(faults.files());
            items.extend(errors(&faults, literal.span()));
            // A policy all the same, so that the faults of the file are the only errors there are.
            items.extend(default(arguments));
            items
        }
    }
}

fn default(arguments: &Arguments) -> TokenStream {
    match default_policy() {
        Ok(compiled) => emit(&compiled, &arguments.shape),
        Err(faults) => errors(&faults, Span::call_site()),
    }
}

/// One error for each fault, its text the one that the loader gives.
fn errors(faults: &Diagnostics, span: Span) -> TokenStream {
    let left_out = Some(faults.left_out()).filter(|count| *count > 0);
    let texts = faults.iter().map(ToString::to_string);
    texts
        .chain(left_out.map(|count| format!("and {count} more")))
        .map(|text| quote_spanned!(span=> ::core::compile_error! { #text }))
        .collect()
}

/// The compiler watches what it is told to include.
fn watch(files: &[PathBuf]) -> TokenStream {
    files
        .iter()
        .filter_map(|file| path::absolute(file).ok())
        .filter_map(|file| file.to_str().map(str::to_owned))
        .map(|file| {
            quote_spanned! { Span::call_site()=>
                const _: &[u8] = ::core::include_bytes!(#file);
            }
        })
        .collect()
}

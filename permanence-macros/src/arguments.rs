//! What stands between the parentheses.

use permanence_spec::codegen::Shape;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Path, Token, Visibility};

/// A path, and what the generated items are called.
pub(crate) struct Arguments {
    /// The path of the file; `None` for the default policy.
    pub(crate) path: Option<LitStr>,
    pub(crate) shape: Shape,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut arguments = Arguments { path: None, shape: Shape::default() };
        arguments.shape.visibility = proc_macro2::TokenStream::new();
        if input.peek(LitStr) {
            arguments.path = Some(input.parse()?);
            parse_comma(input)?;
        }
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                arguments.shape.core = Path::parse_mod_style(input)?.into_token_stream();
            } else {
                let option: Ident = input.parse()?;
                if option != "name" {
                    let text = format!("unknown option `{option}`: there are `name` and `crate`");
                    return Err(syn::Error::new(option.span(), text));
                }
                input.parse::<Token![=]>()?;
                arguments.shape.visibility = input.parse::<Visibility>()?.into_token_stream();
                arguments.shape.name = input.parse()?;
            }
            parse_comma(input)?;
        }
        Ok(arguments)
    }
}

fn parse_comma(input: ParseStream<'_>) -> syn::Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

//! The policy language: TOML in, checked tables or readable diagnostics out.

#[cfg(feature = "build")]
pub mod build;
#[cfg(feature = "codegen")]
pub mod codegen;
mod compiled;
mod diagnostic;
mod layer;
mod load;
mod loaded;
mod resolve;
mod source;
mod syntax;

pub use compiled::{
    CodeRows, Compiled, EndpointPolicy, HTTP_FIRST, HTTP_LAST, HTTP_LEN, HttpRows, ProcessedRows,
    ProviderRow, Route,
};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Label};
pub use load::{default_policy, essay_policy, load_path, load_path_in, load_str};
pub use loaded::{LoadedEndpoint, LoadedPolicy};

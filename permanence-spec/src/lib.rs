//! The policy language: TOML in, checked tables or readable diagnostics out.

mod compiled;
mod loaded;

pub use compiled::{
    CodeRows, Compiled, EndpointPolicy, HTTP_FIRST, HTTP_LEN, HttpRows, ProcessedRows, ProviderRow,
    Route,
};
pub use loaded::{LoadedEndpoint, LoadedPolicy};

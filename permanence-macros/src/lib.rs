//! The macro of permanence: a policy file, checked and compiled in.
//!
//! A thin shell over `permanence_spec`, which the command line, the build scripts and the run-time
//! loader use as well.

mod arguments;
mod expand;

use proc_macro::TokenStream;
use syn::parse_macro_input;

use crate::arguments::Arguments;

/// Compiles a policy file in: a unit type that implements `Policy` and `RoutePolicy`.
///
/// The path is relative to the directory of the package's `Cargo.toml`; without one it is the default
/// policy. A file with faults is a compile error for each of them, with its place and what would mend
/// it. Every file that was read is watched.
///
/// After the path, in any order:
///
/// - `name = pub Reporter`: the name and the visibility of the type; `Policy` and private if not
///   given. A policy with routes has the enum `ReporterEndpoint` beside it.
/// - `crate = some::path`: where `permanence_core` is; `::permanence_core` if not given.
///
/// # Examples
///
/// The default policy, which takes a missing route for missing at once:
///
/// ```
/// use permanence_core::{Policy as _, Signal};
///
/// permanence_macros::policy!(name = Reporter);
///
/// let rule = Reporter.rule(&Signal::Http(404));
/// assert_eq!(rule.disable_after.map(|threshold| threshold.get()), Some(1));
/// ```
#[proc_macro]
pub fn policy(input: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(input as Arguments);
    expand::policy(&arguments).into()
}

//! The policy language: TOML in, checked tables or readable diagnostics out.
//!
//! A policy file says what each failure means and what follows from it. It comes to [`Compiled`]
//! tables, a total function from signals to rules for every endpoint, or to [`Diagnostics`], which
//! name everything that is wrong at once.
//!
//! # Examples
//!
//! A route that is known to lag behind its writes asks three times before it believes a 404:
//!
//! ```
//! # fn main() -> Result<(), permanence_spec::Diagnostics> {
//! use permanence_core::{Policy, RoutePolicy, Signal};
//! use permanence_spec::LoadedPolicy;
//!
//! let policy = LoadedPolicy::new(permanence_spec::load_str(
//!     "policy.toml",
//!     r#"
//!         [error_permanence]
//!         extends = "default"
//!
//!         [error_permanence.per_endpoint_overrides."GET /api/agents/{id}"]
//!         reasons.resource-absent.disable_after_consecutive = 3
//!     "#,
//! )?);
//! let threshold = |method, path| {
//!     let endpoint = policy.endpoint(method, path);
//!     endpoint.rule(&Signal::Http(404)).disable_after.map(|count| count.get())
//! };
//! assert_eq!(threshold("GET", "/api/agents/17"), Some(3));
//! assert_eq!(threshold("PUT", "/api/agents/17"), Some(1));
//! # Ok(())
//! # }
//! ```
//!
//! # The language
//!
//! Everything stands below `[error_permanence]`; a key that is not known there is an error.
//!
//! | key | value |
//! |---|---|
//! | `extends` | `"default"`, `"essay"`, `"none"` or the path of a `.toml` file, relative to this one; left out: `"none"` |
//! | `mode` | `"enforce"`, or `"observe"`: admit everything, say what would have happened |
//! | `classes.permanent`, `.transient`, `.ambiguous` | lists of codes, and the cells of a row |
//! | `classes.permanent` | also `reprobe_spread` (per cent), `confirm_max` (1 to 255), `probe_lease` |
//! | `classes.transient` | also `notice_after_consecutive` (1 to 255), `pacing` (`"advise"`, `"hold"`), `retry_after_max`, `backoff` with `base`, `max`, `jitter` (`"full"`, `"equal"`, `"decorrelated"`, `"none"`), `retry_budget` with `min_retries_per_sec`, `percent_can_retry`, `ttl` |
//! | `classes.ambiguous` | also `require_idempotency_key = true`, `on_unsafe_write_timeout = "surface"`: statements of a law, which take no other value |
//! | `reasons.NAME` | `class`, lists of codes, `provider_codes`, `unusable = true`, and the cells of a row; NAME is one of [`BUILTIN_REASONS`](permanence_core::BUILTIN_REASONS) or your own |
//! | `processed.no`, `.yes`, `.unknown` | lists of codes of any notation: whether the peer has acted on the request |
//! | `scope.credential`, `.endpoint`, `.origin`, `.payload` | lists of codes of any notation: what those codes are about, whatever their reason says |
//! | `retry.backoff`, `.cadence`, `.never`, `.once`, `.renew` | lists of codes of any notation: how those are tried again, whatever their reason says |
//! | `logging` | `flap_window`, `reminder` (each a span or `"off"`), and the statements `warn_on_state_transition_only = true`, `dedup_window = "process_lifetime_or_until_transition"` |
//! | `use` | a list of packs ([`PACKS`]): rules for one provider each |
//! | `rule` | a list of rules about more than the status (SPEC 4.4), see below |
//! | `per_endpoint_overrides."METHOD /path/{name}"` | all of the above but `extends`, for one route; without the method for all methods |
//!
//! **Lists of codes**: `status_codes` (404, `"4xx"`, `"500-599"`), `grpc_codes` (`"UNAVAILABLE"` or
//! 14), `coap_codes` (`"4.04"`), `network_errors` (the names of [`Network`](permanence_core::Network)),
//! `provider_codes` (`"429:insufficient_quota"`).
//!
//! **Cells of a row**: `disable_after_consecutive` and, for network errors alone,
//! `network_disable_after` (1 to 65535 or `"never"`), `reprobe_interval` (a span or `"never"`),
//! `reprobe_ramp` (a span or `"off"`), `retry`, `remedy`, `scope`.
//!
//! **Spans** are text with units (`"1h30m"`, `"500ms"`), or integers under the same key with `_ms` at
//! its end; above zero and below 2^31 ms.
//!
//! # Rules
//!
//! What the status cannot say a rule can: `[[error_permanence.rule]]`, at a route
//! `[[error_permanence.per_endpoint_overrides."METHOD /path".rule]]`. At most 256 in a list.
//!
//! | key | value |
//! |---|---|
//! | `id` | its name: lower-case letters, digits, `.`, `-`, `_` |
//! | `when` | conditions that all have to hold |
//! | `reason`, `class` | what the outcome is; without them it stays what its code is |
//! | `disable_after_consecutive` (or `disable_after`), `reprobe_interval`, `reprobe_ramp`, `retry`, `remedy`, `scope` | cells of its row, over those of the reason; a ramp of the reason that is above the interval of the rule is left out |
//! | `processed` | `"no"`, `"yes"`, `"unknown"`: whether the peer has acted, whatever the code says |
//! | `retry_after` | where the server's time stands: `"header:NAME"` (as `retry-after`), `"json:/pointer"` (seconds), each also with `:seconds`, `:ms`, `:epoch` or `:duration` behind it; or `"const:60s"` |
//! | `test` | examples: `status`, `grpc`, `coap` or `net`; `headers`, `request_headers`, `method` (`GET`), `body`, `redirect`; and `expect`, the id of a rule, the name of a reason or `"none"` for no rule |
//!
//! Conditions in `when`: `status`, `grpc`, `coap`, `net` (a code or a list, as in the lists of codes; one
//! notation per rule), `method`, `header.NAME`, `request_header.NAME`, `json."/pointer/*/name"`
//! (RFC 6901, `*` for every element or member, 16 steps at most), `body`, `content_type`, `redirect`. Each takes a
//! value or a list of values (it is one of them), or a table of `has`, `prefix` (a text or a list:
//! one of them), `exists` (true, false) and `not` (any of the others; it holds too where there is
//! nothing). Texts are at most 64 bytes. A number in `json` is compared as it is written: `429` is neither `"429"` nor
//! `429.0`. A body has neither equality nor `exists`. A rule without codes is about every answer, or,
//! where it asks about the request alone, about every outcome but a cancelled call.
//!
//! # Who wins
//!
//! *Rules* go before all rows. Those of a route come before those of its file, those of a file before those of what it
//! extends; within one list those that look into the body come first, and else the order of the list
//! counts. The packs of a route or file come after its own rules, in the order of `use`. A rule takes the place of those below with the same id.
//!
//! *Which reason a code has.* A route goes before its file, a file before what it extends. Within one
//! of these layers an exact code goes before a range, a range before a hundred, and a reason before a
//! class. A status that no layer lists acts as the first of its hundred (RFC 9110 section 15); where
//! that one is not listed either, 1xx are ignored, 2xx succeed, 3xx are `redirect`, 4xx
//! `invalid-request`, all others `server-fault`. CoAP codes go the same way, an unlisted gRPC code has
//! the reason that fits it, an unlisted network error is `network`. A code listed under a class only keeps the reason
//! that it has below, if that is of the class, and else gets the one that fits the code.
//!
//! *What a row says.* First the language, then the classes from the base up, then the reasons from the
//! base up. A reason is the more deliberate word: that `gone` is never looked at again stands, whatever
//! interval a file sets for its class. `processed`, `scope` and `retry` lists go before both.
//!
//! *Which route.* The first one in the order of the file that matches; the routes of a file come before
//! those of the files that it extends.

#[cfg(feature = "build")]
pub mod build;
#[cfg(feature = "codegen")]
pub mod codegen;
mod compiled;
mod diagnostic;
mod layer;
mod load;
mod loaded;
mod packs;
mod resolve;
mod rule_set;
mod source;
mod syntax;
mod trace;

pub use compiled::{
    CodeRows, Compiled, EndpointPolicy, HTTP_FIRST, HTTP_LAST, HTTP_LEN, HttpRows, ProcessedRows,
    ProviderRow, Route,
};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Label};
pub use load::{default_policy, essay_policy, load_path, load_path_in, load_str};
pub use loaded::{LoadedEndpoint, LoadedPolicy};
pub use packs::{PACKS, Pack};
pub use rule_set::{
    Codes, CompiledRule, OwnedDelay, OwnedLiteral, OwnedProbe, OwnedSegment, OwnedTarget,
    OwnedTest, RuleSet,
};
pub use trace::{
    Exactness, ListedAs, Listing, Traced, trace_default, trace_essay, trace_path, trace_str,
};

//! What an answer says beyond its status: the questions of a policy, answered as bytes pass by.
//!
//! A [`Scanner`] reads a body once, in pieces of any size, and keeps nothing of it but the answers:
//! it allocates nothing, calls itself never and takes the same few bytes for one probe and for 64.
//! [`probe_headers`], [`probe_request`] and [`probe_redirect`] answer the rest. The union of all
//! their bits is what the machine is told (SPEC 4.3).
//!
//! # Examples
//!
//! A refused call whose body tells an empty account from a busy server:
//!
//! ```
//! use permanence_core::scan::Scanner;
//! use permanence_core::{Literal, Probe, Segment, Target, Test};
//!
//! let probes = [Probe {
//!     target: Target::Json(&[Segment::Key("error"), Segment::Key("code")]),
//!     test: Test::Equal(&[Literal::Text("insufficient_quota")]),
//! }];
//! let mut scanner = Scanner::new(&probes, None);
//! scanner.feed(br#"{"error":{"code":"insuff"#);
//! scanner.feed(br#"icient_quota"}}"#);
//! assert!(scanner.finish().bits.has(0));
//! ```

mod found;
mod grammar;
mod headers;
mod lanes;
mod path;
mod progress;
mod questions;
mod scanner;
mod utf8;

pub use found::{Document, Found};
pub use headers::{probe_headers, probe_redirect, probe_request};
pub use scanner::Scanner;

/// How many bytes of a body its [`Target::Body`](crate::Target::Body) probes look at, from the first
/// that is not blank.
pub const BODY_BYTES: u16 = 4_096;
/// How many containers may be open around a JSON value that is looked at; what lies deeper is passed
/// over.
pub const DEPTH: usize = 16;
/// The longest scalar that is kept as a server's time, in bytes.
pub const DELAY_BYTES: usize = 30;

#[cfg(test)]
mod tests;

//! The registry under every order of its threads that a scheduler can think of.
//!
//! `cargo test` in this directory, whose configuration sets the flag, runs each model ten thousand times under either scheduler;
//! `PERMANENCE_SCHEDULES=1000000` says how often instead.

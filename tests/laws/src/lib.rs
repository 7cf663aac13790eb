//! What the law tests share: a policy in a few numbers, inputs of every kind, and a world that runs
//! them and keeps every moment.

mod inputs;
mod table;
mod world;

pub use inputs::{Input, Move, any_call, any_history, any_table, forward_history};
pub use table::Table;
pub use world::{Asked, Moment, Told, World, run};

//! A policy that is not there.

permanence_macros::policy!("cases/nowhere.toml");

fn main() {
    let _ = Policy;
}

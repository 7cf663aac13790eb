//! Options that there are not.

permanence_macros::policy!("cases/clash.toml", nane = Reporter);

fn main() {}

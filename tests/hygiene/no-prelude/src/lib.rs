//! Nothing is in scope here that has not been named.
#![no_std]
#![no_implicit_prelude]

::permanence_macros::policy!("../../baked/policies/fleet.toml", name = pub Fleet);
::permanence_macros::policy!(name = pub BuiltIn);

#[cfg(test)]
mod tests {
    use ::core::assert_eq;
    use ::permanence_core::{Policy, Signal};

    use super::{BuiltIn, Fleet};

    #[::core::prelude::v1::test]
    fn both_policies_answer() {
        let signal = Signal::Http(410);
        assert_eq!(Fleet.rule(&signal), BuiltIn.rule(&signal));
    }
}

//! The core has another name here, and is reached through a macro of another crate's too.
#![no_std]

permanence_macros::policy!(
    "../../baked/policies/fleet.toml",
    crate = machine,
    name = pub Fleet,
);

/// What a crate that hands the core on has inside.
pub mod wrapper {
    pub use machine as core;

    /// Passes its own path of the core on, so that users name one crate.
    macro_rules! wrapped_policy {
        ($path:literal $(, $($option:tt)*)?) => {
            ::permanence_macros::policy!($path, crate = $crate::wrapper::core $(, $($option)*)?);
        };
        ($($option:tt)*) => {
            ::permanence_macros::policy!(crate = $crate::wrapper::core, $($option)*);
        };
    }
    pub(crate) use wrapped_policy;
}

/// The same through the wrapper.
pub mod through_the_wrapper {
    use crate::wrapper::wrapped_policy;

    wrapped_policy!("../../baked/policies/fleet.toml", name = pub Fleet);
    wrapped_policy!(name = pub(crate) BuiltIn);
}

#[cfg(test)]
mod tests {
    use machine::{Policy as _, RoutePolicy as _, Signal};

    use super::*;

    #[test]
    fn both_doors_lead_to_the_same_policy() {
        let signal = Signal::Http(404);
        let direct = Fleet.endpoint("PUT", "/api/agents/17/status");
        let wrapped = through_the_wrapper::Fleet.endpoint("PUT", "/api/agents/17/status");
        assert_eq!(direct.rule(&signal), wrapped.rule(&signal));
        assert_ne!(direct.rule(&signal), Fleet.rule(&signal));
        assert!(through_the_wrapper::BuiltIn.rule(&Signal::Http(204)).is_success());
    }
}

//! A firmware library that takes no warning of any kind.
#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery, clippy::arithmetic_side_effects)]
#![deny(clippy::as_conversions, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

permanence_macros::policy!("../../baked/policies/fleet.toml", name = pub Fleet);

/// Names that the generated items use themselves.
pub mod crowded {
    permanence_macros::policy!("../../baked/policies/fleet.toml", name = pub Row);

    /// A policy that is called like a type inside of it.
    pub mod base {
        permanence_macros::policy!("../../baked/policies/fleet.toml", name = pub Base);
    }

    /// A policy that is called like a trait, among names that hide those of the language.
    pub mod hidden {
        #![allow(non_camel_case_types)]

        /// Hides `Option`.
        #[derive(Debug)]
        pub struct Option;
        /// Hides `Some`.
        #[derive(Debug)]
        pub struct Some;
        /// Hides the core.
        pub mod core {}
        /// Hides the core of the machine.
        pub mod permanence_core {}

        permanence_macros::policy!("../../baked/policies/fleet.toml", name = pub RoutePolicy);
    }
}

#[cfg(test)]
mod tests {
    use permanence_core::{Policy as _, RoutePolicy as _, Signal};

    use super::*;

    #[test]
    fn the_name_of_a_policy_changes_nothing() {
        let signal = Signal::Provider { status: 429, code: "insufficient_quota" };
        let rule = Fleet.rule(&signal);
        assert_eq!(Fleet.reason_name(rule.reason), "quota-exhausted");
        assert_eq!(crowded::Row.rule(&signal), rule);
        assert_eq!(crowded::base::Base.endpoint("GET", "/").rule(&signal), rule);
        assert_eq!(crowded::hidden::RoutePolicy.rule(&signal), rule);
    }
}

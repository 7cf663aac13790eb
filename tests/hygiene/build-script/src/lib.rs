//! A policy that a build script has made.
#![no_std]

include!(concat!(env!("OUT_DIR"), "/policy.rs"));

#[cfg(test)]
mod tests {
    use permanence_core::{Policy as _, RoutePolicy as _, Signal};

    use super::*;

    #[test]
    fn the_policy_of_the_build_script_has_its_routes() {
        let endpoint = Policy.endpoint("PUT", "/api/agents/17/status");
        assert_eq!(endpoint, PolicyEndpoint::PutApiAgentsIdStatus);
        let rule = endpoint.rule(&Signal::Http(404));
        assert_eq!(rule.disable_after.map(core::num::NonZeroU16::get), Some(3));
        assert_ne!(rule, Policy.rule(&Signal::Http(404)));
    }
}

//! Makes the policy.

fn main() {
    permanence_spec::build::generate("../../baked/policies/fleet.toml");
}

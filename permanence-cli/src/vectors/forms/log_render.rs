//! The line that a failure makes.

use permanence_core::{Event, Policy};

use super::super::fields::{Fields, Halt};
use super::super::observed::Observed;

/// One line as text.
pub(in super::super) fn line<P: Policy + ?Sized>(
    event: &Event,
    method: &str,
    target: &str,
    policy: &P,
) -> String {
    format!(
        "{} {} {method} {target} {}",
        event.kind.level().name(),
        event.kind.name(),
        policy.reason_name(event.cause.reason())
    )
}

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    input.required_text("url")?;
    Err(Halt::out_of_reach("needs lines"))
}

//! Policy files, good and bad.

use super::super::fields::{Fields, Halt};
use super::super::observed::Observed;

pub(super) fn file(input: &Fields<'_>) -> Result<Observed, Halt> {
    input.required_text("toml")?;
    Err(Halt::out_of_reach("needs the policy language"))
}

pub(super) fn rows(input: &Fields<'_>) -> Result<Observed, Halt> {
    input.required_list("rows")?;
    Err(Halt::out_of_reach("needs the policy language"))
}

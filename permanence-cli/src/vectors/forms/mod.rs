//! The forms of cases, each of which turns an input into what was observed.

mod adapter;
mod backoff;
mod budget;
mod burst;
mod classify;
mod config;
mod crowd;
mod due;
pub(super) mod headers;
pub(super) mod log_render;
mod multi;
mod scripted;
mod sim;
mod trace;

use permanence_core::Request;
use toml::Table;

use super::fields::{Fields, Halt};
use super::observed::Observed;

/// Runs the form that an input names.
pub(super) fn observe(input: &Table) -> Result<Observed, Halt> {
    let input = Fields::new("input", input);
    let form = input.required_text("form")?;
    let observed = match form {
        "adapter" => adapter::observe(&input),
        "backoff_ceiling" => backoff::ceilings(&input),
        "backoff_property" => backoff::delays(&input),
        "budget" => budget::observe(&input),
        "burst" => burst::observe(&input),
        "classify" => classify::observe(&input),
        "config" => config::file(&input),
        "config_rows" => config::rows(&input),
        "fleet_due" => due::fleet(&input),
        "header" => headers::values(&input),
        "header_date" => headers::dates(&input),
        "header_set" => headers::sets(&input),
        "log_render" => log_render::observe(&input),
        "multi" if input.has("capacity") => crowd::observe(&input),
        "multi" => multi::observe(&input),
        "multi_due" => due::multi(&input),
        "restart_gen" | "trace_gen" => scripted::observe(&input),
        "sim" => sim::observe(&input),
        "trace" => trace::observe(&input),
        _ => return Err(Halt::out_of_reach(format!("form {form} not understood"))),
    }?;
    input.finish()?;
    Ok(observed)
}

/// The method of the calls, and whether a repeat of them is safe.
fn request(fields: &Fields<'_>) -> Result<(String, Request), Halt> {
    let method = fields.text("method")?;
    let request = match (method, fields.flag("idempotency_key")?) {
        (_, Some(true)) => Request::Keyed,
        (Some(method), _) => Request::from_method(method),
        (None, Some(false)) => Request::Unkeyed,
        (None, None) => Request::Idempotent,
    };
    Ok((method.unwrap_or("GET").to_owned(), request))
}

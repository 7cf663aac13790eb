//! The arithmetic of the back-off.

use permanence_core::{Backoff, Jitter, Span};

use super::super::fields::{Fields, Halt, as_fraction};
use super::super::observed::{Observed, integer};

pub(super) fn ceilings(input: &Fields<'_>) -> Result<Observed, Halt> {
    let backoff = backoff(input)?;
    let ceilings = attempts(input)?
        .into_iter()
        .map(|attempt| integer(u64::from(backoff.ceiling(attempt).as_millis())));
    let mut observed = Observed::default();
    observed.set_list("ceiling_ms", ceilings.collect());
    Ok(observed)
}

pub(super) fn delays(input: &Fields<'_>) -> Result<Observed, Halt> {
    let backoff = backoff(input)?;
    let draws = draws(input)?;
    let mut delays = Vec::new();
    for attempt in attempts(input)? {
        let waits = draws.iter().map(|draw| backoff.delay(attempt, Span::ZERO, *draw));
        delays.extend(waits.map(|wait| integer(u64::from(wait.as_millis()))));
    }
    let mut observed = Observed::default();
    observed.set_list("delays", delays.clone());
    observed.set_list("delay_ms", delays);
    Ok(observed)
}

fn backoff(input: &Fields<'_>) -> Result<Backoff, Halt> {
    let span = |name| -> Result<Span, Halt> {
        Ok(Span::from_millis(input.small_number(name)?.ok_or_else(|| input.missing(name))?))
    };
    let jitter = match input.text("jitter")? {
        None | Some("full") => Jitter::Full,
        Some("equal") => Jitter::Equal,
        Some("none") => Jitter::None,
        Some(other) => return Err(Halt::out_of_reach(format!("jitter {other:?} not understood"))),
    };
    Ok(Backoff { base: span("base_ms")?, max: span("cap_ms")?, jitter })
}

fn attempts(input: &Fields<'_>) -> Result<Vec<u32>, Halt> {
    input
        .required_list("attempts")?
        .iter()
        .map(|value| {
            value
                .as_integer()
                .and_then(|attempt| u32::try_from(attempt).ok())
                .ok_or_else(|| Halt::mismatch(format!("attempt {value} is no small number")))
        })
        .collect()
}

/// Draws between 0 and 1 as 32 bits.
fn draws(input: &Fields<'_>) -> Result<Vec<u32>, Halt> {
    input
        .required_list("draws")?
        .iter()
        .map(|value| {
            let draw = as_fraction(value).filter(|draw| (0.0..=1.0).contains(draw));
            let draw =
                draw.ok_or_else(|| Halt::mismatch(format!("draw {value} is not between 0 and 1")))?;
            // A float-to-integer cast saturates, which makes a draw of one the largest one.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            Ok((draw * 4_294_967_296.0) as u32)
        })
        .collect()
}

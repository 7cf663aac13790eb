//! Pauses between tries: exponential, jittered, capped.

use crate::Span;
use crate::chance::up_to;

/// Pauses between tries: exponential from `base`, at most `max`, jittered.
///
/// # Examples
///
/// The draw is the caller's; half of the range of `u32` is half of the ceiling:
///
/// ```
/// use permanence_core::{Backoff, Jitter, Span};
///
/// let backoff = Backoff {
///     base: Span::from_millis(500),
///     max: Span::from_millis(30_000),
///     jitter: Jitter::Full,
/// };
/// assert_eq!(backoff.ceiling(2), Span::from_millis(2_000));
/// assert_eq!(backoff.delay(2, Span::ZERO, 1 << 31), Span::from_millis(1_000));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Backoff {
    /// The ceiling of the first pause; above zero.
    pub base: Span,
    /// The ceiling of every pause; at least `base`.
    pub max: Span,
    /// How chance enters.
    pub jitter: Jitter,
}

impl Backoff {
    /// The longest pause before retry `attempt`, counted from 0: `base` doubled that often, at most
    /// `max`.
    #[must_use]
    pub const fn ceiling(&self, attempt: u32) -> Span {
        let factor = if attempt < 32 { 1_u32 << attempt } else { u32::MAX };
        let grown = self.base.as_millis().saturating_mul(factor);
        if grown < self.max.as_millis() { Span::from_millis(grown) } else { self.max }
    }

    /// The pause before retry `attempt`, counted from 0; never longer than `max`.
    ///
    /// `draw` is a uniform random number and stands for the fraction `draw` / 2^32. `previous` is
    /// the pause before the last retry; only [`Jitter::Decorrelated`] asks for it.
    #[must_use]
    pub fn delay(&self, attempt: u32, previous: Span, draw: u32) -> Span {
        let ceiling = self.ceiling(attempt);
        match self.jitter {
            Jitter::Decorrelated => self.decorrelated(previous, draw),
            Jitter::Equal => {
                let sure = Span::from_millis(ceiling.as_millis() / 2);
                sure.saturating_add(up_to(ceiling.saturating_sub(sure), draw))
            }
            Jitter::Full => up_to(ceiling, draw),
            Jitter::None => ceiling,
        }
    }

    fn decorrelated(&self, previous: Span, draw: u32) -> Span {
        let tripled = Span::from_millis(previous.max(self.base).as_millis().saturating_mul(3));
        let room = tripled.min(self.max).saturating_sub(self.base);
        self.base.saturating_add(up_to(room, draw)).min(self.max)
    }
}

/// How chance enters a pause.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Jitter {
    /// Uniform between the base and three times the previous pause, capped.
    Decorrelated,
    /// Half the ceiling, and uniform over the other half.
    Equal,
    /// Uniform between zero and the ceiling.
    Full,
    /// The ceiling itself.
    None,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TENTH: u32 = 429_496_730;
    const NINE_TENTHS: u32 = 3_865_470_566;

    fn backoff(base: u32, max: u32, jitter: Jitter) -> Backoff {
        Backoff { base: Span::from_millis(base), max: Span::from_millis(max), jitter }
    }

    #[test]
    fn the_ceiling_doubles_up_to_the_maximum_and_stays_there() {
        let backoff = backoff(500, 30_000, Jitter::Full);
        let ceilings =
            [0, 1, 2, 5, 6, 24, 31, 32, 63, 64, u32::MAX].map(|n| backoff.ceiling(n).as_millis());
        assert_eq!(ceilings[..4], [500, 1_000, 2_000, 16_000]);
        assert_eq!(ceilings[4..], [30_000; 7]);
    }

    #[test]
    fn the_ceiling_is_exact_up_to_the_longest_span() {
        let widest = backoff(1, u32::MAX, Jitter::Full);
        assert_eq!(widest.ceiling(31).as_millis(), 1 << 31);
        assert_eq!(widest.ceiling(32), Span::MAX);
        assert_eq!(backoff(3, u32::MAX, Jitter::Full).ceiling(31), Span::MAX);
    }

    #[test]
    fn full_jitter_draws_from_the_whole_range_at_the_maximum_too() {
        let backoff = backoff(500, 30_000, Jitter::Full);
        for (draw, expected) in [(TENTH, 3_000_u32), (NINE_TENTHS, 27_000)] {
            let delay = backoff.delay(20, Span::ZERO, draw).as_millis();
            assert!(delay.abs_diff(expected) <= 1, "{delay}");
        }
    }

    #[test]
    fn equal_jitter_is_sure_of_half() {
        let backoff = backoff(500, 30_000, Jitter::Equal);
        assert_eq!(backoff.delay(1, Span::ZERO, 0).as_millis(), 500);
        assert_eq!(backoff.delay(1, Span::ZERO, u32::MAX).as_millis(), 1_000);
    }

    #[test]
    fn no_jitter_is_the_ceiling() {
        assert_eq!(backoff(500, 30_000, Jitter::None).delay(3, Span::ZERO, 7).as_millis(), 4_000);
    }

    #[test]
    fn decorrelated_jitter_lies_between_the_base_and_thrice_the_previous_pause() {
        let backoff = backoff(500, 30_000, Jitter::Decorrelated);
        let previous = Span::from_millis(2_000);
        assert_eq!(backoff.delay(9, previous, 0).as_millis(), 500);
        assert_eq!(backoff.delay(9, previous, u32::MAX).as_millis(), 6_000);
        assert_eq!(backoff.delay(0, Span::ZERO, u32::MAX).as_millis(), 1_500);
        assert_eq!(backoff.delay(0, Span::MAX, u32::MAX).as_millis(), 30_000);
    }

    fn any_jitter() -> impl Strategy<Value = Jitter> {
        prop_oneof![
            Just(Jitter::Decorrelated),
            Just(Jitter::Equal),
            Just(Jitter::Full),
            Just(Jitter::None)
        ]
    }

    proptest! {
        #[test]
        fn no_pause_is_longer_than_the_maximum(
            base in any::<u32>(), max in any::<u32>(), jitter in any_jitter(),
            attempt in prop_oneof![0..70_u32, any::<u32>()],
            previous in any::<u32>(), draw in any::<u32>(),
        ) {
            let delay = backoff(base, max, jitter).delay(attempt, Span::from_millis(previous), draw);
            prop_assert!(delay.as_millis() <= max);
        }

        #[test]
        fn a_later_ceiling_is_never_lower(
            base in any::<u32>(), max in any::<u32>(), attempt in 0..70_u32,
        ) {
            let backoff = backoff(base, max, Jitter::Full);
            prop_assert!(backoff.ceiling(attempt) <= backoff.ceiling(attempt + 1));
        }
    }
}

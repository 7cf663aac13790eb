//! Chance as arithmetic: the same input gives the same draw.

use crate::{Percent, Span};

/// Scatters the bits of `seed` evenly over 32 bits.
///
/// Multiplications and shifts only, so that a Cortex-M0 can do it in a dozen instructions.
pub(crate) const fn scatter(seed: u32) -> u32 {
    let mut bits = seed;
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x7feb_352d);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x846c_a68b);
    bits ^= bits >> 16;
    bits
}

/// A span between zero and `most`, both included, uniform in `draw`.
pub(crate) fn up_to(most: Span, draw: u32) -> Span {
    let wide = (u64::from(most.as_millis()).saturating_add(1)).saturating_mul(u64::from(draw));
    // The high word of a product of two 32-bit numbers fits 32 bits.
    Span::from_millis(u32::try_from(wide >> 32).unwrap_or(u32::MAX))
}

/// A share of a span, rounded down, without a division.
pub(crate) fn share_of(span: Span, share: Percent) -> Span {
    // A hundredth of 2^32, rounded down.
    let part = u32::from(share.value()).saturating_mul(42_949_672);
    let wide = u64::from(span.as_millis()).saturating_mul(u64::from(part));
    Span::from_millis(u32::try_from(wide >> 32).unwrap_or(u32::MAX))
}

/// The upper half of `bits`.
pub(crate) fn high_half(bits: u32) -> u16 {
    u16::try_from(bits >> 16).unwrap_or(u16::MAX)
}

/// The lower word of `wide`.
pub(crate) fn low_word(wide: u64) -> u32 {
    u32::try_from(wide & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_reaches_both_ends_and_the_middle() {
        let most = Span::from_millis(500);
        assert_eq!(up_to(most, 0), Span::ZERO);
        assert_eq!(up_to(most, 1 << 31), Span::from_millis(250));
        assert_eq!(up_to(most, u32::MAX), most);
        assert_eq!(up_to(Span::MAX, u32::MAX), Span::from_millis(u32::MAX));
    }

    #[test]
    fn neighbouring_seeds_scatter_far_apart() {
        let mut high: [u32; 16] =
            core::array::from_fn(|seed| scatter(u32::try_from(seed).unwrap_or(0)) >> 28);
        high.sort_unstable();
        let distinct = high.windows(2).filter(|pair| pair.first() != pair.last()).count();
        assert!(distinct >= 7, "{high:?}");
    }
}

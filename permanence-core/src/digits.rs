//! Numbers and spans as text, without the formatting machinery.

use core::fmt::Write;
use core::num::{NonZeroU16, NonZeroU32};

/// Writes `number` in decimal.
pub(crate) fn write_decimal(out: &mut dyn Write, number: u32) -> core::fmt::Result {
    let (rest, last) = (number / 10, number % 10);
    if rest > 0 {
        write_decimal(out, rest)?;
    }
    write_digit(out, last)
}

/// Writes `number` in decimal, however long.
pub(crate) fn write_long(out: &mut dyn Write, number: u64) -> core::fmt::Result {
    let (rest, last) = divided(number, TEN);
    if rest > 0 {
        write_long(out, rest)?;
    }
    write_digit(out, last)
}

/// Writes `number` in decimal with at least two digits.
pub(crate) fn write_two(out: &mut dyn Write, number: u32) -> core::fmt::Result {
    if number < 10 {
        out.write_char('0')?;
    }
    write_decimal(out, number)
}

/// Writes four hexadecimal digits.
pub(crate) fn write_hex4(out: &mut dyn Write, number: u16) -> core::fmt::Result {
    for shift in [12, 8, 4, 0] {
        write_digit(out, u32::from(number >> shift) & 0xf)?;
    }
    Ok(())
}

fn write_digit(out: &mut dyn Write, digit: u32) -> core::fmt::Result {
    out.write_char(char::from_digit(digit, 16).unwrap_or('?'))
}

/// Writes a length of time as its leading units, largest first: `3d0h1m`, `3h`, `1m30s`, `250ms`.
///
/// Zero units at the end are left out; seconds are dropped from one hour on.
pub(crate) fn write_span(out: &mut dyn Write, millis: u64) -> core::fmt::Result {
    if let Ok(short) = u32::try_from(millis) {
        if short < 1_000 {
            write_decimal(out, short)?;
            return out.write_str("ms");
        }
    }
    let seconds = whole_seconds(millis);
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hours, minute) = (minutes / 60, minutes % 60);
    let (day, hour) = (hours / 24, hours % 24);
    let second = if hours > 0 { 0 } else { second };
    let mut open = false;
    for (value, unit, rest) in [
        (day, "d", hour | minute | second),
        (hour, "h", minute | second),
        (minute, "m", second),
        (second, "s", 0),
    ] {
        if value == 0 && !open {
            continue;
        }
        write_decimal(out, value)?;
        out.write_str(unit)?;
        open = true;
        if rest == 0 {
            break;
        }
    }
    Ok(())
}

/// Whole seconds in `millis`, at most 2^32 - 1.
pub(crate) fn whole_seconds(millis: u64) -> u32 {
    u32::try_from(divided(millis, THOUSAND).0).unwrap_or(u32::MAX)
}

/// Quotient and rest by schoolbook division with digits of 16 bits: there is no 64-bit division on
/// small cores.
pub(crate) fn divided(number: u64, divisor: NonZeroU16) -> (u64, u32) {
    let divisor = NonZeroU32::from(divisor);
    let (mut quotient, mut rest) = (0_u64, 0_u32);
    for shift in [48, 32, 16, 0] {
        let digit = u32::try_from((number >> shift) & 0xffff).unwrap_or(0);
        let part = (rest << 16) | digit;
        quotient = (quotient << 16) | u64::from(part / divisor);
        rest = part % divisor;
    }
    (quotient, rest)
}

/// The milliseconds in a second.
pub(crate) const THOUSAND: NonZeroU16 = NonZeroU16::MIN.saturating_add(999);
const TEN: NonZeroU16 = NonZeroU16::MIN.saturating_add(9);

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::String;

    use super::*;

    fn span(millis: u64) -> String {
        let mut text = String::new();
        write_span(&mut text, millis).expect("a string takes everything");
        text
    }

    #[test]
    fn a_span_shows_its_leading_units() {
        assert_eq!(span(0), "0ms");
        assert_eq!(span(250), "250ms");
        assert_eq!(span(1_000), "1s");
        assert_eq!(span(90_000), "1m30s");
        assert_eq!(span(120_000), "2m");
        assert_eq!(span(10_800_000), "3h");
        assert_eq!(span(10_859_999), "3h");
        assert_eq!(span(2 * 86_400_000), "2d");
        assert_eq!(span(3 * 86_400_000 + 60_000), "3d0h1m");
        assert_eq!(span(86_400_000 + 3_600_000), "1d1h");
    }

    #[test]
    fn whole_seconds_are_exact_and_saturate() {
        for millis in [0, 999, 1_000, 1_001, 86_399_999, 1_795_982_400_999, 4_294_967_295_999] {
            assert_eq!(u64::from(whole_seconds(millis)), millis / 1_000);
        }
        assert_eq!(whole_seconds(u64::MAX), u32::MAX);
    }

    #[test]
    fn a_division_in_digits_is_a_division() {
        for number in [0, 1, 9, 10, 65_535, 65_536, 1 << 32, 1_795_982_400_999, u64::MAX] {
            for divisor in [1, 2, 10, 1_000, u16::MAX] {
                let (quotient, rest) = divided(number, NonZeroU16::new(divisor).unwrap());
                assert_eq!(quotient, number / u64::from(divisor));
                assert_eq!(u64::from(rest), number % u64::from(divisor));
            }
        }
    }

    #[test]
    fn numbers_are_written_in_full() {
        let mut text = String::new();
        write_decimal(&mut text, u32::MAX).expect("a string takes everything");
        write_two(&mut text, 7).expect("a string takes everything");
        write_hex4(&mut text, 0x0a3f).expect("a string takes everything");
        write_long(&mut text, u64::MAX).expect("a string takes everything");
        assert_eq!(text, "4294967295070a3f18446744073709551615");
    }
}

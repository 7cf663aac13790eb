//! Wall-clock time, for the few places where the calendar matters.

/// A point on the wall clock: whole seconds since 1970-01-01T00:00:00Z, to the end of the year 9999.
///
/// The machine itself never asks for it; it is for dates in headers and times in lines. Leap seconds
/// are not counted.
///
/// # Examples
///
/// ```
/// use permanence_core::{Civil, Timestamp};
///
/// let time = Timestamp::from_unix_seconds(784_111_777);
/// let civil = Civil { year: 1994, month: 11, day: 6, hour: 8, minute: 49, second: 37 };
/// assert_eq!(time.civil(), civil);
/// assert_eq!(Timestamp::from_civil(civil), Some(time));
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Timestamp(u64);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Timestamp = Timestamp(0);
    /// 9999-12-31T23:59:59Z.
    pub const MAX: Timestamp = Timestamp(253_402_300_799);

    /// Makes a timestamp; seconds past [`Timestamp::MAX`] are that.
    #[must_use]
    pub const fn from_unix_seconds(seconds: u64) -> Self {
        if seconds > Timestamp::MAX.0 { Timestamp::MAX } else { Timestamp(seconds) }
    }

    /// Makes a timestamp from a date and a time of day in UTC.
    ///
    /// `None` for what no calendar has, and for years outside 1970 to 9999. Second 60 is the first
    /// one of the next minute.
    #[must_use]
    pub fn from_civil(civil: Civil) -> Option<Self> {
        if !civil.is_valid() || !(1970..=9999).contains(&civil.year) {
            return None;
        }
        // Whole days first: they fit 32 bits and so does the time of day.
        let minutes = u32::from(civil.hour).saturating_mul(60).saturating_add(civil.minute.into());
        let seconds = minutes.saturating_mul(60).saturating_add(civil.second.into());
        let days = u64::from(days_from_civil(civil)).saturating_mul(u64::from(SECONDS_PER_DAY));
        Some(Timestamp::from_unix_seconds(days.saturating_add(u64::from(seconds))))
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn as_unix_seconds(self) -> u64 {
        self.0
    }

    /// The date and the time of day in UTC.
    #[must_use]
    pub fn civil(self) -> Civil {
        // A day is 128 * 675 seconds, so that the quotient needs no 64-bit division: the seconds to
        // the year 9999 over 128 fit 32 bits.
        let days = u32::try_from(self.0 >> 7).unwrap_or(u32::MAX) / 675;
        let midnight = u64::from(days).saturating_mul(u64::from(SECONDS_PER_DAY));
        let seconds = u32::try_from(self.0.saturating_sub(midnight)).unwrap_or(0);
        let minutes = seconds / 60;
        let date = civil_from_days(days);
        Civil {
            hour: byte(minutes / 60),
            minute: byte(minutes % 60),
            second: byte(seconds % 60),
            ..date
        }
    }

    /// The timestamp `seconds` later, at most [`Timestamp::MAX`].
    #[must_use]
    pub const fn saturating_add_seconds(self, seconds: u64) -> Self {
        Timestamp::from_unix_seconds(self.0.saturating_add(seconds))
    }

    /// The timestamp `seconds` earlier, or [`Timestamp::EPOCH`].
    #[must_use]
    pub const fn saturating_sub_seconds(self, seconds: u64) -> Self {
        Timestamp(self.0.saturating_sub(seconds))
    }

    /// Seconds from `earlier` to `self`; 0 when `earlier` is the later one.
    #[must_use]
    pub const fn seconds_since(self, earlier: Timestamp) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A date of the Gregorian calendar and a time of day, in UTC.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Civil {
    /// The year, with its century.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 60; 60 is a leap second.
    pub second: u8,
}

impl Civil {
    /// Whether the calendar has this date and the clock this time.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        (1..=12).contains(&self.month)
            && self.day >= 1
            && self.day <= days_in_month(self.year, self.month)
            && self.hour <= 23
            && self.minute <= 59
            && self.second <= 60
    }
}

const fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const fn is_leap(year: u16) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 1970-01-01 to a valid date not before it.
///
/// Years begin in March here, so that the leap day is the last one.
fn days_from_civil(civil: Civil) -> u32 {
    let month = u32::from(civil.month);
    let year = u32::from(civil.year).saturating_sub(u32::from(month <= 2));
    let month_from_march =
        if month > 2 { month.saturating_sub(3) } else { month.saturating_add(9) };
    let day_of_year = month_from_march.saturating_mul(153).saturating_add(2) / 5;
    let leap_days = (year / 4).saturating_sub(year / 100).saturating_add(year / 400);
    year.saturating_mul(365)
        .saturating_add(leap_days)
        .saturating_add(day_of_year)
        .saturating_add(u32::from(civil.day))
        .saturating_sub(DAYS_BEFORE_EPOCH)
}

/// The date `days` after 1970-01-01, at midnight.
fn civil_from_days(days: u32) -> Civil {
    let since_march = days.saturating_add(DAYS_BEFORE_EPOCH).saturating_sub(1);
    let (era, day) = (since_march / DAYS_PER_ERA, since_march % DAYS_PER_ERA);
    // The days that leap years have added before this day are taken out before the division.
    let leap_days = (day / 1_460).saturating_add(day / 146_096).saturating_sub(day / 36_524);
    let year_of_era = day.saturating_sub(leap_days) / 365;
    let leap_days = (year_of_era / 4).saturating_sub(year_of_era / 100);
    let day_of_year = day.saturating_sub(year_of_era.saturating_mul(365).saturating_add(leap_days));
    let month_from_march = day_of_year.saturating_mul(5).saturating_add(2) / 153;
    let month_start = month_from_march.saturating_mul(153).saturating_add(2) / 5;
    let month = if month_from_march < 10 {
        month_from_march.saturating_add(3)
    } else {
        month_from_march.saturating_sub(9)
    };
    let year = era.saturating_mul(400).saturating_add(year_of_era);
    let year = year.saturating_add(u32::from(month <= 2));
    Civil {
        year: u16::try_from(year).unwrap_or(u16::MAX),
        month: byte(month),
        day: byte(day_of_year.saturating_sub(month_start).saturating_add(1)),
        hour: 0,
        minute: 0,
        second: 0,
    }
}

/// A number that the calendar keeps below 100.
fn byte(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

const SECONDS_PER_DAY: u32 = 86_400;
/// Days in 400 years.
const DAYS_PER_ERA: u32 = 146_097;
/// From the day before 1 March of the year 0 to 1970-01-01.
const DAYS_BEFORE_EPOCH: u32 = 719_469;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn midnight(year: u16, month: u8, day: u8) -> Civil {
        Civil { year, month, day, hour: 0, minute: 0, second: 0 }
    }

    fn unix(civil: Civil) -> Option<u64> {
        Timestamp::from_civil(civil).map(Timestamp::as_unix_seconds)
    }

    #[test]
    fn known_dates_have_known_seconds() {
        assert_eq!(unix(midnight(1970, 1, 1)), Some(0));
        assert_eq!(unix(midnight(2000, 2, 29)), Some(951_782_400));
        assert_eq!(unix(midnight(2000, 3, 1)), Some(951_868_800));
        assert_eq!(unix(Civil { hour: 20, ..midnight(2026, 11, 29) }), Some(1_795_982_400));
        assert_eq!(unix(midnight(2106, 2, 7)), Some(4_294_944_000));
        let last = Civil { hour: 23, minute: 59, second: 59, ..midnight(9999, 12, 31) };
        assert_eq!(Timestamp::from_civil(last), Some(Timestamp::MAX));
        assert_eq!(Timestamp::MAX.civil(), last);
    }

    #[test]
    fn every_day_of_eight_thousand_years_goes_there_and_back() {
        let mut expected = midnight(1970, 1, 1);
        for day in 0..2_932_897_u64 {
            let time = Timestamp::from_unix_seconds(day * 86_400);
            assert_eq!(time.civil(), expected);
            assert_eq!(Timestamp::from_civil(expected), Some(time));
            expected.day += 1;
            if expected.day > days_in_month(expected.year, expected.month) {
                (expected.day, expected.month) = (1, expected.month + 1);
            }
            if expected.month > 12 {
                (expected.month, expected.year) = (1, expected.year + 1);
            }
        }
        assert_eq!(expected, midnight(10_000, 1, 1));
    }

    #[test]
    fn what_no_calendar_has_is_refused() {
        for civil in [
            midnight(2026, 2, 29),
            midnight(2100, 2, 29),
            midnight(2026, 0, 1),
            midnight(2026, 13, 1),
            midnight(2026, 4, 31),
            midnight(2026, 1, 0),
            midnight(1969, 12, 31),
            midnight(10_000, 1, 1),
            Civil { hour: 24, ..midnight(2026, 1, 1) },
            Civil { minute: 60, ..midnight(2026, 1, 1) },
            Civil { second: 61, ..midnight(2026, 1, 1) },
        ] {
            assert_eq!(Timestamp::from_civil(civil), None, "{civil:?}");
        }
    }

    #[test]
    fn a_leap_second_is_the_first_of_the_next_minute() {
        let leap = Civil { hour: 23, minute: 59, second: 60, ..midnight(2016, 12, 31) };
        assert_eq!(unix(leap), unix(midnight(2017, 1, 1)));
    }

    #[test]
    fn timestamps_saturate() {
        assert_eq!(Timestamp::from_unix_seconds(u64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MAX.saturating_add_seconds(u64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::EPOCH.saturating_sub_seconds(1), Timestamp::EPOCH);
        assert_eq!(Timestamp::EPOCH.seconds_since(Timestamp::MAX), 0);
    }

    proptest! {
        #[test]
        fn every_second_goes_there_and_back(seconds in 0..=253_402_300_799_u64) {
            let time = Timestamp::from_unix_seconds(seconds);
            prop_assert!(time.civil().is_valid());
            prop_assert_eq!(Timestamp::from_civil(time.civil()), Some(time));
        }
    }
}

//! Dates and times as ISO 8601 writes them.

use core::fmt::{Result, Write};

use crate::Civil;
use crate::digits::{write_decimal, write_two};

/// Writes `2026-12-01`.
pub(super) fn write_date(out: &mut dyn Write, civil: Civil) -> Result {
    write_decimal(out, u32::from(civil.year))?;
    out.write_char('-')?;
    write_two(out, u32::from(civil.month))?;
    out.write_char('-')?;
    write_two(out, u32::from(civil.day))
}

/// Writes `03:00`.
pub(super) fn write_hour_and_minute(out: &mut dyn Write, civil: Civil) -> Result {
    write_two(out, u32::from(civil.hour))?;
    out.write_char(':')?;
    write_two(out, u32::from(civil.minute))
}

/// Writes `2026-12-01T03:00:00Z`.
pub(super) fn write_date_and_time(out: &mut dyn Write, civil: Civil) -> Result {
    write_date(out, civil)?;
    out.write_char('T')?;
    write_hour_and_minute(out, civil)?;
    out.write_char(':')?;
    write_two(out, u32::from(civil.second))?;
    out.write_char('Z')
}

//! A tracker as a few plain bytes, for flash and state files (SPEC 3.9).

use core::fmt;

/// A tracker as bytes that mean the same on every machine.
///
/// Times are kept as what remains and what has passed, so that they may be restored under another
/// clock. Version 1; 52 bytes, little-endian, closed by a CRC-32 (IEEE 802.3) of those before it:
///
/// | bytes | what |
/// |---|---|
/// | 0 | version |
/// | 1, 2 | state, marks |
/// | 3 to 6 | kind, number and reason of the cause |
/// | 7, 8 | run, reentries |
/// | 9 | zero |
/// | 10 to 17 | episode, stamp, streak, probes |
/// | 18 to 25 | skipped, wait |
/// | 26 to 33 | milliseconds until the next call, below zero once it is due; -2^63 for none |
/// | 34 to 41 | age of the episode in milliseconds |
/// | 42 to 47 | age of the last line in milliseconds, 48 bits |
/// | 48 to 51 | checksum |
pub type Snapshot = [u8; SNAPSHOT_LEN];

/// The length of a [`Snapshot`].
pub const SNAPSHOT_LEN: usize = 52;

/// Why bytes are not a snapshot.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes were changed or only partly written: start with a new tracker.
    Checksum,
    /// There are more or fewer bytes than a snapshot has.
    Length(usize),
    /// The checksum is right and a field is not: written by something else.
    Value,
    /// The bytes come from a version that this one does not read.
    Version(u8),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Checksum => out.write_str("the checksum of the snapshot does not match"),
            RestoreError::Length(found) => {
                write!(out, "the snapshot has {found} bytes instead of {SNAPSHOT_LEN}")
            }
            RestoreError::Value => out.write_str("a field of the snapshot is out of range"),
            RestoreError::Version(found) => {
                write!(out, "the snapshot has version {found}, and 1 is known")
            }
        }
    }
}

impl core::error::Error for RestoreError {}

/// Appends little-endian fields to a snapshot.
pub(crate) struct Writer<'a> {
    rest: &'a mut [u8],
}

impl<'a> Writer<'a> {
    pub(crate) fn new(rest: &'a mut [u8]) -> Self {
        Writer { rest }
    }

    /// Appends `bytes`; what does not fit is dropped, and the layout leaves none.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        let rest = core::mem::take(&mut self.rest);
        match rest.split_at_mut_checked(bytes.len()) {
            Some((place, after)) => {
                place.copy_from_slice(bytes);
                self.rest = after;
            }
            None => self.rest = &mut [],
        }
    }
}

/// Takes little-endian fields from a snapshot.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Reader { rest }
    }

    /// Takes the next bytes; zeros past the end, which the layout never reaches.
    pub(crate) fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.rest.split_first_chunk() {
            Some((bytes, after)) => {
                self.rest = after;
                *bytes
            }
            None => [0; N],
        }
    }

    pub(crate) fn take_u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub(crate) fn take_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
}

/// The CRC-32 of IEEE 802.3, bit by bit: so few bytes do not repay a table.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = crc & 1;
            crc >>= 1;
            if carry != 0 {
                crc ^= 0xedb8_8320;
            }
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }
}

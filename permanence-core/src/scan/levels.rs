//! How far the place of each probe agrees with the path that leads to where the scanner is.

/// One number between 0 and 31 for each of 64 lanes, as five planes of bits, so that all lanes are
/// compared and changed at once.
///
/// The number is how many segments of a lane's pointer the path meets; it is never more than the
/// containers that are open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels([u64; 5]);

impl Levels {
    /// Every lane where no path leads.
    pub(super) const NOWHERE: Levels = Levels([u64::MAX; 5]);

    /// The lanes that stand at `level`.
    pub(super) fn at(&self, level: u8) -> u64 {
        let mut rest = level;
        self.0.iter().fold(u64::MAX, |lanes, plane| {
            let wanted = if rest & 1 == 1 { *plane } else { !plane };
            rest >>= 1;
            lanes & wanted
        })
    }

    /// Moves `lanes` to `level`.
    pub(super) fn set(&mut self, lanes: u64, level: u8) {
        let mut rest = level;
        for plane in &mut self.0 {
            *plane = if rest & 1 == 1 { *plane | lanes } else { *plane & !lanes };
            rest >>= 1;
        }
    }
}

/// The lanes of a mask, lowest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes(pub(super) u64);

impl Iterator for Lanes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        // Below 64, or 64 where none is left.
        let lane = u8::try_from(self.0.trailing_zeros()).ok().filter(|lane| *lane < 64)?;
        self.0 &= self.0.wrapping_sub(1);
        Some(lane)
    }
}

/// The bit of a lane; none for a lane past the last.
pub(super) fn bit(lane: u8) -> u64 {
    1_u64.checked_shl(u32::from(lane)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_has_a_level_of_its_own() {
        let mut levels = Levels::NOWHERE;
        for lane in 0..64 {
            levels.set(bit(lane), lane % 17);
        }
        for level in 0..17 {
            assert!(Lanes(levels.at(level)).all(|lane| lane % 17 == level));
            assert!(levels.at(level) & bit(level) != 0);
        }
        levels.set(bit(63), 16);
        assert_eq!(levels.at(16), bit(16) | bit(33) | bit(50) | bit(63));
    }

    #[test]
    fn lanes_come_lowest_first() {
        assert!(Lanes(bit(0) | bit(7) | bit(63) | bit(64)).eq([0, 7, 63]));
        assert_eq!(Lanes(0).next(), None);
    }
}

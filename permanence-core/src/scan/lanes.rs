//! What is known of each probe while the bytes pass.

use crate::Bits;

/// One byte for the place of a server's time, and one for each probe.
///
/// The low bits are a *level*: how many segments of the pointer the path meets that leads to where
/// the scanner is; never more than the containers that are open. The others are marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    lanes: [u8; MOST],
    used: u8,
}

/// Which lanes are meant: those whose byte has this value under this mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Which {
    mask: u8,
    value: u8,
}

impl Lanes {
    /// Lanes for this many probes, as many as there are bits; no path leads to them.
    pub(super) fn new(probes: usize) -> Self {
        let used = u8::try_from(probes.min(Bits::MAX).saturating_add(1)).unwrap_or(0);
        Lanes { lanes: [NOWHERE; MOST], used }
    }

    /// The lanes that are meant, with their bytes.
    pub(super) fn each(&mut self, which: Which) -> impl Iterator<Item = (u8, &mut u8)> {
        (0..self.used).zip(&mut self.lanes).filter(move |(_, state)| which.means(**state))
    }

    /// The probes that were answered with yes.
    pub(super) fn bits(&self) -> Bits {
        let mut mask = 0;
        for state in self.lanes.iter().skip(1).rev() {
            mask = mask << 1 | u64::from(*state & MET != 0);
        }
        Bits::from_mask(mask)
    }
}

impl Which {
    pub(super) const ALL: Which = Which { mask: 0, value: 0 };

    /// Those at this level.
    pub(super) const fn at(level: u8) -> Self {
        Which { mask: NOWHERE, value: level }
    }

    /// Those with this mark.
    pub(super) const fn marked(mark: u8) -> Self {
        Which { mask: mark, value: mark }
    }

    const fn means(self, state: u8) -> bool {
        state & self.mask == self.value
    }
}

/// The lane of the place of a server's time.
pub(super) const DELAY: u8 = 0;
/// The most lanes.
const MOST: usize = 1 + Bits::MAX;

/// The level of a lane that no path leads to.
pub(super) const NOWHERE: u8 = 0x1f;
/// Mark: the scalar that is being read may still pass the test.
pub(super) const READING: u8 = 0x20;
/// Mark: the body may still pass the test.
pub(super) const BODY: u8 = 0x40;
/// Mark: answered with yes.
pub(super) const MET: u8 = 0x80;

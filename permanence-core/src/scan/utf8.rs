//! Whether bytes are UTF-8, one at a time.

/// What the next byte has to be (Unicode 16, table 3-7).
#[derive(Clone, Copy, Debug)]
pub(super) struct Utf8 {
    /// The bytes that the character still needs, or [`BROKEN`].
    needed: u8,
    low: u8,
    high: u8,
}

impl Utf8 {
    pub(super) const fn new() -> Self {
        Utf8 { needed: 0, low: 0x80, high: 0xbf }
    }

    pub(super) fn hear(&mut self, byte: u8) {
        (self.needed, self.low, self.high) = match (self.needed, byte) {
            (BROKEN, _) => return,
            (1.., _) if byte < self.low || byte > self.high => (BROKEN, 0, 0),
            (needed @ 1.., _) => (needed.saturating_sub(1), 0x80, 0xbf),
            (0, 0x00..=0x7f) => return,
            (0, 0xc2..=0xdf) => (1, 0x80, 0xbf),
            (0, 0xe0) => (2, 0xa0, 0xbf),
            (0, 0xed) => (2, 0x80, 0x9f),
            (0, 0xe1..=0xef) => (2, 0x80, 0xbf),
            (0, 0xf0) => (3, 0x90, 0xbf),
            (0, 0xf1..=0xf3) => (3, 0x80, 0xbf),
            (0, 0xf4) => (3, 0x80, 0x8f),
            (0, _) => (BROKEN, 0, 0),
        };
    }

    /// Whether everything so far is UTF-8 and no character is cut off.
    pub(super) const fn is_valid(self) -> bool {
        self.needed == 0
    }
}

/// Something was not UTF-8, whatever follows.
const BROKEN: u8 = u8::MAX;

#[cfg(test)]
mod tests {
    extern crate std;

    use proptest::prelude::*;

    use super::*;

    fn is_valid(bytes: &[u8]) -> bool {
        let mut utf8 = Utf8::new();
        bytes.iter().for_each(|byte| utf8.hear(*byte));
        utf8.is_valid()
    }

    #[test]
    fn every_sequence_of_two_bytes_and_a_half_is_judged_as_the_library_does() {
        for first in 0..=255 {
            for second in 0..=255 {
                for tail in [&[][..], &[0x80], &[0xbf], b"a", &[0x80, 0x80], &[0x80, 0xc0]] {
                    let bytes = [&[first, second], tail].concat();
                    assert_eq!(
                        is_valid(&bytes),
                        core::str::from_utf8(&bytes).is_ok(),
                        "{bytes:x?}"
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn text_is_text(text in ".*", at in any::<prop::sample::Index>(), byte: u8) {
            prop_assert!(is_valid(text.as_bytes()));
            let mut bytes = std::vec::Vec::from(text);
            bytes.insert(at.index(bytes.len() + 1), byte);
            prop_assert_eq!(is_valid(&bytes), core::str::from_utf8(&bytes).is_ok());
        }
    }
}

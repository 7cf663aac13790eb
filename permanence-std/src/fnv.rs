//! A hash that means the same everywhere.

/// The hash of Fowler, Noll and Vo (FNV-1a, 64 bits): the same in every process and version, which
/// the hashers of the standard library do not promise.
pub(crate) struct Fnv(u64);

impl Fnv {
    pub(crate) const fn new(seed: u64) -> Self {
        Fnv(0xcbf2_9ce4_8422_2325 ^ seed)
    }

    pub(crate) fn take(&mut self, part: &str) {
        // 0xff stands in no UTF-8 text, so that parts do not run together.
        for byte in part.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    #[cfg(feature = "state")]
    pub(crate) const fn finish(&self) -> u64 {
        self.0
    }

    pub(crate) fn fold(&self) -> u32 {
        let [a, b, c, d, e, f, g, h] = self.0.to_le_bytes();
        u32::from_le_bytes([a, b, c, d]) ^ u32::from_le_bytes([e, f, g, h])
    }
}

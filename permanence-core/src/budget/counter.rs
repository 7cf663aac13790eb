//! How wide one slice of a budget counts.

/// The width of one slice: `u8` for a device, `u32` for a server.
///
/// A slice that is full errs towards fewer retries. The trait is sealed.
pub trait Counter: sealed::Width {}

impl Counter for u8 {}
impl Counter for u32 {}

pub(super) mod sealed {
    /// What a budget asks of its counters.
    pub trait Width: Copy + Eq + core::fmt::Debug {
        /// Nothing counted.
        const ZERO: Self;

        /// One more; `None` when the counter is full.
        fn increased(self) -> Option<Self>;

        /// How many more it can count.
        fn room(self) -> u32;

        /// The count as a number that ten of them cannot overflow.
        fn wide(self) -> u64;
    }

    impl Width for u8 {
        const ZERO: u8 = 0;

        fn increased(self) -> Option<u8> {
            self.checked_add(1)
        }

        fn room(self) -> u32 {
            u32::from(u8::MAX.saturating_sub(self))
        }

        fn wide(self) -> u64 {
            u64::from(self)
        }
    }

    impl Width for u32 {
        const ZERO: u32 = 0;

        fn increased(self) -> Option<u32> {
            self.checked_add(1)
        }

        fn room(self) -> u32 {
            u32::MAX.saturating_sub(self)
        }

        fn wide(self) -> u64 {
            u64::from(self)
        }
    }
}

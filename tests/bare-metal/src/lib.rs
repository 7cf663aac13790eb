//! Inputs that the compiler cannot foresee and outputs that it cannot drop.
#![no_std]

use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::AtomicU32;

static WORD: AtomicU32 = AtomicU32::new(0);

/// A word from outside: the compiler must assume any value.
#[must_use]
pub fn input() -> u32 {
    // SAFETY: the pointer is that of a static, aligned and valid for reads.
    unsafe { read_volatile(WORD.as_ptr()) }
}

/// A half word from outside.
#[must_use]
pub fn input_u16() -> u16 {
    // The low half is the half word that is meant.
    input() as u16
}

/// A byte from outside.
#[must_use]
pub fn input_u8() -> u8 {
    // The low byte is the one that is meant.
    input() as u8
}

/// Fills `place` from outside and hands out as much of it as the outside says.
pub fn input_bytes(place: &mut [u8]) -> &[u8] {
    for byte in place.iter_mut() {
        *byte = input_u8();
    }
    place.get(..usize::from(input_u8())).unwrap_or_default()
}

/// Hands a word to the outside, so that what it was computed from is computed.
pub fn output(word: u32) {
    // SAFETY: the pointer is that of a static, aligned and valid for writes.
    unsafe { write_volatile(WORD.as_ptr(), word) }
}

/// Hands a text to the outside.
pub fn output_text(text: &str) {
    for byte in text.bytes() {
        output(u32::from(byte));
    }
}

/// The outside as a place for text, one that may fail.
#[derive(Clone, Copy, Debug)]
pub struct Port;

impl core::fmt::Write for Port {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        output_text(text);
        if input() == 0 { Ok(()) } else { Err(core::fmt::Error) }
    }
}

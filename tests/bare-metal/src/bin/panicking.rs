//! A program with a panic path: it must not link, or the check proves nothing.
#![no_std]
#![no_main]

use bare_metal::{input, output};
use panic_never as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    let words = [1_u32, 2, 3, 5];
    loop {
        // An index from outside is bounds-checked, and the check can fail.
        output(words[input() as usize]);
    }
}

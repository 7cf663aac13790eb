//! The start-up code alone: what every other size is measured against.
#![no_std]
#![no_main]

use bare_metal::{input, output};
use panic_never as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        output(input());
    }
}

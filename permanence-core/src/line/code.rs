//! Signals as people name them.

use core::fmt::{self, Result, Write};

use crate::digits::{write_decimal, write_two};
use crate::{Signal, SignalCode, grpc_name};

/// Writes `404`, `UNIMPLEMENTED`, `4.04`, `timeout` or `200 unusable`.
pub(super) fn write_code(out: &mut dyn Write, code: SignalCode) -> Result {
    match code.signal() {
        Signal::Cancelled => out.write_str("cancelled"),
        Signal::Coap(byte) => {
            write_decimal(out, u32::from(byte >> 5))?;
            out.write_char('.')?;
            write_two(out, u32::from(byte & 0x1f))
        }
        Signal::Grpc(number) => match grpc_name(number) {
            Some(name) => out.write_str(name),
            None => write_decimal(out, u32::from(number)),
        },
        Signal::Http(status) | Signal::Provider { status, .. } => {
            write_decimal(out, u32::from(status))
        }
        Signal::Network(network) => out.write_str(network.name()),
        Signal::Unusable { status } => {
            write_decimal(out, u32::from(status))?;
            out.write_str(" unusable")
        }
    }
}

/// The code as it stands in a line: `404`, `UNIMPLEMENTED`, `4.04`, `timeout`, `200 unusable`.
impl fmt::Display for SignalCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> Result {
        write_code(out, *self)
    }
}

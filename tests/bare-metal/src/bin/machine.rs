//! What a status reporter needs: one tracker, one policy, and the four calls of its loop.
#![no_std]
#![no_main]

use bare_metal::{input, input_u8, input_u16, output};
use panic_never as _;
use permanence_core::{
    Action, Admission, Instant, Network, Outcome, Phase, Request, Signal, Span, TickExtender,
    Tracker,
};

permanence_macros::policy!("../../spec/error_permanence.toml", name = Reporter);

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut ticks = TickExtender::new();
    let mut tracker = Tracker::new(input());
    loop {
        let now = ticks.extend(input());
        if input() == 1 {
            tracker.recheck(now);
        }
        match tracker.admit(&Reporter, now) {
            Admission::Skip(skip) => output(low_word(skip.until)),
            Admission::Call(permit) => {
                let step = tracker.record(&Reporter, permit, &outcome(), ticks.extend(input()));
                if let Some(event) = step.event {
                    output(u32::from(event.cause.code().number()));
                    output(event.skipped);
                }
                match step.action {
                    Action::Retry(offer) => output(offer.after().as_millis()),
                    Action::Surface => output(1),
                    Action::Wait(until) => output(low_word(until)),
                    _ => output(0),
                }
            }
        }
        output(low_word(tracker.wake_at()));
    }
}

/// A call that came back with whatever the port says.
fn outcome() -> Outcome<'static> {
    let signal = match Network::from_byte(input_u8()) {
        Some(network) => Signal::Network(network),
        None => Signal::Http(input_u16()),
    };
    let request = if input() == 0 { Request::Idempotent } else { Request::Unkeyed };
    let outcome = Outcome::new(signal, request);
    match input() {
        0 => outcome.in_phase(Phase::NothingSent),
        1 => outcome.with_server_delay(Span::from_millis(input())),
        _ => outcome,
    }
}

/// The part of an instant that a 32-bit timer can be set to.
fn low_word(at: Option<Instant>) -> u32 {
    // The low word is the one that is meant.
    at.map_or(0, |at| at.as_millis() as u32)
}

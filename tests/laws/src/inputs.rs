//! Inputs of every kind, in any order, under any clock.

use permanence_core::{
    Backoff, BudgetSettings, Directive, Jitter, Mode, Network, Outcome, Pacing, Percent, Phase,
    Reprobe, Request, Settings, Signal, Span,
};
use proptest::prelude::*;

use crate::Table;

/// One thing that happens, and how the clock moved before it.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Milliseconds; below zero the clock is set back.
    pub clock: i64,
    /// What happens then.
    pub input: Input,
}

/// One thing that happens.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// Somebody asks; the permit, if there is one, is kept in flight.
    Ask,
    /// A call in flight comes back; the number picks one.
    Answer(usize, Outcome<'static>),
    /// A call in flight never comes back.
    Lose(usize),
    /// Something outside has changed.
    Recheck,
    /// Everything is to be forgotten.
    Reset,
    /// The tracker goes out to bytes and back.
    Restart,
}

fn any_signal() -> impl Strategy<Value = Signal<'static>> {
    prop_oneof![
        4 => Just(Signal::Http(204)),
        5 => Just(Signal::Http(404)),
        2 => Just(Signal::Http(401)),
        1 => Just(Signal::Http(410)),
        2 => Just(Signal::Http(422)),
        1 => Just(Signal::Http(500)),
        3 => Just(Signal::Http(503)),
        2 => Just(Signal::Http(429)),
        3 => Just(Signal::Network(Network::Timeout)),
        2 => Just(Signal::Network(Network::Refused)),
        1 => Just(Signal::Network(Network::Certificate)),
        1 => Just(Signal::Cancelled),
    ]
}

/// Any outcome of any request.
pub fn any_call() -> impl Strategy<Value = Outcome<'static>> {
    let request =
        prop_oneof![Just(Request::Idempotent), Just(Request::Keyed), Just(Request::Unkeyed)];
    let phase = proptest::option::weighted(
        0.2,
        prop_oneof![Just(Phase::NothingSent), Just(Phase::Sent), Just(Phase::Answered)],
    );
    let delay = proptest::option::weighted(0.2, prop_oneof![Just(0), 1..100_000_u32, any::<u32>()]);
    let directive = proptest::option::weighted(
        0.1,
        prop_oneof![Just(Directive::DoNotRetry), Just(Directive::Retry)],
    );
    let payload = proptest::option::of(0..3_u8);
    (any_signal(), request, phase, delay, directive, payload).prop_map(
        |(signal, request, phase, delay, directive, payload)| {
            let mut outcome = Outcome::new(signal, request);
            if let Some(phase) = phase {
                outcome = outcome.in_phase(phase);
            }
            outcome.server_delay = delay.map(Span::from_millis);
            outcome.directive = directive;
            outcome.payload = payload;
            outcome
        },
    )
}

fn any_input() -> impl Strategy<Value = Input> {
    prop_oneof![
        10 => Just(Input::Ask),
        10 => (0..3_usize, any_call()).prop_map(|(which, call)| Input::Answer(which, call)),
        1 => (0..3_usize).prop_map(Input::Lose),
        1 => Just(Input::Recheck),
        1 => Just(Input::Restart),
    ]
}

/// Any history: every input, every move of the clock, backwards too.
pub fn any_history() -> impl Strategy<Value = Vec<Move>> {
    let clock = prop_oneof![
        4 => Just(0_i64),
        8 => 1..120_000_i64,
        3 => 1..14_400_000_i64,
        1 => 1..3_000_000_000_i64,
        1 => -14_400_000..0_i64,
    ];
    let input = prop_oneof![40 => any_input(), 1 => Just(Input::Reset)];
    let moves = (clock, input).prop_map(|(clock, input)| Move { clock, input });
    proptest::collection::vec(moves, 1..160)
}

/// Any history under a clock that never steps back, without a reset.
pub fn forward_history() -> impl Strategy<Value = Vec<Move>> {
    let clock = prop_oneof![4 => Just(0_i64), 8 => 1..120_000_i64, 3 => 1..14_400_000_i64];
    let moves = (clock, any_input()).prop_map(|(clock, input)| Move { clock, input });
    proptest::collection::vec(moves, 1..160)
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let jitter = prop_oneof![
        Just(Jitter::Decorrelated),
        Just(Jitter::Equal),
        Just(Jitter::Full),
        Just(Jitter::None)
    ];
    let backoff = (1..2_000_u32, 2_000..60_000_u32, jitter).prop_map(|(base, max, jitter)| {
        Backoff { base: Span::from_millis(base), max: Span::from_millis(max), jitter }
    });
    let pacing = prop_oneof![Just(Pacing::Advise), Just(Pacing::Hold)];
    let reminder = proptest::option::of(Just(Span::from_secs(86_400)));
    let flap_window = prop_oneof![Just(0_u32), 60_000..7_200_000_u32];
    (backoff, 1..6_u8, flap_window, 1..5_u8, pacing, 1..300_u32, reminder, 0..=100_u8).prop_map(
        |(backoff, confirm, flap, notice, pacing, lease, reminder, spread)| Settings {
            backoff,
            budget: BudgetSettings::FINAGLE,
            confirm_max: confirm.try_into().unwrap_or(core::num::NonZeroU8::MIN),
            flap_window: Span::from_millis(flap),
            mode: Mode::Enforce,
            notice_after: notice.try_into().unwrap_or(core::num::NonZeroU8::MIN),
            pacing,
            probe_lease: Span::from_secs(lease),
            reminder,
            reprobe_spread: Percent::saturating(spread),
            retry_after_max: Span::from_secs(86_400),
        },
    )
}

/// Any policy that the checker would accept.
pub fn any_table() -> impl Strategy<Value = Table> {
    let ramp = proptest::option::of(1..3_600_000_u32);
    let interval = 3_600_000..20_000_000_u32;
    (any_settings(), interval, ramp, 1..4_u16, 1..4_u16, 0..6_u16).prop_map(
        |(settings, interval, ramp, permanent, payload, network)| {
            let reprobe = Reprobe::Every {
                interval: Span::from_millis(interval),
                ramp: ramp.map(Span::from_millis),
            };
            Table::new(settings, reprobe, permanent, payload, network)
        },
    )
}

//! Compares two policies on every signal that there can be.

use permanence_core::{Bits, Cause, Network, Policy, Reason, Signal, SignalCode, SignalKind};

/// Panics at the first signal on which the two differ.
///
/// `codes` are the provider codes to try with every status; they are tried with a stranger beside
/// them.
pub fn assert_same(baked: &impl Policy, loaded: &impl Policy, codes: &[&str]) {
    assert_eq!(baked.settings(), loaded.settings());
    for number in 0..=u8::MAX {
        let reason = Reason::from_number(number);
        assert_eq!(baked.custom_reason_name(reason), loaded.custom_reason_name(reason));
    }
    assert_eq!(baked.probes(), loaded.probes());
    for status in 0..=u16::MAX {
        assert_eq!(baked.needs_body(status), loaded.needs_body(status), "{status}");
        assert_same_signal(baked, loaded, Signal::Http(status));
        assert_same_signal(baked, loaded, Signal::Unusable { status });
        for code in codes.iter().chain(&["stranger", ""]) {
            assert_same_signal(baked, loaded, Signal::Provider { status, code });
        }
    }
    for byte in 0..=u8::MAX {
        assert_same_signal(baked, loaded, Signal::Coap(byte));
        assert_same_signal(baked, loaded, Signal::Grpc(byte));
    }
    for network in Network::ALL {
        assert_same_signal(baked, loaded, Signal::Network(network));
    }
    assert_same_signal(baked, loaded, Signal::Cancelled);
    for kind in SignalKind::ALL {
        for number in 0..=700 {
            assert_same_causes(baked, loaded, SignalCode::new(kind, number));
        }
    }
}

/// Panics at the first signal and the first answers of the probes that the two judge otherwise.
///
/// The answers are those of each probe alone, none, all, and many by chance; how many outcomes met a
/// rule comes back.
pub fn assert_same_rules(baked: &impl Policy, loaded: &impl Policy) -> usize {
    let statuses = (100..=600).chain([0, 999]);
    let network = Network::ALL.into_iter().map(Signal::Network);
    let signals = statuses
        .flat_map(|status| [Signal::Http(status), Signal::Unusable { status }])
        .chain((0..=u8::MAX).flat_map(|byte| [Signal::Coap(byte), Signal::Grpc(byte)]))
        .chain([Signal::Provider { status: 429, code: "x" }, Signal::Cancelled])
        .chain(network);
    let single = (0..Bits::MAX).map(|place| Bits::NONE.with(place));
    let answers: Vec<Bits> =
        single.chain([Bits::NONE, Bits::from_mask(u64::MAX)]).chain(by_chance()).collect();
    let mut met = 0;
    for signal in signals {
        for bits in &answers {
            let found = loaded.refinement(&signal, *bits);
            assert_eq!(baked.refinement(&signal, *bits), found, "{signal:?} {bits:?}");
            met += usize::from(found.is_some());
        }
    }
    met
}

/// Masks in which one bit of two, of four and of eight is set, by the sequence of Steele, Lea and
/// Flood (SplitMix64) from a fixed seed.
fn by_chance() -> impl Iterator<Item = Bits> {
    let draw = |number: u64| {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (1..=400).flat_map(move |number| {
        let half = draw(number);
        let quarter = half & draw(number + 1_000);
        [half, quarter, quarter & draw(number + 2_000)].map(Bits::from_mask)
    })
}

fn assert_same_signal(baked: &impl Policy, loaded: &impl Policy, signal: Signal<'_>) {
    assert_eq!(baked.rule(&signal), loaded.rule(&signal), "{signal:?}");
    assert_eq!(baked.answered_processed(&signal), loaded.answered_processed(&signal), "{signal:?}");
}

fn assert_same_causes(baked: &impl Policy, loaded: &impl Policy, code: SignalCode) {
    for number in 0..=32 {
        let cause = Cause::new(code, Reason::from_number(number));
        assert_eq!(baked.cause_rule(cause), loaded.cause_rule(cause), "{cause:?}");
    }
}

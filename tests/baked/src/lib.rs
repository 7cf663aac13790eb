//! Compares two policies on every signal that there can be.

use permanence_core::{Cause, Network, Policy, Reason, Signal, SignalCode, SignalKind};

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
    for status in 0..=u16::MAX {
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

//! Variants of one thing, measured in turns.
//!
//! What runs first in a fixed order pays for cold caches, and a machine is faster in one minute than in
//! the next. So each round runs every variant once, in an order drawn anew, and only differences within
//! a round count. One variant stands in the list twice: what the two differ by is what the method
//! itself cannot tell apart.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// One call.
pub(crate) type Call = Box<dyn FnMut() -> Pin<Box<dyn Future<Output = ()>>>>;

/// Something that can be called.
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) call: Call,
}

impl Variant {
    pub(crate) fn new<F: Future<Output = ()> + 'static>(
        name: &'static str,
        mut call: impl FnMut() -> F + 'static,
    ) -> Self {
        Variant { name, call: Box::new(move || Box::pin(call())) }
    }
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount {
    pub(crate) rounds: usize,
    /// Calls of one variant in one round.
    pub(crate) calls: u32,
    /// Draws the orders.
    pub(crate) seed: u64,
}

/// The time of one call in nanoseconds: for each variant, one figure a round.
pub(crate) async fn measure(variants: &mut [Variant], amount: Amount) -> Vec<Vec<f64>> {
    let mut draw = fastrand::Rng::with_seed(amount.seed);
    let mut order = (0..variants.len()).collect::<Vec<_>>();
    let mut times = vec![Vec::with_capacity(amount.rounds); variants.len()];
    // Connections are made, pools and caches filled.
    for variant in variants.iter_mut() {
        let _ = batch(&mut variant.call, amount.calls).await;
    }
    for _ in 0..amount.rounds {
        draw.shuffle(&mut order);
        for &place in &order {
            let taken = batch(&mut variants[place].call, amount.calls).await;
            times[place].push(taken.as_secs_f64() * 1e9 / f64::from(amount.calls));
        }
    }
    times
}

async fn batch(call: &mut Call, calls: u32) -> Duration {
    let began = Instant::now();
    for _ in 0..calls {
        call().await;
    }
    began.elapsed()
}

/// A median and the interval that holds it with 95 % confidence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Median {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Median {
    /// The median of figures that need not be normal: the interval is that of the order statistics.
    pub(crate) fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let count = figures.len();
        let reach = (0.98 * (count as f64).sqrt()).ceil() as usize;
        let middle = count / 2;
        Median {
            value: figures[middle],
            low: figures[middle.saturating_sub(reach)],
            high: figures[(middle + reach).min(count - 1)],
        }
    }
}

/// The median of what `variant` takes longer than `base`, round by round.
pub(crate) fn excess(variant: &[f64], base: &[f64]) -> Median {
    Median::of(variant.iter().zip(base).map(|(variant, base)| variant - base).collect())
}

//! How many retries the traffic affords.

mod counter;
#[cfg(test)]
mod finagle;

pub use counter::Counter;

use crate::{Instant, Percent, Span};

/// The numbers of a retry budget.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BudgetSettings {
    /// How long a deposit counts, in ten slices.
    pub ttl: Span,
    /// Retries per second that are always afforded.
    pub min_per_sec: u16,
    /// Retries per hundred requests.
    pub percent: Percent,
}

impl BudgetSettings {
    /// Ten seconds, one retry a second, ten per cent.
    pub const FINAGLE: BudgetSettings = BudgetSettings {
        ttl: Span::from_secs(10),
        min_per_sec: 1,
        percent: Percent::saturating(10),
    };

    /// What one request puts in.
    const fn deposit_worth(&self) -> u32 {
        if self.percent.value() == 0 { 0 } else { 1_000 }
    }

    /// What one retry takes out: a thousand over the share, without its fraction.
    fn retry_cost(&self) -> u32 {
        100_000_u32.checked_div(u32::from(self.percent.value())).unwrap_or(1)
    }

    /// The retries that a whole `ttl` affords without any request.
    fn reserve(&self) -> u64 {
        u64::from(self.min_per_sec).saturating_mul(u64::from(self.ttl.as_millis() / 1_000))
    }

    /// The length of one slice in milliseconds; never zero.
    fn slice(&self) -> u64 {
        u64::from((self.ttl.as_millis() / SLICES_IN_TTL).max(1))
    }
}

/// A purse that requests fill and retries empty, so that retries stay a share of the traffic (L7).
///
/// It is the token bucket of Finagle's `RetryBudget`, decision for decision: time goes in
/// ten slices, so that a deposit counts for nine to ten tenths of the `ttl`; a retry takes 1000 / share; a reserve of `min_per_sec` over the `ttl` is
/// always there (SPEC 6.2). A purse takes 32 bytes with its `u8` slices, which count 255 requests
/// and 255 retries each; a full slice never makes for more retries than Finagle would grant, only
/// for fewer. Servers take `RetryBudget<u32>`.
///
/// A clock that steps back expires nothing; after a step of more than one `ttl` the slices go on from
/// the new time.
///
/// # Examples
///
/// Twenty requests in one instant afford two retries, and the reserve ten more:
///
/// ```
/// use permanence_core::{BudgetSettings, Instant, RetryBudget};
///
/// let settings = BudgetSettings::FINAGLE;
/// let mut budget: RetryBudget = RetryBudget::new();
/// for _ in 0..20 {
///     budget.deposit(&settings, Instant::ZERO);
/// }
/// assert_eq!(budget.balance(&settings, Instant::ZERO), 12);
/// assert!(budget.withdraw(&settings, Instant::ZERO));
/// assert_eq!(budget.balance(&settings, Instant::ZERO), 11);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RetryBudget<C: Counter = u8> {
    turned_at: Instant,
    deposits: [C; SLICES],
    retries: [C; SLICES],
    head: u8,
}

impl<C: Counter> RetryBudget<C> {
    /// Makes a purse that holds nothing but the reserve.
    #[must_use]
    pub const fn new() -> Self {
        RetryBudget {
            turned_at: Instant::ZERO,
            deposits: [C::ZERO; SLICES],
            retries: [C::ZERO; SLICES],
            head: 0,
        }
    }

    /// Counts one request; a retry is not one.
    pub fn deposit(&mut self, settings: &BudgetSettings, now: Instant) {
        self.turn(settings, now);
        if let Some(slice) = self.deposits.get_mut(usize::from(self.head)) {
            *slice = slice.increased().unwrap_or(*slice);
        }
    }

    /// Takes out one retry; `false`, and nothing taken, when the traffic does not afford it.
    #[must_use = "a retry that was not afforded must not be made"]
    pub fn withdraw(&mut self, settings: &BudgetSettings, now: Instant) -> bool {
        self.turn(settings, now);
        if !self.account(settings).affords(1) {
            return false;
        }
        let Some(slice) = self.retries.get_mut(usize::from(self.head)) else { return false };
        // A retry that cannot be counted would be free of charge.
        let Some(increased) = slice.increased() else { return false };
        *slice = increased;
        true
    }

    /// The retries that are affordable at this instant.
    ///
    /// It expires what [`withdraw`](RetryBudget::withdraw) would, so that the figure is never stale.
    pub fn balance(&mut self, settings: &BudgetSettings, now: Instant) -> u32 {
        self.turn(settings, now);
        let account = self.account(settings);
        // The largest affordable number, bit by bit: there is no 64-bit division on small cores.
        let mut balance = 0;
        let mut bit = 1_u32 << 31;
        while bit > 0 {
            if account.affords(balance | bit) {
                balance |= bit;
            }
            bit >>= 1;
        }
        balance.min(self.room())
    }

    /// Moves the head on by the slices that have passed, and empties the ones it comes to.
    fn turn(&mut self, settings: &BudgetSettings, now: Instant) {
        let slice = settings.slice();
        if self.turned_at.since(now) > u64::from(settings.ttl.as_millis()) {
            self.turned_at = now;
        }
        let mut passed = now.since(self.turned_at);
        if passed < slice {
            return;
        }
        for _ in 0..SLICES {
            if passed < slice {
                break;
            }
            passed = passed.saturating_sub(slice);
            self.advance();
        }
        self.turned_at = now;
    }

    fn advance(&mut self) {
        let next = self.head.saturating_add(1);
        self.head = if usize::from(next) < SLICES { next } else { 0 };
        for slices in [&mut self.deposits, &mut self.retries] {
            if let Some(slice) = slices.get_mut(usize::from(self.head)) {
                *slice = C::ZERO;
            }
        }
    }

    fn account(&self, settings: &BudgetSettings) -> Account {
        let cost = u64::from(settings.retry_cost());
        let paid = total(&self.deposits).saturating_mul(u64::from(settings.deposit_worth()));
        let held = paid.saturating_add(settings.reserve().saturating_mul(cost));
        Account { held, retries: total(&self.retries), cost }
    }

    /// The retries that the head slice can still count.
    fn room(&self) -> u32 {
        self.retries.get(usize::from(self.head)).map_or(0, |slice| slice.room())
    }
}

impl<C: Counter> Default for RetryBudget<C> {
    fn default() -> Self {
        RetryBudget::new()
    }
}

/// What a purse comes to at one instant.
struct Account {
    held: u64,
    retries: u64,
    cost: u64,
}

impl Account {
    /// Whether what is held pays for `more` retries on top of those made.
    fn affords(&self, more: u32) -> bool {
        self.retries.saturating_add(u64::from(more)).saturating_mul(self.cost) <= self.held
    }
}

fn total<C: Counter>(slices: &[C; SLICES]) -> u64 {
    slices.iter().fold(0, |sum: u64, slice| sum.saturating_add(slice.wide()))
}

const SLICES: usize = 10;
const SLICES_IN_TTL: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    const fn settings(min_per_sec: u16, percent: u8) -> BudgetSettings {
        let percent = Percent::saturating(percent);
        BudgetSettings { ttl: Span::from_secs(10), min_per_sec, percent }
    }

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn granted<C: Counter>(
        budget: &mut RetryBudget<C>,
        settings: &BudgetSettings,
        now: Instant,
    ) -> u32 {
        let mut granted = 0;
        while granted < 1_000 && budget.withdraw(settings, now) {
            granted += 1;
        }
        granted
    }

    #[test]
    fn a_budget_fits_32_bytes() {
        assert!(size_of::<RetryBudget>() <= 32);
    }

    #[test]
    fn the_default_affords_ten_retries_and_a_tenth_of_the_traffic() {
        let settings = BudgetSettings::FINAGLE;
        let mut budget: RetryBudget<u32> = RetryBudget::new();
        assert_eq!(budget.balance(&settings, at(0)), 10);
        for _ in 0..1_000 {
            budget.deposit(&settings, at(0));
        }
        assert_eq!(budget.balance(&settings, at(9_999)), 110);
        assert_eq!(budget.balance(&settings, at(19_999)), 10);
    }

    #[test]
    fn an_empty_budget_fills_again_by_requests_and_its_balance_is_never_stale() {
        let settings = settings(0, 10);
        let mut budget: RetryBudget = RetryBudget::new();
        for _ in 0..100 {
            budget.deposit(&settings, at(0));
        }
        assert_eq!(granted(&mut budget, &settings, at(0)), 10);
        for step in 0..100 {
            budget.deposit(&settings, at(10_000 + 100 * step));
        }
        assert_eq!(budget.balance(&settings, at(19_999)), 10);
        let mut late = budget.clone();
        assert_eq!(granted(&mut budget, &settings, at(19_999)), 10);
        // One instant later the first slice has expired.
        assert_eq!(granted(&mut late, &settings, at(20_000)), 9);
    }

    #[test]
    fn a_calm_day_saves_up_no_more_than_one_window() {
        let settings = settings(1, 10);
        let mut budget: RetryBudget = RetryBudget::new();
        for step in 0..864_000 {
            budget.deposit(&settings, at(100 * step));
        }
        let granted = granted(&mut budget, &settings, at(86_400_000));
        assert!((10..=21).contains(&granted), "{granted}");
    }

    #[test]
    fn a_budget_of_nothing_grants_nothing() {
        let settings = settings(0, 0);
        let mut budget: RetryBudget = RetryBudget::new();
        budget.deposit(&settings, at(0));
        assert_eq!(granted(&mut budget, &settings, at(0)), 0);
    }

    #[test]
    fn the_reserve_alone_comes_back_with_time() {
        let settings = settings(2, 0);
        let mut budget: RetryBudget = RetryBudget::new();
        assert_eq!(granted(&mut budget, &settings, at(0)), 20);
        assert_eq!(granted(&mut budget, &settings, at(9_999)), 0);
        assert_eq!(granted(&mut budget, &settings, at(20_000)), 20);
    }

    #[test]
    fn a_full_slice_of_retries_grants_no_free_ones() {
        let settings = settings(1_000, 0);
        let mut small: RetryBudget = RetryBudget::new();
        assert_eq!(small.balance(&settings, at(0)), 255);
        assert_eq!(granted(&mut small, &settings, at(0)), 255);
        let mut large: RetryBudget<u32> = RetryBudget::new();
        assert_eq!(large.balance(&settings, at(0)), 10_000);
        assert_eq!(granted(&mut large, &settings, at(0)), 1_000);
    }

    #[test]
    fn a_clock_that_steps_back_far_does_not_freeze_the_budget() {
        let settings = settings(1, 10);
        let mut budget: RetryBudget = RetryBudget::new();
        assert_eq!(granted(&mut budget, &settings, at(1_700_000_000_000)), 10);
        assert_eq!(granted(&mut budget, &settings, at(5_000)), 0);
        assert_eq!(granted(&mut budget, &settings, at(15_000)), 10);
    }

    #[test]
    fn extreme_numbers_neither_panic_nor_wrap() {
        let settings = BudgetSettings {
            ttl: Span::MAX,
            min_per_sec: u16::MAX,
            percent: Percent::saturating(1),
        };
        let mut budget: RetryBudget<u32> = RetryBudget::new();
        budget.deposit(&settings, Instant::MAX);
        assert_eq!(budget.balance(&settings, Instant::MAX), u32::MAX);
        let brief = BudgetSettings { ttl: Span::ZERO, ..settings };
        budget.deposit(&brief, Instant::ZERO);
        assert!(!budget.withdraw(&brief, Instant::MAX));
    }
}

//! A policy, a server and a list of lines, for the tests of this crate.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::panic, clippy::unwrap_used)]

use std::num::{NonZeroU8, NonZeroU16, NonZeroUsize};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use permanence_core::{
    Class, Instant, Network, Policy, Reason, Remedy, Reprobe, Retry, RoutePolicy, Rule, Scope,
    Settings, Signal, Span, Timestamp, WallClock,
};
use permanence_spec::{LoadedPolicy, load_str};
use permanence_std::{Clock, ManualClock, Registry, RegistrySettings, Route, testing};

pub const HOUR: Span = Span::from_secs(3_600);
const EVERY_3H: Reprobe = Reprobe::Every { interval: Span::from_secs(3 * 3_600), ramp: None };

pub const ABSENT: Rule = Rule {
    reason: Reason::RESOURCE_ABSENT,
    class: Class::Permanent,
    scope: Scope::Endpoint,
    remedy: Remedy::Wait,
    retry: Retry::Never,
    disable_after: NonZeroU16::new(1),
    reprobe: EVERY_3H,
};
pub const OVERLOAD: Rule = Rule {
    reason: Reason::OVERLOAD,
    class: Class::Transient,
    retry: Retry::Backoff,
    disable_after: None,
    ..ABSENT
};
pub const REFUSED: Rule = Rule {
    reason: Reason::INVALID_REQUEST,
    remedy: Remedy::DropPayload,
    scope: Scope::Payload,
    disable_after: NonZeroU16::new(3),
    ..ABSENT
};
pub const DEAD_HOST: Rule = Rule {
    reason: Reason::NETWORK,
    class: Class::Transient,
    scope: Scope::Origin,
    retry: Retry::Cadence,
    disable_after: NonZeroU16::new(4),
    reprobe: Reprobe::Every { interval: HOUR, ramp: None },
    ..ABSENT
};
pub const BROKEN_CALL: Rule = Rule { scope: Scope::Endpoint, disable_after: None, ..DEAD_HOST };

const SETTINGS: Settings =
    Settings { flap_window: HOUR, notice_after: NonZeroU8::new(3).unwrap(), ..Settings::LITERAL };

/// 404, 422, 503 and the network as in the default policy, all else is well.
#[derive(Clone, Copy, Debug)]
pub struct Few;

impl Policy for Few {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        match signal {
            Signal::Cancelled => &Rule::IGNORED,
            Signal::Http(404) => &ABSENT,
            Signal::Http(422) => &REFUSED,
            Signal::Http(500..=599) => &OVERLOAD,
            Signal::Network(Network::Dns | Network::Refused | Network::Unreachable) => &DEAD_HOST,
            Signal::Network(_) => &BROKEN_CALL,
            _ => &Rule::SUCCESS,
        }
    }

    fn settings(&self) -> &Settings {
        &SETTINGS
    }
}

impl RoutePolicy for Few {
    type Endpoint = Few;

    fn endpoint(&self, _: &str, _: &str) -> Few {
        Few
    }
}

/// The default policy with these packs.
pub fn default_with(packs: &[&str]) -> LoadedPolicy {
    let text = format!("[error_permanence]\nextends = 'default'\nuse = {packs:?}");
    LoadedPolicy::new(load_str("policy.toml", &text).unwrap_or_else(|faults| panic!("{faults}")))
}

/// Lines as they were printed, and a registry that prints them.
#[derive(Clone, Debug, Default)]
pub struct Lines(testing::Lines);

impl Deref for Lines {
    type Target = testing::Lines;

    fn deref(&self) -> &testing::Lines {
        &self.0
    }
}

impl Lines {
    pub fn settings(&self) -> RegistrySettings {
        RegistrySettings {
            seed: 7,
            routes: vec![
                Route::new("status", "PUT", "/api/agents/{id}/status"),
                Route::new("feed", "GET", "/v1/feed"),
                Route::new("pay", "POST", "/v1/charges"),
            ],
            sink: self.sink(),
            ..RegistrySettings::default()
        }
    }
}

/// A clock that starts at midnight of 2026-01-05.
pub fn clock() -> ManualClock {
    ManualClock::starting_at(Timestamp::from_unix_seconds(1_767_571_200))
}

pub fn registry(lines: &Lines) -> Registry<Few, ManualClock> {
    Registry::with_settings(Few, clock(), lines.settings())
}

pub fn small_registry(lines: &Lines, capacity: usize) -> Registry<Few, ManualClock> {
    let capacity = NonZeroUsize::new(capacity).unwrap();
    Registry::with_settings(Few, clock(), RegistrySettings { capacity, ..lines.settings() })
}

/// A clock that stands still and counts how often it is read.
#[derive(Clone, Debug, Default)]
pub struct CountingClock(Arc<AtomicU32>);

impl CountingClock {
    pub fn reads(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clock for CountingClock {
    fn now(&self) -> Instant {
        self.0.fetch_add(1, Ordering::Relaxed);
        Instant::ZERO
    }

    fn wall(&self) -> Option<WallClock> {
        None
    }
}

/// A clock that stands still during pauses too.
#[derive(Clone, Copy, Debug, Default)]
pub struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> Instant {
        Instant::ZERO
    }

    fn wall(&self) -> Option<WallClock> {
        None
    }
}

#[cfg(feature = "tower")]
impl permanence_std::Timer for StillClock {
    type Pause = std::future::Ready<()>;

    fn pause(&self, _: Span) -> Self::Pause {
        std::future::ready(())
    }
}

/// A clock that stands still; its pauses last until they are said to be over.
#[derive(Clone, Debug, Default)]
pub struct SlowClock {
    pub paused: Arc<tokio::sync::Notify>,
    pub over: Arc<tokio::sync::Notify>,
}

impl Clock for SlowClock {
    fn now(&self) -> Instant {
        Instant::ZERO
    }

    fn wall(&self) -> Option<WallClock> {
        None
    }
}

#[cfg(feature = "tower")]
impl permanence_std::Timer for SlowClock {
    type Pause = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

    fn pause(&self, _: Span) -> Self::Pause {
        self.paused.notify_one();
        let over = Arc::clone(&self.over);
        Box::pin(async move { over.notified().await })
    }
}

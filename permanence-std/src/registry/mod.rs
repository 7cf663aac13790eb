//! The endpoints of one program, found by key.

mod entry;
mod gate;
mod handle;
#[cfg(feature = "state")]
mod keep;
mod learn;
mod meters;
mod outside;
mod pass;
mod reaction;
mod sync;
mod table;
mod views;

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock, PoisonError};

use permanence_core::{
    BudgetSettings, Event, EventKind, Policy, RetryBudget, RetryOffer, RoutePolicy, Span,
};

use self::entry::Entry;
pub use self::handle::Handle;
use self::meters::RegistryMeters;
pub use self::pass::{OwnedPass, Pass};
pub use self::reaction::{Reaction, Retry};
use self::sync::{Mutex, Slot};
use self::table::Table;
use self::views::knows_origins;
use crate::Clock;
use crate::fnv::Fnv;
use crate::report::{Line, LineSink, default_sink};
use crate::route::{EndpointKey, Origin, OwnedKey, Route, credential_key};

/// The endpoints of one program, found by key.
///
/// Clones are cheap and share everything. Each endpoint has one tracker, and so has each host:
/// outcomes whose rule has [`Scope::Origin`](permanence_core::Scope::Origin) are learnt by the host
/// alone, so that a dead host is one episode and one line, not one for each route.
///
/// The number of places is fixed ([`RegistrySettings::capacity`]). When they are all taken, a healthy
/// endpoint that nobody holds a [`Handle`] of makes room; one in trouble is never dropped. Keys that
/// find no room share one entry, which gates nothing but what its host does: none of them can stop
/// the others. [`LineSink::full`] tells of the first of them.
#[derive(Debug)]
pub struct Registry<P: RoutePolicy, C> {
    shared: Arc<Shared<P, C>>,
}

impl<P: RoutePolicy, C> Clone for Registry<P, C> {
    fn clone(&self) -> Self {
        Registry { shared: Arc::clone(&self.shared) }
    }
}

/// What a registry is made with, besides its policy and its clock.
#[derive(Debug)]
pub struct RegistrySettings {
    /// The most endpoints, and the most hosts, that are kept apart.
    pub capacity: NonZeroUsize,
    /// The routes by which requests without a route of their own are told apart; the first that
    /// matches counts, and the routes of the policy come after them.
    pub routes: Vec<Route>,
    /// Places the probes of this process within the spread. By default each process draws its own.
    pub seed: u64,
    /// Where the lines go. By default they are tracing events, with the feature `tracing`.
    pub sink: Box<dyn LineSink>,
}

impl Default for RegistrySettings {
    fn default() -> Self {
        RegistrySettings {
            capacity: NonZeroUsize::MIN.saturating_add(1_023),
            routes: Vec::new(),
            seed: RandomState::new().hash_one(0_u8),
            sink: default_sink(),
        }
    }
}

pub(crate) struct Shared<P: RoutePolicy, C> {
    policy: Slot<P>,
    /// Held while the policy is replaced.
    policy_lock: Mutex<()>,
    pub(crate) clock: C,
    seed: u64,
    routes: Vec<Route>,
    sink: Box<dyn LineSink>,
    endpoints: Table<Member<P::Endpoint>>,
    hosts: Table<()>,
    credentials: Table<()>,
    /// Which credential each name stands for, as the caller tells.
    fingerprints: Mutex<HashMap<Arc<str>, u64>>,
    /// For requests of no known route and for keys that found no room.
    others: Arc<Entry<Member<P::Endpoint>>>,
    full_told: std::sync::Once,
    budget: Mutex<RetryBudget<u32>>,
    meters: RegistryMeters,
    #[cfg(feature = "state")]
    keeper: Option<self::keep::Keeper>,
}

/// What an endpoint has and a host has not.
#[derive(Debug)]
struct Member<E> {
    policy: Slot<E>,
    /// Its host, if its policy says anything about hosts or once did.
    host: OnceLock<Arc<Entry<()>>>,
    /// What its route says that it is called with.
    credential: OnceLock<Arc<Entry<()>>>,
}

impl<E> Member<E> {
    fn new(policy: E) -> Self {
        Member {
            policy: Slot::from_pointee(policy),
            host: OnceLock::new(),
            credential: OnceLock::new(),
        }
    }
}

impl<P: RoutePolicy, C: Clock> Registry<P, C> {
    /// Makes a registry with the default settings.
    #[must_use]
    pub fn new(policy: P, clock: C) -> Self {
        Registry::with_settings(policy, clock, RegistrySettings::default())
    }

    /// Makes a registry.
    #[must_use]
    pub fn with_settings(policy: P, clock: C, settings: RegistrySettings) -> Self {
        Registry { shared: Arc::new(Shared::new(policy, clock, settings)) }
    }

    /// Makes a registry whose endpoints survive: it goes on from what `store` knows, prints a line
    /// for each endpoint and host that is disabled or gone, and writes transitions and probes to the
    /// store.
    ///
    /// It is made in any case: a store that cannot be read or written costs one line, by
    /// [`LineSink::state`]. Counts of skipped calls are as old as the last transition or probe.
    ///
    /// A write is made within the call that led to it; with a
    /// [`StateFile`](crate::state::StateFile) it waits for the disk.
    ///
    /// # Examples
    ///
    /// A program is started again an hour after a route was found missing:
    ///
    /// ```
    /// # use permanence_std::core::*;
    /// # #[derive(Clone, Copy)]
    /// # struct Reporting;
    /// # const ABSENT: Rule = Rule {
    /// #     reason: Reason::RESOURCE_ABSENT, class: Class::Permanent,
    /// #     disable_after: core::num::NonZeroU16::new(1),
    /// #     reprobe: Reprobe::Every { interval: Span::from_secs(3 * 3600), ramp: None },
    /// #     ..Rule::SUCCESS
    /// # };
    /// # impl Policy for Reporting {
    /// #     fn rule(&self, signal: &Signal<'_>) -> &Rule {
    /// #         if *signal == Signal::Http(404) { &ABSENT } else { &Rule::SUCCESS }
    /// #     }
    /// #     fn settings(&self) -> &Settings { &Settings::LITERAL }
    /// # }
    /// # impl RoutePolicy for Reporting {
    /// #     type Endpoint = Reporting;
    /// #     fn endpoint(&self, _: &str, _: &str) -> Reporting { Reporting }
    /// # }
    /// # fn main() {
    /// # let policy = Reporting;
    /// use std::sync::Arc;
    /// use permanence_std::state::MemoryStore; // a program takes `StateFile::named("reporter")?`
    /// use permanence_std::{EndpointKey, ManualClock, Origin, Registry, RegistrySettings};
    ///
    /// let store = Arc::new(MemoryStore::new());
    /// let origin = Origin { scheme: "http", authority: "example.com" };
    /// let key = EndpointKey { id: "status", method: "PUT", origin, template: "/status" };
    ///
    /// let clock = ManualClock::starting_at(Timestamp::from_unix_seconds(1_767_571_200));
    /// let settings = RegistrySettings::default();
    /// let registry = Registry::with_state(policy, clock, settings, Arc::clone(&store));
    /// let absent = Outcome::new(Signal::Http(404), Request::Idempotent);
    /// drop(registry.endpoint(&key).gate().unwrap().record(&absent));
    ///
    /// let clock = ManualClock::starting_at(Timestamp::from_unix_seconds(1_767_574_800));
    /// let settings = RegistrySettings::default();
    /// let registry = Registry::with_state(policy, clock, settings, store);
    /// let skipped = registry.endpoint(&key).gate().unwrap_err();
    /// assert_eq!(skipped.wait.unwrap().as_secs(), 7_201);
    /// # }
    /// ```
    #[cfg(feature = "state")]
    #[must_use]
    pub fn with_state(
        policy: P,
        clock: C,
        settings: RegistrySettings,
        store: impl crate::state::Store + 'static,
    ) -> Self {
        let mut shared = Shared::new(policy, clock, settings);
        shared.keeper = Some(self::keep::Keeper::new(Box::new(store)));
        let registry = Registry { shared: Arc::new(shared) };
        registry.load();
        registry.report_standing();
        registry
    }

    /// The endpoint with this key.
    ///
    /// A handle may be kept: it saves the search, and its endpoint keeps its place.
    #[must_use]
    pub fn endpoint(&self, key: &EndpointKey<'_>) -> Handle<P, C> {
        let shared = &self.shared;
        match self.entry(key) {
            Some(entry) => Handle::of_endpoint(Arc::clone(shared), entry),
            None => {
                shared.full_told.call_once(|| shared.sink.full(key));
                self.other(key.origin)
            }
        }
    }

    /// What stands for a request of no known route: it is gated by its host alone, since a 404 for a
    /// single resource says nothing about others.
    #[must_use]
    pub fn other(&self, origin: Origin<'_>) -> Handle<P, C> {
        let shared = &self.shared;
        let others = Arc::clone(&shared.others);
        let policy = others.policy.policy.load_full();
        let host = knows_origins(&*policy).then(|| shared.host(origin)).flatten();
        Handle::of_host(Arc::clone(shared), others, policy, host)
    }

    /// The endpoint that a request belongs to, by the routes of the settings and of the policy.
    #[must_use]
    pub fn endpoint_of(&self, method: &str, origin: Origin<'_>, path: &str) -> Handle<P, C> {
        let routes = &self.shared.routes;
        if let Some(route) = routes.iter().find(|route| route.matches(method, path)) {
            return self.endpoint_on(route, method, origin);
        }
        let policy = self.shared.policy.load();
        match policy.template(method, path) {
            Some(template) => {
                self.endpoint(&EndpointKey { id: template, method, origin, template })
            }
            None => self.other(origin),
        }
    }

    /// The endpoint that `route` is on one host.
    ///
    /// A credential that the route names is gated too; an endpoint keeps the first that it was called
    /// with.
    #[must_use]
    pub fn endpoint_on(&self, route: &Route, method: &str, origin: Origin<'_>) -> Handle<P, C> {
        let key = EndpointKey { id: route.id(), method, origin, template: route.template() };
        let mut handle = self.endpoint(&key);
        if let Some(name) = route.credential() {
            handle.call_with(name);
        }
        handle
    }

    /// The policy that decides now.
    #[must_use]
    pub fn policy(&self) -> Arc<P> {
        self.shared.policy.load_full()
    }

    /// Where the lines go.
    #[cfg(feature = "reload")]
    pub(crate) fn sink(&self) -> &dyn LineSink {
        &*self.shared.sink
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &C {
        &self.shared.clock
    }

    /// Prints a line for each endpoint and host that is disabled or gone, as a program does that
    /// starts with a loaded state.
    pub fn report_standing(&self) {
        let shared = &self.shared;
        let now = shared.clock.now();
        for entry in shared.groups() {
            let policy = shared.others.policy.policy.load();
            let event = entry.lock().standing(&**policy, now);
            shared.report(&entry.key, &**policy, event);
        }
        for entry in shared.endpoints.all() {
            let policy = entry.policy.policy.load();
            let event = entry.lock().standing(&**policy, now);
            shared.report(&entry.key, &**policy, event);
        }
    }

    /// The entry with this key; `None` when there is no room for it.
    fn entry(&self, key: &EndpointKey<'_>) -> Option<Arc<Entry<Member<P::Endpoint>>>> {
        let shared = &self.shared;
        shared.endpoints.entry(key, || {
            let policy = shared.policy.load().endpoint(key.method, key.template);
            let member = Member::new(policy);
            shared.find_host(&member, key.origin);
            Entry::new(key, member, shared.seed_of(key))
        })
    }
}

impl<P: RoutePolicy, C: Clock> Shared<P, C> {
    fn new(policy: P, clock: C, settings: RegistrySettings) -> Self {
        let capacity = settings.capacity.get();
        let others = EndpointKey {
            id: "others",
            method: "",
            origin: Origin { scheme: "", authority: "" },
            template: "",
        };
        let member = Member::new(policy.endpoint("", ""));
        Shared {
            policy: Slot::from_pointee(policy),
            policy_lock: Mutex::new(()),
            clock,
            seed: settings.seed,
            routes: settings.routes,
            sink: settings.sink,
            endpoints: Table::new(capacity),
            hosts: Table::new(capacity),
            credentials: Table::new(capacity),
            fingerprints: Mutex::default(),
            others: Arc::new(Entry::of_many(&others, member)),
            full_told: std::sync::Once::new(),
            budget: Mutex::new(RetryBudget::new()),
            meters: RegistryMeters::new(),
            #[cfg(feature = "state")]
            keeper: None,
        }
    }

    fn host(&self, origin: Origin<'_>) -> Option<Arc<Entry<()>>> {
        let key = origin.key();
        self.hosts.entry(&key, || Entry::new(&key, (), self.seed_of(&key)))
    }

    /// What stands for a credential; `None` when there is no room for it.
    fn credential(&self, name: &str) -> Option<Arc<Entry<()>>> {
        let key = credential_key(name);
        self.credentials.entry(&key, || Entry::new(&key, (), self.seed_of(&key)))
    }

    /// Every host and credential.
    fn groups(&self) -> Vec<Arc<Entry<()>>> {
        let mut groups = self.hosts.all();
        groups.extend(self.credentials.all());
        groups
    }

    /// Gives a member its host, if its policy says anything about hosts.
    fn find_host(&self, member: &Member<P::Endpoint>, origin: Origin<'_>) {
        if member.host.get().is_none()
            && knows_origins(&**member.policy.load())
            && let Some(host) = self.host(origin)
        {
            let _ = member.host.set(host);
        }
    }

    /// A seed of one key in this process: the same for the same settings, whatever the order of
    /// calls.
    fn seed_of(&self, key: &EndpointKey<'_>) -> u32 {
        let mut seed = Fnv::new(self.seed);
        for part in [key.id, key.method, key.origin.scheme, key.origin.authority, key.template] {
            seed.take(part);
        }
        seed.fold()
    }

    /// Prints and counts what a call has led to; what has recovered gives its neighbours a hint.
    fn transition<E>(&self, entry: &Entry<E>, policy: &dyn Policy, event: Event) {
        entry.meters.transition(event.kind);
        self.report(&entry.key, policy, Some(event));
        if event.kind == EventKind::Recovered {
            self.hint_neighbours(&entry.key.borrowed(), event.at);
        }
    }

    fn report(&self, key: &OwnedKey, policy: &dyn Policy, event: Option<Event>) {
        if let Some(event) = event {
            let wall = self.clock.wall();
            self.sink.line(&Line { event: &event, endpoint: key.line_name(), policy, wall });
        }
    }

    /// Counts one request towards the retries that the traffic affords.
    pub(crate) fn deposit(&self, settings: &BudgetSettings) {
        let now = self.clock.now();
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        budget.deposit(settings, now);
        self.meters.balance(&mut budget, settings, now);
    }

    fn afford(&self, offer: RetryOffer, settings: &BudgetSettings) -> Option<Span> {
        let now = self.clock.now();
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = offer.take(&mut budget, settings, now);
        self.meters.balance(&mut budget, settings, now);
        pause
    }
}

impl<P: RoutePolicy, C> fmt::Debug for Shared<P, C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Shared")
            .field("seed", &self.seed)
            .field("routes", &self.routes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use permanence_core::{Outcome, Request, Rule, Settings, Signal};

    use super::*;
    use crate::ManualClock;

    struct Fine;

    impl Policy for Fine {
        fn rule(&self, _: &Signal<'_>) -> &Rule {
            &Rule::SUCCESS
        }

        fn settings(&self) -> &Settings {
            &Settings::LITERAL
        }
    }

    impl RoutePolicy for Fine {
        type Endpoint = Fine;

        fn endpoint(&self, _: &str, _: &str) -> Fine {
            Fine
        }
    }

    #[test]
    fn a_calm_endpoint_is_asked_and_told_while_somebody_has_its_lock() {
        let registry = Registry::new(Fine, ManualClock::new());
        let origin = Origin { scheme: "http", authority: "example.com" };
        let key = EndpointKey { id: "feed", method: "GET", origin, template: "/v1/feed" };
        let handle = registry.endpoint(&key);
        let call = |handle: &Handle<Fine, ManualClock>| {
            let fine = Outcome::new(Signal::Http(200), Request::Idempotent);
            handle.gate().map(|pass| drop(pass.record(&fine))).is_ok()
        };
        assert!(call(&handle));
        let other = handle.clone();
        let _locked = handle.entry.lock();
        let (told, telling) = mpsc::channel();
        thread::spawn(move || told.send(call(&other)));
        assert_eq!(telling.recv_timeout(Duration::from_secs(20)), Ok(true));
    }
}

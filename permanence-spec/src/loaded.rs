//! A policy that was loaded at run time.

use std::sync::Arc;

use permanence_core::{
    Bits, Cause, Policy, Probe, Processed, Reason, Refinement, RoutePolicy, Rule, Settings, Signal,
};

use crate::rule_set::ReadyRules;
use crate::{Compiled, EndpointPolicy};

/// A policy that was loaded at run time; clones share the tables.
#[derive(Clone, Debug)]
pub struct LoadedPolicy {
    loaded: Arc<Loaded>,
}

/// The tables, and their rules in the form that the core takes.
#[derive(Debug)]
struct Loaded {
    compiled: Compiled,
    base: ReadyRules,
    /// In the order of the routes.
    routes: Vec<ReadyRules>,
}

impl LoadedPolicy {
    /// Makes a policy from its tables.
    #[must_use]
    pub fn new(compiled: Compiled) -> Self {
        let ready = |policy: &EndpointPolicy| ReadyRules::new(Arc::clone(&policy.rule_set));
        let base = ready(&compiled.base);
        let routes = compiled.routes.iter().map(|route| ready(&route.policy)).collect();
        LoadedPolicy { loaded: Arc::new(Loaded { compiled, base, routes }) }
    }

    /// The tables.
    #[must_use]
    pub fn compiled(&self) -> &Compiled {
        &self.loaded.compiled
    }
}

impl From<Compiled> for LoadedPolicy {
    fn from(compiled: Compiled) -> Self {
        LoadedPolicy::new(compiled)
    }
}

impl RoutePolicy for LoadedPolicy {
    type Endpoint = LoadedEndpoint;

    /// The policy of the first route in the order of the file that matches, else the base.
    fn endpoint(&self, method: &str, path: &str) -> LoadedEndpoint {
        let route = self.compiled().route_of(method, path);
        LoadedEndpoint { loaded: Arc::clone(&self.loaded), route }
    }

    fn template(&self, method: &str, path: &str) -> Option<&str> {
        let compiled = self.compiled();
        let place = compiled.route_of(method, path)?;
        compiled.routes.get(place).map(|route| route.template.as_str())
    }
}

/// A loaded policy as one endpoint sees it; clones share the tables.
#[derive(Clone, Debug)]
pub struct LoadedEndpoint {
    loaded: Arc<Loaded>,
    route: Option<usize>,
}

impl LoadedEndpoint {
    /// The tables of this endpoint.
    #[must_use]
    pub fn tables(&self) -> &EndpointPolicy {
        self.loaded.compiled.policy(self.route)
    }

    /// The template of the route that matched, if one did.
    #[must_use]
    pub fn template(&self) -> Option<&str> {
        let route = self.route.and_then(|place| self.loaded.compiled.routes.get(place))?;
        Some(&route.template)
    }

    fn ready(&self) -> &ReadyRules {
        let own = self.route.and_then(|place| self.loaded.routes.get(place));
        own.unwrap_or(&self.loaded.base)
    }
}

impl Policy for LoadedEndpoint {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        self.tables().rule(signal)
    }

    fn settings(&self) -> &Settings {
        &self.tables().settings
    }

    fn cause_rule(&self, cause: Cause) -> &Rule {
        self.tables().cause_rule(cause)
    }

    fn probes(&self) -> &[Probe<'_>] {
        self.ready().probes()
    }

    fn needs_body(&self, status: u16) -> bool {
        self.tables().rule_set.needs_body(status)
    }

    fn refinement(&self, signal: &Signal<'_>, bits: Bits) -> Option<Refinement<'_>> {
        let ready = self.ready();
        let place = ready.rules().matching(signal, bits)?;
        let rule = ready.rules().rules.get(place)?;
        let row = self.tables().row_of(rule, signal);
        Some(Refinement {
            id: &rule.id,
            rule: row,
            processed: rule.processed,
            delay: ready.delay(place),
        })
    }

    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        self.tables().answered_processed(signal)
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        self.loaded.compiled.custom_reason_name(reason)
    }
}

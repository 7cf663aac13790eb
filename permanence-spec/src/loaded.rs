//! A policy that was loaded at run time.

use std::sync::Arc;

use permanence_core::{Cause, Policy, Processed, Reason, RoutePolicy, Rule, Settings, Signal};

use crate::{Compiled, EndpointPolicy};

/// A policy that was loaded at run time; clones share the tables.
#[derive(Clone, Debug)]
pub struct LoadedPolicy {
    compiled: Arc<Compiled>,
}

impl LoadedPolicy {
    /// Makes a policy from its tables.
    #[must_use]
    pub fn new(compiled: Compiled) -> Self {
        LoadedPolicy { compiled: Arc::new(compiled) }
    }

    /// The tables.
    #[must_use]
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
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
        let route = self.compiled.route_of(method, path);
        LoadedEndpoint { compiled: Arc::clone(&self.compiled), route }
    }

    fn template(&self, method: &str, path: &str) -> Option<&str> {
        let place = self.compiled.route_of(method, path)?;
        self.compiled.routes.get(place).map(|route| route.template.as_str())
    }
}

/// A loaded policy as one endpoint sees it; clones share the tables.
#[derive(Clone, Debug)]
pub struct LoadedEndpoint {
    compiled: Arc<Compiled>,
    route: Option<usize>,
}

impl LoadedEndpoint {
    /// The tables of this endpoint.
    #[must_use]
    pub fn tables(&self) -> &EndpointPolicy {
        self.compiled.policy(self.route)
    }

    /// The template of the route that matched, if one did.
    #[must_use]
    pub fn template(&self) -> Option<&str> {
        let route = self.route.and_then(|place| self.compiled.routes.get(place))?;
        Some(&route.template)
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

    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        self.tables().answered_processed(signal)
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        self.compiled.custom_reason_name(reason)
    }
}

//! What a policy file comes to: tables from signals to rules.

use std::path::PathBuf;
use std::sync::Arc;

use permanence_core::{
    Cause, Network, Processed, Reason, Rule, Settings, Signal, SignalKind, default_processed,
};

use crate::rule_set::{CompiledRule, RuleSet};

/// The first HTTP status that has a row of its own.
pub const HTTP_FIRST: u16 = 100;
/// The last HTTP status that has a row of its own.
pub const HTTP_LAST: u16 = 599;
/// How many HTTP statuses have a row of their own: 100 to 599.
pub const HTTP_LEN: usize = 500;

/// A policy file with everything that it extends, checked and resolved.
///
/// It is the common ground of the loader and of the code generator: what is not in here neither of
/// them knows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Compiled {
    /// The policy of every endpoint that no route matches.
    pub base: EndpointPolicy,
    /// The policies of single routes, in the order of the file; the first that matches counts.
    pub routes: Vec<Route>,
    /// The reasons that the policy has named itself; place `i` has the number
    /// [`Reason::FIRST_CUSTOM`]` + i`.
    pub custom_reasons: Vec<String>,
    /// Every file that was read, in the order of reading; none for what is built in.
    pub files: Vec<PathBuf>,
}

impl Compiled {
    /// The place in [`routes`](Compiled::routes) of the first route that matches a request.
    #[must_use]
    pub fn route_of(&self, method: &str, path: &str) -> Option<usize> {
        self.routes.iter().position(|route| route.matches(method, path))
    }

    /// The policy of the route at `place`, or the one of all other endpoints.
    #[must_use]
    pub fn policy(&self, place: Option<usize>) -> &EndpointPolicy {
        match place.and_then(|place| self.routes.get(place)) {
            Some(route) => &route.policy,
            None => &self.base,
        }
    }

    /// The name of a reason that the policy has named itself.
    #[must_use]
    pub fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        let place = reason.number().checked_sub(Reason::FIRST_CUSTOM)?;
        self.custom_reasons.get(usize::from(place)).map(String::as_str)
    }
}

/// One route and what the policy says about it, all inheritance resolved.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Route {
    /// The method, as it is sent; `None` for every method.
    pub method: Option<String>,
    /// The path, in which `{name}` stands for one segment: `/api/agents/{id}/status`.
    pub template: String,
    /// The policy.
    pub policy: EndpointPolicy,
}

impl Route {
    /// Whether a request belongs to this route.
    #[must_use]
    pub fn matches(&self, method: &str, path: &str) -> bool {
        self.method.as_deref().is_none_or(|own| own == method)
            && permanence_core::route_matches(&self.template, path)
    }
}

/// The policy of one endpoint: a rule for every signal there can be.
///
/// Tables hold places in [`rules`](EndpointPolicy::rules).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EndpointPolicy {
    /// The numbers that do not depend on the signal.
    pub settings: Settings,
    /// The rows: [`Rule::SUCCESS`], [`Rule::IGNORED`] and then those of the policy, none twice.
    pub rules: Vec<Rule>,
    /// The rules of the HTTP statuses.
    pub http: HttpRows<u8>,
    /// The rules of the gRPC codes 0 to 16.
    pub grpc: CodeRows<u8, 17>,
    /// The rules of the CoAP codes, by their byte.
    pub coap: [u8; 256],
    /// The rules of the network errors, in the order of [`Network::ALL`].
    pub network: [u8; Network::ALL.len()],
    /// The rule of a success that is not what was asked for.
    pub unusable: u8,
    /// The rules of the codes of providers, sorted by status and code.
    pub provider: Vec<ProviderRow>,
    /// The second axis.
    pub processed: ProcessedRows,
    /// The rules about more than the status, which go before all rows.
    pub rule_set: Arc<RuleSet>,
}

impl EndpointPolicy {
    /// The rule that `signal` falls into.
    #[must_use]
    pub fn rule(&self, signal: &Signal<'_>) -> &Rule {
        self.rules.get(usize::from(self.place(signal))).unwrap_or(&Rule::IGNORED)
    }

    /// The rule that a remembered cause fell into.
    ///
    /// A cause keeps neither a provider's code nor what was found in the answer; its reason tells
    /// which of the codes of its status, or which of the rules about it, it was.
    #[must_use]
    pub fn cause_rule(&self, cause: Cause) -> &Rule {
        let signal = cause.signal();
        let plain = self.rule(&signal);
        if plain.reason == cause.reason() {
            return plain;
        }
        let is_coded = |row: &&ProviderRow| {
            cause.code().kind() == SignalKind::Http && row.status == cause.code().number()
        };
        let coded = self.provider.iter().filter(is_coded).map(|row| row.rule);
        let refined = self.rule_set.rules.iter().filter(|rule| rule.codes.contains(&signal));
        coded
            .chain(refined.filter_map(|rule| rule.row))
            .filter_map(|place| self.rules.get(usize::from(place)))
            .find(|rule| rule.reason == cause.reason())
            .unwrap_or(plain)
    }

    /// The row that a rule leads to where it is met by `signal`.
    #[must_use]
    pub fn row_of(&self, rule: &CompiledRule, signal: &Signal<'_>) -> &Rule {
        let own = rule.row.and_then(|place| self.rules.get(usize::from(place)));
        own.unwrap_or_else(|| self.rule(signal))
    }

    /// Whether a peer that answered with `signal` acted on the request.
    #[must_use]
    pub fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        match *signal {
            Signal::Http(status) => self.processed.http.of(status),
            Signal::Provider { status, code } => match self.provider_row(status, code) {
                Some(row) => row.processed,
                None => self.processed.http.of(status),
            },
            Signal::Grpc(code) => self.processed.grpc.of(code),
            Signal::Coap(byte) => table_entry(&self.processed.coap, byte, Processed::Unknown),
            _ => default_processed(signal),
        }
    }

    fn place(&self, signal: &Signal<'_>) -> u8 {
        match *signal {
            Signal::Http(status) => self.http.of(status),
            Signal::Provider { status, code } => match self.provider_row(status, code) {
                Some(row) => row.rule,
                None => self.http.of(status),
            },
            Signal::Grpc(code) => self.grpc.of(code),
            Signal::Coap(byte) => table_entry(&self.coap, byte, IGNORED),
            Signal::Network(network) => table_entry(&self.network, network as u8, IGNORED),
            Signal::Unusable { .. } => self.unusable,
            // Cancelled, and what the vocabulary may grow: no evidence.
            _ => IGNORED,
        }
    }

    fn provider_row(&self, status: u16, code: &str) -> Option<&ProviderRow> {
        let place = self
            .provider
            .binary_search_by(|row| (row.status, row.code.as_str()).cmp(&(status, code)))
            .ok()?;
        self.provider.get(place)
    }
}

/// One value for each HTTP status.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HttpRows<T> {
    /// The values of 100 to 599, in this order.
    pub table: [T; HTTP_LEN],
    /// The value of every other number.
    pub other: T,
}

impl<T: Copy> HttpRows<T> {
    /// The value of `status`.
    #[must_use]
    pub fn of(&self, status: u16) -> T {
        let place = status.checked_sub(HTTP_FIRST).map(usize::from);
        place.and_then(|place| self.table.get(place)).copied().unwrap_or(self.other)
    }
}

/// One value for each code from 0 to `LEN - 1`, and one for all others.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CodeRows<T, const LEN: usize> {
    /// The values of the codes, in their order.
    pub table: [T; LEN],
    /// The value of every other number.
    pub other: T,
}

impl<T: Copy, const LEN: usize> CodeRows<T, LEN> {
    /// The value of `code`.
    #[must_use]
    pub fn of(&self, code: u8) -> T {
        self.table.get(usize::from(code)).copied().unwrap_or(self.other)
    }
}

/// The rule of one code of a provider.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ProviderRow {
    /// The HTTP status that the code comes with.
    pub status: u16,
    /// The code, compared byte for byte.
    pub code: String,
    /// The place of its rule.
    pub rule: u8,
    /// Whether a peer that answers so has acted on the request.
    pub processed: Processed,
}

/// Whether a peer that answers with a code has acted on the request, for every code there is.
///
/// Signals that are not in here have [`default_processed`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProcessedRows {
    /// HTTP statuses.
    pub http: HttpRows<Processed>,
    /// gRPC codes 0 to 16.
    pub grpc: CodeRows<Processed, 17>,
    /// CoAP codes, by their byte.
    pub coap: [Processed; 256],
}

fn table_entry<T: Copy>(table: &[T], place: u8, otherwise: T) -> T {
    table.get(usize::from(place)).copied().unwrap_or(otherwise)
}

/// The place of [`Rule::IGNORED`].
const IGNORED: u8 = 1;

/// One value for each status and one for all other numbers, for which `of` is asked with 0.
pub(crate) fn http_rows<T>(mut of: impl FnMut(u16) -> T) -> HttpRows<T> {
    let other = of(0);
    let mut status = HTTP_FIRST;
    let table = std::array::from_fn(|_| {
        let value = of(status);
        status = status.saturating_add(1);
        value
    });
    HttpRows { table, other }
}

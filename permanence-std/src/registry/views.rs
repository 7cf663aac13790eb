//! One policy as the trackers see it that belong to several endpoints.

use permanence_core::{
    Bits, Cause, Network, Policy, Processed, Reason, Refinement, Rule, Scope, Settings, Signal,
};

/// A policy as the tracker of a host sees it: rules about the host count, and any other answer is a
/// sign of life.
pub(super) struct OriginView<'p, E>(pub(super) &'p E);

impl<E: Policy> Policy for OriginView<'_, E> {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        let rule = self.0.rule(signal);
        if rule.scope == Scope::Origin {
            return rule;
        }
        not_about_host(signal)
    }

    fn settings(&self) -> &Settings {
        self.0.settings()
    }

    fn cause_rule(&self, cause: Cause) -> &Rule {
        self.0.cause_rule(cause)
    }

    fn refinement(&self, signal: &Signal<'_>, bits: Bits) -> Option<Refinement<'_>> {
        let refinement = self.0.refinement(signal, bits)?;
        let of_host = refinement.rule.scope == Scope::Origin;
        let rule = if of_host { refinement.rule } else { not_about_host(signal) };
        Some(Refinement { rule, ..refinement })
    }

    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        self.0.answered_processed(signal)
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        self.0.custom_reason_name(reason)
    }
}

/// A policy as the tracker of a credential sees it: rules about the credential count, a success is one, and
/// anything else may have been said by somebody who never looked at it.
pub(super) struct CredentialView<'p, E>(pub(super) &'p E);

impl<E: Policy> Policy for CredentialView<'_, E> {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        of_credential(self.0.rule(signal))
    }

    fn settings(&self) -> &Settings {
        self.0.settings()
    }

    fn cause_rule(&self, cause: Cause) -> &Rule {
        self.0.cause_rule(cause)
    }

    fn refinement(&self, signal: &Signal<'_>, bits: Bits) -> Option<Refinement<'_>> {
        let refinement = self.0.refinement(signal, bits)?;
        Some(Refinement { rule: of_credential(refinement.rule), ..refinement })
    }

    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        self.0.answered_processed(signal)
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        self.0.custom_reason_name(reason)
    }
}

fn of_credential(rule: &Rule) -> &Rule {
    if rule.scope == Scope::Credential || rule.is_success() { rule } else { &Rule::IGNORED }
}

/// What an outcome that is about something else says of the host.
const fn not_about_host(signal: &Signal<'_>) -> &'static Rule {
    match signal {
        // A timeout says neither that the host lives nor that it does not.
        Signal::Cancelled | Signal::Network(_) => &Rule::IGNORED,
        _ => &Rule::SUCCESS,
    }
}

/// Whether any network error is about the host in this policy.
pub(super) fn knows_origins<E: Policy>(policy: &E) -> bool {
    Network::ALL
        .into_iter()
        .any(|network| policy.rule(&Signal::Network(network)).scope == Scope::Origin)
}

//! What the probes of a policy find in the answer and its request.

use permanence_core::scan::{Found, Scanner, probe_headers, probe_redirect, probe_request};
use permanence_core::{Bits, DelaySource, Policy, Signal};

use super::delay::pairs;
use super::given::Given;

/// What there is to look at.
pub(super) struct Answer<'a> {
    pub(super) signal: Signal<'a>,
    pub(super) method: &'a str,
    pub(super) given: &'a Given,
    /// The body, if one is given.
    pub(super) body: Option<&'a [u8]>,
}

impl Answer<'_> {
    /// Puts the probes of the policy to it; those of an answer only where there is one.
    pub(super) fn bits(&self, policy: &impl Policy) -> Bits {
        let probes = policy.probes();
        let bits = probe_request(probes, self.method, pairs(&self.given.request_headers));
        if matches!(self.signal, Signal::Network(_) | Signal::Cancelled) {
            return bits;
        }
        let mut bits = bits.union(probe_headers(probes, pairs(&self.given.headers)));
        if let Some(url) = &self.given.redirected_to {
            bits = bits.union(probe_redirect(probes, url));
        }
        match self.scanned(policy, None) {
            Some(found) => bits.union(found.bits),
            None => bits,
        }
    }

    /// Reads the body; nothing where there is none or where no rule asks for it.
    pub(super) fn scanned(
        &self,
        policy: &impl Policy,
        delay: Option<DelaySource<'_>>,
    ) -> Option<Found> {
        let body = self.body.filter(|_| self.is_body_wanted(policy))?;
        // A source of its own takes the place of a probe, and the probes have been answered.
        let probes = if delay.is_some() { &[] } else { policy.probes() };
        let mut scanner = Scanner::new(probes, delay);
        scanner.feed(body);
        Some(scanner.finish())
    }

    /// Whether a rule that this answer may meet looks into its body.
    pub(super) fn is_body_wanted(&self, policy: &impl Policy) -> bool {
        match self.signal {
            Signal::Http(status)
            | Signal::Provider { status, .. }
            | Signal::Unusable { status } => policy.needs_body(status),
            Signal::Network(_) | Signal::Cancelled => false,
            _ => true,
        }
    }
}

//! Rules about more than the status: which signals they are about and which probes they want.

mod codes;
mod probe;
mod ready;

use permanence_core::{Bits, Processed, Signal};

pub use self::codes::Codes;
pub use self::probe::{OwnedDelay, OwnedLiteral, OwnedProbe, OwnedSegment, OwnedTarget, OwnedTest};
pub(crate) use self::ready::ReadyRules;

/// The rules of one endpoint, in the order in which they are tried, and the probes that they ask.
///
/// # Examples
///
/// ```
/// # fn main() -> Result<(), permanence_spec::Diagnostics> {
/// use permanence_core::{Bits, Signal};
///
/// let policy = permanence_spec::load_str(
///     "policy.toml",
///     r#"
///         [error_permanence]
///         extends = "default"
///
///         [[error_permanence.rule]]
///         id = "openai.quota"
///         when = { status = 429, json."/error/code" = "insufficient_quota" }
///         reason = "auth-config"
///     "#,
/// )?;
/// let rules = &policy.base.rule_set;
/// assert!(rules.needs_body(429) && !rules.needs_body(200));
/// assert_eq!(rules.matching(&Signal::Http(429), Bits::NONE), None);
/// let place = rules.matching(&Signal::Http(429), Bits::NONE.with(0));
/// assert_eq!(place.map(|place| rules.rules[place].id.as_str()), Some("openai.quota"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RuleSet {
    /// The questions, none twice and at most [`Bits::MAX`]; bit `i` answers question `i`.
    pub probes: Vec<OwnedProbe>,
    /// The rules; the first that matches counts.
    pub rules: Vec<CompiledRule>,
}

/// One rule, its conditions turned into masks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CompiledRule {
    /// The name, such as `openai.quota`. A rule that means different rows for different codes comes
    /// several times, each time with codes of its own.
    pub id: String,
    /// Which signals it is about.
    pub codes: Codes,
    /// The probes that have to be answered with yes.
    pub wanted: u64,
    /// The probes that have to be answered with no.
    pub unwanted: u64,
    /// The place of its row; `None` where the row of the signal stands.
    pub row: Option<u8>,
    /// Whether a peer that answered so has acted, if the signal alone misleads.
    pub processed: Option<Processed>,
    /// Where the server's time stands, if not in `retry-after` and its relatives.
    pub delay: Option<OwnedDelay>,
}

impl CompiledRule {
    /// Whether an outcome meets every condition.
    #[must_use]
    pub fn matches(&self, signal: &Signal<'_>, bits: Bits) -> bool {
        let mask = bits.mask();
        mask & self.wanted == self.wanted
            && mask & self.unwanted == 0
            && self.codes.contains(signal)
    }
}

impl RuleSet {
    /// The place of the first rule that an outcome meets.
    #[must_use]
    pub fn matching(&self, signal: &Signal<'_>, bits: Bits) -> Option<usize> {
        self.rules.iter().position(|rule| rule.matches(signal, bits))
    }

    /// Whether a rule that an answer with this status may meet looks into its body.
    #[must_use]
    pub fn needs_body(&self, status: u16) -> bool {
        let of_body = self.body_mask();
        let signal = Signal::Http(status);
        self.rules.iter().any(|rule| {
            let asked = (rule.wanted | rule.unwanted) & of_body != 0;
            let timed = matches!(rule.delay, Some(OwnedDelay::Json(..)));
            (asked || timed) && rule.codes.contains(&signal)
        })
    }

    /// The probes that look into the body.
    fn body_mask(&self) -> u64 {
        let bodies = self.probes.iter().enumerate().filter(|(_, probe)| probe.target.is_in_body());
        bodies.fold(Bits::NONE, |bits, (place, _)| bits.with(place)).mask()
    }
}

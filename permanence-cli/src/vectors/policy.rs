//! P0 and what a case changes in it.

use std::num::{NonZeroU8, NonZeroU16};
use std::sync::LazyLock;

use permanence_core::{
    Backoff, Bits, BudgetSettings, Cause, Class, Jitter, Mode, Pacing, Percent, Policy, Probe,
    Processed, Reason, Refinement, Reprobe, RoutePolicy, Rule, Scope, Settings, Signal, Span,
};
use permanence_spec::{Compiled, EndpointPolicy, LoadedEndpoint, LoadedPolicy, load_str};
use toml::Value;

use super::fields::{Fields, Halt};
use super::rows::{Row, otlp_row};
use super::rules::CaseRule;

/// P0 in the policy language.
const P0: &str = include_str!("../../policies/p0.toml");

/// P0 as it stands: whose rules ask something of headers.
static LOADED: LazyLock<Option<LoadedEndpoint>> =
    LazyLock::new(|| Some(LoadedPolicy::new(plain_policy().ok()?).endpoint("GET", "/")));

/// P0 as it stands, to be loaded.
pub(super) fn plain_policy() -> Result<Compiled, Halt> {
    load_str("p0.toml", P0).map_err(|error| Halt::mismatch(format!("P0: {error}")))
}

/// What P0's rules ask.
pub(super) fn probes() -> &'static [Probe<'static>] {
    LOADED.as_ref().map_or(&[], |policy| policy.probes())
}

/// The policy of one case.
#[derive(Clone, Debug)]
pub(super) struct CasePolicy {
    /// P0 with the numbers of the case.
    plain: EndpointPolicy,
    /// The rows that the case adds, with its numbers.
    rows: Vec<(Row, Rule)>,
    /// Rules for providers' codes; they go before everything.
    coded: Vec<CaseRule>,
    /// Rules of the endpoint.
    overrides: Vec<CaseRule>,
    /// All other rules.
    others: Vec<CaseRule>,
    renewal: Renewal,
    profile: Profile,
}

/// What a 401 asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Renewal {
    Nothing,
    Once,
}

/// Codes that a protocol or a network in between reads in its own way.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Profile {
    /// Statuses 520 to 524 of an edge network.
    Cdn52x,
    Generic,
    /// gRPC codes of the telemetry protocol.
    Otlp,
}

impl CasePolicy {
    /// The policy of an input: P0, its `policy` and its `profile`.
    pub(super) fn from_input(input: &Fields<'_>) -> Result<Self, Halt> {
        let empty = toml::Table::new();
        let changes = input.table("policy")?.unwrap_or_else(|| Fields::new("policy", &empty));
        let mut policy = CasePolicy::from_changes(&changes)?;
        if let Some(profile) = input.text("profile")? {
            policy.profile = Profile::parse(profile)?;
        }
        changes.finish()?;
        Ok(policy)
    }

    fn from_changes(changes: &Fields<'_>) -> Result<Self, Halt> {
        let mut plain = plain_policy()?.base;
        plain.settings = settings(changes)?;
        let mut rows = Row::ALL.map(|row| (row, row.rule())).to_vec();

        let thresholds = Thresholds::from_changes(changes)?;
        let added = rows.iter_mut().map(|(_, rule)| rule);
        plain.rules.iter_mut().chain(added).for_each(|rule| thresholds.apply(rule));

        let (coded, others) =
            case_rules(changes, "rule")?.into_iter().partition(CaseRule::is_coded);
        Ok(CasePolicy {
            plain,
            rows,
            coded,
            overrides: case_rules(changes, "endpoint_override")?,
            others,
            renewal: match changes.text("on_401")? {
                None => Renewal::Nothing,
                Some("renew_once") => Renewal::Once,
                Some(other) => {
                    return Err(Halt::out_of_reach(format!("on_401 {other:?} not understood")));
                }
            },
            profile: match changes.text("profile")? {
                Some(profile) => Profile::parse(profile)?,
                None => Profile::Generic,
            },
        })
    }

    pub(super) fn profile(&self) -> Profile {
        self.profile
    }

    /// The same policy with episodes of transient failures put off, for a look at single decisions.
    pub(super) fn without_notice(mut self) -> Self {
        self.plain.settings.notice_after = NonZeroU8::MAX;
        self
    }

    /// Whether the override of the endpoint names this signal.
    pub(super) fn overrides(&self, signal: &Signal<'_>) -> bool {
        self.overrides.iter().any(|rule| rule.matches(signal))
    }

    /// The row that the case adds for a signal; a provider's code that P0 knows goes before the
    /// rules that name no code.
    fn added_row(&self, signal: &Signal<'_>) -> Option<Row> {
        let first = |rules: &[CaseRule]| {
            rules.iter().find(|rule| rule.matches(signal)).map(|rule| rule.row)
        };
        let is_known_code = || match signal {
            Signal::Provider { status, code } => {
                self.plain.provider.iter().any(|row| row.status == *status && row.code == *code)
            }
            _ => false,
        };
        match first(&self.coded) {
            Some(row) => Some(row),
            None if is_known_code() => None,
            None => first(&self.overrides)
                .or_else(|| first(&self.others))
                .or_else(|| self.profile_row(signal)),
        }
    }

    fn profile_row(&self, signal: &Signal<'_>) -> Option<Row> {
        match (signal, self.renewal, self.profile) {
            (Signal::Http(401) | Signal::Provider { status: 401, .. }, Renewal::Once, _) => {
                Some(Row::Renewable)
            }
            (Signal::Grpc(code), _, Profile::Otlp) => otlp_row(*code),
            _ => None,
        }
    }
}

impl Policy for CasePolicy {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        let added = self.added_row(signal);
        let found = self.rows.iter().find(|(row, _)| added == Some(*row));
        found.map_or_else(|| self.plain.rule(signal), |(_, rule)| rule)
    }

    fn settings(&self) -> &Settings {
        &self.plain.settings
    }

    /// What a case adds goes before P0's own rules.
    fn refinement(&self, signal: &Signal<'_>, bits: Bits) -> Option<Refinement<'_>> {
        if self.added_row(signal).is_some() {
            return None;
        }
        let set = &self.plain.rule_set;
        let rule = set.rules.get(set.matching(signal, bits)?)?;
        let row = self.plain.row_of(rule, signal);
        Some(Refinement { id: &rule.id, rule: row, processed: rule.processed, delay: None })
    }

    fn cause_rule(&self, cause: Cause) -> &Rule {
        let now = self.rule(&cause.signal());
        if now.reason == cause.reason() {
            return now;
        }
        // The code that made the difference is not kept; its reason is.
        let added = self.rows.iter().find(|(_, rule)| rule.reason == cause.reason());
        added.map_or_else(|| self.plain.cause_rule(cause), |(_, rule)| rule)
    }

    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        match (self.profile, signal) {
            (Profile::Cdn52x, Signal::Http(521..=523)) => Processed::No,
            _ => self.plain.answered_processed(signal),
        }
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        (reason == Row::BY_RULE).then_some("by-rule")
    }
}

/// The numbers of rules that a case may change.
struct Thresholds {
    permanent: Option<NonZeroU16>,
    payload: Option<NonZeroU16>,
    network: Option<NonZeroU16>,
    interval: Option<Span>,
    ramp: Option<Span>,
}

impl Thresholds {
    fn from_changes(changes: &Fields<'_>) -> Result<Self, Halt> {
        Ok(Thresholds {
            permanent: threshold(changes, "disable_after")?,
            payload: threshold(changes, "payload_disable_after")?,
            network: threshold(changes, "network_disable_after")?,
            interval: span(changes, "reprobe_ms")?,
            ramp: span(changes, "reprobe_ramp_ms")?,
        })
    }

    fn apply(&self, rule: &mut Rule) {
        let threshold = match (rule.class, rule.scope) {
            (Class::Permanent, Scope::Payload) => self.payload,
            (Class::Permanent, _) => self.permanent,
            (Class::Transient, _) if rule.reason == Reason::NETWORK => self.network,
            _ => None,
        };
        rule.disable_after = threshold.or(rule.disable_after);
        if let Reprobe::Every { interval, ramp } = &mut rule.reprobe {
            *interval = self.interval.unwrap_or(*interval);
            *ramp = self.ramp.or(*ramp);
        }
    }
}

impl Profile {
    fn parse(text: &str) -> Result<Self, Halt> {
        match text {
            "cdn_52x" => Ok(Profile::Cdn52x),
            "generic" => Ok(Profile::Generic),
            "otlp" => Ok(Profile::Otlp),
            other => Err(Halt::out_of_reach(format!("profile {other:?} not understood"))),
        }
    }
}

fn settings(changes: &Fields<'_>) -> Result<Settings, Halt> {
    let draw = changes.fraction("jitter_draw")?.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&draw) {
        return Err(Halt::mismatch(format!("jitter_draw: {draw} is not between 0 and 1")));
    }
    let base = span(changes, "base_ms")?.unwrap_or(Settings::LITERAL.backoff.base);
    let max = span(changes, "cap_ms")?.unwrap_or(Settings::LITERAL.backoff.max);
    let spread_name = ["probe_jitter_percent", "reprobe_spread_percent"]
        .into_iter()
        .find(|name| changes.has(name))
        .unwrap_or("reprobe_spread_percent");
    Ok(Settings {
        backoff: drawn_backoff(base, max, draw),
        budget: budget(changes)?,
        confirm_max: small_threshold(changes, "confirm_max")?.unwrap_or(NonZeroU8::MIN),
        flap_window: span(changes, "flap_window_ms")?.unwrap_or(Span::ZERO),
        mode: Mode::Enforce,
        notice_after: small_threshold(changes, "degraded_after")?.unwrap_or(NonZeroU8::MIN),
        // A back-off of zero holds nothing, and `degraded` is then what the state is called.
        pacing: if draw > 0.0 { Pacing::Hold } else { Pacing::Advise },
        probe_lease: span(changes, "probe_lease_ms")?.unwrap_or(Settings::LITERAL.probe_lease),
        reminder: None,
        reprobe_spread: percent(changes, spread_name)?.unwrap_or(Percent::ZERO),
        retry_after_max: span(changes, "retry_after_max_ms")?
            .unwrap_or(Settings::LITERAL.retry_after_max),
    })
}

/// A back-off whose waits are the part `draw` of the ceiling.
///
/// The tracker draws by itself, so the draw goes into the numbers: the part of a minimum is the
/// minimum of the parts. At zero the maximum stays, because it also says which waits are long.
fn drawn_backoff(base: Span, max: Span, draw: f64) -> Backoff {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let part = |whole: Span| {
        // Between zero and the whole, so it fits.
        Span::from_millis((f64::from(whole.as_millis()) * draw).round() as u32)
    };
    let max = if draw > 0.0 { part(max) } else { max };
    Backoff { base: part(base), max, jitter: Jitter::None }
}

/// The budget of a case; the short names are those of the form `budget`.
pub(super) fn budget(changes: &Fields<'_>) -> Result<BudgetSettings, Halt> {
    let either = |long: &'static str, short: &'static str| {
        if changes.has(long) { long } else { short }
    };
    let finagle = BudgetSettings::FINAGLE;
    let min_name = either("budget_min_per_s", "min_per_s");
    Ok(BudgetSettings {
        ttl: span(changes, either("budget_ttl_ms", "ttl_ms"))?.unwrap_or(finagle.ttl),
        min_per_sec: changes
            .number(min_name)?
            .map(|number| {
                u16::try_from(number)
                    .map_err(|_| Halt::mismatch(format!("{min_name}: {number} is too much")))
            })
            .transpose()?
            .unwrap_or(finagle.min_per_sec),
        percent: percent(changes, either("budget_percent", "percent"))?.unwrap_or(finagle.percent),
    })
}

pub(super) fn span(fields: &Fields<'_>, name: &str) -> Result<Option<Span>, Halt> {
    Ok(fields.small_number(name)?.map(Span::from_millis))
}

fn percent(fields: &Fields<'_>, name: &str) -> Result<Option<Percent>, Halt> {
    fields
        .number(name)?
        .map(|number| {
            u8::try_from(number)
                .ok()
                .and_then(Percent::new)
                .ok_or_else(|| Halt::mismatch(format!("{name}: {number} is not a share of 100")))
        })
        .transpose()
}

fn threshold(fields: &Fields<'_>, name: &str) -> Result<Option<NonZeroU16>, Halt> {
    fields
        .number(name)?
        .map(|number| {
            u16::try_from(number)
                .ok()
                .and_then(NonZeroU16::new)
                .ok_or_else(|| Halt::mismatch(format!("{name}: {number} is no threshold")))
        })
        .transpose()
}

fn small_threshold(fields: &Fields<'_>, name: &str) -> Result<Option<NonZeroU8>, Halt> {
    threshold(fields, name)?
        .map(|number| {
            NonZeroU8::try_from(number)
                .map_err(|_| Halt::mismatch(format!("{name}: {number} is past 255")))
        })
        .transpose()
}

fn case_rules(changes: &Fields<'_>, name: &str) -> Result<Vec<CaseRule>, Halt> {
    match changes.value(name) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![CaseRule::parse(text)?]),
        Some(Value::Array(list)) => list
            .iter()
            .map(|value| match value.as_str() {
                Some(text) => CaseRule::parse(text),
                None => Err(changes.unfit(name, "a list of texts", value)),
            })
            .collect(),
        Some(value) => Err(changes.unfit(name, "a text", value)),
    }
}

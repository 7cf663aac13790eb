//! P0 and what a case changes in it.

use std::num::{NonZeroU8, NonZeroU16};

use permanence_core::{
    Backoff, BudgetSettings, Cause, Jitter, Mode, Pacing, Percent, Policy, Processed, Reason, Rule,
    Settings, Signal, Span,
};
use toml::Value;

use super::fields::{Fields, Halt};
use super::provider_codes::provider_row;
use super::rows::{Row, Thresholds, otlp_row, plain_processed, plain_row};
use super::rules::CaseRule;

/// The policy of one case.
#[derive(Clone, Debug)]
pub(super) struct CasePolicy {
    settings: Settings,
    rules: Vec<(Row, Rule)>,
    coded: Vec<CaseRule>,
    overrides: Vec<CaseRule>,
    plain: Vec<CaseRule>,
    renews: Renewal,
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
        let permanent = threshold(changes, "disable_after")?.unwrap_or(NonZeroU16::MIN);
        let thresholds = Thresholds {
            permanent,
            payload: threshold(changes, "payload_disable_after")?,
            network: threshold(changes, "network_disable_after")?,
            interval: span(changes, "reprobe_ms")?.unwrap_or(Span::from_secs(3 * 3_600)),
            ramp: span(changes, "reprobe_ramp_ms")?,
        };
        let rules = case_rules(changes, "rule")?;
        let (coded, plain) = rules.into_iter().partition(CaseRule::is_coded);
        Ok(CasePolicy {
            settings: settings(changes)?,
            rules: Row::ALL.map(|row| (row, row.rule(&thresholds))).to_vec(),
            coded,
            overrides: case_rules(changes, "endpoint_override")?,
            plain,
            renews: match changes.text("on_401")? {
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
        self.settings.notice_after = NonZeroU8::MAX;
        self
    }

    /// Whether the override of the endpoint names this signal.
    pub(super) fn overrides(&self, signal: &Signal<'_>) -> bool {
        self.overrides.iter().any(|rule| rule.matches(signal))
    }

    fn row(&self, signal: &Signal<'_>) -> Row {
        let by_case = |rules: &[CaseRule]| {
            rules.iter().find(|rule| rule.matches(signal)).map(|rule| rule.row)
        };
        let by_code = || match signal {
            Signal::Provider { status, code } => provider_row(*status, code),
            _ => None,
        };
        by_case(&self.coded)
            .or_else(by_code)
            .or_else(|| by_case(&self.overrides))
            .or_else(|| by_case(&self.plain))
            .unwrap_or_else(|| match (signal, self.renews, self.profile) {
                (Signal::Http(401) | Signal::Provider { status: 401, .. }, Renewal::Once, _) => {
                    Row::Renewable
                }
                (Signal::Grpc(code), _, Profile::Otlp) => otlp_row(*code),
                _ => plain_row(signal),
            })
    }

    fn rule_of(&self, wanted: Row) -> &Rule {
        // `rules` holds every row there is.
        self.rules.iter().find(|(row, _)| *row == wanted).map_or(&Rule::IGNORED, |(_, rule)| rule)
    }
}

impl Policy for CasePolicy {
    fn rule(&self, signal: &Signal<'_>) -> &Rule {
        self.rule_of(self.row(signal))
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn cause_rule(&self, cause: Cause) -> &Rule {
        let plain = self.rule(&cause.signal());
        if plain.reason == cause.reason() {
            return plain;
        }
        // The code that made the difference is not kept; its reason is.
        let by_reason = self.rules.iter().find(|(_, rule)| rule.reason == cause.reason());
        by_reason.map_or(plain, |(_, rule)| rule)
    }

    fn answered_processed(&self, signal: &Signal<'_>) -> Processed {
        match (self.profile, signal) {
            (Profile::Cdn52x, Signal::Http(521..=523)) => Processed::No,
            _ => plain_processed(signal),
        }
    }

    fn custom_reason_name(&self, reason: Reason) -> Option<&str> {
        (reason == Row::BY_RULE).then_some("by-rule")
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
        reprobe_spread: percent(changes, "reprobe_spread_percent")?.unwrap_or(Percent::ZERO),
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

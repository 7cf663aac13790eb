//! One decision per row, each on a fresh endpoint.

use permanence_core::{
    Action, Admission, Class, Directive, Instant, Policy, Remedy, Request, Retry, Rule, Signal,
    Status, Tracker, Verdict, grpc_code, verdict,
};
use toml::Table;

use super::super::answer::Answer;
use super::super::fields::{Fields, Halt};
use super::super::observed::{Observed, integer, table};
use super::super::policy::{CasePolicy, Profile, span};
use super::request;

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let policy = CasePolicy::from_input(input)?.without_notice();
    let mut rows = Vec::new();
    for row in input.required_tables("rows")? {
        rows.push(decide(&policy, &row)?);
        row.finish()?;
    }
    let mut observed = Observed::default();
    observed.set_list("rows", rows);
    Ok(observed)
}

/// What the policy and the machine make of one row.
fn decide(policy: &CasePolicy, row: &Fields<'_>) -> Result<Table, Halt> {
    let answer = answer(policy, row)?;
    let (method, request) = request(row)?;
    let headers = request_headers(policy, row, &answer)?;
    let answer = answer.for_request(&method, &headers);
    refuse_predicates(row)?;
    // Under P0 a name that does not resolve is transient whether or not it ever has.
    row.flag("host_resolved_before")?;

    let outcome = answer.outcome(request);
    let Verdict { rule, class, .. } = verdict(policy, &outcome);

    let (tracker, action) = settle(policy, rule, &answer, request);
    let delay = tracker.wake_at().map_or(0, |instant| instant.since(Instant::ZERO));
    Ok(table([
        ("class", class_name(class, rule).into()),
        ("scope", rule.scope.name().into()),
        ("act", act_name(class, &action, tracker.status()).into()),
        ("delay_ms", integer(delay)),
        ("reason", policy.reason_name(rule.reason).into()),
    ]))
}

fn answer(policy: &CasePolicy, row: &Fields<'_>) -> Result<Answer, Halt> {
    let answer = if let Some(status) = row.number("status")? {
        let status = u16::try_from(status)
            .map_err(|_| Halt::mismatch(format!("status {status} is past 65,535")))?;
        match row.flag("unusable")? {
            Some(true) => Answer::new(Signal::Unusable { status }),
            _ => Answer::new(Signal::Http(status)),
        }
    } else if let Some(name) = row.text("grpc")? {
        let code = grpc_code(name)
            .ok_or_else(|| Halt::out_of_reach(format!("gRPC code {name:?} not understood")))?;
        Answer::new(Signal::Grpc(code))
    } else {
        let names = ["coap", "err", "out"];
        let name = names.into_iter().find(|name| row.has(name));
        Answer::parse(row.required_text(name.unwrap_or("status"))?)?
    };
    let mut answer = answer.with_companions(row)?;
    if let Some(delay) = span(row, "retry_info_ms")? {
        answer.server_delay = Some(delay);
        if policy.profile() == Profile::Otlp {
            // In the telemetry protocol the delay is also the server's word that a retry is welcome.
            answer.directive = Some(Directive::Retry);
        }
    }
    Ok(answer)
}

/// The headers of the request that a row tells of; what an override has settled needs none.
fn request_headers(
    policy: &CasePolicy,
    row: &Fields<'_>,
    answer: &Answer,
) -> Result<Vec<&'static str>, Halt> {
    let settled = policy.overrides(&answer.signal);
    let mut headers = Vec::new();
    for name in row.names_with("request_has_") {
        match (name, row.flag(name)?) {
            ("request_has_session", Some(true)) => headers.push("mcp-session-id"),
            (_, Some(true)) if !settled => {
                return Err(Halt::out_of_reach(format!("needs rule predicates: {name}")));
            }
            _ => {}
        }
    }
    Ok(headers)
}

/// Rows that turn on what no rule of P0 looks at. Which try it was, and what the one before came to, is
/// told and makes no difference under P0.
fn refuse_predicates(row: &Fields<'_>) -> Result<(), Halt> {
    row.number("attempt")?;
    row.text("previous")?;
    let unseen = ["body", "content_type", "request_headers"];
    let needed: Vec<&str> = unseen.into_iter().filter(|name| row.has(name)).collect();
    if needed.is_empty() {
        return Ok(());
    }
    Err(Halt::out_of_reach(format!("needs rule predicates: {}", needed.join(", "))))
}

/// Reports the answer as often as its row asks before it disables.
fn settle(
    policy: &CasePolicy,
    rule: &Rule,
    answer: &Answer,
    request: Request,
) -> (Tracker, Action) {
    let mut tracker = Tracker::new(1);
    let mut action = Action::Proceed;
    let asks = rule.class == Class::Permanent && rule.retry != Retry::Renew;
    let times = rule.disable_after.filter(|_| asks).map_or(1, |threshold| threshold.get());
    for _ in 0..times {
        let Admission::Call(permit) = tracker.admit(policy, Instant::ZERO) else { break };
        let step = tracker.record(policy, permit, &answer.outcome(request), Instant::ZERO);
        action = step.action;
    }
    (tracker, action)
}

fn class_name(class: Class, rule: &Rule) -> &'static str {
    match class {
        Class::Ignored => "ignore",
        Class::Permanent if rule.remedy == Remedy::Reinit => "stale_context",
        Class::Success => "ok",
        other => other.name(),
    }
}

fn act_name(class: Class, action: &Action, status: Status) -> &'static str {
    match action {
        Action::Drop => "drop_payload",
        Action::Renew(_) => "renew_then_retry_once",
        Action::Surface => "surface",
        _ if matches!(status, Status::Disabled | Status::Gone) => "disable",
        Action::Retry(_) | Action::Wait(_) if class == Class::Transient => "retry",
        _ => "none",
    }
}

#[cfg(test)]
mod tests {
    use permanence_core::Span;
    use toml::Value;

    use super::*;

    fn row(policy: &str, row: &str) -> Result<Table, Halt> {
        let text = format!("form = 'classify'\npolicy = {policy}\nrows = [{row}]");
        let input: Table = toml::from_str(&text).unwrap();
        let observed = observe(&Fields::new("input", &input))?;
        let rows = observed.values.get("rows").and_then(Value::as_array).unwrap();
        Ok(rows[0].as_table().unwrap().clone())
    }

    #[test]
    fn a_write_of_unknown_fate_is_told_and_not_repeated() {
        let row = row("{}", "{ method = 'POST', status = 502 }").unwrap();
        assert_eq!(row["class"].as_str(), Some("ambiguous"));
        assert_eq!(row["act"].as_str(), Some("surface"));
    }

    #[test]
    fn a_threshold_is_reached_before_the_act_is_named() {
        let row = row("{ disable_after = 3 }", "{ status = 404 }").unwrap();
        assert_eq!(row["act"].as_str(), Some("disable"));
        assert_eq!(
            row["delay_ms"].as_integer(),
            Some(i64::from(Span::from_secs(10_800).as_millis()))
        );
    }

    #[test]
    fn a_lost_session_is_renewed_and_a_lost_route_is_not() {
        let session = row("{}", "{ status = 404, request_has_session = true }").unwrap();
        assert_eq!(session["act"].as_str(), Some("renew_then_retry_once"));
        let route = row("{}", "{ status = 404, request_has_session = false }").unwrap();
        assert_eq!(route["act"].as_str(), Some("disable"));
    }

    #[test]
    fn what_no_rule_looks_at_is_out_of_reach() {
        let refused = row("{}", "{ status = 404, body = 'x', request_has_token = true }");
        let said = "needs rule predicates: request_has_token".to_owned();
        assert_eq!(refused, Err(Halt::OutOfReach(said)));
    }
}

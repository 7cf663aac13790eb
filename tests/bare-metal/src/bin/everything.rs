//! Every public function of the core, with inputs from outside: it links, so none of them panics.
#![no_std]
#![no_main]

use bare_metal::{Port, input, input_bytes, input_u8, input_u16, output, output_text};
use panic_never as _;
use permanence_core::retry_after::{self, Pushback, Reference, ServerDelay};
use permanence_core::scan::{Scanner, probe_headers, probe_redirect, probe_request};
use permanence_core::{
    Action, Admission, Bits, BudgetSettings, Cause, Civil, Counter, DelaySource, DelayUnit,
    Endpoint, Event, Instant, Literal, Network, Outcome, Permit, Policy, Probe, Reason, Request,
    RetryBudget, RoutePolicy, Seen, Segment, Settings, Signal, SignalKind, Span, Step, Target,
    Test, TickExtender, Timestamp, Tracker, WallClock, grpc_code, grpc_name, public_part,
    route_matches, verdict, write_json, write_text,
};

permanence_macros::policy!("../baked/policies/fleet.toml", name = Reporter);

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut ticks = TickExtender::new();
    let mut tracker = Tracker::new(input());
    let mut small = RetryBudget::<u8>::new();
    let mut wide = RetryBudget::<u32>::new();
    loop {
        let now = ticks.extend(input());
        tracker = step(tracker, now);
        in_place(&mut tracker, now);
        tracker = to_bytes_and_back(tracker, now);
        spend(&mut small, now);
        spend(&mut wide, now);
        numbers();
        names();
        endpoints();
        headers();
        body();
        let mut text = [0; 40];
        values(input_bytes(&mut text));
    }
}

/// The pure transition.
fn step(tracker: Tracker, now: Instant) -> Tracker {
    let (tracker, asked) = tracker.step(&Reporter, Seen::Asked, now);
    let (tracker, step) = match permit(asked) {
        Some(permit) => tracker.step(&Reporter, Seen::Finished(permit, outcome("code")), now),
        None if input() == 0 => tracker.step(&Reporter, Seen::Rechecked, now),
        None => tracker.step(&Reporter, Seen::Reset, now),
    };
    show(step);
    tracker
}

fn permit(step: Step) -> Option<Permit> {
    match step.action {
        Action::Call(permit) => Some(permit),
        Action::Skip(skip) => {
            output(u32::from(skip.remedy(&Reporter) == permanence_core::Remedy::Reauth));
            None
        }
        _ => None,
    }
}

fn show(step: Step) {
    if let Some(event) = step.event {
        show_event(&event);
    }
    match step.action {
        Action::Retry(offer) => {
            let mut budget = RetryBudget::<u8>::new();
            let pause = offer.take(&mut budget, &BudgetSettings::FINAGLE, Instant::ZERO);
            output(pause.unwrap_or(Span::ZERO).as_millis());
        }
        Action::Renew(remedy) => output_text(remedy.name()),
        Action::Wait(until) => output_instant(until),
        _ => output(0),
    }
}

fn show_event(event: &Event) {
    let (mut id, mut target) = ([0; 40], [0; 40]);
    let id = core::str::from_utf8(input_bytes(&mut id)).unwrap_or("");
    let target = core::str::from_utf8(input_bytes(&mut target)).unwrap_or("");
    let endpoint = Endpoint::new(id).with_target("PUT", target);
    let time = Timestamp::from_unix_seconds(u64::from(input()));
    let clock = (input() == 0).then_some(WallClock { at: event.at, time });
    output(u32::from(write_text(event, &endpoint, &Reporter, clock, &mut Port).is_ok()));
    output(u32::from(write_json(event, &endpoint, &Reporter, clock, &mut Port).is_ok()));
}

/// The same transitions on a value in place.
fn in_place(tracker: &mut Tracker, now: Instant) {
    match tracker.admit_with(&Reporter, || now) {
        Admission::Call(permit) => {
            output(u32::from(permit.is_probe()) | u32::from(permit.is_observed()) << 1);
            show(tracker.record_with(&Reporter, permit, &outcome(""), || now));
        }
        Admission::Skip(skip) => output_instant(skip.until),
    }
    if let Some(permit) = tracker.admit(&Reporter, now).permit() {
        show(tracker.record(&Reporter, permit, &outcome("code"), now));
    }
    if let Some(event) = tracker.standing(&Reporter, now) {
        show_event(&event);
    }
    if input() == 0 {
        tracker.recheck(now);
    } else {
        tracker.reset();
    }
    output_instant(tracker.wake_at());
    output_text(tracker.status().name());
    output(tracker.skipped().wrapping_add(u32::from(tracker.probes())));
    output(u32::from(tracker.is_proven()) | u32::from(tracker.episode().number()) << 1);
    if let Some(cause) = tracker.cause() {
        output(u32::from(Reporter.cause_rule(cause).is_success()) | u32::from(cause.is_network()));
    }
}

/// Through a snapshot, and through one that may be torn.
fn to_bytes_and_back(tracker: Tracker, now: Instant) -> Tracker {
    let mut bytes = tracker.snapshot(now);
    if let Some(byte) = bytes.get_mut(input() as usize) {
        *byte = input_u8();
    }
    let whole = bytes.get(..input() as usize).unwrap_or(&bytes);
    Tracker::restore(whole, now, u64::from(input())).unwrap_or(tracker)
}

fn spend<C: Counter>(budget: &mut RetryBudget<C>, now: Instant) {
    let mut settings = BudgetSettings::FINAGLE;
    settings.ttl = Span::from_millis(input());
    settings.min_per_sec = input_u16();
    budget.deposit(&settings, now);
    output(u32::from(budget.withdraw(&settings, now)));
    output(budget.balance(&settings, now));
}

fn numbers() {
    let mut backoff = Settings::LITERAL.backoff;
    for jitter in [
        permanence_core::Jitter::Decorrelated,
        permanence_core::Jitter::Equal,
        permanence_core::Jitter::Full,
        permanence_core::Jitter::None,
    ] {
        backoff.jitter = jitter;
        backoff.base = Span::from_millis(input());
        output(backoff.delay(input(), Span::from_millis(input()), input()).as_millis());
        output(backoff.ceiling(input()).as_millis());
    }
    let time = Timestamp::from_unix_seconds(u64::from(input()) << (input() & 31));
    let civil = time.civil();
    output(u32::from(civil.year) | u32::from(civil.month) << 16 | u32::from(civil.second) << 24);
    let civil = Civil {
        year: input_u16(),
        month: input_u8(),
        day: input_u8(),
        hour: input_u8(),
        minute: input_u8(),
        second: input_u8(),
    };
    output(u32::from(civil.is_valid()));
    let later = Timestamp::from_civil(civil).unwrap_or(time).saturating_add_seconds(9);
    output(later.saturating_sub_seconds(u64::from(input())).seconds_since(time) as u32);
}

fn names() {
    let mut text = [0; 40];
    let name = core::str::from_utf8(input_bytes(&mut text)).unwrap_or("");
    output(u32::from(grpc_code(name).unwrap_or(0)));
    output_text(grpc_name(input_u8()).unwrap_or(""));
    output(u32::from(Reason::from_builtin_name(name).map_or(0, Reason::number)));
    output(u32::from(Network::from_name(name).is_some()));
    output(u32::from(Request::from_method(name).is_repeatable()));
    output(u32::from(route_matches("/api/agents/{id}/status", name)));
    output(u32::from(route_matches(name, "/api/agents/17/status?verbose=1")));
    let kind = SignalKind::from_byte(input_u8()).unwrap_or_default();
    let code = permanence_core::SignalCode::new(kind, input_u16());
    let cause = Cause::new(code, Reason::from_number(input_u8()));
    output_text(Reporter.reason_name(cause.reason()));
    output_text(public_part(name));
    let outcome = Outcome::new(cause.signal(), Request::Keyed);
    output_text(verdict(&Reporter, &outcome).class.name());
}

/// A policy with routes, asked as each of its endpoints.
fn endpoints() {
    let (mut method, mut path) = ([0; 8], [0; 40]);
    let method = core::str::from_utf8(input_bytes(&mut method)).unwrap_or("");
    let path = core::str::from_utf8(input_bytes(&mut path)).unwrap_or("");
    let endpoint = Reporter.endpoint(method, path);
    let outcome = outcome(path);
    let verdict = verdict(&endpoint, &outcome);
    output_text(endpoint.reason_name(verdict.rule.reason));
    output(u32::from(verdict.processed == permanence_core::Processed::Yes));
    output(endpoint.settings().backoff.max.as_millis());
    let cause = Cause::new(outcome.signal.code(), Reason::from_number(input_u8()));
    output_text(endpoint.cause_rule(cause).remedy.name());
}

fn headers() {
    let (mut name, mut value) = ([0; 40], [0; 40]);
    let name = core::str::from_utf8(input_bytes(&mut name)).unwrap_or("");
    let value = input_bytes(&mut value);
    let given = [(name, value), ("Retry-After", value)];
    let now = Timestamp::from_unix_seconds(u64::from(input()));
    output_delay(retry_after::from_headers(given, Some(now)));
    output(retry_after::directive_from_headers(given).map_or(0, |directive| directive as u32));
}

/// Probes of every target, with names and texts from outside.
fn body() {
    let (mut name, mut value) = ([0; 8], [0; 40]);
    let name = core::str::from_utf8(input_bytes(&mut name)).unwrap_or("");
    let value = input_bytes(&mut value);
    let place = [Segment::Key(name), Segment::Any, Segment::Index(input_u16())];
    let place = place.get(..usize::from(input_u8())).unwrap_or(&place);
    let (literals, texts) = ([Literal::Text(name), Literal::Bare(name)], [name, "a"]);
    let test = match input() {
        0 => Test::Equal(&literals),
        1 => Test::Exists,
        2 => Test::Has(&texts),
        _ => Test::Prefix(&texts),
    };
    let target = match input() {
        0 => Target::Body,
        1 => Target::ContentType,
        2 => Target::Header(name),
        3 => Target::Json(place),
        4 => Target::Method,
        5 => Target::Redirect,
        _ => Target::RequestHeader(name),
    };
    let probes = [Probe { target, test }; Bits::MAX + 1];
    let probes = probes.get(..usize::from(input_u8())).unwrap_or(&probes);
    let unit = match input() {
        0 => DelayUnit::Duration,
        1 => DelayUnit::Epoch,
        2 => DelayUnit::Millis,
        3 => DelayUnit::RetryAfter,
        _ => DelayUnit::Seconds,
    };
    let source = match input() {
        0 => DelaySource::Const(Span::from_millis(input())),
        1 => DelaySource::Header(name, unit),
        _ => DelaySource::Json(place, unit),
    };
    let mut scanner = Scanner::new(probes, Some(source));
    while input() != 0 {
        scanner.feed(value);
    }
    let found = scanner.finish();
    let bits = found.bits.union(probe_headers(probes, [(name, value)]));
    let bits = bits.union(probe_request(probes, name, [(name, value)]));
    let bits = bits.union(probe_redirect(probes, name));
    output(u32::from(bits.has(input() as usize)) | u32::from(found.is_utf8) << 1);
    output(found.document as u32);
    output_delay(found.delay(unit, Reference::NONE));
    let now = Some(Timestamp::from_unix_seconds(u64::from(input())));
    output_delay(retry_after::from_source(source, [(name, value)], found.scalar(), now));
}

fn values(value: &[u8]) {
    let now = Timestamp::from_unix_seconds(u64::from(input()));
    let reference = Reference { response_date: None, now: Some(now) };
    output_delay(retry_after::seconds_or_date(value, reference));
    output_delay(retry_after::epoch_seconds(value, reference));
    output_delay(retry_after::delta_seconds(value));
    output_delay(retry_after::millis(value));
    output_delay(retry_after::protobuf_duration(value));
    output_delay(retry_after::decimal_seconds(value));
    output_delay(retry_after::retry_info(value));
    output_delay(retry_after::retry_info_in_status(value));
    output(u32::from(retry_after::http_date(value, Some(now)).is_some()));
    match retry_after::grpc_pushback(value) {
        Pushback::After(delay) => output_delay(Some(delay)),
        Pushback::DoNotRetry => output(1),
    }
}

/// A call that came back with whatever the port says.
fn outcome(code: &str) -> Outcome<'_> {
    let signal = match input() {
        0 => Signal::Cancelled,
        1 => Signal::Coap(input_u8()),
        2 => Signal::Grpc(input_u8()),
        3 => Signal::Http(input_u16()),
        4 => Signal::Network(Network::from_byte(input_u8()).unwrap_or(Network::Other)),
        5 => Signal::Provider { status: input_u16(), code },
        _ => Signal::Unusable { status: input_u16() },
    };
    Outcome::new(signal, Request::Unkeyed)
        .with_payload(input_u8())
        .with_server_delay(Span::from_millis(input()))
        .with_directive(permanence_core::Directive::Retry)
}

fn output_instant(at: Option<Instant>) {
    output(at.unwrap_or(Instant::ZERO).as_millis() as u32);
}

fn output_delay(delay: Option<ServerDelay>) {
    output(delay.map_or(0, |delay| delay.as_span().as_millis()));
}

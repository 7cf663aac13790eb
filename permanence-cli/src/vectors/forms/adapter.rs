//! The layer over reqwest before a real server on the loopback interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::Empty;
use hyper::{Response, StatusCode};
use permanence_core::{Span, Timestamp};
use permanence_spec::LoadedPolicy;
use permanence_std::{GateLayer, LineFn, ManualClock, Registry, RegistrySettings, Route};
use tower_layer::Layer;
use tower_service::Service;

use super::super::fields::{Fields, Halt};
use super::super::observed::Observed;
use super::super::policy::plain_policy;
use crate::loopback::serve;

/// The cadence of the calls.
const TICK: Span = Span::from_secs(60);

pub(super) fn observe(input: &Fields<'_>) -> Result<Observed, Halt> {
    let Some(script) = input.text("server")? else {
        return Err(Halt::out_of_reach("form adapter: says nothing of a server"));
    };
    let status = script
        .strip_prefix("always ")
        .and_then(|status| status.trim().parse().ok())
        .and_then(|status: u16| StatusCode::from_u16(status).ok())
        .ok_or_else(|| Halt::out_of_reach(format!("server {script:?} not understood")))?;
    // As many tries as it takes until an episode opens, which ends the tries of a call.
    let attempts = input.small_number("max_attempts")?.unwrap_or(1);
    // The client is made here, without retries of its own.
    input.number("inner_client_default_retries")?;
    let calls = input.number("calls")?.unwrap_or(1);

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Halt::mismatch(format!("no runtime: {error}")))?;
    runtime.block_on(call(status, attempts, calls))
}

async fn call(status: StatusCode, attempts: u32, calls: u64) -> Result<Observed, Halt> {
    let arrived = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&arrived);
    let port = serve(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        let mut response = Response::new(Empty::new());
        *response.status_mut() = status;
        response
    })
    .await
    .map_err(|error| Halt::mismatch(format!("no server: {error}")))?;

    let mut compiled = plain_policy()?;
    let notice = u8::try_from(attempts).unwrap_or(u8::MAX);
    compiled.base.settings.notice_after = notice.try_into().unwrap_or(std::num::NonZeroU8::MIN);
    let settings = RegistrySettings {
        routes: vec![Route::new("status", "PUT", "/status")],
        seed: 1,
        // The lines are not what this form is about.
        sink: Box::new(LineFn::new(|_| {})),
        ..RegistrySettings::default()
    };
    let clock = ManualClock::starting_at(Timestamp::EPOCH);
    let registry = Registry::with_settings(LoadedPolicy::new(compiled), clock.clone(), settings);
    let broken = |error: reqwest::Error| Halt::mismatch(format!("no client: {error}"));
    let client = reqwest::Client::builder().no_proxy().build().map_err(broken)?;
    let mut gate = GateLayer::new(registry.clone()).layer(client);

    let url: reqwest::Url = format!("http://127.0.0.1:{port}/status")
        .parse()
        .map_err(|error| Halt::mismatch(format!("no address: {error}")))?;
    let mut last_ok = None;
    for tick in 0..calls {
        let request = reqwest::Request::new(reqwest::Method::PUT, url.clone());
        if gate.call(request).await.is_ok_and(|answer| answer.status().is_success()) {
            last_ok = Some(tick * u64::from(TICK.as_millis()));
        }
        clock.advance(TICK);
    }

    let origin = permanence_std::Origin { scheme: "http", authority: &format!("127.0.0.1:{port}") };
    let handle = registry.endpoint_of("PUT", origin, "/status");
    let mut observed = Observed::default();
    observed.set_number("requests_at_server", arrived.load(Ordering::Relaxed));
    observed.set("state", handle.status().name());
    match last_ok {
        None => observed.set("last_ok", "never"),
        Some(at) => observed.set_number("last_ok", at),
    }
    Ok(observed)
}

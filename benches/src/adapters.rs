//! What an adapter adds to a call over the loopback interface.

use std::error::Error;
use std::time::Duration;

use permanence_std::{GateLayer, Registry, RegistrySettings, Route, SystemClock};
use reqwest_middleware::ClientBuilder;
use reqwest_retry::RetryTransientMiddleware;
use reqwest_retry::policies::ExponentialBackoff;
use tower_layer::Layer;
use tower_service::Service;

use crate::rounds::{Amount, Variant, measure};
use crate::{loopback, report};

permanence_std::policy!(name = Default);

/// What is measured, and how long.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Arguments {
    /// How often each variant has its turn.
    #[arg(long, default_value_t = 600)]
    rounds: usize,
    /// The calls of one turn.
    #[arg(long, default_value_t = 64)]
    calls: u32,
    /// Draws the order of the turns.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs only variants with this in their name: for a profiler, which wants nothing else.
    #[arg(long)]
    only: Option<String>,
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let amount = Amount { rounds: arguments.rounds, calls: arguments.calls, seed: arguments.seed };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let url = format!("{}/v1/reports/17", loopback::serve().await?);
        let mut variants = over_reqwest(&url)?;
        if let Some(part) = &arguments.only {
            variants.retain(|variant| variant.name.contains(part));
            if variants.is_empty() {
                return Err(format!("no variant has `{part}` in its name").into());
            }
        }
        let times = measure(&mut variants, amount).await;
        report::print("Over reqwest", &report::rows(&variants, &times));
        Ok(())
    })
}

fn registry() -> Registry<Default, SystemClock> {
    let routes = vec![Route::new("report", "GET", "/v1/reports/{id}")];
    let settings = RegistrySettings { routes, ..RegistrySettings::default() };
    Registry::with_settings(Default, SystemClock::new(), settings)
}

fn over_reqwest(url: &str) -> Result<Vec<Variant>, Box<dyn Error>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let url = url.parse::<reqwest::Url>()?;
    let request = move || reqwest::Request::new(reqwest::Method::GET, url.clone());

    let bare = |name| {
        let (client, request) = (client.clone(), request.clone());
        Variant::new(name, move || {
            let (client, request) = (client.clone(), request());
            async move { read(client.execute(request).await).await }
        })
    };
    let stack = |name, client: reqwest_middleware::ClientWithMiddleware| {
        let request = request.clone();
        Variant::new(name, move || {
            let (client, request) = (client.clone(), request());
            async move { read(client.execute(request).await).await }
        })
    };
    let retrying = ExponentialBackoff::builder()
        .retry_bounds(Duration::from_millis(500), Duration::from_secs(30))
        .build_with_max_retries(3);
    let gate = GateLayer::new(registry()).layer(client.clone());
    let gated = {
        let request = request.clone();
        Variant::new("permanence, tower", move || {
            let (mut gate, request) = (gate.clone(), request());
            async move { read(gate.call(request).await).await }
        })
    };
    Ok(vec![
        bare("reqwest"),
        bare("reqwest again (A/A)"),
        gated,
        stack("reqwest-middleware, empty", ClientBuilder::new(client.clone()).build()),
        stack(
            "reqwest-middleware, reqwest-retry",
            ClientBuilder::new(client.clone())
                .with(RetryTransientMiddleware::new_with_policy(retrying))
                .build(),
        ),
    ])
}

/// Reads an answer to its end; a run that fails has no figures.
async fn read<E: std::fmt::Debug>(answer: Result<reqwest::Response, E>) {
    let answer = answer.expect("the server answers");
    let body = answer.bytes().await.expect("the answer is whole");
    assert!(!body.is_empty());
}

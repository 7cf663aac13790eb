//! The middleware, against a real server.
#![cfg(feature = "reqwest-middleware")]

mod support;

use permanence_core::{Request as RequestKind, Span};
use permanence_std::clients::reqwest_middleware::GateMiddleware;
use permanence_std::testing::{Act, Server, closed_port};
use permanence_std::{ManualClock, Registry, Route, skipped_in};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Next};
use support::{Few, Lines, registry};

fn client(registry: &Registry<Few, ManualClock>) -> ClientWithMiddleware {
    let client = reqwest::Client::builder().no_proxy().build().expect("a plain client");
    ClientBuilder::new(client).with(GateMiddleware::new(registry.clone())).build()
}

#[tokio::test]
async fn a_route_that_does_not_exist_costs_one_call_an_interval_and_one_line() {
    let (lines, server) =
        (Lines::default(), Server::start([Act::answer(404)]).expect("a free port"));
    let registry = registry(&lines);
    let client = client(&registry);
    let mut skipped = 0;
    for _ in 0..180 {
        let url = server.url("/api/agents/17/status?token=secret");
        match client.put(url).send().await {
            Ok(answer) => assert_eq!(answer.status(), 404),
            Err(error) => skipped += usize::from(skipped_in(&error).is_some()),
        }
        registry.clock().advance(Span::from_secs(60));
    }
    assert_eq!((server.calls(), skipped, lines.count()), (1, 179, 1));
    let expected = format!("PUT {}/api/agents/{{id}}/status: 404", server.address());
    assert!(lines.all()[0].contains(&expected), "{lines:?}");
}

#[tokio::test]
async fn every_try_runs_through_the_rest_of_the_stack() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counting(Arc<AtomicUsize>);

    #[async_trait::async_trait]
    impl reqwest_middleware::Middleware for Counting {
        async fn handle(
            &self,
            request: reqwest::Request,
            extensions: &mut http::Extensions,
            next: Next<'_>,
        ) -> reqwest_middleware::Result<reqwest::Response> {
            self.0.fetch_add(1, Ordering::SeqCst);
            next.run(request, extensions).await
        }
    }

    let server = Server::start([Act::answer(503), Act::answer(200)]).expect("a free port");
    let tries = Arc::new(AtomicUsize::new(0));
    let plain = reqwest::Client::builder().no_proxy().build().expect("a plain client");
    let client = ClientBuilder::new(plain)
        .with(GateMiddleware::new(registry(&Lines::default())))
        .with(Counting(Arc::clone(&tries)))
        .build();
    let answer = client.get(server.url("/v1/feed")).send().await.expect("it is back");
    assert_eq!((answer.status().as_u16(), answer.url().path()), (200, "/v1/feed"));
    assert_eq!((server.calls(), tries.load(Ordering::SeqCst)), (2, 2));
}

#[tokio::test]
async fn a_request_may_name_its_route_and_its_kind() {
    let (lines, server) =
        (Lines::default(), Server::start([Act::answer(503)]).expect("a free port"));
    let client = client(&registry(&lines));
    let request = || {
        client
            .post(server.url("/rpc/17"))
            .with_extension(Route::new("search", "POST", "/rpc/{id}"))
            .with_extension(RequestKind::Idempotent)
    };
    for _ in 0..3 {
        assert_eq!(request().send().await.expect("an answer").status(), 503);
    }
    assert!(lines.all()[0].starts_with("WARN  DEGRADED search: 503"), "{lines:?}");
}

#[tokio::test]
async fn the_error_of_the_client_comes_through_as_it_is() {
    let url = format!("http://{}/v1/feed", closed_port().expect("a free port"));
    let lines = Lines::default();
    let client = client(&registry(&lines));
    for _ in 0..3 {
        let error = client.get(&url).send().await.expect_err("nobody listens");
        assert!(error.is_connect(), "{error:?}");
    }
    assert!(lines.all()[0].contains(": connection_refused network x3"), "{lines:?}");
}

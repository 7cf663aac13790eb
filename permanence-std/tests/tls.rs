//! TLS that fails, for real: certificates made for the test, and servers that are none.
#![cfg(all(feature = "tower", feature = "rustls"))]

mod support;

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use permanence_std::GateLayer;
use permanence_std::testing::{Act, Cut, Server};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use support::{Lines, registry};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;
use tower_layer::Layer;

/// Who signs the certificates of a test.
fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::<String>::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an issuer")
}

/// What a server wants to see, what it says before it ends the connection, and whether it bids farewell.
#[derive(Clone, Copy)]
struct Manners {
    wants_certificate: bool,
    answer: &'static [u8],
    bids_farewell: bool,
}

const POLITE: Manners = Manners {
    wants_certificate: false,
    answer: b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    bids_farewell: true,
};

/// A server for `localhost` whose certificate is as `change` has it.
async fn serve(
    issuer: &CertifiedIssuer<'static, KeyPair>,
    manners: Manners,
    change: impl FnOnce(&mut CertificateParams),
) -> String {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    change(&mut params);
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, issuer).expect("a certificate");
    let chain: Vec<CertificateDer<'static>> = vec![certificate.into()];
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("the usual versions");
    let config = if manners.wants_certificate {
        let roots = Arc::new(roots(issuer));
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
        config.with_client_cert_verifier(verifier.build().expect("a verifier"))
    } else {
        config.with_no_client_auth()
    };
    let config = config.with_single_cert(chain, key).expect("a key that fits");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut stream = match acceptor.accept(stream).into_fallible().await {
                    Ok(stream) => stream,
                    Err((_, mut stream)) => {
                        // The alert is on its way: what arrives meanwhile must not reset the connection.
                        let _ = stream.shutdown().await;
                        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
                        return;
                    }
                };
                let _ = stream.read(&mut [0; 1_024]).await;
                let _ = stream.write_all(manners.answer).await;
                let _ = stream.flush().await;
                if manners.bids_farewell {
                    let _ = stream.shutdown().await;
                }
            });
        }
    });
    format!("https://localhost:{port}")
}

fn roots(trusted: &CertifiedIssuer<'static, KeyPair>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der().clone()).expect("a certificate");
    roots
}

fn client(
    trusted: &CertifiedIssuer<'static, KeyPair>,
) -> Client<HttpsConnector<HttpConnector>, Full<Bytes>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the usual versions")
        .with_root_certificates(roots(trusted))
        .with_no_client_auth();
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(config).https_or_http().enable_http1().build();
    Client::builder(TokioExecutor::new()).build(connector)
}

/// What three reads and a write come to in the log.
async fn lines(trusted: &CertifiedIssuer<'static, KeyPair>, base: &str) -> Vec<String> {
    let lines = Lines::default();
    let gate = GateLayer::new(registry(&lines)).layer(client(trusted));
    for (method, path) in [
        (Method::GET, "/v1/feed"),
        (Method::GET, "/v1/feed"),
        (Method::GET, "/v1/feed"),
        (Method::POST, "/v1/charges"),
    ] {
        let request = Request::builder().method(method).uri(format!("{base}{path}"));
        let request = request.body(Full::default()).expect("a request");
        let _ = gate.clone().oneshot(request).await;
    }
    lines.all()
}

#[tokio::test]
async fn a_certificate_that_is_in_order_is_no_fault() {
    let issuer = authority();
    let base = serve(&issuer, POLITE, |_| {}).await;
    assert_eq!(lines(&issuer, &base).await, [""; 0]);
}

#[tokio::test]
async fn a_certificate_that_is_refused_is_told_from_a_broken_handshake_and_nothing_was_sent() {
    let (issuer, stranger) = (authority(), authority());
    let expired =
        serve(&issuer, POLITE, |params| params.not_after = rcgen::date_time_ymd(2001, 1, 1)).await;
    let early =
        serve(&issuer, POLITE, |params| params.not_before = rcgen::date_time_ymd(4000, 1, 1)).await;
    let elsewhere = serve(&issuer, POLITE, |params| {
        *params = CertificateParams::new(vec!["other.example".to_owned()]).expect("a name");
    })
    .await;
    let unknown = serve(&stranger, POLITE, |_| {}).await;
    // The client has none to show; with TLS 1.3 it is through before it is told.
    let of_client = serve(&issuer, Manners { wants_certificate: true, ..POLITE }, |_| {}).await;
    for base in [expired, early, elsewhere, unknown, of_client] {
        let told = lines(&issuer, &base).await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(": certificate network x3;"), "{told:?}");
    }
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_has_sent_nothing() {
    let server = Server::start([Act::answer(200)]).expect("a free port");
    let base = server.url("").replace("http://", "https://");
    let told = lines(&authority(), &base).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(": tls_handshake network x3;"), "{told:?}");
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn a_handshake_that_is_cut_off_has_sent_nothing() {
    for cut in [Cut::Close, Cut::Reset] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.read(&mut [0; 1_024]).await;
                if cut == Cut::Reset {
                    stream.set_zero_linger().expect("an open socket");
                }
            }
        });
        let told = lines(&authority(), &format!("https://localhost:{port}")).await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(": tls_handshake network x3;"), "{cut:?}: {told:?}");
    }
}

/// An answer that ends without the farewell of TLS may have been cut short by anybody.
#[tokio::test]
async fn a_body_that_ends_without_a_farewell_is_a_failure() {
    let issuer = authority();
    // No length: the end of the connection is that of the body.
    let manners =
        Manners { answer: b"HTTP/1.1 200 OK\r\n\r\nhalf of it", bids_farewell: false, ..POLITE };
    let base = serve(&issuer, manners, |_| {}).await;
    let lines = Lines::default();
    let gate = GateLayer::new(registry(&lines)).layer(client(&issuer));
    for _ in 0..3 {
        let request = Request::get(format!("{base}/v1/feed"));
        let request = request.body(Full::default()).expect("a request");
        let answer = gate.clone().oneshot(request).await.expect("the head is well");
        let body = http_body_util::BodyExt::collect(answer.into_body()).await;
        assert!(body.is_err(), "{body:?}");
    }
    assert!(lines.all()[0].contains(": connection_closed network x3;"), "{lines:?}");
}

//! A real HTTP server on the loopback interface.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Starts a server on a free port, which comes back; it lasts as long as the runtime.
pub(crate) async fn serve(
    answer: impl Fn(&Request<Incoming>) -> Response<Empty<Bytes>> + Send + Sync + 'static,
) -> io::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let port = listener.local_addr()?.port();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // An answer is small and waited for: it is not to be collected with others.
            let _ = stream.set_nodelay(true);
            let answer = Arc::clone(&answer);
            let service = service_fn(move |request| {
                std::future::ready(Ok::<_, Infallible>(answer(&request)))
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    Ok(port)
}

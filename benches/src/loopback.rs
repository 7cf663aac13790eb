//! A server on the loopback interface that always answers the same.

use std::convert::Infallible;
use std::io;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Starts a server in this runtime and gives its origin. With client and server in one thread nobody
/// waits for the other to be woken, which would drown what is measured.
pub(crate) async fn serve() -> io::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let origin = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Without this the answer may wait for an acknowledgement.
            let _ = stream.set_nodelay(true);
            tokio::spawn(
                http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)),
            );
        }
    });
    Ok(origin)
}

async fn answer(_: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::new(Bytes::from_static(b"{\"accepted\":true}"))))
}

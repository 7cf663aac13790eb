//! The head of a body: read by the policy, and handed on as if nobody had looked.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::HeaderMap;
use hyper::body::{Body as _, Bytes, Frame, SizeHint};
use reqwest::{Body, Response, ResponseBuilderExt};

/// How many bytes of a body are read before the answer is handed on.
const MOST_BYTES: usize = 64 * 1024;

/// Reads the first pieces of a body. The answer that comes back still has all of it.
///
/// A body that has no end, such as an event stream, is handed on with its first piece. A body that
/// breaks off breaks off for the caller too.
pub(super) async fn read(response: Response) -> (Response, Vec<Bytes>) {
    let url = response.url().clone();
    let endless = is_endless(response.headers());
    let (mut parts, mut rest) = http::Response::from(response).into_parts();
    let (mut frames, mut head, mut bytes) = (VecDeque::new(), Vec::new(), 0_usize);
    while bytes < MOST_BYTES && !(endless && bytes > 0) {
        let Some(frame) = poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await else {
            break;
        };
        let broken = frame.is_err();
        if let Some(piece) = frame.as_ref().ok().and_then(Frame::data_ref) {
            bytes = bytes.saturating_add(piece.len());
            head.push(piece.clone());
        }
        frames.push_back(frame);
        if broken {
            break;
        }
    }
    // The URL of an answer is among its extensions, under a name that only reqwest knows.
    if let Ok(carrier) = http::Response::builder().url(url).body(()) {
        parts.extensions.extend(carrier.into_parts().0.extensions);
    }
    let body = Body::wrap(Replayed { frames, rest });
    (Response::from(http::Response::from_parts(parts, body)), head)
}

/// Whether the pieces of a body are meant to be used as they come.
fn is_endless(headers: &HeaderMap) -> bool {
    let content_type =
        headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = content_type.and_then(|text| text.split(';').next()).unwrap_or("").trim();
    ENDLESS.iter().any(|known| media_type.eq_ignore_ascii_case(known))
        || media_type.get(..GRPC.len()).is_some_and(|start| start.eq_ignore_ascii_case(GRPC))
}

const ENDLESS: [&str; 5] = [
    "application/json-seq",
    "application/stream+json",
    "application/x-ndjson",
    "multipart/x-mixed-replace",
    "text/event-stream",
];
const GRPC: &str = "application/grpc";

/// A body whose first frames have been taken out, and stand before the rest again.
struct Replayed {
    frames: VecDeque<Result<Frame<Bytes>, reqwest::Error>>,
    rest: Body,
}

impl hyper::body::Body for Replayed {
    type Data = Bytes;
    type Error = reqwest::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, reqwest::Error>>> {
        match self.frames.pop_front() {
            Some(frame) => Poll::Ready(Some(frame)),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let pieces = self.frames.iter().filter_map(|frame| frame.as_ref().ok()?.data_ref());
        let taken = pieces.fold(0_u64, |sum, piece| sum.saturating_add(piece.len() as u64));
        let rest = self.rest.size_hint();
        let mut hint = SizeHint::new();
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(taken));
        }
        hint.set_lower(rest.lower().saturating_add(taken));
        hint
    }
}

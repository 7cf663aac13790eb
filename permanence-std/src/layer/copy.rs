//! Copies of requests, for another try.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Buf;
use http_body::Body;

use crate::reading::fingerprint;

/// How the body of a request is copied, so that the request can be tried again.
///
/// [`NoCopies`] fits every body, [`Clones`] those that can be cloned; another implementation may know
/// more of a body of its own.
pub trait CopyBody<B> {
    /// A copy; `None` for a body that can be sent only once. It is asked for before each try, and
    /// should be cheap.
    fn copy(&self, body: &B) -> Option<B>;

    /// A few bits that tell one payload from another, asked for when a request was refused; `None`
    /// counts every refusal.
    fn fingerprint(&self, body: B) -> Option<u8> {
        let _ = body;
        None
    }
}

/// Copies nothing: a request is sent once, and retries within the call are left to the caller.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct NoCopies;

impl<B> CopyBody<B> for NoCopies {
    fn copy(&self, _: &B) -> Option<B> {
        None
    }
}

/// Clones bodies, such as `http_body_util::Full<Bytes>` and `Empty<Bytes>`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Clones;

impl<B: Body + Clone + Unpin> CopyBody<B> for Clones {
    fn copy(&self, body: &B) -> Option<B> {
        Some(body.clone())
    }

    /// That of the first piece: a body in memory has no other.
    fn fingerprint(&self, mut body: B) -> Option<u8> {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(&mut body).poll_frame(&mut context) {
            Poll::Ready(Some(Ok(frame))) => Some(fingerprint(frame.data_ref()?.chunk())),
            _ => None,
        }
    }
}

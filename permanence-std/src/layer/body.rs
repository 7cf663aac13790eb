//! A body that may have been looked into, and that tells what becomes of it.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};

/// An error of a client or of a body, whatever its type is.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The body of an answer: that of the client, frame by frame.
///
/// What the policy has read ahead comes first, as if nobody had looked. An error is that of the
/// client's body, in a box.
pub struct GatedBody<B> {
    ahead: VecDeque<Result<Frame<Bytes>, BoxError>>,
    rest: B,
    watcher: Option<Box<dyn Watcher>>,
}

/// Who wants to know what becomes of a body.
pub(super) trait Watcher: Send + Sync {
    /// A piece has arrived; `true` if nothing more needs to be known.
    fn piece(&mut self) -> bool;

    /// The body is over, and nobody looks any more.
    fn end(self: Box<Self>, end: End<'_>);
}

/// How a body ended.
#[derive(Debug)]
pub(super) enum End<'e> {
    /// It broke off.
    Broken(&'e (dyn Error + 'static)),
    /// The caller did not want the rest.
    Dropped,
    /// It came to its end with these trailers.
    Trailers(&'e HeaderMap),
    /// It came to its end.
    Whole,
}

impl<B> GatedBody<B> {
    pub(super) fn new(rest: B) -> Self {
        GatedBody { ahead: VecDeque::new(), rest, watcher: None }
    }

    pub(super) fn watch(&mut self, watcher: Box<dyn Watcher>) {
        self.watcher = Some(watcher);
    }

    /// The error that the body broke off with while it was read ahead.
    pub(super) fn breakage(&self) -> Option<&(dyn Error + 'static)> {
        let error = self.ahead.back()?.as_ref().err()?;
        Some(&**error)
    }

    fn ended(&mut self, end: End<'_>) {
        if let Some(watcher) = self.watcher.take() {
            watcher.end(end);
        }
    }
}

impl<B> GatedBody<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    /// Reads the first pieces, at most `most` bytes and the piece that exceeds them. They are handed
    /// on all the same.
    pub(super) async fn read_ahead(&mut self, most: usize) -> Vec<Bytes> {
        let (mut pieces, mut bytes) = (Vec::new(), 0_usize);
        while bytes < most {
            let frame = poll_fn(|context| Pin::new(&mut self.rest).poll_frame(context)).await;
            let Some(frame) = frame else { break };
            let frame = frame.map_err(Into::into);
            let is_broken = frame.is_err();
            if let Some(piece) = frame.as_ref().ok().and_then(Frame::data_ref) {
                bytes = bytes.saturating_add(piece.len());
                pieces.push(piece.clone());
            }
            self.ahead.push_back(frame);
            if is_broken {
                break;
            }
        }
        pieces
    }

    fn notice(&mut self, frame: Option<&Result<Frame<Bytes>, BoxError>>) {
        match frame {
            None => self.ended(End::Whole),
            Some(Err(error)) => self.ended(End::Broken(&**error)),
            Some(Ok(frame)) => match frame.trailers_ref() {
                Some(trailers) => self.ended(End::Trailers(trailers)),
                None => {
                    if self.watcher.as_mut().is_some_and(|watcher| watcher.piece()) {
                        self.watcher = None;
                    }
                    // Who knows that this was the last piece does not ask for more.
                    if self.is_end_stream() {
                        self.ended(End::Whole);
                    }
                }
            },
        }
    }
}

impl<B> Body for GatedBody<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = match self.ahead.pop_front() {
            Some(frame) => Some(frame),
            None => {
                let frame = ready!(Pin::new(&mut self.rest).poll_frame(context));
                frame.map(|frame| frame.map_err(Into::into))
            }
        };
        if self.watcher.is_some() {
            self.notice(frame.as_ref());
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.ahead.is_empty() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.size_hint();
        if self.ahead.is_empty() {
            return rest;
        }
        let pieces = self.ahead.iter().filter_map(|frame| frame.as_ref().ok()?.data_ref());
        let taken = pieces.fold(0_u64, |sum, piece| sum.saturating_add(piece.len() as u64));
        let mut hint = SizeHint::new();
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(taken));
        }
        hint.set_lower(rest.lower().saturating_add(taken));
        hint
    }
}

impl<B> Drop for GatedBody<B> {
    fn drop(&mut self) {
        self.ended(End::Dropped);
    }
}

impl<B: Default> Default for GatedBody<B> {
    fn default() -> Self {
        GatedBody::new(B::default())
    }
}

impl<B> fmt::Debug for GatedBody<B> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GatedBody")
            .field("ahead", &self.ahead.len())
            .field("is_watched", &self.watcher.is_some())
            .finish_non_exhaustive()
    }
}

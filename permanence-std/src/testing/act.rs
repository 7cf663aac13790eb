//! What a server does with a request.

use std::time::Duration;

/// What a [`Server`](super::Server) does with a request.
///
/// # Examples
///
/// ```
/// use permanence_std::testing::{Act, Cut};
///
/// let busy = Act::answer(503).header("retry-after", "90");
/// let half = Act::answer(200).body("half of it").cut(Cut::Reset);
/// let page = Act::answer(200).header("content-type", "text/html").body("<html>");
/// # let _ = (busy, half, page);
/// ```
#[derive(Clone, Debug)]
pub struct Act {
    pub(super) fate: Fate,
    pub(super) delay: Duration,
}

/// What becomes of the exchange.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    Answer(Answer),
    Cut(Cut),
    HalfClose,
    Raw(Raw),
    Stall,
}

/// Bytes that are sent as they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) bytes: &'static [u8],
    /// What passes before each single byte; all are sent at once where it is zero.
    pub(super) pause: Duration,
}

#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
    pub(super) end: End,
}

/// How the body of an answer ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    Whole,
    Cut(Cut),
    Never,
}

/// How a connection is cut.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cut {
    /// It is closed in good order, though too early.
    Close,
    /// It is reset.
    Reset,
}

impl Act {
    /// Answers with this status and no body.
    ///
    /// A status that HTTP has not, below 100 or above 999, is sent as 500.
    #[must_use]
    pub fn answer(status: u16) -> Self {
        let (headers, body) = (Vec::new(), Vec::new());
        Act::new(Fate::Answer(Answer { status, headers, body, end: End::Whole }))
    }

    /// Takes the request and never answers.
    #[must_use]
    pub fn stall() -> Self {
        Act::new(Fate::Stall)
    }

    /// Takes the request and closes or resets the connection instead of answering.
    #[must_use]
    pub fn hang_up(cut: Cut) -> Self {
        Act::new(Fate::Cut(cut))
    }

    /// Takes the request, closes its own direction of the connection and goes on listening.
    #[must_use]
    pub fn half_close() -> Self {
        Act::new(Fate::HalfClose)
    }

    /// Takes the request, sends these bytes whatever they are and closes the connection.
    #[must_use]
    pub fn raw(bytes: &'static [u8]) -> Self {
        Act::new(Fate::Raw(Raw { bytes, pause: Duration::ZERO }))
    }

    /// Takes the request, sends these bytes one by one with a pause of real time before each, and closes the
    /// connection.
    #[must_use]
    pub fn drip(bytes: &'static [u8], pause: Duration) -> Self {
        Act::new(Fate::Raw(Raw { bytes, pause }))
    }

    /// Adds a header to an answer. A name or value that HTTP does not allow is left out.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Fate::Answer(answer) = &mut self.fate {
            answer.headers.push((name, value.into()));
        }
        self
    }

    /// Gives an answer its body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        if let Fate::Answer(answer) = &mut self.fate {
            answer.body = body.into();
        }
        self
    }

    /// Cuts the connection after the body, and promises one byte more than there is.
    #[must_use]
    pub fn cut(self, cut: Cut) -> Self {
        self.ending(End::Cut(cut))
    }

    /// Lets the body of an answer go on without end, and without another piece.
    #[must_use]
    pub fn endless(self) -> Self {
        self.ending(End::Never)
    }

    /// Does all that after a pause of real time.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    fn new(fate: Fate) -> Self {
        Act { fate, delay: Duration::ZERO }
    }

    fn ending(mut self, end: End) -> Self {
        if let Fate::Answer(answer) = &mut self.fate {
            answer.end = end;
        }
        self
    }
}

//! What the thread is busy with.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;

thread_local! {
    static HUSHED: Cell<bool> = const { Cell::new(false) };
}

/// The libraries of this thread keep silent until it is dropped.
struct Hush {
    before: bool,
}

impl Hush {
    fn new() -> Self {
        Hush { before: HUSHED.replace(true) }
    }
}

impl Drop for Hush {
    fn drop(&mut self) {
        HUSHED.set(self.before);
    }
}

/// Whether the libraries of this thread keep silent now.
pub(super) fn is_hushed() -> bool {
    // A thread that is ending may write lines when its cell is gone.
    HUSHED.try_with(Cell::get).unwrap_or(false)
}

/// Makes a call that is a probe: HTTP libraries keep silent about it.
///
/// The layer of tower does this by itself; who asks by hand wraps the call of a
/// [`Pass`](crate::Pass) that [is a probe](crate::Pass::is_probe). It needs no runtime: the thread is
/// marked while the future is polled, and no longer. Tasks that the future spawns are not.
///
/// # Examples
///
/// ```
/// use permanence_std::quiet;
///
/// # let call = async { 404 };
/// # let answered = async {
/// let status = quiet::probe(call).await;
/// # status };
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # assert_eq!(runtime.block_on(answered), 404);
/// ```
pub async fn probe<F: Future>(call: F) -> F::Output {
    hushed(call).await
}

/// Makes a call that is a probe and blocks the thread: HTTP libraries keep silent about it.
///
/// # Examples
///
/// ```
/// use permanence_std::quiet;
///
/// assert_eq!(quiet::probe_sync(|| 404), 404);
/// ```
pub fn probe_sync<R>(call: impl FnOnce() -> R) -> R {
    let _hush = Hush::new();
    call()
}

/// Runs what ships log lines to a server: HTTP libraries keep silent in it always, or each line that
/// is sent would make new lines to be sent.
///
/// The thread is marked while the future is polled; a task that the exporter spawns has to be marked
/// by itself. Lines of the exporter's own target pass, unless [`Quiet::and`](super::Quiet::and)
/// names it.
///
/// # Examples
///
/// ```
/// use permanence_std::quiet;
///
/// # let drain_queue = async {};
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// tokio::spawn(quiet::export(drain_queue)).await.unwrap();
/// # });
/// ```
pub async fn export<F: Future>(exporter: F) -> F::Output {
    hushed(exporter).await
}

/// Runs what ships log lines to a server and blocks the thread; see [`export`].
///
/// # Examples
///
/// ```
/// use permanence_std::quiet;
///
/// let exporter = std::thread::spawn(|| quiet::export_sync(|| 3));
/// assert_eq!(exporter.join().unwrap(), 3);
/// ```
pub fn export_sync<R>(exporter: impl FnOnce() -> R) -> R {
    let _hush = Hush::new();
    exporter()
}

/// Makes a call, silently if it is a probe.
#[cfg(feature = "tower")]
pub(crate) async fn probe_if<F: Future>(is_probe: bool, call: F) -> F::Output {
    if is_probe { hushed(call).await } else { call.await }
}

async fn hushed<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| {
        let _hush = Hush::new();
        future.as_mut().poll(context)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn a_thread_is_marked_only_while_the_future_is_polled() {
        let mut polls = 0;
        let call = poll_fn(|_| {
            assert!(is_hushed());
            polls += 1;
            if polls == 2 { Poll::Ready(404) } else { Poll::Pending }
        });
        let mut probe = pin!(probe(call));
        let mut context = Context::from_waker(Waker::noop());
        assert!(probe.as_mut().poll(&mut context).is_pending());
        assert!(!is_hushed());
        assert_eq!(probe.as_mut().poll(&mut context), Poll::Ready(404));
        assert!(!is_hushed());
    }

    #[test]
    fn a_probe_within_an_exporter_ends_without_ending_it() {
        export_sync(|| {
            probe_sync(|| assert!(is_hushed()));
            assert!(is_hushed());
        });
        assert!(!is_hushed());
    }

    #[test]
    fn a_panic_within_a_probe_ends_it() {
        assert!(std::panic::catch_unwind(|| probe_sync(|| panic!("the call broke"))).is_err());
        assert!(!is_hushed());
    }
}

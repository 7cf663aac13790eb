//! A server on the loopback interface that does as it is told, and counts.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::watch;

use super::Act;
use super::connection::serve;

/// An HTTP/1.1 server on a free port of the loopback interface. It does its acts in turn, and the last of
/// them for ever.
///
/// It runs on a thread of its own, so that it serves clients that block as well as those that do not,
/// and stops when the last clone of it is dropped.
#[derive(Clone, Debug)]
pub struct Server {
    address: SocketAddr,
    script: Arc<Script>,
    _running: Arc<watch::Sender<()>>,
}

/// A request that has arrived.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path and the query.
    pub target: String,
    /// The headers; those whose value is no text are left out.
    pub headers: Vec<(String, String)>,
    /// The body, or as much of it as arrived.
    pub body: Vec<u8>,
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// Those of binding a port and of starting a thread.
    pub fn start(acts: impl IntoIterator<Item = Act>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let acts = acts.into_iter().collect();
        let script = Arc::new(Script { acts: Mutex::new(acts), seen: watch::Sender::default() });
        let (running, mut stopped) = watch::channel(());
        let served = Arc::clone(&script);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("scripted-server".into()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                loop {
                    tokio::select! {
                        // No value is ever sent: this ends when nobody holds the server any more.
                        _ = stopped.changed() => return,
                        accepted = listener.accept() => match accepted {
                            Ok((stream, _)) => {
                                tokio::spawn(serve(stream, Arc::clone(&served)));
                            }
                            Err(_) => tokio::task::yield_now().await,
                        },
                    }
                }
            });
        })?;
        Ok(Server { address, script, _running: Arc::new(running) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path on it.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Does only this from now on.
    pub fn turn_to(&self, act: Act) {
        *self.script.acts() = VecDeque::from([act]);
    }

    /// How many requests have arrived.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.script.seen.borrow().len()
    }

    /// The requests that have arrived.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.script.seen.borrow().clone()
    }

    /// Waits until so many requests have arrived in all.
    pub async fn until_calls(&self, calls: usize) {
        let mut seen = self.script.seen.subscribe();
        // The sender lives as long as the server.
        let _ = seen.wait_for(|seen| seen.len() >= calls).await;
    }
}

/// What is to be done, and what was asked.
#[derive(Debug)]
pub(super) struct Script {
    acts: Mutex<VecDeque<Act>>,
    seen: watch::Sender<Vec<Seen>>,
}

impl Script {
    /// Notes a request, and says what to do with it.
    pub(super) fn next(&self, request: Seen) -> Act {
        let mut acts = self.acts();
        let act = if acts.len() > 1 { acts.pop_front() } else { acts.front().cloned() };
        drop(acts);
        self.seen.send_modify(|seen| seen.push(request));
        act.unwrap_or_else(Act::stall)
    }

    fn acts(&self) -> MutexGuard<'_, VecDeque<Act>> {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An address on which nobody listens: connections to it are refused.
///
/// # Errors
///
/// Those of binding a port.
pub fn closed_port() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

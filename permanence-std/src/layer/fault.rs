//! What the errors of clients tell: the kind of network error, and how far the request had got.

use std::error::Error;
use std::io;

use permanence_core::{Network, Phase};

use crate::network::{causes, network_of, network_of_kind};
use crate::reading::Over;

/// Why there is no answer, whatever the client is; who cannot tell does not claim that nothing was
/// sent.
pub(crate) fn of_call(error: &(dyn Error + 'static), over: Over) -> (Network, Phase) {
    // Before any timeout: a connection that timed out is both, and nothing was sent.
    if is_connect(error) {
        return (connecting(error, over), Phase::NothingSent);
    }
    if is_misuse(error) {
        return (Network::Misuse, Phase::NothingSent);
    }
    sending(error)
}

/// Why a body broke off.
pub(crate) fn of_body(error: &(dyn Error + 'static)) -> (Network, Phase) {
    let network = match sending(error).0 {
        // A stream that was refused has no body.
        Network::RefusedStream => Network::Reset,
        // hyper calls a chunk without a length an invalid input.
        Network::Other if deepest_io(error).is_some_and(is_invalid_input) => Network::Protocol,
        network => network,
    };
    (network, Phase::Sent)
}

/// Why there is no connection.
pub(crate) fn connecting(error: &(dyn Error + 'static), over: Over) -> Network {
    if let Some(network) = verdict_of_tls(error) {
        return network;
    }
    if is_timeout(error) {
        return Network::ConnectTimeout;
    }
    if is_lookup(error) {
        return Network::Dns;
    }
    match deepest_io(error).map(|error| network_of(error).0) {
        Some(
            network @ (Network::Dns
            | Network::Local
            | Network::Permission
            | Network::Refused
            | Network::Unreachable),
        ) => network,
        Some(Network::Timeout) => Network::ConnectTimeout,
        Some(_) if over == Over::Tls => Network::TlsHandshake,
        Some(Network::Reset) => Network::Reset,
        _ => Network::Other,
    }
}

/// Why there is no answer although there was a connection.
pub(crate) fn sending(error: &(dyn Error + 'static)) -> (Network, Phase) {
    if let Some(fault) = fault_of_stream(error) {
        return fault;
    }
    // rustls offers no certificate after the handshake (RFC 8446 section 4.6.2): a server that wants
    // another one has not read the request, although the client was through already.
    if verdict_of_tls(error) == Some(Network::Certificate) {
        return (Network::Certificate, Phase::NothingSent);
    }
    if is_timeout(error) {
        return (Network::Timeout, Phase::Sent);
    }
    if let Some(hyper) = find::<hyper::Error>(error) {
        if hyper.is_parse() {
            return (Network::Protocol, Phase::Sent);
        }
        if hyper.is_incomplete_message() || hyper.is_closed() || hyper.is_canceled() {
            return (Network::Closed, Phase::Sent);
        }
    }
    let network = match deepest_io(error).map(|error| network_of_kind(error.kind()).0) {
        Some(
            network @ (Network::Closed
            | Network::Protocol
            | Network::Reset
            | Network::Timeout
            | Network::Unreachable),
        ) => network,
        _ => Network::Other,
    };
    (network, Phase::Sent)
}

/// Whether an error arose while the connection was made.
fn is_connect(error: &(dyn Error + 'static)) -> bool {
    #[cfg(feature = "tonic")]
    if find::<tonic::ConnectError>(error).is_some() {
        return true;
    }
    find::<hyper_util::client::legacy::Error>(error).is_some_and(|error| error.is_connect())
}

/// Whether the client refused to make the request at all. It has no other way to say so.
fn is_misuse(error: &(dyn Error + 'static)) -> bool {
    find::<hyper_util::client::legacy::Error>(error)
        .is_some_and(|error| error.to_string().starts_with("client error (User"))
}

/// Whether a name could not be resolved: hyper's connector says so in words alone.
fn is_lookup(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|error| error.to_string() == "dns error")
}

/// Whether somebody's patience ended.
pub(crate) fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    #[cfg(feature = "tonic")]
    if find::<tonic::TimeoutExpired>(error).is_some() {
        return true;
    }
    #[cfg(feature = "reqwest")]
    if find(error).is_some_and(reqwest::Error::is_timeout) {
        return true;
    }
    find::<tower::timeout::error::Elapsed>(error).is_some()
        || find::<tokio::time::error::Elapsed>(error).is_some()
        || find::<hyper::Error>(error).is_some_and(hyper::Error::is_timeout)
        || deepest_io(error).is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
}

/// What HTTP/2 says about one stream. A stream that was refused, and one that a peer who goes away
/// names as not begun, has not been looked at (RFC 9113 sections 6.8 and 8.7).
#[cfg(feature = "http2")]
fn fault_of_stream(error: &(dyn Error + 'static)) -> Option<(Network, Phase)> {
    let error = find::<h2::Error>(error)?;
    let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    if error.is_remote() && (refused || error.is_go_away()) {
        return Some((Network::RefusedStream, Phase::NothingSent));
    }
    if error.is_remote() {
        return Some((Network::Reset, Phase::Sent));
    }
    // An I/O error is looked at by its kind.
    (!error.is_io()).then_some((Network::Protocol, Phase::Sent))
}

#[cfg(not(feature = "http2"))]
const fn fault_of_stream(_: &(dyn Error + 'static)) -> Option<(Network, Phase)> {
    None
}

#[cfg(feature = "rustls")]
fn verdict_of_tls(error: &(dyn Error + 'static)) -> Option<Network> {
    let network = find(error).map(|error| crate::network::verdict_of_tls(error).0);
    // There is no exchange yet that could be faulty.
    network
        .map(|network| if network == Network::Protocol { Network::TlsHandshake } else { network })
}

#[cfg(not(feature = "rustls"))]
const fn verdict_of_tls(_: &(dyn Error + 'static)) -> Option<Network> {
    None
}

fn is_invalid_input(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
}

/// The deepest I/O error: outer ones often say no more than that there was one.
fn deepest_io<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    causes(error).filter_map(io_error).last()
}

fn io_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    // That of HTTP/2 is none of its causes.
    #[cfg(feature = "http2")]
    if let Some(error) = error.downcast_ref::<h2::Error>() {
        return error.get_io();
    }
    error.downcast_ref()
}

fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(|error| error.downcast_ref())
}

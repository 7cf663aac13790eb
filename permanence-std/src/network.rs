//! What an I/O error tells: the kind of network error, and how far the request had got.

use std::error::Error;
use std::io::{self, ErrorKind};

use permanence_core::{Network, Phase};

/// What an I/O error of a call tells by itself, for clients that have no adapter here.
///
/// The whole chain of causes is looked at, the deepest one counts: outer errors often say no more
/// than that there was one. The phase is [`Phase::Sent`] unless the kind excludes that (SPEC 2.3); who
/// knows that the connection was still being made says [`Phase::NothingSent`] instead, whatever
/// stands here. A read time-out of a Unix socket is `WouldBlock` and counts as a time-out. With the
/// feature `rustls` the verdicts of TLS are told apart.
///
/// # Examples
///
/// A blocking client whose `POST` was refused and whose `GET` was cut off:
///
/// ```
/// use permanence_std::core::{Network, Outcome, Phase, Request, Signal};
/// use permanence_std::network_of;
/// use std::io;
///
/// let (network, phase) = network_of(&io::ErrorKind::ConnectionRefused.into());
/// let outcome = Outcome::new(Signal::Network(network), Request::Unkeyed).in_phase(phase);
/// assert_eq!((outcome.signal, outcome.phase), (Signal::Network(Network::Refused), Phase::NothingSent));
///
/// let cut = io::Error::other(io::Error::from(io::ErrorKind::UnexpectedEof));
/// assert_eq!(network_of(&cut), (Network::Closed, Phase::Sent));
/// ```
#[must_use]
pub fn network_of(error: &io::Error) -> (Network, Phase) {
    #[cfg(feature = "rustls")]
    if let Some(verdict) = find(error).map(verdict_of_tls) {
        return verdict;
    }
    let deepest = causes(error).filter_map(|error| error.downcast_ref::<io::Error>()).last();
    let error = deepest.unwrap_or(error);
    match error.kind() {
        kind if network_of_kind(kind) != UNNAMED => network_of_kind(kind),
        _ if is_lookup(error) => (Network::Dns, Phase::NothingSent),
        _ if is_out_of_files(error) => (Network::Local, Phase::NothingSent),
        _ => UNNAMED,
    }
}

/// What the kind of an I/O error tells by itself.
pub(crate) const fn network_of_kind(kind: ErrorKind) -> (Network, Phase) {
    use ErrorKind as Kind;
    match kind {
        // A path, a socket file, with some resolvers a host.
        Kind::NotFound => (Network::Other, Phase::NothingSent),
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem | Kind::QuotaExceeded => {
            (Network::Permission, Phase::NothingSent)
        }
        Kind::ConnectionRefused => (Network::Refused, Phase::NothingSent),
        Kind::AddrInUse | Kind::AddrNotAvailable => (Network::Local, Phase::NothingSent),
        // An open connection reports these as well as one that is being made.
        Kind::HostUnreachable | Kind::NetworkDown | Kind::NetworkUnreachable => {
            (Network::Unreachable, Phase::Sent)
        }
        Kind::ConnectionReset => (Network::Reset, Phase::Sent),
        Kind::BrokenPipe
        | Kind::ConnectionAborted
        | Kind::NotConnected
        | Kind::UnexpectedEof
        | Kind::WriteZero => (Network::Closed, Phase::Sent),
        Kind::TimedOut | Kind::WouldBlock => (Network::Timeout, Phase::Sent),
        Kind::InvalidData => (Network::Protocol, Phase::Sent),
        // A body that is read from a file may fail when a part of it is on its way.
        Kind::Deadlock
        | Kind::ExecutableFileBusy
        | Kind::Interrupted
        | Kind::OutOfMemory
        | Kind::ResourceBusy
        | Kind::StaleNetworkFileHandle
        | Kind::StorageFull => (Network::Local, Phase::Sent),
        Kind::AlreadyExists
        | Kind::ArgumentListTooLong
        | Kind::CrossesDevices
        | Kind::DirectoryNotEmpty
        | Kind::FileTooLarge
        | Kind::InvalidFilename
        | Kind::InvalidInput
        | Kind::IsADirectory
        | Kind::NotADirectory
        | Kind::NotSeekable
        | Kind::TooManyLinks
        | Kind::Unsupported => (Network::Misuse, Phase::NothingSent),
        _ => UNNAMED,
    }
}

/// What TLS says. A verdict after which somebody has to act counts as one on a certificate.
#[cfg(feature = "rustls")]
pub(crate) fn verdict_of_tls(error: &rustls::Error) -> (Network, Phase) {
    use rustls::{AlertDescription as Alert, CertificateError, Error as Tls};
    match error {
        // A list of revocations that is being renewed.
        Tls::InvalidCertificate(
            CertificateError::UnknownRevocationStatus
            | CertificateError::ExpiredRevocationList
            | CertificateError::ExpiredRevocationListContext { .. },
        )
        | Tls::InvalidCertRevocationList(_)
        | Tls::FailedToGetCurrentTime
        | Tls::FailedToGetRandomBytes
        | Tls::HandshakeNotComplete
        | Tls::InappropriateHandshakeMessage { .. } => (Network::TlsHandshake, Phase::NothingSent),
        Tls::InvalidCertificate(_)
        | Tls::NoCertificatesPresented
        | Tls::PeerIncompatible(_)
        | Tls::NoApplicationProtocol
        | Tls::InvalidEncryptedClientHello(_)
        | Tls::InconsistentKeys(_)
        | Tls::AlertReceived(
            Alert::AccessDenied
            | Alert::BadCertificate
            | Alert::CertificateExpired
            | Alert::CertificateRequired
            | Alert::CertificateRevoked
            | Alert::CertificateUnknown
            | Alert::InsufficientSecurity
            | Alert::NoApplicationProtocol
            | Alert::ProtocolVersion
            | Alert::UnknownCA
            | Alert::UnknownPSKIdentity
            | Alert::UnrecognisedName
            | Alert::UnsupportedCertificate,
        ) => (Network::Certificate, Phase::NothingSent),
        Tls::UnsupportedNameType | Tls::BadMaxFragmentSize => (Network::Misuse, Phase::NothingSent),
        // These may come after the handshake, in mid-exchange.
        _ => (Network::Protocol, Phase::Sent),
    }
}

/// Whether a name could not be resolved: the standard library gives that no kind, only a text.
fn is_lookup(error: &io::Error) -> bool {
    error.to_string().starts_with("failed to lookup address information")
}

/// `ENFILE` and `EMFILE`, which have no kind and the same numbers on every Unix: no socket was made.
fn is_out_of_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

#[cfg(feature = "rustls")]
pub(crate) fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(|error| error.downcast_ref())
}

/// An error and its causes, outermost first.
///
/// An I/O error that wraps another one gives that one's cause as its own and skips it, so that it
/// has to be opened.
pub(crate) fn causes<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error: &&'e (dyn Error + 'static)| {
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

/// What nobody could name; the request may have been sent.
const UNNAMED: (Network, Phase) = (Network::Other, Phase::Sent);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_cannot_be_resolved_was_never_called() {
        // Labels have 63 bytes at most, so that no server is asked.
        let error = std::net::TcpStream::connect(("a".repeat(70).as_str(), 80));
        assert_eq!(network_of(&error.unwrap_err()), (Network::Dns, Phase::NothingSent));
    }

    #[test]
    fn the_deepest_cause_counts() {
        let reset = io::Error::from(ErrorKind::ConnectionReset);
        let wrapped = io::Error::other(io::Error::new(ErrorKind::InvalidData, reset));
        assert_eq!(network_of(&wrapped), (Network::Reset, Phase::Sent));
        assert_eq!(network_of(&io::Error::other("a text")), UNNAMED);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_without_files_left_sent_nothing() {
        let error = io::Error::from_raw_os_error(24);
        assert_eq!(network_of(&error), (Network::Local, Phase::NothingSent));
    }

    #[cfg(feature = "rustls")]
    #[test]
    fn a_certificate_within_an_io_error_is_found() {
        let expired = rustls::Error::InvalidCertificate(rustls::CertificateError::Expired);
        let wrapped = io::Error::new(ErrorKind::InvalidData, expired);
        assert_eq!(network_of(&wrapped), (Network::Certificate, Phase::NothingSent));
    }
}

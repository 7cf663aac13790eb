//! What the kinds of I/O errors mean on a connection.

use std::io::{Error, ErrorKind};

use permanence_core::{Network, Phase};
use permanence_std::network_of;

/// The network error that an I/O error of the kind with this name is, and how far the call got.
pub(super) fn network(name: &str) -> Option<(Network, Phase)> {
    if name == UNCATEGORIZED {
        return Some(network_of(&Error::other("no stable kind")));
    }
    let known = KINDS.iter().copied().find(|kind| format!("{kind:?}") == name);
    known.map(|kind| network_of(&kind.into()))
}

/// The names of all kinds that are known.
pub(super) fn names() -> Vec<String> {
    let mut names: Vec<String> = KINDS.iter().map(|kind| format!("{kind:?}")).collect();
    names.push(UNCATEGORIZED.to_owned());
    names.sort_unstable();
    names
}

/// The name of what has no stable kind, a failed resolution of a name among it.
const UNCATEGORIZED: &str = "Uncategorized";

const KINDS: &[ErrorKind] = &[
    ErrorKind::AddrInUse,
    ErrorKind::AddrNotAvailable,
    ErrorKind::AlreadyExists,
    ErrorKind::ArgumentListTooLong,
    ErrorKind::BrokenPipe,
    ErrorKind::ConnectionAborted,
    ErrorKind::ConnectionRefused,
    ErrorKind::ConnectionReset,
    ErrorKind::CrossesDevices,
    ErrorKind::Deadlock,
    ErrorKind::DirectoryNotEmpty,
    ErrorKind::ExecutableFileBusy,
    ErrorKind::FileTooLarge,
    ErrorKind::HostUnreachable,
    ErrorKind::Interrupted,
    ErrorKind::InvalidData,
    ErrorKind::InvalidFilename,
    ErrorKind::InvalidInput,
    ErrorKind::IsADirectory,
    ErrorKind::NetworkDown,
    ErrorKind::NetworkUnreachable,
    ErrorKind::NotADirectory,
    ErrorKind::NotConnected,
    ErrorKind::NotFound,
    ErrorKind::NotSeekable,
    ErrorKind::Other,
    ErrorKind::OutOfMemory,
    ErrorKind::PermissionDenied,
    ErrorKind::QuotaExceeded,
    ErrorKind::ReadOnlyFilesystem,
    ErrorKind::ResourceBusy,
    ErrorKind::StaleNetworkFileHandle,
    ErrorKind::StorageFull,
    ErrorKind::TimedOut,
    ErrorKind::TooManyLinks,
    ErrorKind::UnexpectedEof,
    ErrorKind::Unsupported,
    ErrorKind::WouldBlock,
    ErrorKind::WriteZero,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_there_once_and_goes_by_its_name() {
        let names = names();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(names.iter().all(|name| network(name).is_some()));
        assert_eq!(network("ConnectionRefused"), Some((Network::Refused, Phase::NothingSent)));
        assert_eq!(network(UNCATEGORIZED), Some((Network::Other, Phase::Sent)));
        assert_eq!(network("connectionrefused"), None);
    }
}

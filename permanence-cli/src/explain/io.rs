//! What the kinds of I/O errors mean on a connection.

use std::io::ErrorKind;

use permanence_core::Network;

/// The network error that an I/O error of the kind with this name is.
pub(super) fn network(name: &str) -> Option<Network> {
    if name == UNCATEGORIZED {
        return Some(Network::Other);
    }
    let known = KINDS.iter().find(|(kind, _)| format!("{kind:?}") == name);
    known.map(|(_, network)| *network)
}

/// The names of all kinds that are known.
pub(super) fn names() -> Vec<String> {
    let mut names: Vec<String> = KINDS.iter().map(|(kind, _)| format!("{kind:?}")).collect();
    names.push(UNCATEGORIZED.to_owned());
    names.sort_unstable();
    names
}

/// The name of what has no stable kind, a failed resolution of a name among it.
const UNCATEGORIZED: &str = "Uncategorized";

const KINDS: &[(ErrorKind, Network)] = &[
    (ErrorKind::AddrInUse, Network::Local),
    (ErrorKind::AddrNotAvailable, Network::Local),
    (ErrorKind::AlreadyExists, Network::Misuse),
    (ErrorKind::ArgumentListTooLong, Network::Misuse),
    (ErrorKind::BrokenPipe, Network::Closed),
    (ErrorKind::ConnectionAborted, Network::Closed),
    (ErrorKind::ConnectionRefused, Network::Refused),
    (ErrorKind::ConnectionReset, Network::Reset),
    (ErrorKind::CrossesDevices, Network::Misuse),
    (ErrorKind::Deadlock, Network::Local),
    (ErrorKind::DirectoryNotEmpty, Network::Misuse),
    (ErrorKind::ExecutableFileBusy, Network::Local),
    (ErrorKind::FileTooLarge, Network::Misuse),
    (ErrorKind::HostUnreachable, Network::Unreachable),
    (ErrorKind::Interrupted, Network::Other),
    (ErrorKind::InvalidData, Network::Protocol),
    (ErrorKind::InvalidFilename, Network::Misuse),
    (ErrorKind::InvalidInput, Network::Misuse),
    (ErrorKind::IsADirectory, Network::Misuse),
    (ErrorKind::NetworkDown, Network::Unreachable),
    (ErrorKind::NetworkUnreachable, Network::Unreachable),
    (ErrorKind::NotADirectory, Network::Misuse),
    (ErrorKind::NotConnected, Network::Closed),
    // A path or a name that is not there: which one of the two, the kind does not tell.
    (ErrorKind::NotFound, Network::Other),
    (ErrorKind::NotSeekable, Network::Misuse),
    (ErrorKind::Other, Network::Other),
    (ErrorKind::OutOfMemory, Network::Local),
    (ErrorKind::PermissionDenied, Network::Permission),
    (ErrorKind::QuotaExceeded, Network::Permission),
    (ErrorKind::ReadOnlyFilesystem, Network::Permission),
    (ErrorKind::ResourceBusy, Network::Local),
    (ErrorKind::StaleNetworkFileHandle, Network::Other),
    (ErrorKind::StorageFull, Network::Local),
    (ErrorKind::TimedOut, Network::Timeout),
    (ErrorKind::TooManyLinks, Network::Misuse),
    (ErrorKind::UnexpectedEof, Network::Closed),
    (ErrorKind::Unsupported, Network::Misuse),
    // What a read timeout of a socket comes out as on Unix.
    (ErrorKind::WouldBlock, Network::Timeout),
    (ErrorKind::WriteZero, Network::Closed),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_there_once_and_goes_by_its_name() {
        let names = names();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(names.iter().all(|name| network(name).is_some()));
        assert_eq!(network("ConnectionRefused"), Some(Network::Refused));
        assert_eq!(network("connectionrefused"), None);
    }
}

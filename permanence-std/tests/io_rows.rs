//! Every known error of a client comes to the class that the facts give it, and `network_of` reads
//! those of the standard library as the table says.
#![allow(clippy::panic, clippy::unwrap_used)] // What a test calls fails as a test does.

use std::io::{self, ErrorKind};

use permanence_core::{
    Class, Network, Outcome, Phase, Policy, Processed, Request, Retry, RoutePolicy, Signal, verdict,
};
use permanence_spec::{LoadedEndpoint, LoadedPolicy, default_policy};
use permanence_std::network_of;
use toml::de::{DeTable, DeValue};

/// Rows of which the facts say that nothing was processed, and the adapter that it cannot tell.
const CANNOT_TELL: [(&str, &str, &str); 9] = [
    ("std::io::ErrorKind", "HostUnreachable", "an open connection reports it too"),
    ("std::io::ErrorKind", "NetworkUnreachable", "an open connection reports it too"),
    ("std::io::ErrorKind", "NetworkDown", "an open connection reports it too"),
    ("std::io::ErrorKind", "NotConnected", "a connection that was cut reports it too"),
    ("embedded_io::ErrorKind", "NotConnected", "as std"),
    ("std::io::ErrorKind", "StorageFull", "a body that is read from a file may be half sent"),
    ("std::io::ErrorKind", "ResourceBusy", "as StorageFull"),
    ("std::io::ErrorKind", "ExecutableFileBusy", "as StorageFull"),
    ("std::io::ErrorKind", "Deadlock", "as StorageFull"),
];

/// Rows that the kind alone does not decide: the careful reading of what may be permanent or done.
const BY_CONTEXT: [(&str, &str, &str); 3] = [
    (
        "std::io::ErrorKind",
        "InProgress",
        "an unstable name: nobody can ask for it, so it is unnamed",
    ),
    ("std::io::ErrorKind", "FilesystemLoop", "as InProgress, and transient as all that is unnamed"),
    ("rustls::Error", "AlertReceived", "an alert may also come in mid-exchange"),
];

#[test]
fn all_196_client_errors_are_what_the_facts_say() {
    let (rows, policy) = (rows(), policy());
    assert_eq!(rows.len(), 196 + 3, "and three of CoAP's message layer");
    for row in &rows {
        agree(&policy, row);
    }
}

#[test]
fn the_standard_library_is_read_as_the_table_says() {
    let rows = rows();
    let mut read = 0;
    for row in rows.iter().filter(|row| row.layer == "std::io::ErrorKind") {
        let Some(kind) = KINDS.iter().find(|kind| format!("{kind:?}") == row.name) else {
            let unnamed = (Network::Other, Phase::Sent);
            assert_eq!((row.network().unwrap(), row.phase()), unnamed, "{}", row.name);
            continue;
        };
        read += 1;
        let found = network_of(&io::Error::from(*kind));
        assert_eq!(found, (row.network().unwrap(), row.phase()), "{}", row.name);
    }
    assert_eq!(read, KINDS.len(), "each kind has a row");
}

#[cfg(feature = "rustls")]
#[test]
fn rustls_is_read_as_the_table_says() {
    use rustls::{CertificateError, Error};
    let certificate = Error::InvalidCertificate;
    let errors = [
        ("InvalidCertificate", certificate(CertificateError::UnknownIssuer)),
        ("InvalidCertificate(Expired|NotValidYet)", certificate(CertificateError::NotValidYet)),
        (
            "InvalidCertificate(UnknownRevocationStatus|ExpiredRevocationList)",
            certificate(CertificateError::UnknownRevocationStatus),
        ),
        ("NoCertificatesPresented", Error::NoCertificatesPresented),
        ("AlertReceived", Error::AlertReceived(rustls::AlertDescription::InternalError)),
        ("NoApplicationProtocol", Error::NoApplicationProtocol),
        ("DecryptError", Error::DecryptError),
        ("EncryptError", Error::EncryptError),
        ("UnsupportedNameType", Error::UnsupportedNameType),
        ("FailedToGetCurrentTime", Error::FailedToGetCurrentTime),
        ("FailedToGetRandomBytes", Error::FailedToGetRandomBytes),
        ("HandshakeNotComplete", Error::HandshakeNotComplete),
        ("PeerSentOversizedRecord", Error::PeerSentOversizedRecord),
        ("BadMaxFragmentSize", Error::BadMaxFragmentSize),
        ("General", Error::General("a text".to_owned())),
    ];
    let rows = rows();
    for (name, error) in errors {
        let row = rows.iter().find(|row| row.layer == "rustls::Error" && row.name == name).unwrap();
        let found = network_of(&io::Error::new(ErrorKind::InvalidData, error));
        assert_eq!(found, (row.network().unwrap(), row.phase()), "{name}");
    }
}

#[test]
fn every_exception_is_still_one() {
    let (rows, policy) = (rows(), policy());
    for (layer, name, _) in CANNOT_TELL {
        let row = rows.iter().find(|row| row.layer == layer && row.name == name).unwrap();
        let found = verdict(&policy, &row.outcome(Request::Unkeyed).unwrap()).processed;
        assert_eq!((row.processed.as_str(), found), ("no", Processed::Unknown), "{name}");
    }
    for (layer, name, _) in BY_CONTEXT {
        let row = rows.iter().find(|row| row.layer == layer && row.name == name).unwrap();
        let found = verdict(&policy, &row.outcome(Request::Unkeyed).unwrap()).processed;
        assert_eq!((row.processed.as_str(), found), ("no", Processed::Unknown), "{name}");
    }
}

fn agree(policy: &LoadedEndpoint, row: &Row) {
    let name = format!("{} {}", row.layer, row.name);
    let Some(idempotent) = row.outcome(Request::Idempotent) else {
        assert_eq!((row.network.as_str(), row.class.as_str()), ("status", "needs-context"));
        return;
    };
    let found = verdict(policy, &idempotent);
    let listed = |list: &[(&str, &str, &str)]| {
        list.iter().any(|(layer, other, _)| (*layer, *other) == (&row.layer, &row.name))
    };
    if !listed(&BY_CONTEXT) {
        assert_eq!(found.class, row.expected_class(), "class of {name}");
        let reason = policy.reason_name(found.rule.reason);
        assert!(row.expected_reasons().contains(&reason), "{reason} of {name}");
        assert_eq!(found.rule.retry, expected_retry(row, reason), "retry of {name}");
    }
    if !listed(&BY_CONTEXT) && !listed(&CANNOT_TELL) {
        let processed = match row.processed.as_str() {
            "no" => Processed::No,
            "yes" => Processed::Yes,
            _ => Processed::Unknown,
        };
        assert_eq!(found.processed, processed, "processed of {name}");
    }
    if row.class == "ambiguous" {
        let unkeyed = verdict(policy, &row.outcome(Request::Unkeyed).unwrap());
        assert_eq!(unkeyed.class, Class::Ambiguous, "an unkeyed write with {name}");
    }
}

/// How a row is tried again. The essay tries all of `network` again at the caller's cadence, where
/// clients back off.
fn expected_retry(row: &Row, reason: &str) -> Retry {
    match (row.expected_class(), row.retry.as_str(), reason) {
        (Class::Permanent, ..) => Retry::Never,
        (_, "new_conn", _) => Retry::Once,
        (_, _, "network") => Retry::Cadence,
        _ => Retry::Backoff,
    }
}

fn policy() -> LoadedEndpoint {
    LoadedPolicy::new(default_policy().expect("the default is right")).endpoint("GET", "/")
}

struct Row {
    layer: String,
    name: String,
    network: String,
    phase: Option<String>,
    class: String,
    retry: String,
    processed: String,
}

impl Row {
    fn network(&self) -> Option<Network> {
        Network::from_name(&self.network)
    }

    fn phase(&self) -> Phase {
        match self.phase.as_deref() {
            Some("nothing_sent") => Phase::NothingSent,
            Some("sent") => Phase::Sent,
            other => panic!("phase {other:?} of {}", self.name),
        }
    }

    /// `None` where the status decides.
    fn outcome(&self, request: Request) -> Option<Outcome<'static>> {
        match self.network.as_str() {
            "status" => None,
            "unusable" => Some(Outcome::new(Signal::Unusable { status: 200 }, request)),
            name => {
                let network = Network::from_name(name).unwrap_or_else(|| panic!("network {name}"));
                Some(Outcome::new(Signal::Network(network), request).in_phase(self.phase()))
            }
        }
    }

    /// The class for a request that may be repeated.
    fn expected_class(&self) -> Class {
        if self.class.starts_with("permanent-") { Class::Permanent } else { Class::Transient }
    }

    fn expected_reasons(&self) -> &'static [&'static str] {
        match (self.class.as_str(), self.network.as_str()) {
            (_, "unusable") => &["unusable-response"],
            ("permanent-auth-config", _) => &["auth-config"],
            ("permanent-request", _) => &["invalid-request"],
            _ => &["network", "server-fault"],
        }
    }
}

fn rows() -> Vec<Row> {
    let table = DeTable::parse(include_str!("facts/io.toml")).unwrap();
    let rows = table.get_ref().get("rows").unwrap().get_ref().as_array().unwrap();
    let cell = |row: &DeValue<'_>, key: &str| {
        row.get(key).map(|value| value.get_ref().as_str().unwrap().to_owned())
    };
    rows.iter()
        .map(|row| Row {
            layer: cell(row.get_ref(), "layer").unwrap(),
            name: cell(row.get_ref(), "name").unwrap(),
            network: cell(row.get_ref(), "network").unwrap(),
            phase: cell(row.get_ref(), "phase"),
            class: cell(row.get_ref(), "class").unwrap(),
            retry: cell(row.get_ref(), "retry").unwrap(),
            processed: cell(row.get_ref(), "processed").unwrap(),
        })
        .collect()
}

/// The kinds that can be named.
const KINDS: [ErrorKind; 39] = [
    ErrorKind::NotFound,
    ErrorKind::PermissionDenied,
    ErrorKind::ConnectionRefused,
    ErrorKind::ConnectionReset,
    ErrorKind::HostUnreachable,
    ErrorKind::NetworkUnreachable,
    ErrorKind::ConnectionAborted,
    ErrorKind::NotConnected,
    ErrorKind::AddrInUse,
    ErrorKind::AddrNotAvailable,
    ErrorKind::NetworkDown,
    ErrorKind::BrokenPipe,
    ErrorKind::AlreadyExists,
    ErrorKind::WouldBlock,
    ErrorKind::NotADirectory,
    ErrorKind::IsADirectory,
    ErrorKind::DirectoryNotEmpty,
    ErrorKind::ReadOnlyFilesystem,
    ErrorKind::StaleNetworkFileHandle,
    ErrorKind::InvalidInput,
    ErrorKind::InvalidData,
    ErrorKind::TimedOut,
    ErrorKind::WriteZero,
    ErrorKind::StorageFull,
    ErrorKind::NotSeekable,
    ErrorKind::QuotaExceeded,
    ErrorKind::FileTooLarge,
    ErrorKind::ResourceBusy,
    ErrorKind::ExecutableFileBusy,
    ErrorKind::Deadlock,
    ErrorKind::CrossesDevices,
    ErrorKind::TooManyLinks,
    ErrorKind::InvalidFilename,
    ErrorKind::ArgumentListTooLong,
    ErrorKind::Interrupted,
    ErrorKind::Unsupported,
    ErrorKind::UnexpectedEof,
    ErrorKind::OutOfMemory,
    ErrorKind::Other,
];

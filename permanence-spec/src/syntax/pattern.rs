//! How codes are written: `404`, `"4xx"`, `"500-599"`, `"UNAVAILABLE"`, `"4.04"`, `"429:slow_down"`.

use std::fmt;

use permanence_core::{GRPC_NAMES, Network, grpc_code, grpc_name};

use crate::compiled::{HTTP_FIRST, HTTP_LAST};
use crate::diagnostic::{Code, Finding, Findings, nearest};

use super::{At, Item};

/// One signal that has a row of its own.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Slot {
    Coap(u8),
    Grpc(u8),
    Http(u16),
    Network(Network),
    Provider(u16, String),
    Unusable,
}

/// What one entry of a list means.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Pattern {
    Exact(Slot),
    /// The hundred that begins with this status.
    Hundred(u16),
    Range(u16, u16),
}

impl fmt::Display for Slot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Coap(byte) => write!(out, "{}.{:02}", byte >> 5, byte & 31),
            Slot::Grpc(code) => out.write_str(grpc_name(*code).unwrap_or("another gRPC code")),
            Slot::Http(status) => write!(out, "{status}"),
            Slot::Network(network) => out.write_str(network.name()),
            Slot::Provider(status, code) => write!(out, "{status}:{code}"),
            Slot::Unusable => out.write_str("an unusable response"),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Exact(slot) => write!(out, "{slot}"),
            Pattern::Hundred(hundred) => write!(out, "{}xx", hundred / 100),
            Pattern::Range(first, last) => write!(out, "{first}-{last}"),
        }
    }
}

/// How exact a pattern is; the more exact one wins.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Level {
    Hundred,
    Range,
    Exact,
}

/// Which notation a list takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CodeKind {
    /// All but network errors: what only answers have.
    Answered,
    /// Every notation; they exclude each other.
    Any,
    Coap,
    Grpc,
    Http,
    Network,
    Provider,
}

/// Reads one entry of a list.
pub(crate) fn read_pattern(
    item: &Item<'_>,
    kind: CodeKind,
    findings: &mut Findings,
) -> Option<At<Pattern>> {
    let pattern = match kind {
        CodeKind::Answered | CodeKind::Any => read_any(item, kind, findings)?,
        CodeKind::Coap => exact(read_coap(item, findings)?),
        CodeKind::Grpc => exact(read_grpc(item, findings)?),
        CodeKind::Http => read_http(item, findings)?,
        CodeKind::Network => exact(read_network(item, findings)?),
        CodeKind::Provider => exact(read_provider(item, findings)?),
    };
    Some(item.at(pattern))
}

fn exact(slot: Slot) -> Pattern {
    Pattern::Exact(slot)
}

/// The notations are told apart by their form: a colon, capitals, a dot after a digit, small letters.
fn read_any(item: &Item<'_>, kind: CodeKind, findings: &mut Findings) -> Option<Pattern> {
    let text = item.value.as_str().unwrap_or("");
    let first = text.bytes().next().unwrap_or(b'0');
    if text.contains(':') {
        return read_provider(item, findings).map(exact);
    }
    if first.is_ascii_uppercase() {
        return read_grpc(item, findings).map(exact);
    }
    if first.is_ascii_lowercase() {
        let network = read_network(item, findings)?;
        if kind == CodeKind::Answered {
            let message =
                format!("`{text}` is no answer, so that no table can say what became of it");
            let help = "without an answer the phase decides: nothing sent is no, sent is unknown";
            findings.push(Finding::new(Code::BadStatus, item.place, message).with_help(help));
            return None;
        }
        return Some(exact(network));
    }
    if text.contains('.') {
        return read_coap(item, findings).map(exact);
    }
    read_http(item, findings)
}

fn read_http(item: &Item<'_>, findings: &mut Findings) -> Option<Pattern> {
    if let Some(number) = item.maybe_integer() {
        let status = u16::try_from(number).ok().filter(|status| is_status(*status));
        if status.is_none() {
            refuse_status(item, &format!("{} is not an HTTP status", item.written()), findings);
        }
        return status.map(|status| exact(Slot::Http(status)));
    }
    let Some(text) = item.value.as_str() else {
        item.refuse_type("numbers, \"4xx\" or \"500-599\"", findings);
        return None;
    };
    let pattern = parse_http(text);
    if pattern.is_none() {
        refuse_status(item, &format!("`{text}` is not an HTTP status"), findings);
    }
    pattern
}

fn parse_http(text: &str) -> Option<Pattern> {
    if let Some(hundred) = text.strip_suffix("xx") {
        let hundred = status_of(&format!("{hundred}00"))?;
        return Some(Pattern::Hundred(hundred));
    }
    if let Some((first, last)) = text.split_once('-') {
        let (first, last) = (status_of(first.trim())?, status_of(last.trim())?);
        return (first < last).then_some(Pattern::Range(first, last));
    }
    status_of(text).map(|status| exact(Slot::Http(status)))
}

fn status_of(text: &str) -> Option<u16> {
    let plain = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?.filter(|status| is_status(*status))
}

fn is_status(status: u16) -> bool {
    (HTTP_FIRST..=HTTP_LAST).contains(&status)
}

fn refuse_status(item: &Item<'_>, message: &str, findings: &mut Findings) {
    let help = "a status is 100 to 599, a hundred is \"4xx\", a range is \"500-599\"";
    findings.push(Finding::new(Code::BadStatus, item.place, message).with_help(help));
}

fn read_grpc(item: &Item<'_>, findings: &mut Findings) -> Option<Slot> {
    if let Some(number) = item.maybe_integer() {
        let code = u8::try_from(number).ok().filter(|code| usize::from(*code) < GRPC_NAMES.len());
        if code.is_none() {
            let message = format!("{} is not a gRPC code", item.written());
            let help = "gRPC codes are 0 to 16; better write their names";
            findings.push(Finding::new(Code::BadGrpc, item.place, message).with_help(help));
        }
        return code.map(Slot::Grpc);
    }
    let text = item.text(findings)?;
    let code = grpc_code(text);
    if code.is_none() {
        let message = format!("no gRPC code is called `{text}`");
        let help = format!("the codes are {}", GRPC_NAMES.join(", "));
        let guess = nearest(text, GRPC_NAMES);
        findings.push(Finding::new(Code::BadGrpc, item.place, message).with_guess(guess, help));
    }
    code.map(Slot::Grpc)
}

fn read_coap(item: &Item<'_>, findings: &mut Findings) -> Option<Slot> {
    let Some(text) = item.value.as_str() else {
        item.refuse_type("strings such as \"4.04\"", findings);
        return None;
    };
    let byte = parse_coap(text);
    if byte.is_none() {
        let message = format!("`{text}` is not a CoAP response code");
        let help =
            "a response code is a class from 2 to 5, a dot and two digits up to 31: \"4.04\"";
        findings.push(Finding::new(Code::BadCoap, item.place, message).with_help(help));
    }
    byte.map(Slot::Coap)
}

fn parse_coap(text: &str) -> Option<u8> {
    let (class, detail) = text.split_once('.')?;
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if class.len() != 1 || detail.len() != 2 || !plain(class) || !plain(detail) {
        return None;
    }
    let (class, detail) = (class.parse::<u8>().ok()?, detail.parse::<u8>().ok()?);
    ((2..=5).contains(&class) && detail < 32).then_some(class << 5 | detail)
}

fn read_network(item: &Item<'_>, findings: &mut Findings) -> Option<Slot> {
    let text = item.text(findings)?;
    let network = Network::from_name(text);
    if network.is_none() {
        let mut names = Network::ALL.map(Network::name);
        names.sort_unstable();
        let message = format!("no network error is called `{text}`");
        let help = format!("the network errors are {}", names.join(", "));
        let guess = nearest(text, names);
        findings.push(Finding::new(Code::BadNetwork, item.place, message).with_guess(guess, help));
    }
    network.map(Slot::Network)
}

fn read_provider(item: &Item<'_>, findings: &mut Findings) -> Option<Slot> {
    let text = item.text(findings)?;
    let slot = text.split_once(':').and_then(|(status, code)| {
        let plain = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_graphic());
        plain.then(|| status_of(status).map(|status| Slot::Provider(status, code.to_owned())))?
    });
    if slot.is_none() {
        let message = format!("`{text}` is not a code of a provider");
        let help = "write the status, a colon and the code: \"429:insufficient_quota\"";
        findings.push(Finding::new(Code::BadProvider, item.place, message).with_help(help));
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_hundreds_and_ranges_are_read_whole_or_not_at_all() {
        assert_eq!(parse_http("404"), Some(Pattern::Exact(Slot::Http(404))));
        assert_eq!(parse_http("4xx"), Some(Pattern::Hundred(400)));
        assert_eq!(parse_http("500-599"), Some(Pattern::Range(500, 599)));
        for text in ["", "xx", "0xx", "6xx", "44xx", "4XX", "500-", "-599", "599-500", "500-500"] {
            assert_eq!(parse_http(text), None, "{text}");
        }
        for text in ["099", "600", "+404", "4040", "500-600", "4x4"] {
            assert_eq!(parse_http(text), None, "{text}");
        }
    }

    #[test]
    fn a_coap_code_is_its_byte() {
        assert_eq!(parse_coap("4.04"), Some(0x84));
        assert_eq!(parse_coap("5.03"), Some(0xa3));
        for text in ["4.4", "4.32", "1.01", "6.00", "4.004", "404", "4.+4", ""] {
            assert_eq!(parse_coap(text), None, "{text}");
        }
    }
}

//! The rules that a case writes as `"LEFT => ROW"`.

use permanence_core::{Network, Signal, grpc_code};

use super::fields::Halt;
use super::rows::Row;

/// One rule of a case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct CaseRule {
    left: Left,
    pub(super) row: Row,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Left {
    Coded { status: u16, code: String },
    Grpc(u8),
    Network(Network),
    Statuses { first: u16, last: u16 },
}

impl CaseRule {
    pub(super) fn parse(text: &str) -> Result<Self, Halt> {
        let unknown = || Halt::out_of_reach(format!("rule {text:?} not understood"));
        let (left, row) =
            text.split_once("=>").or_else(|| text.split_once("->")).ok_or_else(unknown)?;
        let left = Left::parse(left.trim()).ok_or_else(unknown)?;
        let row = match row.trim().trim_start_matches("class ") {
            "ok" | "success" => Row::Success,
            "ignore" | "ignored" => Row::Ignored,
            "transient" => Row::Transient,
            "ambiguous" => Row::Ambiguous,
            "permanent" => Row::Permanent,
            "payload" => Row::Payload,
            "gone" => Row::Gone,
            "stale_context" => Row::Stale,
            _ => return Err(unknown()),
        };
        Ok(CaseRule { left, row })
    }

    /// Whether the rule names a provider's code, and so goes before those that do not.
    pub(super) fn is_coded(&self) -> bool {
        matches!(self.left, Left::Coded { .. })
    }

    pub(super) fn matches(&self, signal: &Signal<'_>) -> bool {
        match (&self.left, signal) {
            (Left::Coded { status, code }, Signal::Provider { status: found, code: said }) => {
                status == found && code == said
            }
            (Left::Grpc(code), Signal::Grpc(found)) => code == found,
            (Left::Network(network), Signal::Network(found)) => network == found,
            (
                Left::Statuses { first, last },
                Signal::Http(status) | Signal::Provider { status, .. },
            ) => (first..=last).contains(&status),
            _ => false,
        }
    }
}

impl Left {
    fn parse(text: &str) -> Option<Self> {
        if let Some((status, code)) = text.split_once('+') {
            let status = status.trim().parse().ok()?;
            return Some(Left::Coded { status, code: code.trim().to_owned() });
        }
        if let Some(hundred) = text.strip_suffix("xx") {
            let hundred: u16 = hundred.parse().ok()?;
            let first = hundred.checked_mul(100)?;
            return Some(Left::Statuses { first, last: first.checked_add(99)? });
        }
        if let Some((first, last)) = text.split_once('-') {
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            return Some(Left::Statuses { first, last });
        }
        if let Ok(status) = text.parse() {
            return Some(Left::Statuses { first: status, last: status });
        }
        grpc_code(text).map(Left::Grpc).or_else(|| Network::from_name(text).map(Left::Network))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_a_signal_on_the_left_and_a_row_on_the_right() {
        let coded = CaseRule::parse("400+invalid_grant => permanent").unwrap();
        assert!(coded.matches(&Signal::Provider { status: 400, code: "invalid_grant" }));
        assert!(!coded.matches(&Signal::Http(400)));
        let range = CaseRule::parse("5xx => transient").unwrap();
        assert!(range.matches(&Signal::Http(599)) && !range.matches(&Signal::Http(600)));
        assert!(CaseRule::parse("404 => limbo").is_err());
        assert!(CaseRule::parse("404").is_err());
    }
}

//! JSON pointers: RFC 6901, with `*` for every element or member.

use crate::diagnostic::{Code, Finding, Findings, Place};
use crate::rule_set::OwnedSegment;

/// Reads a pointer that stands at `place`.
pub(super) fn read(text: &str, place: Place, findings: &mut Findings) -> Option<Vec<OwnedSegment>> {
    match parse(text) {
        Ok(segments) => Some(segments),
        Err(fault) => {
            let message = format!("`{text}` is not a JSON pointer: {fault}");
            let help = "a pointer is \"/error/details/*/reason\", with `~1` for a slash and `~0` for a tilde in a name";
            findings.push(Finding::new(Code::BadPointer, place, message).with_help(help));
            None
        }
    }
}

fn parse(text: &str) -> Result<Vec<OwnedSegment>, &'static str> {
    let Some(rest) = text.strip_prefix('/') else {
        return Err("it does not start with a slash");
    };
    let segments: Vec<OwnedSegment> = rest.split('/').map(segment).collect::<Result<_, _>>()?;
    if segments.len() > MOST_SEGMENTS {
        return Err("it is more than 16 steps long");
    }
    Ok(segments)
}

fn segment(text: &str) -> Result<OwnedSegment, &'static str> {
    if text == "*" {
        return Ok(OwnedSegment::Any);
    }
    let is_plain = text == "0" || !text.starts_with('0');
    if is_plain && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that no array reaches is still a name.
        if let Ok(number) = text.parse() {
            return Ok(OwnedSegment::Index(number));
        }
    }
    let mut name = String::new();
    let mut pieces = text.split('~');
    name.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        let (letter, rest) = match piece.as_bytes().first() {
            Some(b'0') => ('~', piece.get(1..)),
            Some(b'1') => ('/', piece.get(1..)),
            _ => return Err("a tilde is followed by 0 or 1"),
        };
        name.push(letter);
        name.push_str(rest.unwrap_or(""));
    }
    if name.len() > MOST_BYTES {
        return Err("one of its names has more than 64 bytes");
    }
    Ok(OwnedSegment::Key(name))
}

/// As deep as the scanner looks.
const MOST_SEGMENTS: usize = 16;
/// As long as the scanner compares.
const MOST_BYTES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_names_numbers_and_stars() {
        let key = |name: &str| OwnedSegment::Key(name.to_owned());
        assert_eq!(parse("/error/code").unwrap(), [key("error"), key("code")]);
        assert_eq!(
            parse("/a/*/0/10").unwrap(),
            [key("a"), OwnedSegment::Any, OwnedSegment::Index(0), OwnedSegment::Index(10),]
        );
        assert_eq!(parse("/a~1b/m~0n/~01/").unwrap(), [key("a/b"), key("m~n"), key("~1"), key("")]);
        assert_eq!(parse("/01/65536").unwrap(), [key("01"), key("65536")]);
    }

    #[test]
    fn all_else_is_not_a_pointer() {
        for text in ["", "error", "#/error", "/a~", "/a~2b", "$.error"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"/a".repeat(16)).is_ok());
        assert!(parse(&"/a".repeat(17)).is_err());
        assert!(parse(&format!("/{}", "a".repeat(65))).is_err());
    }
}

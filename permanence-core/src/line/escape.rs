//! Text from elsewhere inside a line.

use core::fmt::{Result, Write};

use crate::digits::write_hex4;

/// Writes `text` with a backslash before each of `quoted`, and as `\u0000` whatever could end the
/// line or reorder it on a screen.
pub(super) fn write_escaped(out: &mut dyn Write, text: &str, quoted: &[char]) -> Result {
    for character in text.chars() {
        if breaks_line(character) {
            out.write_str("\\u")?;
            write_hex4(out, u16::try_from(u32::from(character)).unwrap_or(0xfffd))?;
            continue;
        }
        if quoted.contains(&character) {
            out.write_char('\\')?;
        }
        out.write_char(character)?;
    }
    Ok(())
}

/// Controls, line and paragraph separators, and the marks that turn the direction of writing.
const fn breaks_line(character: char) -> bool {
    matches!(
        character,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

//! Files as text: a first line that says what it is, one line for each thing, a last line that
//! proves that none is missing.

use std::fmt::{self, Write};
use std::str::Split;

use super::Corruption;
use crate::fnv::Fnv;

/// What one kind of file holds.
pub(super) trait Page: Default {
    /// The kind, as the first line tells it.
    const KIND: &'static str;

    /// Takes in one line; `None` if it is not a line of such a file.
    fn take(&mut self, fields: Fields<'_>) -> Option<()>;

    /// Writes all lines.
    fn write(&self, out: &mut Lines);
}

const VERSION: &str = "1";

/// The text of a file.
pub(super) fn render<P: Page>(page: &P) -> String {
    let mut out = Lines { text: format!("permanence {} {VERSION}\n", P::KIND), count: 0 };
    page.write(&mut out);
    let Lines { mut text, count } = out;
    let sum = checksum(&text);
    // A string takes everything.
    let _ = writeln!(text, "end\t{count}\t{sum:016x}");
    text
}

/// What the text of a file says.
pub(super) fn parse<P: Page>(bytes: &[u8]) -> Result<P, Corruption> {
    let head = format!("permanence {} ", P::KIND);
    let rest = bytes.strip_prefix(head.as_bytes()).ok_or(Corruption::Header)?;
    let version = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
    if version != VERSION.as_bytes() {
        let shown = version.get(..16).unwrap_or(version);
        return Err(Corruption::Version(String::from_utf8_lossy(shown).into_owned()));
    }
    let text = str::from_utf8(bytes).map_err(|_| Corruption::Checksum)?;
    let text = text.strip_suffix('\n').ok_or(Corruption::Checksum)?;
    let (body, end) = text.rsplit_once('\n').ok_or(Corruption::Checksum)?;
    let lines = body.split('\n').skip(1);
    let sum = checksum(&[body, "\n"].concat());
    if end != format!("end\t{}\t{sum:016x}", lines.clone().count()) {
        return Err(Corruption::Checksum);
    }
    let mut page = P::default();
    for (number, line) in lines.enumerate() {
        let taken = page.take(Fields(line.split('\t')));
        taken.ok_or(Corruption::Line(number.saturating_add(2)))?;
    }
    Ok(page)
}

fn checksum(text: &str) -> u64 {
    let mut hash = Fnv::new(0);
    hash.take(text);
    hash.finish()
}

/// Lines as they are written.
pub(super) struct Lines {
    text: String,
    count: usize,
}

impl Lines {
    /// One line of these fields.
    pub(super) fn line(&mut self, fields: &[&dyn fmt::Display]) {
        let mut between = "";
        for field in fields {
            // A string takes everything.
            let _ = write!(self.text, "{between}");
            let _ = write!(Escaped(&mut self.text), "{field}");
            between = "\t";
        }
        self.text.push('\n');
        self.count = self.count.saturating_add(1);
    }
}

/// Writes all but printable ASCII as `%XX`, byte by byte.
struct Escaped<'t>(&'t mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if byte.is_ascii_graphic() && byte != b'%' {
                self.0.push(char::from(byte));
            } else {
                write!(self.0, "%{byte:02X}")?;
            }
        }
        Ok(())
    }
}

/// The fields of one line, as they are read.
#[derive(Clone)]
pub(super) struct Fields<'t>(Split<'t, char>);

impl<'t> Fields<'t> {
    /// The next field as it stands there.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        self.0.next()
    }

    /// The next field as text.
    pub(super) fn text(&mut self) -> Option<Box<str>> {
        let mut bytes = Vec::new();
        let mut rest = self.word()?.bytes();
        while let Some(byte) = rest.next() {
            let escaped = byte == b'%';
            let digits = if escaped { Some([rest.next()?, rest.next()?]) } else { None };
            bytes.push(digits.map_or(Some(byte), hex_byte)?);
        }
        Some(String::from_utf8(bytes).ok()?.into())
    }

    /// The next field as a number in decimal.
    pub(super) fn number<N: TryFrom<u64>>(&mut self) -> Option<N> {
        let word = self.word()?;
        // `parse` would take a sign.
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        N::try_from(word.parse().ok().filter(|_| digits)?).ok()
    }

    /// The next field as so many bytes in hexadecimal.
    pub(super) fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (pairs, rest) = self.word()?.as_bytes().as_chunks::<2>();
        if pairs.len() != N || !rest.is_empty() {
            return None;
        }
        let mut bytes = [0; N];
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            *byte = hex_byte(*pair)?;
        }
        Some(bytes)
    }

    /// Whether nothing is left.
    pub(super) fn end(mut self) -> Option<()> {
        self.0.next().is_none().then_some(())
    }
}

fn hex_byte(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high?.checked_mul(16)?.checked_add(low?)?).ok()
}

/// Bytes in hexadecimal.
pub(super) struct Hex<'b>(pub(super) &'b [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Notes(Vec<(Box<str>, u16, [u8; 2])>);

    impl Page for Notes {
        const KIND: &'static str = "notes";

        fn take(&mut self, mut fields: Fields<'_>) -> Option<()> {
            self.0.push((fields.text()?, fields.number()?, fields.bytes()?));
            fields.end()
        }

        fn write(&self, out: &mut Lines) {
            for (text, number, bytes) in &self.0 {
                out.line(&[text, number, &Hex(bytes)]);
            }
        }
    }

    fn notes() -> Notes {
        let odd = "a\tb\nc%41 \u{e4}\u{1b}[31m".into();
        Notes(vec![("".into(), 0, [0, 255]), (odd, u16::MAX, [0x5e, 0xed])])
    }

    #[test]
    fn what_is_written_is_read_and_shows_no_control_characters() {
        let text = render(&notes());
        assert!(text.contains("a%09b%0Ac%2541%20%C3%A4%1B[31m\t65535\t5eed\n"), "{text}");
        assert_eq!(parse::<Notes>(text.as_bytes()), Ok(notes()));
        let empty = render(&Notes::default());
        assert_eq!(empty.lines().count(), 2);
        assert_eq!(parse::<Notes>(empty.as_bytes()), Ok(Notes::default()));
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_found() {
        let text = render(&notes()).into_bytes();
        for place in 0..text.len() {
            assert!(parse::<Notes>(&text[..place]).is_err(), "cut at {place}");
            for bit in 0..8 {
                let mut changed = text.clone();
                changed[place] ^= 1 << bit;
                assert!(parse::<Notes>(&changed).is_err(), "bit {bit} of byte {place}");
            }
        }
        // At the end of a line as well.
        let cut = text.split_inclusive(|byte| *byte == b'\n').take(2).flatten().copied();
        assert_eq!(parse::<Notes>(&cut.collect::<Vec<_>>()), Err(Corruption::Checksum));
    }

    #[test]
    fn it_is_said_what_is_wrong() {
        assert_eq!(parse::<Notes>(b""), Err(Corruption::Header));
        assert_eq!(parse::<Notes>(b"permanence state 1\n"), Err(Corruption::Header));
        let found = Corruption::Version("2".into());
        assert_eq!(parse::<Notes>(b"permanence notes 2\nwhatever"), Err(found));
        for line in ["x\t1", "x\t+1\t0000", "x\t65536\t0000", "%4\t1\t0000", "x\t1\t000\t"] {
            let mut text = format!("permanence notes 1\n{line}\n");
            let sum = checksum(&text);
            text.push_str(&format!("end\t1\t{sum:016x}\n"));
            assert_eq!(parse::<Notes>(text.as_bytes()), Err(Corruption::Line(2)), "{line}");
        }
    }
}

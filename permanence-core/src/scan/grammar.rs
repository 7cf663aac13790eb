//! The grammar of JSON (RFC 8259), one byte at a time.

use super::DEPTH;
use super::questions::Source;
use super::scanner::{Part, Scanner, State, is_blank};

impl Scanner<'_> {
    pub(super) fn hear_json(&mut self, byte: u8) {
        self.state = match self.state {
            State::Broken => State::Broken,
            State::Escape => self.escape(byte),
            State::Hex(left) => self.hex(left, byte),
            State::Number(part) => self.number(part, byte),
            State::PassOver | State::PassOverEscape | State::PassOverText => self.pass_over(byte),
            State::Text => self.text(byte),
            State::Word(place) => self.word(place, byte),
            state if is_blank(byte) => state,
            State::After => self.after(byte),
            State::Colon if byte == b':' => State::Value,
            State::Colon => State::Broken,
            State::FirstElement if byte == b']' => self.close(),
            State::FirstMember if byte == b'}' => self.close(),
            State::FirstMember | State::Member if byte == b'"' => self.begin_key(),
            State::FirstMember | State::Member => State::Broken,
            State::FirstElement | State::Value => self.value(byte),
        }
    }

    /// Whether the bytes may end a number or a word here.
    pub(super) fn ends_bare(&self) -> bool {
        use Part::{ExponentDigit, Fraction, Whole, WordEnd, Zero};
        matches!(self.state, State::Number(ExponentDigit | Fraction | Whole | WordEnd | Zero))
    }

    fn value(&mut self, byte: u8) -> State {
        let state = match byte {
            b'"' => State::Text,
            b'[' | b'{' => return self.open(byte),
            b'-' => State::Number(Part::Minus),
            b'0' => State::Number(Part::Zero),
            b'1'..=b'9' => State::Number(Part::Whole),
            b't' => State::Word(TRUE),
            b'f' => State::Word(FALSE),
            b'n' => State::Word(NULL),
            _ => return State::Broken,
        };
        self.enter(match byte {
            b'"' => Source::Text,
            b'n' => Source::Nothing,
            _ => Source::Bare,
        });
        if byte != b'"' {
            self.hear_text(byte);
        }
        state
    }

    fn open(&mut self, byte: u8) -> State {
        self.enter(Source::Container);
        if usize::from(self.depth) >= DEPTH {
            self.deeper = 1;
            return State::PassOver;
        }
        if let Some(number) = self.numbers.get_mut(usize::from(self.depth)) {
            *number = 0;
        }
        self.depth = self.depth.saturating_add(1);
        self.arrays = self.arrays << 1 | u16::from(byte == b'[');
        if byte == b'[' { State::FirstElement } else { State::FirstMember }
    }

    fn close(&mut self) -> State {
        self.depth = self.depth.saturating_sub(1);
        self.arrays >>= 1;
        self.leave();
        State::After
    }

    fn after(&mut self, byte: u8) -> State {
        if self.depth == 0 {
            return State::Broken;
        }
        match (byte, self.in_array()) {
            (b',', true) => State::Value,
            (b',', false) => State::Member,
            (b']', true) | (b'}', false) => self.close(),
            _ => State::Broken,
        }
    }

    fn text(&mut self, byte: u8) -> State {
        match byte {
            b'"' => self.end_text(),
            b'\\' => State::Escape,
            0x00..=0x1f => State::Broken,
            _ => {
                self.hear_text(byte);
                State::Text
            }
        }
    }

    fn escape(&mut self, byte: u8) -> State {
        self.hear_text(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return State::Hex(4),
            _ => return State::Broken,
        });
        State::Text
    }

    fn hex(&mut self, left: u8, byte: u8) -> State {
        let Some(digit) = char::from(byte).to_digit(16) else { return State::Broken };
        self.unit = self.unit << 4 | digit;
        if left > 1 {
            return State::Hex(left.saturating_sub(1));
        }
        self.hear_unit();
        State::Text
    }

    fn number(&mut self, part: Part, byte: u8) -> State {
        use Part::{
            Dot, Exponent, ExponentDigit, ExponentSign, Fraction, Minus, Whole, WordEnd, Zero,
        };
        let next = match (part, byte) {
            (Minus, b'0') => Zero,
            (Minus | Whole, b'0'..=b'9') => Whole,
            (Zero | Whole, b'.') => Dot,
            (Dot | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Whole | Fraction, b'e' | b'E') => Exponent,
            (Exponent, b'+' | b'-') => ExponentSign,
            (Exponent | ExponentSign | ExponentDigit, b'0'..=b'9') => ExponentDigit,
            (Zero | Whole | Fraction | ExponentDigit | WordEnd, _) => {
                self.end_scalar();
                return if is_blank(byte) { State::After } else { self.after(byte) };
            }
            _ => return State::Broken,
        };
        self.hear_text(byte);
        State::Number(next)
    }

    fn word(&mut self, place: u8, byte: u8) -> State {
        if WORDS.get(usize::from(place)) != Some(&byte) {
            return State::Broken;
        }
        self.hear_text(byte);
        let place = place.saturating_add(1);
        match WORDS.get(usize::from(place)) {
            Some(b' ') | None => State::Number(Part::WordEnd),
            Some(_) => State::Word(place),
        }
    }

    /// Counts brackets and minds texts, and looks at nothing else.
    fn pass_over(&mut self, byte: u8) -> State {
        match (self.state, byte) {
            (State::PassOverEscape, _) => State::PassOverText,
            (State::PassOverText, b'\\') => State::PassOverEscape,
            (State::PassOverText, b'"') => State::PassOver,
            (State::PassOver, b'"') => State::PassOverText,
            (State::PassOver, b'[' | b'{') => match self.deeper.checked_add(1) {
                Some(deeper) => {
                    self.deeper = deeper;
                    State::PassOver
                }
                None => State::Broken,
            },
            (State::PassOver, b']' | b'}') => {
                self.deeper = self.deeper.saturating_sub(1);
                if self.deeper > 0 {
                    return State::PassOver;
                }
                self.leave();
                State::After
            }
            (state, _) => state,
        }
    }
}

/// The words, each up to the blank behind it.
const WORDS: &[u8] = b"true false null";
/// What follows the first letter of `true`.
const TRUE: u8 = 1;
/// What follows the first letter of `false`.
const FALSE: u8 = 6;
/// What follows the first letter of `null`.
const NULL: u8 = 12;

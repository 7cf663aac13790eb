//! The grammar of JSON (RFC 8259), one byte at a time.

use super::DEPTH;
use super::questions::Source;
use super::scanner::{Scanner, State, is_blank};

impl Scanner<'_> {
    pub(super) fn hear_json(&mut self, byte: u8) {
        if let Some(row) = number_row(self.state) {
            self.state = self.number(row, byte);
            return;
        }
        self.state = match self.state {
            State::Broken => State::Broken,
            State::Escape => self.escape(byte),
            State::Hex => self.hex(byte),
            State::PassOver | State::PassOverEscape | State::PassOverText => self.pass_over(byte),
            State::Text => self.text(byte),
            State::Word => self.word(byte),
            state if is_blank(byte) => state,
            State::After => self.after(byte),
            State::Colon if byte == b':' => State::Value,
            State::Colon => State::Broken,
            State::FirstElement if byte == b']' => self.close(),
            State::FirstMember if byte == b'}' => self.close(),
            State::FirstMember | State::Member if byte == b'"' => self.begin_key(),
            State::FirstMember | State::Member => State::Broken,
            State::FirstElement | State::Value => self.value(byte),
            // Parts of numbers, which have had their turn.
            _ => State::Broken,
        }
    }

    /// Whether the bytes may end a number or a word here.
    pub(super) fn ends_bare(&self) -> bool {
        number_row(self.state).is_some_and(|row| row.last() == Some(&State::After))
    }

    fn value(&mut self, byte: u8) -> State {
        let (source, state, count) = match byte {
            b'"' => (Source::Text, State::Text, 0),
            b'[' | b'{' => return self.open(byte),
            b'-' => (Source::Bare, State::Minus, 0),
            b'0' => (Source::Bare, State::Zero, 0),
            b'1'..=b'9' => (Source::Bare, State::Whole, 0),
            b't' => (Source::Bare, State::Word, TRUE),
            b'f' => (Source::Bare, State::Word, FALSE),
            b'n' => (Source::Nothing, State::Word, NULL),
            _ => return State::Broken,
        };
        self.count = count;
        self.enter(source);
        if source != Source::Text {
            self.hear_text(byte);
        }
        state
    }

    fn open(&mut self, byte: u8) -> State {
        self.enter(Source::Container);
        if usize::from(self.depth) >= DEPTH {
            self.count = 1;
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
            b'u' => {
                self.count = 4;
                return State::Hex;
            }
            _ => return State::Broken,
        });
        State::Text
    }

    fn hex(&mut self, byte: u8) -> State {
        let Some(digit) = char::from(byte).to_digit(16) else { return State::Broken };
        self.unit = self.unit << 4 | digit;
        self.count = self.count.saturating_sub(1);
        if self.count > 0 {
            return State::Hex;
        }
        self.hear_unit();
        State::Text
    }

    fn number(&mut self, row: &[State; 6], byte: u8) -> State {
        let column = match byte {
            b'0' => 0,
            b'1'..=b'9' => 1,
            b'.' => 2,
            b'e' | b'E' => 3,
            b'+' | b'-' => 4,
            _ => 5,
        };
        let next = row.get(column).copied().unwrap_or(State::Broken);
        if next != State::After {
            self.hear_text(byte);
            return next;
        }
        self.end_scalar();
        if is_blank(byte) { State::After } else { self.after(byte) }
    }

    fn word(&mut self, byte: u8) -> State {
        let mut letters = WORDS.iter().skip(usize::from(self.count));
        if letters.next() != Some(&byte) {
            return State::Broken;
        }
        self.hear_text(byte);
        self.count = self.count.saturating_add(1);
        if letters.next() == Some(&b' ') { State::WordEnd } else { State::Word }
    }

    /// Counts brackets and minds texts, and looks at nothing else.
    fn pass_over(&mut self, byte: u8) -> State {
        match (self.state, byte) {
            (State::PassOverEscape, _) => State::PassOverText,
            (State::PassOverText, b'\\') => State::PassOverEscape,
            (State::PassOverText, b'"') => State::PassOver,
            (State::PassOver, b'"') => State::PassOverText,
            (State::PassOver, b'[' | b'{') => match self.count.checked_add(1) {
                Some(count) => {
                    self.count = count;
                    State::PassOver
                }
                None => State::Broken,
            },
            (State::PassOver, b']' | b'}') => {
                self.count = self.count.saturating_sub(1);
                if self.count > 0 {
                    return State::PassOver;
                }
                self.leave();
                State::After
            }
            (state, _) => state,
        }
    }
}

/// What follows this part of a number, if it is one: after `0`, another digit, a dot, `e`, a sign, and
/// anything else.
const fn number_row(state: State) -> Option<&'static [State; 6]> {
    use State::{
        After, Broken, Dot, Exponent, ExponentDigit, ExponentSign, Fraction, Minus, Whole, WordEnd,
        Zero,
    };
    Some(match state {
        Minus => &[Zero, Whole, Broken, Broken, Broken, Broken],
        Zero => &[After, After, Dot, Exponent, After, After],
        Whole => &[Whole, Whole, Dot, Exponent, After, After],
        Dot => &[Fraction, Fraction, Broken, Broken, Broken, Broken],
        Fraction => &[Fraction, Fraction, After, Exponent, After, After],
        Exponent => &[ExponentDigit, ExponentDigit, Broken, Broken, ExponentSign, Broken],
        ExponentSign => &[ExponentDigit, ExponentDigit, Broken, Broken, Broken, Broken],
        ExponentDigit => &[ExponentDigit, ExponentDigit, After, After, After, After],
        WordEnd => &[After; 6],
        _ => return None,
    })
}

/// The words, each up to the blank behind it.
const WORDS: &[u8] = b"true false null ";
/// What follows the first letter of `true`.
const TRUE: u16 = 1;
/// What follows the first letter of `false`.
const FALSE: u16 = 6;
/// What follows the first letter of `null`.
const NULL: u16 = 12;

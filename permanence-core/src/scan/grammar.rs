//! The grammar of JSON (RFC 8259), one byte at a time.

use super::DEPTH;

/// Where in a document the scanner is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grammar {
    state: State,
    /// The open containers, innermost lowest: 1 for an array.
    arrays: u16,
    depth: u8,
    /// How many containers are open below the last one that is looked into.
    deeper: u16,
    /// The digits of an escape so far.
    unit: u16,
    in_key: bool,
}

/// What a byte means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Event {
    /// One more byte of a number, `true` or `false`.
    Bare(u8),
    /// The number or word is over; the byte that showed it is to be asked about again.
    BareEnd,
    /// A number, `true` or `false` begins with this byte.
    BareStart(u8),
    /// The innermost container is closed: its value is over.
    Close,
    /// The name of the member is over.
    KeyEnd,
    /// The name of a member begins.
    KeyStart,
    /// Nothing that matters to a path or a scalar.
    Nothing,
    /// `null` begins; its bytes do not matter.
    NullStart,
    /// A container begins and is open now.
    Open,
    /// A container that is not looked into is over.
    PassedOver,
    /// A container begins that is not looked into.
    PassOver,
    /// One more byte of a text, escapes resolved.
    Text(u8),
    /// The text is over.
    TextEnd,
    /// A text begins.
    TextStart,
    /// One more unit of a text that was written as `\u`.
    Unit(u16),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    After,
    Broken,
    Colon,
    Escape,
    FirstElement,
    FirstMember,
    Hex(u8),
    Member,
    Number(Part),
    PassOver,
    PassOverEscape,
    PassOverText,
    Text,
    Value,
    Word(u8),
}

/// The part of a number that was read last.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Part {
    Dot,
    Exponent,
    ExponentDigit,
    ExponentSign,
    Fraction,
    Minus,
    Whole,
    /// The last letter of a word: nothing can follow.
    WordEnd,
    Zero,
}

impl Grammar {
    pub(super) const fn new() -> Self {
        Grammar { state: State::Value, arrays: 0, depth: 0, deeper: 0, unit: 0, in_key: false }
    }

    /// Takes the next byte; after [`Event::BareEnd`] the same byte once more.
    pub(super) fn step(&mut self, byte: u8) -> Event {
        match self.state {
            State::Broken => Event::Nothing,
            State::Escape => self.escape(byte),
            State::Hex(left) => self.hex(left, byte),
            State::Number(part) => self.number(part, byte),
            State::PassOver | State::PassOverEscape | State::PassOverText => self.pass_over(byte),
            State::Text => self.text(byte),
            State::Word(place) => self.word(place, byte),
            _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => Event::Nothing,
            State::After => self.after(byte),
            State::Colon if byte == b':' => self.goes_on(State::Value, Event::Nothing),
            State::Colon => self.breaks(),
            State::FirstElement if byte == b']' => self.close(),
            State::FirstMember if byte == b'}' => self.close(),
            State::FirstMember | State::Member => self.key(byte),
            State::FirstElement | State::Value => self.value(byte),
        }
    }

    /// How many containers are open.
    pub(super) const fn depth(&self) -> u8 {
        self.depth
    }

    /// Whether what stands in this many open containers is an element of an array.
    pub(super) fn is_element(&self, level: u8) -> bool {
        let inside = u32::from(self.depth.saturating_sub(level));
        level > 0 && self.arrays.checked_shr(inside).is_some_and(|arrays| arrays & 1 == 1)
    }

    /// Whether no document has begun.
    pub(super) fn is_empty(&self) -> bool {
        self.state == State::Value && self.depth == 0
    }

    pub(super) fn is_broken(&self) -> bool {
        self.state == State::Broken
    }

    /// Whether a whole document has been read; a number at the top ends with the bytes.
    pub(super) fn is_complete(&self) -> bool {
        self.depth == 0 && (self.state == State::After || self.ends_bare())
    }

    /// Whether the bytes may end a number or a word here.
    pub(super) fn ends_bare(&self) -> bool {
        use Part::{ExponentDigit, Fraction, Whole, WordEnd, Zero};
        matches!(self.state, State::Number(ExponentDigit | Fraction | Whole | WordEnd | Zero))
    }

    fn goes_on(&mut self, state: State, event: Event) -> Event {
        self.state = state;
        event
    }

    fn breaks(&mut self) -> Event {
        self.goes_on(State::Broken, Event::Nothing)
    }

    fn value(&mut self, byte: u8) -> Event {
        let (state, event) = match byte {
            b'"' => {
                self.in_key = false;
                (State::Text, Event::TextStart)
            }
            b'[' => return self.open(1, State::FirstElement),
            b'{' => return self.open(0, State::FirstMember),
            b'-' => (State::Number(Part::Minus), Event::BareStart(byte)),
            b'0' => (State::Number(Part::Zero), Event::BareStart(byte)),
            b'1'..=b'9' => (State::Number(Part::Whole), Event::BareStart(byte)),
            b't' => (State::Word(TRUE), Event::BareStart(byte)),
            b'f' => (State::Word(FALSE), Event::BareStart(byte)),
            b'n' => (State::Word(NULL), Event::NullStart),
            _ => return self.breaks(),
        };
        self.goes_on(state, event)
    }

    fn open(&mut self, array: u16, inside: State) -> Event {
        if usize::from(self.depth) >= DEPTH {
            self.deeper = 1;
            return self.goes_on(State::PassOver, Event::PassOver);
        }
        self.depth = self.depth.saturating_add(1);
        self.arrays = self.arrays << 1 | array;
        self.goes_on(inside, Event::Open)
    }

    fn close(&mut self) -> Event {
        self.depth = self.depth.saturating_sub(1);
        self.arrays >>= 1;
        self.goes_on(State::After, Event::Close)
    }

    fn key(&mut self, byte: u8) -> Event {
        if byte != b'"' {
            return self.breaks();
        }
        self.in_key = true;
        self.goes_on(State::Text, Event::KeyStart)
    }

    fn after(&mut self, byte: u8) -> Event {
        if self.depth == 0 {
            return self.breaks();
        }
        match (byte, self.is_element(self.depth)) {
            (b',', true) => self.goes_on(State::Value, Event::Nothing),
            (b',', false) => self.goes_on(State::Member, Event::Nothing),
            (b']', true) | (b'}', false) => self.close(),
            _ => self.breaks(),
        }
    }

    fn text(&mut self, byte: u8) -> Event {
        match byte {
            b'"' if self.in_key => self.goes_on(State::Colon, Event::KeyEnd),
            b'"' => self.goes_on(State::After, Event::TextEnd),
            b'\\' => self.goes_on(State::Escape, Event::Nothing),
            0x00..=0x1f => self.breaks(),
            _ => Event::Text(byte),
        }
    }

    fn escape(&mut self, byte: u8) -> Event {
        let meant = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                self.unit = 0;
                return self.goes_on(State::Hex(4), Event::Nothing);
            }
            _ => return self.breaks(),
        };
        self.goes_on(State::Text, Event::Text(meant))
    }

    fn hex(&mut self, left: u8, byte: u8) -> Event {
        let digit = match byte {
            b'0'..=b'9' => byte.saturating_sub(b'0'),
            b'a'..=b'f' => byte.saturating_sub(b'a').saturating_add(10),
            b'A'..=b'F' => byte.saturating_sub(b'A').saturating_add(10),
            _ => return self.breaks(),
        };
        self.unit = self.unit << 4 | u16::from(digit);
        match left.saturating_sub(1) {
            0 => self.goes_on(State::Text, Event::Unit(self.unit)),
            left => self.goes_on(State::Hex(left), Event::Nothing),
        }
    }

    fn number(&mut self, part: Part, byte: u8) -> Event {
        use Part::{
            Dot, Exponent, ExponentDigit, ExponentSign, Fraction, Minus, Whole, WordEnd, Zero,
        };
        let next = match (part, byte) {
            (Minus, b'0') => Zero,
            (Minus, b'1'..=b'9') | (Whole, b'0'..=b'9') => Whole,
            (Zero | Whole, b'.') => Dot,
            (Dot | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Whole | Fraction, b'e' | b'E') => Exponent,
            (Exponent, b'+' | b'-') => ExponentSign,
            (Exponent | ExponentSign | ExponentDigit, b'0'..=b'9') => ExponentDigit,
            (Zero | Whole | Fraction | ExponentDigit | WordEnd, _) => {
                return self.goes_on(State::After, Event::BareEnd);
            }
            _ => return self.breaks(),
        };
        self.goes_on(State::Number(next), Event::Bare(byte))
    }

    fn word(&mut self, place: u8, byte: u8) -> Event {
        if WORDS.get(usize::from(place)) != Some(&byte) {
            return self.breaks();
        }
        let place = place.saturating_add(1);
        let state = match WORDS.get(usize::from(place)) {
            Some(b' ') | None => State::Number(Part::WordEnd),
            Some(_) => State::Word(place),
        };
        self.goes_on(state, Event::Bare(byte))
    }

    /// Counts brackets and minds texts, and looks at nothing else.
    fn pass_over(&mut self, byte: u8) -> Event {
        self.state = match (self.state, byte) {
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
                if self.deeper == 0 {
                    return self.goes_on(State::After, Event::PassedOver);
                }
                State::PassOver
            }
            (state, _) => state,
        };
        Event::Nothing
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

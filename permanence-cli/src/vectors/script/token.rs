//! Words, numbers and signs of a script.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Sign(char),
    /// Two dots between the ends of a stretch.
    To,
    Word(String),
}

/// Cuts a script into words, numbers and signs; what stands in parentheses is a remark.
pub(super) fn tokenize(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let at = |place: usize| letters.get(place).copied().unwrap_or(' ');
    let mut tokens = Vec::new();
    let mut place = 0;
    while place < letters.len() {
        let letter = at(place);
        if letter == '(' {
            while place < letters.len() && at(place) != ')' {
                place += 1;
            }
            place += 1;
        } else if letter.is_ascii_digit() {
            let mut digits = String::new();
            loop {
                let next = at(place);
                let starts_group = matches!(next, ' ' | '_' | ',')
                    && (1..=3).all(|ahead| at(place + ahead).is_ascii_digit())
                    && !at(place + 4).is_ascii_digit();
                if next.is_ascii_digit() || (next == '.' && at(place + 1).is_ascii_digit()) {
                    digits.push(next);
                } else if !starts_group {
                    break;
                }
                place += 1;
            }
            if let Ok(number) = digits.parse() {
                tokens.push(Token::Number(number));
            } else {
                tokens.push(Token::Word(digits));
            }
        } else if letter == '.' && at(place + 1) == '.' {
            tokens.push(Token::To);
            place += 2;
        } else if letter.is_alphanumeric() || letter == '_' {
            let mut word = String::new();
            while at(place).is_alphanumeric() || at(place) == '_' {
                word.push(at(place));
                place += 1;
            }
            tokens.push(Token::Word(word));
        } else {
            if !letter.is_whitespace() && !matches!(letter, '\'' | '"' | '-' | '.') {
                tokens.push(Token::Sign(letter));
            }
            place += 1;
        }
    }
    tokens
}

/// Milliseconds in a unit.
pub(super) fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "ms" | "millis" | "millisecond" | "milliseconds" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
        "m" | "min" | "mins" | "minute" | "minutes" => 60e3,
        "h" | "hour" | "hours" => 3_600e3,
        "d" | "day" | "days" => 86_400e3,
        "w" | "week" | "weeks" => 604_800e3,
        _ => return None,
    })
}

/// A number of a script as a whole one; scripts have neither signs nor numbers past 2^53.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn whole(number: f64) -> u64 {
    number.round() as u64
}

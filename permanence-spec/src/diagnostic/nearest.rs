//! Which of the known words somebody may have meant.

/// The candidate nearest to `word`, if one is near enough: a third of the letters wrong at most, and
/// one wrong letter in any case.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    // Long words are nobody's slip, and the comparison is quadratic.
    if word.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase();
    let most = (lower.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits between two words: insertions, deletions, replacements and swapped neighbours.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous_letter = None;
    for (row, letter) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != *other);
            let mut best = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            if column > 0 && previous_letter == Some(*other) && right[column - 1] == letter {
                best = best.min(before_last[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
        previous_letter = Some(letter);
    }
    last.last().copied().unwrap_or(0)
}

const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_finds_none() {
        let words = ["timeout", "connection_refused", "connection_closed", "dns"];
        assert_eq!(nearest("conection_refused", words), Some("connection_refused"));
        assert_eq!(nearest("Timeuot", words), Some("timeout"));
        assert_eq!(nearest("dsn", words), Some("dns"));
        assert_eq!(nearest("elephant", words), None);
        assert_eq!(nearest("", words), None);
    }

    #[test]
    fn an_edit_counts_once() {
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("abc", "abcd"), 1);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}

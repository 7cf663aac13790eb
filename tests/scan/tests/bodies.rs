//! A body as text is searched like any text, wherever the pieces are cut.

use permanence_core::scan::{BODY_BYTES, Scanner};
use permanence_core::{Bits, Literal, Probe, Target, Test};
use proptest::prelude::*;
use proptest::sample::select;

/// What a body test finds in the text that is looked at.
fn passes(test: Test<'_>, text: &str, is_whole: bool) -> bool {
    if text.is_empty() {
        return false;
    }
    match test {
        Test::Equal(literals) => literals.iter().any(|literal| match literal {
            Literal::Bare(other) | Literal::Text(other) => is_whole && *other == text,
        }),
        Test::Exists => true,
        Test::Has(texts) => texts.iter().any(|other| text.contains(other)),
        Test::Prefix(texts) => texts.iter().any(|other| text.starts_with(other)),
    }
}

fn scan(pieces: &[&[u8]], probes: &[Probe<'_>]) -> Bits {
    let mut scanner = Scanner::new(probes, None);
    pieces.iter().for_each(|piece| scanner.feed(piece));
    scanner.finish().bits
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&["a", "a", "b", "ab", "<", " "][..]), 0..7)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_body_is_searched_as_any_text_is(
        blanks in select(&["", " ", "\r\n\t"][..]),
        // Few bytes, or just as many as reach the end of what is looked at.
        padding in prop_oneof![Just(0), usize::from(BODY_BYTES) - 12..=usize::from(BODY_BYTES)],
        body in text(),
        texts in prop::collection::vec(text(), 4),
    ) {
        let body = format!("{blanks}{}{body}", "x".repeat(padding));
        let looked_at = body.trim_start();
        let is_whole = looked_at.len() < usize::from(BODY_BYTES);
        let looked_at = &looked_at[..looked_at.len().min(usize::from(BODY_BYTES))];

        let all = [texts[0].as_str(), &texts[1], &texts[2]];
        let literals = [Literal::Text(&texts[0]), Literal::Bare(&texts[3])];
        let tests = [
            Test::Equal(&literals),
            Test::Exists,
            Test::Has(&all[..2]),
            Test::Has(&all[2..]),
            Test::Prefix(&all),
        ];
        let probes = tests.map(|test| Probe { target: Target::Body, test });
        let expected = tests.iter().enumerate().fold(Bits::NONE, |bits, (place, test)| {
            if passes(*test, looked_at, is_whole) { bits.with(place) } else { bits }
        });
        prop_assert_eq!(scan(&[body.as_bytes()], &probes), expected);
        for cut in (0..=body.len()).rev().take(20) {
            let (left, right) = body.as_bytes().split_at(cut);
            prop_assert_eq!(scan(&[left, right], &probes), expected);
        }
    }
}

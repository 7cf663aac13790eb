//! Any bytes, cut anywhere: the scanner and a whole parser agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use permanence_core::scan::{DEPTH, Document, Found, Scanner};
use permanence_core::{DelaySource, DelayUnit, Literal, Probe, Segment, Target, Test};
use permanence_scan_tests::{expected, expected_scalar, parse};
use serde_json::value::RawValue;

fuzz_target!(|input: &[u8]| {
    let Some((cut, body)) = input.split_first() else { return };
    let found = scan(&[body]);

    let (left, right) = body.split_at(usize::from(*cut) % (body.len() + 1));
    assert_eq!(scan(&[left, right]), found);
    assert_eq!(scan(&body.chunks(1).collect::<Vec<_>>()), found);
    assert_eq!(found.is_utf8, str::from_utf8(body).is_ok());

    let is_document = serde_json::from_slice::<&RawValue>(body).is_ok();
    if is_document {
        assert_eq!((found.document, found.is_utf8), (Document::Complete, true));
    } else if body.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() <= DEPTH {
        // What lies deeper is not looked at, so that its faults are not seen.
        assert!(found.document != Document::Complete || !found.is_utf8);
    }
    if let Some(tree) = parse(body) {
        assert_eq!(found.bits, expected(&tree, PROBES, |_| true));
        assert_eq!(found.scalar().map(Vec::from), expected_scalar(&tree, TIME));
    }
});

fn scan(pieces: &[&[u8]]) -> Found {
    let mut scanner = Scanner::new(PROBES, Some(DelaySource::Json(TIME, DelayUnit::Seconds)));
    pieces.iter().for_each(|piece| scanner.feed(piece));
    scanner.finish()
}

const TIME: &[Segment<'_>] = &[Segment::Any, Segment::Key("t")];

const PROBES: &[Probe<'_>] = &[
    json(&[], Test::Exists),
    json(&[], Test::Has(&["ab", "bca", "aab", "é"])),
    json(&[], Test::Equal(&[Literal::Text("abc"), Literal::Bare("10"), Literal::Bare("true")])),
    json(&[Segment::Any], Test::Prefix(&["", "aa"])),
    json(&[Segment::Any], Test::Equal(&[Literal::Text("aba"), Literal::Text("abc"), ONE])),
    json(&[Segment::Index(0)], Test::Equal(&[ONE])),
    json(&[Segment::Index(10)], Test::Exists),
    json(&[Segment::Key("a")], Test::Equal(&[Literal::Text("\n\"\\/"), Literal::Text("😀")])),
    json(&[Segment::Key("a"), Segment::Key("ab")], Test::Exists),
    json(&[Segment::Key("a"), Segment::Any, Segment::Index(1)], Test::Exists),
    json(&[Segment::Any, Segment::Any], Test::Has(&["aaba", "abab", "ba"])),
    json(&[Segment::Any, Segment::Any, Segment::Key("b")], Test::Prefix(&["b", "1"])),
];

const ONE: Literal<'_> = Literal::Bare("1");

const fn json<'p>(place: &'p [Segment<'p>], test: Test<'p>) -> Probe<'p> {
    Probe { target: Target::Json(place), test }
}

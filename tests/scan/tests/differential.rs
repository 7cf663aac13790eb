//! The scanner finds what a whole parser finds, wherever the pieces are cut.

use permanence_core::scan::{Document, Found, Scanner};
use permanence_core::{DelaySource, DelayUnit, Probe};
use permanence_scan_tests::{
    Content, Question, broken_document, document, expected, expected_scalar, parse, question,
};
use proptest::prelude::*;

fn scan(pieces: &[&[u8]], probes: &[Probe<'_>], delay: Option<DelaySource<'_>>) -> Found {
    let mut scanner = Scanner::new(probes, delay);
    pieces.iter().for_each(|piece| scanner.feed(piece));
    scanner.finish()
}

fn probes(questions: &[Question]) -> Vec<Probe<'_>> {
    questions.iter().map(Question::probe).collect()
}

fn is_part(part: permanence_core::Bits, whole: permanence_core::Bits) -> bool {
    part.union(whole) == whole
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_document_answers_as_its_tree_does(
        document in document(),
        questions in prop::collection::vec(question(), 1..13),
    ) {
        let tree = parse(document.as_bytes()).expect("only documents are made");
        let probes = probes(&questions);
        let delay = &questions[0].pointer;
        let source = Some(DelaySource::Json(delay, DelayUnit::Seconds));
        let found = scan(&[document.as_bytes()], &probes, source);
        prop_assert_eq!(found.bits, expected(&tree, &probes, |_| true));
        prop_assert_eq!(found.scalar().map(Vec::from), expected_scalar(&tree, delay));
        prop_assert_eq!(found.document, Document::Complete);
        prop_assert!(found.is_utf8);
        for cut in 0..=document.len() {
            let (left, right) = document.as_bytes().split_at(cut);
            prop_assert_eq!(scan(&[left, right], &probes, source), found);
        }
    }

    #[test]
    fn a_broken_document_is_seen_to_be_broken_and_any_other_is_read(
        bytes in broken_document(),
        questions in prop::collection::vec(question(), 1..13),
    ) {
        let probes = probes(&questions);
        let delay = &questions[0].pointer;
        let source = Some(DelaySource::Json(delay, DelayUnit::Seconds));
        let found = scan(&[&bytes], &probes, source);
        let is_document = found.document == Document::Complete && found.is_utf8;
        prop_assert_eq!(is_document, serde_json::from_slice::<&serde_json::value::RawValue>(&bytes).is_ok());
        prop_assert_eq!(found.is_utf8, str::from_utf8(&bytes).is_ok());
        if let Some(tree) = parse(&bytes) {
            prop_assert_eq!(found.bits, expected(&tree, &probes, |_| true));
            prop_assert_eq!(found.scalar().map(Vec::from), expected_scalar(&tree, delay));
        }
        for cut in 0..=bytes.len() {
            let (left, right) = bytes.split_at(cut);
            prop_assert_eq!(scan(&[left, right], &probes, source), found);
        }
    }

    #[test]
    fn a_document_that_is_cut_off_answers_for_what_was_there(
        document in document(),
        questions in prop::collection::vec(question(), 1..13),
    ) {
        let tree = parse(document.as_bytes()).expect("only documents are made");
        // The start of a number is a number, and at the top nothing shows that it goes on.
        prop_assume!(!matches!(tree.content, Content::Bare(_)));
        let probes = probes(&questions);
        for cut in 0..document.len() {
            let found = scan(&[&document.as_bytes()[..cut]], &probes, None);
            // The byte behind a number is what ends it.
            let least = expected(&tree, &probes, |value| value.place.end < cut);
            let most = expected(&tree, &probes, |value| value.place.start < cut);
            prop_assert!(is_part(least, found.bits) && is_part(found.bits, most), "cut at {}", cut);
            prop_assert_ne!(found.document, Document::Malformed);
        }
    }

    #[test]
    fn no_bytes_at_all_break_the_scanner(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        questions in prop::collection::vec(question(), 1..65),
    ) {
        let probes = probes(&questions);
        let whole = scan(&[&bytes], &probes, None);
        let single = bytes.chunks(1).collect::<Vec<_>>();
        prop_assert_eq!(scan(&single, &probes, None), whole);
    }
}

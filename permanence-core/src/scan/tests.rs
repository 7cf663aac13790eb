//! The scanner by example; the difference to a whole parser is tested in `tests/scan`.
extern crate std;

use proptest::prelude::*;
use std::vec::Vec;

use super::{Document, Found, Scanner, probe_headers, probe_redirect, probe_request};
use crate::{DelaySource, DelayUnit, Literal, Probe, Segment, Target, Test};

const fn json<'p>(pointer: &'p [Segment<'p>], test: Test<'p>) -> Probe<'p> {
    Probe { target: Target::Json(pointer), test }
}

const fn probe<'p>(target: Target<'p>, test: Test<'p>) -> Probe<'p> {
    Probe { target, test }
}

const CODE: &[Segment<'_>] = &[Segment::Key("error"), Segment::Key("code")];
const QUOTA: Test<'_> = Test::Equal(&[Literal::Text("quota"), Literal::Bare("402")]);

fn scan(probes: &[Probe<'_>], body: &str) -> Found {
    let mut scanner = Scanner::new(probes, None);
    scanner.feed(body.as_bytes());
    scanner.finish()
}

fn has(probe: Probe<'_>, body: &str) -> bool {
    scan(&[probe], body).bits.has(0)
}

#[test]
fn a_code_is_found_at_its_place_and_nowhere_else() {
    let code = json(CODE, QUOTA);
    assert!(has(code, r#"{"error":{"message":"m","code":"quota"}}"#));
    assert!(has(code, r#" { "x" : [ {} , 1 ] , "error" : { "code" : 402 } } "#));
    assert!(!has(code, r#"{"code":"quota","error":{"code":"other"}}"#));
    assert!(!has(code, r#"{"error":{"inner":{"code":"quota"},"codes":"quota"}}"#));
    assert!(!has(code, r#"{"error":{"x":{"error":{"code":"quota"}}}}"#));
    assert!(!has(code, r#"{"error":{"code":"quota2"}}"#));
    assert!(!has(code, r#"{"error":{"code":"quot"}}"#));
    assert!(!has(code, r#"[{"error":{"code":"quota"}}]"#));
}

#[test]
fn a_text_is_no_number_and_a_number_no_text() {
    let code = json(CODE, QUOTA);
    assert!(!has(code, r#"{"error":{"code":"402"}}"#));
    assert!(!has(code, r#"{"error":{"code":402.0}}"#));
    assert!(!has(code, r#"{"error":{"code":4021}}"#));
    let ok = json(&[Segment::Key("ok")], Test::Equal(&[Literal::Bare("false")]));
    assert!(has(ok, r#"{"ok":false,"error":"x"}"#));
    assert!(!has(ok, r#"{"ok":"false"}"#));
    assert!(!has(ok, r#"{"ok":true}"#));
}

#[test]
fn escapes_are_resolved_in_names_and_in_texts() {
    let probe = json(&[Segment::Key("é/k")], Test::Equal(&[Literal::Text("a\"\\\n😀é")]));
    assert!(has(probe, r#"{"\u00e9\/k":"a\"\\\n\ud83d\ude00\u00E9"}"#));
    assert!(has(probe, r#"{"é/k":"a\"\\\n😀é"}"#));
}

#[test]
fn half_a_surrogate_pair_is_in_no_text() {
    let text = json(&[], Test::Has(&["a", "b"]));
    assert!(has(text, r#""\ud83da""#));
    assert!(has(text, r#""\ude00b\ud83d""#));
    let smile = json(&[], Test::Has(&["😀", "\u{fffd}", "\u{20ac}"]));
    assert!(has(smile, r#""\ud83d\ud83d\ude00""#));
    assert!(has(smile, r#""\u20AC""#));
    for half in
        [r#""\ud83d""#, r#""\ude00\ud83d""#, r#""\ud83d \ude00""#, r#""\ud83d\u0041\ude00""#]
    {
        assert!(!has(smile, half), "{half}");
    }
}

#[test]
fn what_exists_is_anything_but_null() {
    let there = json(CODE, Test::Exists);
    for value in ["0", "\"\"", "false", "{}", "[]", "{\"x\":null}", "-1.5e+3"] {
        assert!(has(there, &std::format!("{{\"error\":{{\"code\":{value}}}}}")), "{value}");
    }
    assert!(!has(there, r#"{"error":{"code":null}}"#));
    assert!(!has(there, r#"{"error":{"code"}}"#));
    assert!(has(json(&[], Test::Exists), "17"));
    assert!(!has(json(&[], Test::Exists), "null"));
}

#[test]
fn a_star_stands_for_every_element_and_every_member() {
    let path = [Segment::Key("errors"), Segment::Any, Segment::Key("code")];
    let any = json(&path, QUOTA);
    assert!(has(any, r#"{"errors":[{"code":1},{"code":"quota"},{"code":2}]}"#));
    assert!(has(any, r#"{"errors":{"a":[],"b":{"code":402}}}"#));
    assert!(!has(any, r#"{"errors":[["quota"],"quota",{"kode":"quota"}]}"#));
    assert!(!has(any, r#"{"errors":[{"code":{"code":"quota"}}]}"#));
}

#[test]
fn an_index_counts_elements_and_names_members() {
    let path = [Segment::Index(2), Segment::Index(10)];
    let third = json(&path, Test::Equal(&[Literal::Bare("7")]));
    assert!(has(third, r#"[null,[[7]],{"10":7}]"#));
    assert!(has(third, r#"{"2":[0,1,2,3,4,5,6,{},[8,9],9,7]}"#));
    assert!(has(third, r#"[{"x":null},[null,[]],[0,1,2,3,4,null,6,7,8,9,7]]"#));
    assert!(!has(third, r#"[0,1,{"010":7,"1":7,"100":7,"":7,"1x":7,"-10":7}]"#));
    assert!(!has(third, r#"{"02":{"10":7}}"#));
}

#[test]
fn a_text_is_found_wherever_it_begins() {
    let path = [Segment::Key("m")];
    let any = json(&path, Test::Has(&["aab", "aaaa", "bb"]));
    for (text, expected) in [("aab", true), ("aaab", true), ("abab", false), ("caaaac", true)] {
        assert_eq!(has(any, &std::format!("{{\"m\":\"{text}\"}}")), expected, "{text}");
    }
    let start = json(&path, Test::Prefix(&["Rate", "Quota exceeded"]));
    assert!(has(start, r#"{"m":"Quota exceeded for x"}"#));
    assert!(has(start, r#"{"m":"Quota exceeded"}"#));
    assert!(!has(start, r#"{"m":"The Quota exceeded"}"#));
    assert!(!has(start, r#"{"m":"Quota"}"#));
    assert!(has(json(&path, Test::Prefix(&["429"])), r#"{"m":42901}"#));
}

#[test]
fn an_empty_text_is_in_every_scalar() {
    for test in [Test::Has(&[""]), Test::Prefix(&["x", ""])] {
        assert!(has(json(&[], test), r#""""#));
        assert!(has(json(&[], test), "17"));
        assert!(!has(json(&[], test), "{}"));
    }
    assert!(has(json(&[], Test::Equal(&[Literal::Text("")])), r#""""#));
    assert!(!has(json(&[], Test::Equal(&[Literal::Text("")])), r#""a""#));
}

#[test]
fn many_probes_share_one_place() {
    let equal = [Literal::Text("abx"), Literal::Text("abcd"), Literal::Text("ab")];
    let probes = [
        json(&[], Test::Equal(&equal)),
        json(&[], Test::Has(&["bcd", "cx"])),
        json(&[], Test::Prefix(&["abc"])),
        json(&[], Test::Equal(&[Literal::Text("abcde")])),
        json(&[], Test::Has(&["e"])),
    ];
    assert_eq!(scan(&probes, r#""abcd""#).bits.mask(), 0b00111);
    assert_eq!(scan(&probes, r#""ab""#).bits.mask(), 0b00001);
    assert_eq!(scan(&probes, r#""abcde""#).bits.mask(), 0b11110);
    assert_eq!(scan(&probes, r#""xabcx""#).bits.mask(), 0b00010);
}

#[test]
fn values_below_sixteen_containers_are_passed_over() {
    let path = [Segment::Index(0); 16];
    let deep = |depth: usize, inside: &str| {
        std::format!("{}{inside}{}", "[".repeat(depth), "]".repeat(depth))
    };
    let seven = json(&path, Test::Equal(&[Literal::Bare("7")]));
    assert!(has(seven, &deep(16, "7")));
    assert!(!has(seven, &deep(17, "7")));
    assert!(has(json(&path, Test::Exists), &deep(17, "7")));
    let after = json(&[Segment::Key("z")], Test::Exists);
    let body = std::format!(
        "{{\"a\":{},\"z\":1}}",
        deep(300, r#""]\"]",{"x":["#).replace(",{\"x\":[", "")
    );
    let found = scan(&[after], &body);
    assert!(found.bits.has(0));
    assert_eq!(found.document, Document::Complete);
}

#[test]
fn a_document_ends_in_one_of_four_ways() {
    for (body, expected) in [
        ("", Document::Empty),
        (" \r\n\t", Document::Empty),
        ("{}", Document::Complete),
        (" 17 ", Document::Complete),
        ("17", Document::Complete),
        ("-0.0e-9", Document::Complete),
        ("null", Document::Complete),
        ("{\"a\":1", Document::Truncated),
        ("tru", Document::Truncated),
        ("-", Document::Truncated),
        ("\"a", Document::Truncated),
        ("[1,", Document::Truncated),
        ("<html>", Document::Malformed),
        ("{} {}", Document::Malformed),
        ("[1,]", Document::Malformed),
        ("{\"a\":1,}", Document::Malformed),
        ("01", Document::Malformed),
        ("1.e1", Document::Malformed),
        ("truex", Document::Malformed),
        ("[1}", Document::Malformed),
        ("\"\n\"", Document::Malformed),
        ("\"\\x\"", Document::Malformed),
        ("\"\\u12g4\"", Document::Malformed),
    ] {
        assert_eq!(scan(&[], body).document, expected, "{body:?}");
    }
}

#[test]
fn what_stood_before_a_fault_counts() {
    let code = json(CODE, QUOTA);
    assert!(has(code, r#"{"error":{"code":"quota","#));
    assert!(has(code, r#"{"error":{"code":"quota"]"#));
    assert!(!has(code, r#"{"error":]{"code":"quota"}}"#));
    assert!(!has(code, r#"{"error":{"code":402"#));
    let mut scanner = Scanner::new(core::slice::from_ref(&code), None);
    scanner.feed(b"{\"\xff\":\"\xc3\",\"error\":{\"code\":\"quota\"}}");
    let found = scanner.finish();
    assert!(found.bits.has(0) && !found.is_utf8);
    assert_eq!(found.document, Document::Complete);
}

#[test]
fn a_body_is_text_from_its_first_byte_that_is_not_blank() {
    let page = probe(Target::Body, Test::Prefix(&["<!doctype html", "<html"]));
    assert!(has(page, "\r\n  <html lang=\"en\">"));
    assert!(!has(page, "<p><html>"));
    assert!(has(probe(Target::Body, Test::Equal(&[Literal::Text("no such app")])), " no such app"));
    assert!(!has(probe(Target::Body, Test::Equal(&[Literal::Text("no")])), "no such app"));
    assert!(has(probe(Target::Body, Test::Exists), " x"));
    assert!(!has(probe(Target::Body, Test::Exists), " \n"));
}

#[test]
fn a_body_is_searched_for_its_first_4096_bytes() {
    let needle = probe(Target::Body, Test::Has(&["error code: 1020"]));
    let body = |before: usize| std::format!("  {}error code: 1020 rest", "e".repeat(before));
    assert!(has(needle, &body(4_080)));
    assert!(!has(needle, &body(4_081)));
}

#[test]
fn the_first_scalar_at_a_place_of_a_time_is_kept() {
    let path = [Segment::Key("details"), Segment::Any, Segment::Key("retryDelay")];
    let source = DelaySource::Json(&path, DelayUnit::Duration);
    let kept = |body: &str| {
        let mut scanner = Scanner::new(&[], Some(source));
        scanner.feed(body.as_bytes());
        scanner.finish().scalar().map(Vec::from)
    };
    assert_eq!(
        kept(
            r#"{"details":[{},{"retryDelay":null},{"retryDelay":"3\u002e5s"},{"retryDelay":"4s"}]}"#
        ),
        Some(b"3.5s".to_vec())
    );
    assert_eq!(kept(r#"{"details":[{"retryDelay":12}]}"#), Some(b"12".to_vec()));
    assert_eq!(kept(r#"{"details":[{"retryDelay":"3.5"#), None);
    assert_eq!(kept(r#"{"details":[{"retryDelay":{}}]}"#), None);
    let long = std::format!(r#"{{"details":[{{"retryDelay":"{}"}}]}}"#, "1".repeat(31));
    assert_eq!(kept(&long), None);
    assert_eq!(kept(&long.replacen('1', "", 1)), Some(b"1".repeat(30)));
}

#[test]
fn a_place_of_a_time_needs_no_probe() {
    let other = json(&[Segment::Key("x")], Test::Exists);
    let here = [Segment::Key("t")];
    for count in [0, 12, 63, 64, 65] {
        let probes = std::vec![other; count];
        let mut scanner = Scanner::new(&probes, Some(DelaySource::Json(&here, DelayUnit::Seconds)));
        scanner.feed(br#"{"t":5,"x":1}"#);
        let found = scanner.finish();
        assert_eq!(found.scalar(), Some(&b"5"[..]), "{count}");
        assert_eq!(found.bits.mask().count_ones(), u32::try_from(count.min(64)).unwrap());
    }
}

#[test]
fn headers_are_told_apart_by_name_and_compared_by_value() {
    let probes = [
        probe(Target::Header("x-a"), Test::Equal(&[Literal::Text("0"), Literal::Bare("1")])),
        probe(Target::Header("x-a"), Test::Exists),
        probe(Target::ContentType, Test::Prefix(&["text/"])),
        probe(Target::ContentType, Test::Equal(&[Literal::Text("application/json")])),
        probe(Target::Redirect, Test::Has(&["/login"])),
        probe(Target::RequestHeader("x-a"), Test::Exists),
        probe(Target::Header("x-b"), Test::Has(&["Quota"])),
    ];
    let of = |headers: &[(&str, &str)]| {
        probe_headers(&probes, headers.iter().map(|(name, value)| (*name, value.as_bytes()))).mask()
    };
    assert_eq!(of(&[("X-A", " 0\t")]), 0b000_0011);
    assert_eq!(of(&[("x-a", "2"), ("x-a", "1")]), 0b000_0011);
    assert_eq!(of(&[("x-a", "")]), 0b000_0010);
    assert_eq!(of(&[("content-type", "TEXT/Html;charset=x")]), 0b000_0100);
    assert_eq!(of(&[("Content-Type", "Application/JSON ; a=b")]), 0b000_1000);
    assert_eq!(of(&[("Location", "https://x/login?next=/")]), 0b001_0000);
    assert_eq!(of(&[("x-b", "no quota")]), 0);
    assert_eq!(of(&[("x-b", "no Quota left")]), 0b100_0000);
    assert_eq!(probe_redirect(&probes, "https://x/login").mask(), 0b001_0000);
}

#[test]
fn a_request_is_its_method_and_its_headers() {
    let probes = [
        probe(Target::Method, Test::Equal(&[Literal::Text("POST"), Literal::Text("PATCH")])),
        probe(Target::RequestHeader("mcp-session-id"), Test::Exists),
        probe(Target::Header("mcp-session-id"), Test::Exists),
    ];
    let session: [(&str, &[u8]); 1] = [("Mcp-Session-Id", b"17")];
    assert_eq!(probe_request(&probes, "POST", session).mask(), 0b011);
    assert_eq!(probe_request(&probes, "post", []).mask(), 0);
}

proptest! {
    #[test]
    fn no_bytes_break_the_scanner_and_no_boundary_matters(
        bytes in prop::collection::vec(prop::sample::select(ALPHABET), 0..80),
        cut in any::<prop::sample::Index>(),
    ) {
        let probes = [
            json(&[Segment::Any, Segment::Key("a")], Test::Has(&["aab", "ab"])),
            json(&[Segment::Any], Test::Exists),
            json(&[Segment::Index(1)], Test::Equal(&[Literal::Text("a"), Literal::Bare("1")])),
            probe(Target::Body, Test::Has(&["aa", "{\"a"])),
        ];
        let delay = Some(DelaySource::Json(&[Segment::Index(0)], DelayUnit::Seconds));
        let mut whole = Scanner::new(&probes, delay);
        whole.feed(&bytes);
        let (left, right) = bytes.split_at(cut.index(bytes.len() + 1));
        let mut halves = Scanner::new(&probes, delay);
        halves.feed(left);
        halves.feed(right);
        prop_assert_eq!(whole.finish(), halves.finish());
    }
}

const ALPHABET: &[u8] = b"\"\"\"\"aaab[[]]{{}}::,,1100.-+eE\\utrufalsenl 0dDc8\xff\xc3";

//! What it takes to look into a body for the twelve questions of a reporter's policy.
#![no_std]
#![no_main]

use bare_metal::{input, input_bytes, output};
use panic_never as _;
use permanence_core::scan::Scanner;
use permanence_core::{DelaySource, DelayUnit, Literal, Probe, Segment, Target, Test};

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        let mut scanner = Scanner::new(&PROBES, Some(DELAY));
        while input() != 0 {
            scanner.feed(input_bytes(&mut [0; 4]));
        }
        let found = scanner.finish();
        // Each half in turn.
        output(found.bits.mask() as u32);
        output((found.bits.mask() >> 32) as u32);
        output(found.document as u32);
        output(found.scalar().map_or(0, |scalar| scalar.len() as u32));
    }
}

static PROBES: [Probe<'_>; 12] = [
    json(&[key("error"), key("code")], Test::Equal(&[text("insufficient_quota")])),
    json(&[key("error"), key("type")], Test::Equal(&[text("overloaded_error")])),
    json(&[key("error"), key("status")], Test::Equal(&[text("RESOURCE_EXHAUSTED")])),
    json(&[key("error"), key("details"), Segment::Any, key("reason")], Test::Prefix(&["QUOTA_"])),
    json(&[key("error"), key("message")], Test::Has(&["billing", "credit balance"])),
    json(&[key("errors"), Segment::Index(0), key("code")], Test::Equal(&[bare("1015")])),
    json(&[key("code")], Test::Equal(&[bare("20028"), bare("40062")])),
    json(&[key("ok")], Test::Equal(&[bare("false")])),
    json(&[key("error")], Test::Equal(&[text("invalid_grant"), text("token_revoked")])),
    json(&[key("result"), key("isError")], Test::Exists),
    Probe { target: Target::Body, test: Test::Prefix(&["<!DOCTYPE html", "<html"]) },
    Probe { target: Target::Body, test: Test::Has(&["Just a moment", "error code: 1020"]) },
];

const DELAY: DelaySource<'_> = DelaySource::Json(
    &[key("error"), key("details"), Segment::Any, key("retryDelay")],
    DelayUnit::Duration,
);

const fn json<'p>(place: &'p [Segment<'p>], test: Test<'p>) -> Probe<'p> {
    Probe { target: Target::Json(place), test }
}

const fn key(name: &str) -> Segment<'_> {
    Segment::Key(name)
}

const fn text(text: &str) -> Literal<'_> {
    Literal::Text(text)
}

const fn bare(text: &str) -> Literal<'_> {
    Literal::Bare(text)
}

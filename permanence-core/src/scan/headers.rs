//! The probes that are about headers, methods and redirects.

use crate::retry_after::trimmed;
use crate::{Bits, Literal, Probe, Target, Test};

/// Answers the probes about the headers of an answer: [`Target::Header`], [`Target::ContentType`]
/// and, by `location`, [`Target::Redirect`].
///
/// Names are compared without regard to case, values exactly and without blanks around them; of
/// several headers with one name, one is enough. A media type is what stands before the first `;`,
/// and is compared without regard to ASCII case. A `location` counts whatever the status: a rule
/// that is about redirects alone says so.
///
/// # Examples
///
/// ```
/// use permanence_core::scan::probe_headers;
/// use permanence_core::{Literal, Probe, Target, Test};
///
/// let probes = [
///     Probe { target: Target::Header("x-remaining"), test: Test::Equal(&[Literal::Text("0")]) },
///     Probe { target: Target::ContentType, test: Test::Equal(&[Literal::Text("text/html")]) },
/// ];
/// let headers: [(&str, &[u8]); 2] =
///     [("Content-Type", b"Text/HTML; charset=utf-8"), ("X-Remaining", b"17")];
/// let bits = probe_headers(&probes, headers);
/// assert!(!bits.has(0) && bits.has(1));
/// ```
pub fn probe_headers<'h, I>(probes: &[Probe<'_>], headers: I) -> Bits
where
    I: IntoIterator<Item = (&'h str, &'h [u8])>,
{
    let mut bits = Bits::NONE;
    for (name, value) in headers {
        bits = bits.union(probe_header(probes, name, trimmed(value)));
    }
    bits
}

/// Answers the probes about the request: [`Target::Method`] and [`Target::RequestHeader`].
///
/// A method is compared exactly (RFC 9110 section 9.1), headers as in [`probe_headers`].
pub fn probe_request<'h, I>(probes: &[Probe<'_>], method: &str, headers: I) -> Bits
where
    I: IntoIterator<Item = (&'h str, &'h [u8])>,
{
    let mut bits = answered(probes, method.as_bytes(), |target| {
        matches!(target, Target::Method).then_some(Case::Matters)
    });
    for (name, value) in headers {
        bits = bits.union(answered(probes, trimmed(value), |target| match target {
            Target::RequestHeader(known) if known.eq_ignore_ascii_case(name) => Some(Case::Matters),
            _ => None,
        }));
    }
    bits
}

/// Answers the [`Target::Redirect`] probes by the URL that a followed redirect has led to.
#[must_use]
pub fn probe_redirect(probes: &[Probe<'_>], url: &str) -> Bits {
    answered(probes, url.as_bytes(), |target| {
        matches!(target, Target::Redirect).then_some(Case::Matters)
    })
}

/// One header of an answer.
fn probe_header(probes: &[Probe<'_>], name: &str, value: &[u8]) -> Bits {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    let bits = answered(probes, value, |target| match target {
        Target::Header(known) if is(known) => Some(Case::Matters),
        Target::Redirect if is("location") => Some(Case::Matters),
        _ => None,
    });
    if !is("content-type") {
        return bits;
    }
    let media_type = value.split(|byte| *byte == b';').next().unwrap_or_default();
    bits.union(answered(probes, trimmed(media_type), |target| {
        matches!(target, Target::ContentType).then_some(Case::Ignored)
    }))
}

/// How letters are compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Case {
    Ignored,
    Matters,
}

/// The probes about a target that `is_meant` knows, and that `value` passes.
fn answered(
    probes: &[Probe<'_>],
    value: &[u8],
    is_meant: impl Fn(Target<'_>) -> Option<Case>,
) -> Bits {
    let mut bits = Bits::NONE;
    for (place, probe) in probes.iter().enumerate() {
        if is_meant(probe.target).is_some_and(|case| passes(probe.test, value, case)) {
            bits = bits.with(place);
        }
    }
    bits
}

fn passes(test: Test<'_>, value: &[u8], case: Case) -> bool {
    let same = |left: &[u8], right: &[u8]| match case {
        Case::Ignored => left.eq_ignore_ascii_case(right),
        Case::Matters => left == right,
    };
    match test {
        // As for a body, a number is as good as the text that it is written as.
        Test::Equal(literals) => literals.iter().any(|literal| match literal {
            Literal::Bare(text) | Literal::Text(text) => same(value, text.as_bytes()),
        }),
        Test::Exists => true,
        Test::Has(texts) => texts.iter().any(|text| {
            let mut parts = value.windows(text.len().max(1));
            text.is_empty() || parts.any(|part| same(part, text.as_bytes()))
        }),
        Test::Prefix(texts) => texts
            .iter()
            .any(|text| value.get(..text.len()).is_some_and(|start| same(start, text.as_bytes()))),
    }
}

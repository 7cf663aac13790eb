//! What a scanner has to find, by way of a whole parser: the document is read into a tree, and every
//! value of the tree is asked.

mod documents;
mod tree;

pub use documents::{Question, broken_document, document, question};
pub use tree::{Content, Value, parse};

use permanence_core::scan::DELAY_BYTES;
use permanence_core::{Bits, Literal, Probe, Segment, Target, Test};

/// The probes of JSON places that some value in `document` passes, if `counts` lets it count.
#[must_use]
pub fn expected(
    document: &Value<'_>,
    probes: &[Probe<'_>],
    counts: impl Fn(&Value<'_>) -> bool,
) -> Bits {
    probes.iter().enumerate().fold(Bits::NONE, |bits, (place, probe)| {
        let Target::Json(pointer) = probe.target else { return bits };
        let mut found = Vec::new();
        document.at(pointer, &mut found);
        let passes = found.iter().any(|value| counts(value) && passes(probe.test, value));
        if passes { bits.with(place) } else { bits }
    })
}

/// The scalar that is kept as a server's time.
#[must_use]
pub fn expected_scalar(document: &Value<'_>, pointer: &[Segment<'_>]) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    document.at(pointer, &mut found);
    let mut scalars = found.iter().filter_map(|value| value.content.scalar());
    scalars.find(|text| !text.is_empty()).filter(|text| text.len() <= DELAY_BYTES).map(Vec::from)
}

fn passes(test: Test<'_>, value: &Value<'_>) -> bool {
    let scalar = value.content.scalar();
    match (test, &value.content) {
        (_, Content::Null) => false,
        (Test::Exists, _) => true,
        (Test::Equal(literals), Content::Bare(text)) => literals.contains(&Literal::Bare(text)),
        (Test::Equal(literals), Content::Text(text)) => literals.contains(&Literal::Text(text)),
        (Test::Has(texts), _) => {
            scalar.is_some_and(|scalar| texts.iter().any(|text| contains(scalar, text)))
        }
        (Test::Prefix(texts), _) => scalar
            .is_some_and(|scalar| texts.iter().any(|text| scalar.starts_with(text.as_bytes()))),
        (Test::Equal(_), Content::List(_) | Content::Members(_)) => false,
    }
}

fn contains(scalar: &[u8], text: &str) -> bool {
    (0..=scalar.len()).any(|start| scalar[start..].starts_with(text.as_bytes()))
}

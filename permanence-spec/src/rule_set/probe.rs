//! Probes that own their texts, and what one of them tells about another.

use permanence_core::{DelayUnit, Span};

/// A [`Probe`](permanence_core::Probe) that owns its texts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct OwnedProbe {
    /// What is looked at.
    pub target: OwnedTarget,
    /// What is asked of it.
    pub test: OwnedTest,
}

/// A [`Target`](permanence_core::Target) that owns its texts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum OwnedTarget {
    /// The first bytes of the body, as text.
    Body,
    /// The media type of the answer, without its parameters.
    ContentType,
    /// A header of the answer; the name is lower case.
    Header(String),
    /// The scalar at this place of a JSON body.
    Json(Vec<OwnedSegment>),
    /// The method of the request.
    Method,
    /// Where a redirect leads.
    Redirect,
    /// A header of the request; the name is lower case.
    RequestHeader(String),
}

/// A [`Segment`](permanence_core::Segment) that owns its text.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum OwnedSegment {
    /// Every element of an array and every member of an object.
    Any,
    /// The element with this number, or the member with this number as its name.
    Index(u16),
    /// The member with this name.
    Key(String),
}

/// A [`Test`](permanence_core::Test) that owns its texts; its lists are sorted.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum OwnedTest {
    /// It is one of these.
    Equal(Vec<OwnedLiteral>),
    /// It is there at all.
    Exists,
    /// It contains one of these.
    Has(Vec<String>),
    /// It begins with one of these.
    Prefix(Vec<String>),
}

/// A [`Literal`](permanence_core::Literal) that owns its text.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum OwnedLiteral {
    /// A JSON number, `true` or `false`, as it is written.
    Bare(String),
    /// A text.
    Text(String),
}

/// A [`DelaySource`](permanence_core::DelaySource) that owns its texts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum OwnedDelay {
    /// Always this long.
    Const(Span),
    /// A header of the answer, read in this unit; the name is lower case.
    Header(String, DelayUnit),
    /// A scalar of a JSON body, read in this unit.
    Json(Vec<OwnedSegment>, DelayUnit),
}

impl OwnedTarget {
    /// Whether it is a part of the body.
    pub(crate) fn is_in_body(&self) -> bool {
        matches!(self, OwnedTarget::Body | OwnedTarget::Json(_))
    }

    /// Whether it is a part of the request, which is there without an answer.
    pub(crate) fn is_in_request(&self) -> bool {
        matches!(self, OwnedTarget::Method | OwnedTarget::RequestHeader(_))
    }
}

impl OwnedProbe {
    /// Whether a yes to this one is always a yes to `other`.
    pub(crate) fn implies(&self, other: &OwnedProbe) -> bool {
        if self.target != other.target {
            return false;
        }
        match (&self.test, &other.test) {
            (_, OwnedTest::Exists) => true,
            (OwnedTest::Equal(mine), OwnedTest::Equal(theirs)) => {
                mine.iter().all(|literal| theirs.contains(literal))
            }
            (OwnedTest::Equal(mine), OwnedTest::Has(theirs)) => {
                all_texts(mine, |text| has_one(text, theirs))
            }
            (OwnedTest::Equal(mine), OwnedTest::Prefix(theirs)) => {
                all_texts(mine, |text| begins_with_one(text, theirs))
            }
            (OwnedTest::Has(mine) | OwnedTest::Prefix(mine), OwnedTest::Has(theirs)) => {
                mine.iter().all(|text| has_one(text, theirs))
            }
            (OwnedTest::Prefix(mine), OwnedTest::Prefix(theirs)) => {
                mine.iter().all(|text| begins_with_one(text, theirs))
            }
            _ => false,
        }
    }
}

fn has_one(text: &str, parts: &[String]) -> bool {
    parts.iter().any(|part| text.contains(part))
}

fn begins_with_one(text: &str, starts: &[String]) -> bool {
    starts.iter().any(|start| text.starts_with(start))
}

/// Whether all literals are texts for which `holds` does.
fn all_texts(literals: &[OwnedLiteral], holds: impl Fn(&str) -> bool) -> bool {
    literals.iter().all(|literal| match literal {
        OwnedLiteral::Bare(_) => false,
        OwnedLiteral::Text(text) => holds(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(test: OwnedTest) -> OwnedProbe {
        OwnedProbe { target: OwnedTarget::Redirect, test }
    }

    fn texts(of: &[&str]) -> Vec<String> {
        of.iter().map(|text| (*text).to_owned()).collect()
    }

    fn equal(of: &[&str]) -> OwnedProbe {
        let literals = texts(of).into_iter().map(OwnedLiteral::Text);
        probe(OwnedTest::Equal(literals.collect()))
    }

    #[test]
    fn a_narrower_probe_implies_a_wider_one() {
        let has = |of: &[&str]| probe(OwnedTest::Has(texts(of)));
        let prefix = |of: &[&str]| probe(OwnedTest::Prefix(texts(of)));
        assert!(equal(&["/login"]).implies(&equal(&["/login", "/signin"])));
        assert!(!equal(&["/login", "/x"]).implies(&equal(&["/login"])));
        assert!(equal(&["/login"]).implies(&has(&["log"])));
        assert!(prefix(&["/login"]).implies(&prefix(&["/log"])));
        assert!(!prefix(&["/log"]).implies(&prefix(&["/login"])));
        assert!(has(&["login"]).implies(&has(&["log", "y"])));
        assert!(has(&["x"]).implies(&probe(OwnedTest::Exists)));
        assert!(!probe(OwnedTest::Exists).implies(&has(&["x"])));
    }
}

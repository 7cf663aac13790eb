//! A document as a tree that forgets nothing: names that are there twice, numbers as they are
//! written, and where each value stands.

use std::fmt;
use std::ops::Range;

use permanence_core::Segment;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A value and its place among the bytes of the document.
#[derive(Clone, Debug)]
pub struct Value<'d> {
    /// What it is.
    pub content: Content<'d>,
    /// Where it stands.
    pub place: Range<usize>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Content<'d> {
    /// A number, `true` or `false`, as it is written.
    Bare(&'d str),
    /// An array.
    List(Vec<Value<'d>>),
    /// An object.
    Members(Vec<(String, Value<'d>)>),
    /// `null`.
    Null,
    /// A string, escapes resolved.
    Text(String),
}

/// Reads a document; `None` if it is none, or if half a surrogate pair stands in it.
#[must_use]
pub fn parse(document: &[u8]) -> Option<Value<'_>> {
    let text = str::from_utf8(document).ok()?;
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    value(raw.get(), text.as_ptr().addr())
}

impl Value<'_> {
    /// Adds the values at `pointer` to `found`, in the order of the document.
    pub fn at<'v>(&'v self, pointer: &[Segment<'_>], found: &mut Vec<&'v Self>) {
        let Some((segment, rest)) = pointer.split_first() else {
            found.push(self);
            return;
        };
        match &self.content {
            Content::List(list) => {
                for (place, value) in list.iter().enumerate() {
                    let meets = match segment {
                        Segment::Any => true,
                        Segment::Index(index) => usize::from(*index) == place,
                        Segment::Key(_) => false,
                    };
                    if meets {
                        value.at(rest, found);
                    }
                }
            }
            Content::Members(members) => {
                for (name, value) in members {
                    let meets = match segment {
                        Segment::Any => true,
                        Segment::Index(index) => *name == index.to_string(),
                        Segment::Key(key) => name == key,
                    };
                    if meets {
                        value.at(rest, found);
                    }
                }
            }
            Content::Bare(_) | Content::Null | Content::Text(_) => {}
        }
    }
}

impl Content<'_> {
    /// The bytes of a scalar.
    #[must_use]
    pub fn scalar(&self) -> Option<&[u8]> {
        match self {
            Content::Bare(text) => Some(text.as_bytes()),
            Content::Text(text) => Some(text.as_bytes()),
            Content::List(_) | Content::Members(_) | Content::Null => None,
        }
    }
}

fn value(raw: &str, origin: usize) -> Option<Value<'_>> {
    let content = match raw.as_bytes().first()? {
        b'[' => {
            let list: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
            let values = list.iter().map(|raw| value(raw.get(), origin));
            Content::List(values.collect::<Option<_>>()?)
        }
        b'{' => {
            let Members(members) = serde_json::from_str(raw).ok()?;
            let values =
                members.into_iter().map(|(name, raw)| Some((name, value(raw.get(), origin)?)));
            Content::Members(values.collect::<Option<_>>()?)
        }
        b'"' => Content::Text(serde_json::from_str(raw).ok()?),
        b'n' => Content::Null,
        _ => Content::Bare(raw),
    };
    let start = raw.as_ptr().addr() - origin;
    Some(Value { content, place: start..start + raw.len() })
}

/// All members, also those whose name is there twice.
struct Members<'d>(Vec<(String, &'d RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

//! TOML as the language sees it: sections of known keys, and values with places.

mod item;
mod pattern;
mod route;
mod section;
mod span;
mod word;

pub(crate) use self::item::{At, Item};
pub(crate) use self::pattern::{CodeKind, Level, Pattern, Slot, read_pattern};
pub(crate) use self::route::{RouteKey, read_route};
pub(crate) use self::section::Section;
pub(crate) use self::span::{parse_span, written};
pub(crate) use self::word::{
    read_class, read_jitter, read_mode, read_pacing, read_processed, read_remedy, read_retry,
    read_scope,
};

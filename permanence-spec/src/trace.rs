//! Which list of which file decides what a code means.

use std::path::Path;

use permanence_core::{Class, Signal};

use crate::Compiled;
use crate::diagnostic::{Diagnostics, Label};
use crate::layer::Document;
use crate::load::{DEFAULT_NAME, DEFAULT_TEXT, ESSAY_NAME, ESSAY_TEXT, Reading};
use crate::resolve::{self, Listed, RouteName, Speaker, Under};
use crate::source::Source;
use crate::syntax::{Level, Slot};

/// A policy together with the text that it was made from, for tools that explain it.
#[derive(Debug)]
pub struct Traced {
    compiled: Compiled,
    /// The one that extends nothing first.
    documents: Vec<Document>,
    /// The one asked for first.
    sources: Vec<Source>,
}

/// One list of a policy that names a code.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Listing {
    /// The code that is named: the one asked for, or the one that it acts as for want of a list of
    /// its own: the status of a provider's code, the first of its hundred.
    pub code: String,
    /// How exactly it is named.
    pub exactness: Exactness,
    /// What the list stands under.
    pub listed_as: ListedAs,
    /// Whether the list is one of the route and not one for all endpoints.
    pub by_route: bool,
    /// The entry of the list, in the file.
    pub place: Label,
}

/// How exactly a list names a code; the more exact one goes first (SPEC 4.1).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Exactness {
    /// `"4xx"`.
    Hundred,
    /// `"500-599"`.
    Range,
    /// `404`.
    Exact,
}

/// What a list stands under.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ListedAs {
    /// A class: the code keeps the reason that the layers below gave it, if that is of the class.
    Class(Class),
    /// A reason, by its name.
    Reason(String),
}

impl Traced {
    pub(crate) fn new(compiled: Compiled, documents: Vec<Document>, sources: Vec<Source>) -> Self {
        Traced { compiled, documents, sources }
    }

    /// The tables.
    #[must_use]
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The tables alone.
    #[must_use]
    pub fn into_compiled(self) -> Compiled {
        self.compiled
    }

    /// Every list that names `signal`, in the order in which they count: the first one has decided,
    /// and where there is none it was the language.
    ///
    /// `route` is a place in [`Compiled::routes`]. After the lists that name the code itself come
    /// those that name what it acts as otherwise.
    ///
    /// # Examples
    ///
    /// A file takes a status from the reason that the default gave it:
    ///
    /// ```
    /// # fn main() -> Result<(), permanence_spec::Diagnostics> {
    /// use permanence_core::Signal;
    /// use permanence_spec::ListedAs;
    ///
    /// let text = "
    /// [error_permanence]
    /// extends = 'default'
    /// reasons.gone.status_codes = [404]
    /// ";
    /// let policy = permanence_spec::trace_str("policy.toml", text)?;
    /// let listings = policy.listings(None, &Signal::Http(404));
    /// assert_eq!(listings[0].listed_as, ListedAs::Reason("gone".to_owned()));
    /// assert_eq!((listings[0].place.path.as_str(), listings[0].place.line), ("policy.toml", 4));
    /// assert_eq!(listings[1].listed_as, ListedAs::Reason("resource-absent".to_owned()));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn listings(&self, route: Option<usize>, signal: &Signal<'_>) -> Vec<Listing> {
        let Some(slot) = slot_of(signal) else { return Vec::new() };
        let listed = resolve::listings(&self.documents, self.route_name(route), &slot);
        listed.into_iter().filter_map(|listed| self.located(listed)).collect()
    }

    /// Where the rule with this id stands that counts for a route.
    #[must_use]
    pub fn rule_place(&self, route: Option<usize>, id: &str) -> Option<Label> {
        let place = resolve::rule_place(&self.documents, self.route_name(route), id)?;
        Some(self.sources.get(place.source)?.label(place.start..place.end, String::new()))
    }

    fn route_name(&self, route: Option<usize>) -> Option<RouteName<'_>> {
        let route = self.compiled.routes.get(route?)?;
        Some((route.method.as_deref(), &route.template))
    }

    fn located(&self, listed: Listed) -> Option<Listing> {
        let Listed { slot, level, under, speaker, place } = listed;
        Some(Listing {
            code: slot.to_string(),
            exactness: match level {
                Level::Exact => Exactness::Exact,
                Level::Hundred => Exactness::Hundred,
                Level::Range => Exactness::Range,
            },
            listed_as: match under {
                Under::Class(class) => ListedAs::Class(class),
                Under::Reason(name) => ListedAs::Reason(name),
            },
            by_route: speaker == Speaker::Route,
            place: self.sources.get(place.source)?.label(place.start..place.end, String::new()),
        })
    }
}

/// The code by which lists name a signal; none for what no list can name.
fn slot_of(signal: &Signal<'_>) -> Option<Slot> {
    match *signal {
        Signal::Coap(byte) => Some(Slot::Coap(byte)),
        Signal::Grpc(code) => Some(Slot::Grpc(code)),
        Signal::Http(status) => Some(Slot::Http(status)),
        Signal::Network(network) => Some(Slot::Network(network)),
        Signal::Provider { status, code } => Some(Slot::Provider(status, code.to_owned())),
        Signal::Unusable { .. } => Some(Slot::Unusable),
        _ => None,
    }
}

/// Reads a policy file and everything that it extends, and keeps the text.
///
/// # Errors
///
/// Those of [`load_path`](crate::load_path).
pub fn trace_path(path: impl AsRef<Path>) -> Result<Traced, Diagnostics> {
    Reading::of_path(Path::new(""), path.as_ref()).finish()
}

/// Reads a policy from a text and everything that it extends, and keeps the text.
///
/// # Errors
///
/// Those of [`load_str`](crate::load_str).
pub fn trace_str(name: &str, text: &str) -> Result<Traced, Diagnostics> {
    Reading::of_text(name, text).finish()
}

/// The default policy with its text, in which places are called `<default>:LINE:COLUMN`.
///
/// # Errors
///
/// None in a released version: the text is part of it.
pub fn trace_default() -> Result<Traced, Diagnostics> {
    trace_str(DEFAULT_NAME, DEFAULT_TEXT)
}

/// The essay's policy with its text, in which places are called `<essay>:LINE:COLUMN`.
///
/// # Errors
///
/// None in a released version: the text is part of it.
pub fn trace_essay() -> Result<Traced, Diagnostics> {
    trace_str(ESSAY_NAME, ESSAY_TEXT)
}

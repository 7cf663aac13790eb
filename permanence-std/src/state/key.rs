//! A key as it is stored: without secrets.

use permanence_core::public_part;

use crate::{EndpointKey, Origin};

/// The key of an endpoint, as a store keeps it.
///
/// Users, passwords, queries and fragments are left out. A key that had any is not found again by
/// what it was, so that its endpoint starts with nothing known.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct StoredKey {
    id: Box<str>,
    method: Box<str>,
    scheme: Box<str>,
    authority: Box<str>,
    template: Box<str>,
}

impl StoredKey {
    /// Makes a key without secrets.
    ///
    /// # Examples
    ///
    /// ```
    /// use permanence_std::state::StoredKey;
    /// use permanence_std::{EndpointKey, Origin};
    ///
    /// let origin = Origin { scheme: "https", authority: "user:pw@example.com" };
    /// let key = EndpointKey { id: "feed", method: "GET", origin, template: "/feed?key=S" };
    /// let stored = StoredKey::new(&key);
    /// assert_eq!(stored.borrowed().origin.authority, "example.com");
    /// assert_eq!(stored.borrowed().template, "/feed");
    /// ```
    #[must_use]
    pub fn new(key: &EndpointKey<'_>) -> Self {
        let (authority, template) =
            (public_part(key.origin.authority), without_query(key.template));
        // A host goes by its authority, and a route of the policy by its template.
        let id = match key.id {
            id if id == key.origin.authority => authority,
            id => without_query(id),
        };
        StoredKey {
            id: id.into(),
            method: key.method.into(),
            scheme: key.origin.scheme.into(),
            authority: authority.into(),
            template: template.into(),
        }
    }

    /// The key as a registry takes it.
    #[must_use]
    pub fn borrowed(&self) -> EndpointKey<'_> {
        let origin = Origin { scheme: &self.scheme, authority: &self.authority };
        EndpointKey { id: &self.id, method: &self.method, origin, template: &self.template }
    }

    /// Its length as text, before anything is escaped.
    pub(super) fn len(&self) -> usize {
        [&self.id, &self.method, &self.scheme, &self.authority, &self.template]
            .into_iter()
            .fold(0, |sum, part| sum.saturating_add(part.len()))
    }
}

/// A path without query and fragment.
fn without_query(path: &str) -> &str {
    path.split(['?', '#']).next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_secrets_is_kept_as_it_is() {
        let origin = Origin { scheme: "http", authority: "127.0.0.1:8787" };
        let key = EndpointKey { id: "a@b", method: "GET", origin, template: "/@scope/{id}" };
        assert_eq!(StoredKey::new(&key).borrowed(), key);
        assert_eq!(StoredKey::new(&origin.key()).borrowed(), origin.key());
    }

    #[test]
    fn no_secret_stays_in_a_key() {
        let origin = Origin { scheme: "https", authority: "me:SECRET@example.com" };
        let template = "/feed?token=SECRET#SECRET";
        for id in ["feed", origin.authority, template] {
            let key = EndpointKey { id, method: "GET", origin, template };
            assert!(!format!("{:?}", StoredKey::new(&key)).contains("SECRET"), "{id}");
        }
    }
}

//! Names of endpoints: route templates, never the URLs of single requests.

use std::sync::Arc;

use permanence_core::route_matches;

/// What an endpoint is called and which requests belong to it.
///
/// # Examples
///
/// ```
/// use permanence_std::Route;
///
/// let status = Route::new("status", "PUT", "/api/agents/{id}/status");
/// assert!(status.matches("PUT", "/api/agents/17/status"));
/// assert!(!status.matches("GET", "/api/agents/17/status"));
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Route {
    id: Arc<str>,
    method: Arc<str>,
    template: Arc<str>,
    credential: Option<Arc<str>>,
}

impl Route {
    /// Makes a route.
    ///
    /// `id` is the short name that its lines go by. An empty `method` stands for all of them. A
    /// segment of the template in braces stands for any one segment of a path; nothing that differs
    /// from request to request may stand in it otherwise.
    #[must_use]
    pub fn new(
        id: impl Into<Arc<str>>,
        method: impl Into<Arc<str>>,
        template: impl Into<Arc<str>>,
    ) -> Self {
        Route { id: id.into(), method: method.into(), template: template.into(), credential: None }
    }

    /// Names the credential that the route is called with: routes that name the same one share what is
    /// learnt of it, so that a key which is revoked is one episode and one line.
    ///
    /// The name is no secret: it stands in lines and state files.
    ///
    /// # Examples
    ///
    /// ```
    /// use permanence_std::Route;
    ///
    /// let chat = Route::new("chat", "POST", "/v1/chat/completions").with_credential("model key");
    /// let models = Route::new("models", "GET", "/v1/models").with_credential("model key");
    /// assert_eq!(chat.credential(), models.credential());
    /// ```
    #[must_use]
    pub fn with_credential(self, name: impl Into<Arc<str>>) -> Self {
        Route { credential: Some(name.into()), ..self }
    }

    /// The name of the credential, if it has one.
    #[must_use]
    pub fn credential(&self) -> Option<&str> {
        self.credential.as_deref()
    }

    /// The short name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The method; empty for all.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path with its variable segments in braces.
    #[must_use]
    pub fn template(&self) -> &str {
        &self.template
    }

    /// Whether a request belongs to this endpoint; a query is not looked at.
    #[must_use]
    pub fn matches(&self, method: &str, path: &str) -> bool {
        (self.method.is_empty() || *self.method == *method) && route_matches(&self.template, path)
    }
}

/// The key of one endpoint: a route on one host.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct EndpointKey<'a> {
    /// The short name that its lines go by.
    pub id: &'a str,
    /// The method.
    pub method: &'a str,
    /// The host.
    pub origin: Origin<'a>,
    /// The path with its variable segments in braces.
    pub template: &'a str,
}

/// A host as a client sees it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Origin<'a> {
    /// `http` or `https`.
    pub scheme: &'a str,
    /// The host, with its port unless that is the scheme's own: `example.com`, `127.0.0.1:8787`.
    pub authority: &'a str,
}

impl<'a> Origin<'a> {
    /// The key of the tracker that stands for the whole host.
    pub(crate) const fn key(self) -> EndpointKey<'a> {
        EndpointKey { id: self.authority, method: "", origin: self, template: "" }
    }
}

/// The key of the tracker that stands for a credential, whatever host it is for.
pub(crate) const fn credential_key(name: &str) -> EndpointKey<'_> {
    let origin = Origin { scheme: "", authority: "" };
    EndpointKey { id: name, method: "", origin, template: "" }
}

/// Whether a key is that of a credential: no host is without an authority.
#[cfg(feature = "state")]
pub(crate) fn is_credential(key: &EndpointKey<'_>) -> bool {
    *key == credential_key(key.id)
}

/// A key that owns its text.
#[derive(Debug)]
pub(crate) struct OwnedKey {
    id: Arc<str>,
    method: Box<str>,
    scheme: Box<str>,
    /// The authority and the template, as they stand in a line.
    target: Box<str>,
    authority_len: usize,
}

impl OwnedKey {
    pub(crate) fn new(key: &EndpointKey<'_>) -> Self {
        OwnedKey {
            id: key.id.into(),
            method: key.method.into(),
            scheme: key.origin.scheme.into(),
            target: [key.origin.authority, key.template].concat().into(),
            authority_len: key.origin.authority.len(),
        }
    }

    pub(crate) fn borrowed(&self) -> EndpointKey<'_> {
        let (authority, template) =
            self.target.split_at_checked(self.authority_len).unwrap_or(("", &self.target));
        let origin = Origin { scheme: &self.scheme, authority };
        EndpointKey { id: &self.id, method: &self.method, origin, template }
    }

    pub(crate) fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// How the endpoint is named in a line: a host by its authority alone.
    pub(crate) fn line_name(&self) -> permanence_core::Endpoint<'_> {
        let target =
            if self.method.is_empty() && *self.target == *self.id { "" } else { &self.target };
        permanence_core::Endpoint { id: &self.id, method: &self.method, target }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owned_key_is_the_key_it_was_made_from() {
        let origin = Origin { scheme: "http", authority: "127.0.0.1:8787" };
        let key = EndpointKey { id: "feed", method: "GET", origin, template: "/v1/feed" };
        assert_eq!(OwnedKey::new(&key).borrowed(), key);
        assert_eq!(OwnedKey::new(&origin.key()).borrowed(), origin.key());
    }

    #[test]
    fn a_route_without_a_method_is_for_all_of_them() {
        let feed = Route::new("feed", "", "/v1/feed");
        assert!(feed.matches("GET", "/v1/feed?page=2"));
        assert!(feed.matches("POST", "/v1/feed"));
        assert!(!feed.matches("GET", "/v1/feeds"));
    }
}

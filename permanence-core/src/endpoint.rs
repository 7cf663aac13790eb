//! What a line calls an endpoint.

/// The names of an endpoint in a line: for people, and without secrets.
///
/// # Examples
///
/// ```
/// use permanence_core::Endpoint;
///
/// let endpoint = Endpoint::new("status").with_target("PUT", "127.0.0.1:8787/api/agents/{id}/status");
/// assert_eq!(endpoint.id, "status");
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Endpoint<'a> {
    /// The short name under which the endpoint is known to `recheck` and in state files; it is
    /// printed as it is and must hold no secret.
    pub id: &'a str,
    /// The method, such as `PUT`; left out of the line when empty.
    pub method: &'a str,
    /// Host, port and path template; left out when empty. Only its [`public_part`] is printed.
    pub target: &'a str,
}

impl<'a> Endpoint<'a> {
    /// Makes an endpoint that has a name only.
    #[must_use]
    pub const fn new(id: &'a str) -> Self {
        Endpoint { id, method: "", target: "" }
    }

    /// The same endpoint with its method and target.
    #[must_use]
    pub const fn with_target(mut self, method: &'a str, target: &'a str) -> Self {
        self.method = method;
        self.target = target;
        self
    }
}

/// The part of a URL that may stand in a line: host, port and path, but no scheme, user, password,
/// query or fragment.
///
/// A path may still hold a secret: use a template, such as `/api/agents/{id}/status`.
///
/// # Examples
///
/// ```
/// use permanence_core::public_part;
///
/// let url = "https://user:pw@api.example.test/imdb/show/tt1?apikey=SECRET123&x=1#f";
/// assert_eq!(public_part(url), "api.example.test/imdb/show/tt1");
/// ```
#[must_use]
pub fn public_part(url: &str) -> &str {
    let url = before_first(url, b"?#");
    let after_scheme = url.strip_prefix(before_first(url, b":/"));
    let url = match after_scheme.and_then(|rest| rest.strip_prefix("://")) {
        Some(rest) => rest,
        None => url.strip_prefix("//").unwrap_or(url),
    };
    // Users stand before the first slash only; a path may have an `@` of its own.
    let authority = before_first(url, b"/");
    match authority.bytes().rposition(|byte| byte == b'@') {
        Some(place) => url.get(place.saturating_add(1)..).unwrap_or(""),
        None => url,
    }
}

/// The text up to the first of these ASCII marks, or all of it.
///
/// `str::find` would bring a search that has a panic path, and a kilobyte of flash.
fn before_first<'t>(text: &'t str, marks: &[u8]) -> &'t str {
    let place = text.bytes().position(|byte| marks.contains(&byte));
    place.and_then(|place| text.get(..place)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_part_has_no_scheme_user_query_or_fragment() {
        for (url, public) in [
            (
                "https://user:pw@api.example.test/imdb/show/tt1?apikey=S&x=1#f",
                "api.example.test/imdb/show/tt1",
            ),
            ("127.0.0.1:8787/api/agents/{id}/status", "127.0.0.1:8787/api/agents/{id}/status"),
            ("http://[::1]:8787/x", "[::1]:8787/x"),
            ("//host/x", "host/x"),
            ("host//x", "host//x"),
            ("user:p@ss@host", "host"),
            ("https://user@host?token=S", "host"),
            ("https://host#S", "host"),
            ("https://host/@scope/pkg", "host/@scope/pkg"),
            ("host/next/https://else.where/x", "host/next/https://else.where/x"),
            ("/api/x?y", "/api/x"),
            ("coap://tok@sensor/a", "sensor/a"),
            ("", ""),
            ("?", ""),
            ("@", ""),
        ] {
            assert_eq!(public_part(url), public, "{url}");
        }
    }
}

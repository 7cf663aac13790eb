//! Which host a request goes to.

use http::{HeaderMap, Uri};

use super::Over;
use crate::Origin;

/// The host of a request: that of its URI, else that of its `Host` header, else that of the gate.
pub(crate) fn origin<'r>(
    uri: &'r Uri,
    headers: &'r HeaderMap,
    default: Option<Origin<'r>>,
) -> Origin<'r> {
    let scheme = uri.scheme_str();
    if let Some(authority) = uri.authority() {
        let scheme = scheme.or(default.map(|origin| origin.scheme)).unwrap_or("http");
        return Origin { scheme, authority: host(authority.as_str(), scheme) };
    }
    if let Some(origin) = default {
        return origin;
    }
    let named = headers.get(http::header::HOST).and_then(|value| value.to_str().ok());
    let scheme = scheme.unwrap_or("http");
    Origin { scheme, authority: host(named.unwrap_or(""), scheme) }
}

/// An authority without user and password, and without the port that the scheme has anyway.
fn host<'a>(authority: &'a str, scheme: &str) -> &'a str {
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let port = if Over::of_scheme(scheme) == Over::Tls { ":443" } else { ":80" };
    host.strip_suffix(port).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(uri: &str, default: Option<Origin<'static>>) -> (String, String) {
        let headers = HeaderMap::from_iter([(
            http::header::HOST,
            http::HeaderValue::from_static("named.example:80"),
        )]);
        let uri = uri.parse().expect("a URI");
        let Origin { scheme, authority } = origin(&uri, &headers, default);
        (scheme.to_owned(), authority.to_owned())
    }

    fn pair(scheme: &str, authority: &str) -> (String, String) {
        (scheme.to_owned(), authority.to_owned())
    }

    #[test]
    fn an_origin_holds_neither_user_nor_password_nor_the_usual_port() {
        assert_eq!(of("https://u:p@api.example:443/x", None), pair("https", "api.example"));
        assert_eq!(of("http://api.example:443/x", None), pair("http", "api.example:443"));
        assert_eq!(of("http://[::1]:80/x", None), pair("http", "[::1]"));
    }

    #[test]
    fn a_path_alone_goes_to_the_host_of_the_gate_else_to_the_one_that_is_named() {
        let default = Origin { scheme: "https", authority: "kept.example" };
        assert_eq!(of("/v1/feed", Some(default)), pair("https", "kept.example"));
        assert_eq!(of("/v1/feed", None), pair("http", "named.example"));
    }
}

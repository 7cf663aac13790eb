//! Route templates: one endpoint for many paths.

/// Whether `path` is one of the paths that `template` stands for.
///
/// A segment `{name}` of the template stands for any one segment that is not empty; every other
/// segment stands for itself, byte for byte: nothing is decoded and case counts. A slash at the end
/// counts too. What follows a `?` or a `#` in `path` is left out. A template stands for itself, so
/// that a caller who knows only the template may pass it as the path (SPEC 5.5).
///
/// # Examples
///
/// ```
/// use permanence_core::route_matches;
///
/// let template = "/api/agents/{id}/status";
/// assert!(route_matches(template, "/api/agents/17/status?verbose=1"));
/// assert!(route_matches(template, template));
/// assert!(!route_matches(template, "/api/agents//status"));
/// assert!(!route_matches(template, "/api/agents/17/status/"));
/// ```
#[must_use]
pub fn route_matches(template: &str, path: &str) -> bool {
    // Bytes: the splitting of text has a panic path that no optimiser removes.
    let mut found = segments(without_query(path.as_bytes()));
    for expected in segments(template.as_bytes()) {
        match found.next() {
            Some(segment) if stands_for(expected, segment) => {}
            _ => return false,
        }
    }
    found.next().is_none()
}

fn without_query(path: &[u8]) -> &[u8] {
    path.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or(path)
}

fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
}

fn stands_for(expected: &[u8], segment: &[u8]) -> bool {
    if expected.starts_with(b"{") && expected.ends_with(b"}") {
        !segment.is_empty()
    } else {
        expected == segment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_braces_stands_for_one_segment() {
        assert!(route_matches("/{kind}/{id}", "/agents/17"));
        assert!(route_matches("/{kind}/{id}", "/agents/a%2Fb"));
        assert!(!route_matches("/{kind}/{id}", "/agents"));
        assert!(!route_matches("/{kind}/{id}", "/agents/17/status"));
        assert!(!route_matches("/{kind}/{id}", "/agents/"));
    }

    #[test]
    fn all_else_stands_for_itself() {
        assert!(route_matches("/v1/charges", "/v1/charges"));
        assert!(!route_matches("/v1/charges", "/v1/Charges"));
        assert!(!route_matches("/v1/charges", "/v1/charges/"));
        assert!(route_matches("/v1/charges/", "/v1/charges/"));
        assert!(route_matches("/", "/"));
        assert!(!route_matches("/", ""));
        assert!(!route_matches("/a{id}", "/a7"));
    }

    #[test]
    fn query_and_fragment_do_not_count() {
        assert!(route_matches("/v1/feed", "/v1/feed?since=/a/b"));
        assert!(route_matches("/v1/feed", "/v1/feed#top?"));
        assert!(!route_matches("/v1/{id}", "/v1/?id=7"));
    }
}

//! Keys of routes: `"PUT /api/agents/{id}/status"`.

use crate::diagnostic::{Code, Finding, Findings};

use super::Item;

/// A method, or none for all of them, and a path template.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RouteKey {
    pub(crate) method: Option<String>,
    pub(crate) template: String,
}

impl RouteKey {
    /// Whether two keys match the same requests: names in braces do not count.
    pub(crate) fn is_same(&self, other: &RouteKey) -> bool {
        self.covers(other) && other.covers(self)
    }

    /// Whether every request that `other` matches is matched by `self` too.
    pub(crate) fn covers(&self, other: &RouteKey) -> bool {
        if self.method.is_some() && self.method != other.method {
            return false;
        }
        let mut theirs = other.template.split('/');
        for mine in self.template.split('/') {
            match theirs.next() {
                Some(their) if is_name(mine) && !their.is_empty() => {}
                Some(their) if mine == their => {}
                _ => return false,
            }
        }
        theirs.next().is_none()
    }
}

/// Reads the key of an endpoint's own table.
pub(crate) fn read_route(item: &Item<'_>, findings: &mut Findings) -> Option<RouteKey> {
    match parse(item.key) {
        Ok(key) => Some(key),
        Err(fault) => {
            let message = format!("`{}` is not a route: {fault}", item.key);
            let help = "a route is \"METHOD /path/{name}/rest\" or \"/path\" for every method";
            findings.push(Finding::new(Code::BadRoute, item.key_place, message).with_help(help));
            None
        }
    }
}

fn parse(key: &str) -> Result<RouteKey, &'static str> {
    let (method, template) = match key.split_once(' ') {
        Some((method, template)) => (Some(method), template),
        None => (None, key),
    };
    if let Some(method) = method {
        check_method(method)?;
    }
    check_template(template)?;
    Ok(RouteKey { method: method.map(str::to_owned), template: template.to_owned() })
}

fn check_method(method: &str) -> Result<(), &'static str> {
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') {
        return Err("a method is letters only");
    }
    if method != "iPATCH" && method.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Err("methods are written in capitals");
    }
    Ok(())
}

fn check_template(template: &str) -> Result<(), &'static str> {
    if !template.starts_with('/') {
        return Err("a path starts with a slash");
    }
    if template.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return Err("a path has no blanks");
    }
    if template.contains(['?', '#']) {
        return Err("query and fragment do not count");
    }
    for segment in template.split('/') {
        if segment.contains(['{', '}']) && !is_name(segment) {
            return Err("a name in braces is a whole segment of letters, digits, `_` and `-`");
        }
    }
    Ok(())
}

/// Whether a segment stands for any other.
fn is_name(segment: &str) -> bool {
    let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_method_and_a_template() {
        let key = parse("PUT /api/agents/{id}/status").unwrap();
        assert_eq!(key.method.as_deref(), Some("PUT"));
        assert_eq!(key.template, "/api/agents/{id}/status");
        assert_eq!(parse("/").unwrap().method, None);
    }

    #[test]
    fn a_key_that_can_match_nothing_is_refused() {
        for key in
            ["", "PUT", "PUT ", "put /x", "PUT  /x", "x", "/a{id}", "/{}", "/{a b}", "/x?y=1"]
        {
            assert!(parse(key).is_err(), "{key}");
        }
        assert!(parse("https://example.com/x").is_err());
    }

    #[test]
    fn a_wider_route_covers_a_narrower_one() {
        let covers =
            |wide: &str, narrow: &str| parse(wide).unwrap().covers(&parse(narrow).unwrap());
        assert!(covers("/a/{id}", "PUT /a/7"));
        assert!(covers("/a/{id}", "/a/{name}"));
        assert!(!covers("PUT /a/{id}", "/a/7"));
        assert!(!covers("/a/7", "/a/{id}"));
        assert!(!covers("/a/{id}", "/a/"));
        assert!(!covers("/a/{id}", "/a/7/b"));
    }
}

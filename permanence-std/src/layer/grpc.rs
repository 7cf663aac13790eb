//! The status of a gRPC call, in headers or in trailers.

use http::HeaderMap;
use permanence_core::Signal;

/// The status of a call; `None` where none is given. What is not a number is `UNKNOWN`.
pub(super) fn signal(headers: &HeaderMap) -> Option<Signal<'static>> {
    let value = headers.get("grpc-status")?;
    let code = value.to_str().ok().and_then(|text| text.parse::<u8>().ok());
    Some(Signal::Grpc(code.filter(|code| *code <= LAST).unwrap_or(UNKNOWN)))
}

/// `UNAUTHENTICATED`.
const LAST: u8 = 16;
const UNKNOWN: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &str) -> HeaderMap {
        let name = http::HeaderName::from_static("grpc-status");
        HeaderMap::from_iter([(name, http::HeaderValue::from_str(value).expect("plain text"))])
    }

    #[test]
    fn a_status_that_is_no_code_is_unknown() {
        assert_eq!(signal(&headers("14")), Some(Signal::Grpc(14)));
        for odd in ["17", "999", "-1", "ok", ""] {
            assert_eq!(signal(&headers(odd)), Some(Signal::Grpc(UNKNOWN)), "{odd}");
        }
        assert_eq!(signal(&HeaderMap::new()), None);
    }
}

//! What the media type of an answer tells about its body.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Whether the pieces of a body are meant to be used as they come.
pub(crate) fn is_endless(headers: &HeaderMap) -> bool {
    let media_type = media_type(headers);
    ENDLESS.iter().any(|known| media_type.eq_ignore_ascii_case(known))
        || is_type_of_grpc(media_type)
}

/// Whether the answer is one of gRPC, whose status stands apart from that of HTTP.
#[cfg(feature = "tower")]
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    is_type_of_grpc(media_type(headers))
}

fn media_type(headers: &HeaderMap) -> &str {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.and_then(|text| text.split(';').next()).unwrap_or("").trim()
}

/// `application/grpc` and its relatives, such as `application/grpc+proto`; not `grpc-web`, whose
/// trailers are part of the body.
fn is_type_of_grpc(media_type: &str) -> bool {
    let Some((start, rest)) = media_type.split_at_checked(GRPC.len()) else { return false };
    start.eq_ignore_ascii_case(GRPC) && (rest.is_empty() || rest.starts_with('+'))
}

const ENDLESS: [&str; 5] = [
    "application/json-seq",
    "application/stream+json",
    "application/x-ndjson",
    "multipart/x-mixed-replace",
    "text/event-stream",
];
const GRPC: &str = "application/grpc";

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(content_type: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(CONTENT_TYPE, http::HeaderValue::from_static(content_type))])
    }

    #[test]
    fn event_streams_have_no_end() {
        assert!(is_endless(&headers("Text/Event-Stream; charset=utf-8")));
        assert!(!is_endless(&headers("application/json")));
        assert!(!is_endless(&HeaderMap::new()));
    }

    #[cfg(feature = "tower")]
    #[test]
    fn grpc_is_told_from_grpc_web() {
        assert!(is_grpc(&headers("application/grpc")));
        assert!(is_grpc(&headers("application/grpc+proto")));
        assert!(!is_grpc(&headers("application/grpc-web+proto")));
        assert!(!is_grpc(&headers("application/grp")));
    }
}

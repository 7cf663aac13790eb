//! What a gRPC server says, in headers or in trailers.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::HeaderMap;
use permanence_core::Signal;
use permanence_core::retry_after::{ServerDelay, retry_info_in_status};

/// The status of a call; `None` where none is given. What is not a number is `UNKNOWN`.
pub(super) fn signal(headers: &HeaderMap) -> Option<Signal<'static>> {
    let value = headers.get("grpc-status")?;
    let code = value.to_str().ok().and_then(|text| text.parse::<u8>().ok());
    Some(Signal::Grpc(code.filter(|code| *code <= LAST).unwrap_or(UNKNOWN)))
}

/// The delay of a `RetryInfo` among the details of the status.
pub(super) fn retry_info(headers: &HeaderMap) -> Option<ServerDelay> {
    let details = headers.get("grpc-status-details-bin")?.as_bytes();
    if details.len() > MOST_DETAILS {
        return None;
    }
    retry_info_in_status(&BASE64.decode(details).ok()?)
}

/// Binary metadata may be padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// `UNAUTHENTICATED`.
const LAST: u8 = 16;
const UNKNOWN: u8 = 2;
/// The longest details that are looked at, in bytes.
const MOST_DETAILS: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let name = http::HeaderName::from_static(name);
        HeaderMap::from_iter([(name, http::HeaderValue::from_str(value).expect("plain text"))])
    }

    #[test]
    fn a_status_that_is_no_code_is_unknown() {
        assert_eq!(signal(&headers("grpc-status", "14")), Some(Signal::Grpc(14)));
        for odd in ["17", "999", "-1", "ok", ""] {
            assert_eq!(signal(&headers("grpc-status", odd)), Some(Signal::Grpc(UNKNOWN)), "{odd}");
        }
        assert_eq!(signal(&HeaderMap::new()), None);
    }

    #[test]
    fn details_may_be_padded_or_not() {
        // google.rpc.Status { details: [Any { RetryInfo { retry_delay: 3 s } }] }
        let mut any =
            b"\x0a\x28type.googleapis.com/google.rpc.RetryInfo\x12\x04\x0a\x02\x08\x03".to_vec();
        let mut status = vec![0x1a, u8::try_from(any.len()).expect("it is short")];
        status.append(&mut any);
        let text = BASE64.encode(&status);
        for text in [text.as_str(), text.trim_end_matches('=')] {
            let delay = retry_info(&headers("grpc-status-details-bin", text));
            assert_eq!(delay, Some(ServerDelay::from_seconds(3)), "{text}");
        }
        assert_eq!(retry_info(&headers("grpc-status-details-bin", "!!")), None);
    }
}

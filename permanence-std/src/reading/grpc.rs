//! When a gRPC server wants to be called again.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::HeaderMap;
use permanence_core::retry_after::{ServerDelay, retry_info_in_status};

/// The delay of a `RetryInfo` among the details of the status.
pub(crate) fn retry_info(headers: &HeaderMap) -> Option<ServerDelay> {
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

//! The providers' codes that P0 knows; they go before the status that they come with.

use super::rows::Row;

/// The row of a status and a provider's code, where P0 knows the pair.
pub(super) fn provider_row(status: u16, code: &str) -> Option<Row> {
    CODES
        .iter()
        .find(|(known_status, known_code, _)| *known_status == status && *known_code == code)
        .map(|(_, _, row)| *row)
}

/// The pairs, as they stand in `spec/vectors/p0.toml`.
pub(super) const CODES: [(u16, &str, Row); 33] = [
    (400, "AccessDeniedException", Row::Auth),
    (400, "BandwidthLimitExceeded", Row::Overload),
    (400, "ExpiredTokenException", Row::Auth),
    (400, "LimitExceededException", Row::Overload),
    (400, "PriorRequestNotComplete", Row::Overload),
    (400, "ProvisionedThroughputExceededException", Row::Overload),
    (400, "RequestExpired", Row::Auth),
    (400, "RequestLimitExceeded", Row::Overload),
    (400, "RequestThrottled", Row::Overload),
    (400, "RequestThrottledException", Row::Overload),
    (400, "RequestTimeout", Row::Overload),
    (400, "ResourceNotFoundException", Row::Absent),
    (400, "ServiceQuotaExceededException", Row::Auth),
    (400, "ThrottledException", Row::Overload),
    (400, "Throttling", Row::Overload),
    (400, "ThrottlingException", Row::Overload),
    (400, "TooManyRequestsException", Row::Overload),
    (400, "TransactionInProgressException", Row::Overload),
    (400, "UnrecognizedClientException", Row::Auth),
    (400, "organization_on_hold", Row::Auth),
    (400, "request_body_timeout", Row::Overload),
    (403, "secondary_rate_limit", Row::Overload),
    (404, "NoSuchBucket", Row::Absent),
    (404, "NoSuchKey", Row::Absent),
    (404, "model_not_found", Row::Absent),
    (404, "not_found_error", Row::Absent),
    (429, "contract_spend_limit_reached", Row::Auth),
    (429, "credit_balance_exhausted", Row::Auth),
    (429, "enforced_spend_limit_reached", Row::Auth),
    (429, "insufficient_quota", Row::Auth),
    (429, "organization_spend_limit_exceeded", Row::Auth),
    (429, "organization_usage_limit_exceeded", Row::Auth),
    (429, "project_spend_limit_exceeded", Row::Auth),
];
